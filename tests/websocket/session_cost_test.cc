// What a message costs: heap allocations, once everything has been used before.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/counting_allocator.h"
#include "tests/websocket/session_fixture.h"
#include "websocket/session.h"

namespace ssx::websocket::test {
namespace {

using ssx::test::allocations;

class SessionCost : public WebSocketTest {
 protected:
  SessionCost() { route("/echo", echo.handlers()); }

  /// Allocations of twenty echoes, after twenty to warm up.
  std::int64_t allocations_of(const std::string& bytes) {
    Peer peer = open("/echo");
    std::int64_t news = 0;
    for (int i = 0; i < 40; ++i) {
      std::string_view rest = bytes;
      while (!rest.empty()) {
        rest.remove_prefix(peer.send_without_waiting(rest));
        const auto before = allocations();
        idle();
        if (i >= 20) news += (allocations() - before).news;
      }
      EXPECT_GE(hear(peer).size(), bytes.size() / 2);
    }
    return news;
  }
  Echo echo;
};

TEST_F(SessionCost, NoAllocationForAnEchoOfAnySize) {
  for (const std::size_t size : {2U, 64U, 125U, 126U, 1024U, 16384U, 65535U, 65536U}) {
    EXPECT_EQ(allocations_of(text(std::string(size, 't'))), 0) << size;
    EXPECT_EQ(allocations_of(binary(std::string(size, 'b'))), 0) << size;
  }
}

TEST_F(SessionCost, NoAllocationForAFragmentedEcho) {
  const std::string piece(700, 'x');
  EXPECT_EQ(allocations_of(fragments({piece, piece, piece})), 0);
  const std::string large(20000, 'x');
  EXPECT_EQ(allocations_of(fragments({large, large, large})), 0);
}

}  // namespace
}  // namespace ssx::websocket::test

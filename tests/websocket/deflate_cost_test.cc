// What a compressed message costs once everything has been used before.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/counting_allocator.h"
#include "websocket/deflate.h"

namespace ssx::websocket {
namespace {

using compress::Piece;

TEST(DeflateCost, AMessageIsNoAllocationWhateverIsKept) {
  Options options;
  options.deflate.mode = DeflateMode::kBoth;
  ByteBudget budget(1 << 24);
  DeflatePool pool(budget);
  const std::string text(20000, 'a');
  std::string message;
  message.reserve(text.size());
  std::array<std::byte, 32768> room;
  for (const bool keeps : {false, true}) {
    const DeflateParams params{.server_no_context_takeover = !keeps,
                               .client_no_context_takeover = !keeps};
    Deflate ours(params, options, Role::kServer, pool);
    Deflate theirs(params, options, Role::kClient, pool);
    for (int round = 0; round < 20; ++round) {
      const auto before = ssx::test::allocations();
      message.clear();
      ASSERT_TRUE(ours.deflate(as_bytes(text), message));
      const auto step = theirs.inflate(as_bytes(message), room, Piece::kLast);
      const auto spent = ssx::test::allocations() - before;
      ASSERT_TRUE(step && step->done);
      ASSERT_EQ(step->produced, text.size());
      if (round > 0) {
        EXPECT_EQ(spent.news, 0) << keeps;
      }
    }
  }
}

}  // namespace
}  // namespace ssx::websocket

// D01: a server without descriptors neither spins nor loses anybody. A process of its own, because
// the limit is the process's.
#include <gtest/gtest.h>
#include <poll.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/net/options.h"
#include "tests/support/child_process.h"
#include "tests/support/raw_client.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::ChildProcess;
using test::RawClient;

constexpr std::size_t kFiles = 64;

class Exhaustion : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ChildProcess::Options quiet;
    quiet.environment = {{"ASAN_OPTIONS", "detect_leaks=0"}};  // which takes descriptors itself
    server = std::make_unique<ChildProcess>(
        ChildProcess::start({SSX_ECHO_SERVER, GetParam(), std::to_string(kFiles)}, quiet));
    ASSERT_TRUE(server->wait_for_output(" now"));
    const auto at = server->out().find("listening on ") + 13;
    std::from_chars(server->out().data() + at, server->out().data() + server->out().size(), port);
    ASSERT_GT(port, 0);
  }
  /// Waits for answers, at most `patience`, and moves those who have got theirs to `served`. How
  /// many there were.
  std::size_t serve(std::chrono::milliseconds patience) {
    std::vector<pollfd> all;
    for (const RawClient& client : waiting) all.push_back({client.fd(), POLLIN, 0});
    if (::poll(all.data(), all.size(), static_cast<int>(patience.count())) <= 0) return 0;
    std::size_t count = 0;
    for (std::size_t i = waiting.size(); i-- > 0;) {
      if (all[i].revents == 0) continue;
      EXPECT_EQ(waiting[i].read_available(), "hello");
      served.push_back(std::move(waiting[i]));
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      ++count;
    }
    return count;
  }

  std::unique_ptr<ChildProcess> server;
  std::uint16_t port = 0;
  std::vector<RawClient> waiting;
  std::vector<RawClient> served;
};

INSTANTIATE_TEST_SUITE_P(Accept, Exhaustion, testing::Values("thread", "reuseport", "exclusive"));

TEST_P(Exhaustion, TwoHundredHoldAndTwoHundredWaitForAFewDescriptors) {
  for (int i = 0; i < 400; ++i) {
    waiting.push_back(RawClient::tcp(port));
    ASSERT_TRUE(waiting.back().send("hello"));
  }
  // As many as there are descriptors are served.
  while (serve(500ms) > 0) {
  }
  EXPECT_GT(served.size(), kFiles / 2);
  EXPECT_LT(served.size(), kFiles);

  // Nobody can be accepted for a while: a process that spins would use all of it.
  const auto before = server->cpu_time();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(serve(2000ms), 0U);
  const auto wall = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(server->cpu_time() - before, wall / 20) << "more than 5 % of a core";
  EXPECT_LE(server->open_files(), kFiles);

  // When descriptors become free, those that waited are served: every one of them.
  while (!waiting.empty()) {
    served.clear();
    ASSERT_GT(serve(10s), 0U) << waiting.size();
  }
  served.clear();
  server->send_input("");
  EXPECT_TRUE(server->wait().clean());
  EXPECT_NE(server->out().find("accepted 400"), std::string::npos) << server->out();
}

}  // namespace
}  // namespace ssx::net

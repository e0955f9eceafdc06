#include "websocket/client/wait_list.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ssxrver/coro/task.h"
#include "tests/net/loop_fixture.h"

namespace ssx::websocket {
namespace {

class WaitListTest : public net::LoopTest {
 protected:
  Task<> wait_twice(char name) {
    for (int i = 0; i < 2; ++i) {
      co_await list.wait();
      log += name;
    }
  }

  WaitList list;
  std::string log;
};

class Then final : public Continuation {
 public:
  Then() noexcept : Continuation([](Continuation&) noexcept {}) {}
};

TEST_F(WaitListTest, WakesAllInTheirOrderOnce) {
  start(wait_twice('a'));
  start(wait_twice('b'));
  EXPECT_EQ(log, "");
  list.wake_all();
  EXPECT_EQ(log, "ab") << "who comes back waits for the next time";
  list.wake_all();
  EXPECT_EQ(log, "abab");
  list.wake_all();
  EXPECT_EQ(log, "abab");
}

TEST_F(WaitListTest, ForgetsWhoHasGone) {
  Then then;
  std::optional<Task<>> gone = wait_twice('a');
  ASSERT_FALSE(gone->start(then));
  start(wait_twice('b'));
  gone.reset();
  list.wake_all();
  EXPECT_EQ(log, "b");
}

TEST_F(WaitListTest, ForgetsWhoGoesWhileOthersAreWoken) {
  Then first;
  Then second;
  std::optional<Task<>> gone;
  const auto ends_the_other = [](WaitList& waits, std::optional<Task<>>& other) -> Task<> {
    co_await waits.wait();
    other.reset();
  };
  Task<> ends = ends_the_other(list, gone);
  ASSERT_FALSE(ends.start(first));
  gone = wait_twice('a');
  ASSERT_FALSE(gone->start(second));
  list.wake_all();
  EXPECT_EQ(log, "");
}

}  // namespace
}  // namespace ssx::websocket

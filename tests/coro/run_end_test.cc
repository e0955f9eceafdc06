#include "ssxrver/coro/run_end.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "ssxrver/coro/task.h"
#include "tests/coro/event.h"

namespace ssx {
namespace {

/// Calls a function at the end of the run.
class AtEnd final : private RunEnd {
 public:
  explicit AtEnd(std::function<void()> function) : function_(std::move(function)) {}
  void link() { at_run_end(); }
  void take_back() { leave_run(); }

 private:
  void on_run_end() noexcept override { function_(); }
  std::function<void()> function_;
};

/// Waits for the event, then calls the function inside its run.
Task<> then_call(Event& event, std::function<void()> function) {
  co_await event;
  function();
}

class RunEndTest : public testing::Test {
 protected:
  std::function<void()> log(int step) {
    return [this, step] { steps.push_back(step); };
  }
  /// Runs the function inside a coroutine that is resumed.
  void run(std::function<void()> function) {
    Event event;
    Noted noted;
    auto task = then_call(event, std::move(function));
    ASSERT_FALSE(task.start(noted));
    event.fire();
    ASSERT_EQ(noted.times, 1);
  }

  std::vector<int> steps;
};

TEST_F(RunEndTest, IsNowWhenNoCoroutineRuns) {
  AtEnd end(log(1));
  end.link();
  EXPECT_EQ(steps, std::vector<int>{1});
}

TEST_F(RunEndTest, IsWhenTheCoroutineThatWasResumedHasReturned) {
  AtEnd end(log(2));
  run([&] {
    end.link();
    end.link();  // twice is once
    steps.push_back(1);
  });
  EXPECT_EQ(steps, (std::vector<int>{1, 2}));
}

TEST_F(RunEndTest, IsTheEndOfTheOutermostRun) {
  AtEnd end(log(3));
  run([&] {
    run([&] {
      end.link();
      steps.push_back(1);
    });
    steps.push_back(2);
  });
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 3}));
}

TEST_F(RunEndTest, KeepsTheOrderAndForgetsWhatWasTakenBack) {
  AtEnd first(log(1));
  AtEnd third(log(3));
  run([&] {
    AtEnd second(log(2));
    AtEnd fourth(log(4));
    first.link();
    second.link();
    third.link();
    fourth.link();
    first.take_back();
    first.take_back();
    first.link();  // behind the third now; the second and the fourth are destroyed
  });
  EXPECT_EQ(steps, (std::vector<int>{3, 1}));
}

TEST_F(RunEndTest, WorkMayLinkWork) {
  AtEnd second(log(2));
  AtEnd first([&] {
    run([&] { second.link(); });  // a run inside the end of another: its end is this one
    steps.push_back(1);
  });
  run([&] { first.link(); });
  EXPECT_EQ(steps, (std::vector<int>{1, 2}));
}

TEST_F(RunEndTest, WorkMayTakeOtherWorkBack) {
  AtEnd second(log(2));
  AtEnd first([&] { second.take_back(); });
  AtEnd third(log(3));
  run([&] {
    first.link();
    second.link();
    third.link();
  });
  EXPECT_EQ(steps, std::vector<int>{3});
}

TEST_F(RunEndTest, TheNextRunHasItsOwnEnd) {
  AtEnd end(log(1));
  run([&] { end.link(); });
  run([&] {
    EXPECT_EQ(steps, std::vector<int>{1});
    end.link();
    EXPECT_EQ(steps, std::vector<int>{1});
  });
  EXPECT_EQ(steps, (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace ssx

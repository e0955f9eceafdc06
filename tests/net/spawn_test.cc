#include "ssxrver/net/spawn.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/net/loop_fixture.h"

namespace ssx::net {
namespace {

using SpawnTest = LoopTest;

Task<> note(std::vector<int>& steps, int step) {
  steps.push_back(step);
  co_return;
}
Task<> sleep_then_note(std::vector<int>& steps, int step) {
  co_await sleep_for(1s);
  steps.push_back(step);
}
Task<> sleep_holding(std::shared_ptr<int>) { co_await sleep_for(1h); }
Task<> fail_after(Duration delay, std::shared_ptr<int>) {
  co_await sleep_for(delay);
  throw std::runtime_error("from the task");
}

void ignore(const std::exception_ptr&) {}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST_F(SpawnTest, StartsAtOnceOnTheLoopItself) {
  std::vector<int> steps;
  loop->post([this, &steps] {
    spawn(*loop, note(steps, 1), &ignore);
    steps.push_back(2);
  });
  idle();
  EXPECT_EQ(steps, (std::vector<int>{1, 2}));
}

TEST_F(SpawnTest, StartsWhenTheLoopComesToItElsewhere) {
  std::vector<int> steps;
  spawn(*loop, note(steps, 1), &ignore);
  EXPECT_TRUE(steps.empty());
  idle();
  EXPECT_EQ(steps, std::vector<int>{1});
}

TEST_F(SpawnTest, RunsOnWithoutAnOwner) {
  std::vector<int> steps;
  start(sleep_then_note(steps, 1));
  EXPECT_TRUE(steps.empty());
  advance(1s);
  EXPECT_EQ(steps, std::vector<int>{1});
}

TEST_F(SpawnTest, AnExceptionReachesOnErrorOnceTheTaskHasGone) {
  for (const Duration delay : {Duration(0s), Duration(1s)}) {
    const auto held = std::make_shared<int>(0);
    std::vector<std::string> errors;
    spawn(*loop, fail_after(delay, held), [&errors, &held](const std::exception_ptr& thrown) {
      EXPECT_EQ(held.use_count(), 1);
      errors.push_back(text_of(thrown));
    });
    idle();
    advance(1s);
    EXPECT_EQ(errors, std::vector<std::string>{"from the task"});
  }
}

TEST_F(SpawnTest, ATaskThatThrowsBeforeItWaitsReachesOnErrorToo) {
  const auto body = []() -> Task<> {
    throw std::runtime_error("at once");
    co_return;
  };
  start(body());
  EXPECT_EQ(text_of(failure), "at once");
}

TEST_F(SpawnTest, ATaskThatHasNotFinishedIsDestroyedWhenTheLoopEnds) {
  const auto held = std::make_shared<int>(0);
  start(sleep_holding(held));
  EXPECT_EQ(held.use_count(), 2);
  end_loop();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(failure, nullptr);
}

TEST_F(SpawnTest, ALoopThatIsDestroyedWithoutHavingRunDestroysItToo) {
  const auto held = std::make_shared<int>(0);
  start(sleep_holding(held));
  spawn(*loop, sleep_holding(held), &ignore);  // not started yet
  EXPECT_EQ(held.use_count(), 3);
  loop.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(SpawnTest, AfterTheEndOfTheLoopATaskIsDestroyedUnstarted) {
  end_loop();
  const auto held = std::make_shared<int>(0);
  spawn(*loop, sleep_holding(held), &ignore);
  EXPECT_EQ(held.use_count(), 1);
}

/// Spawns when it is destroyed, as a careless destructor may.
class SpawnsAtItsEnd {
 public:
  SpawnsAtItsEnd(EventLoop& loop, std::shared_ptr<int> held)
      : loop_(loop), held_(std::move(held)) {}
  ~SpawnsAtItsEnd() { spawn(loop_, sleep_holding(held_), &ignore); }
  SpawnsAtItsEnd(const SpawnsAtItsEnd&) = delete;
  SpawnsAtItsEnd& operator=(const SpawnsAtItsEnd&) = delete;

 private:
  EventLoop& loop_;
  std::shared_ptr<int> held_;
};

TEST_F(SpawnTest, ATaskSpawnedWhileTheLoopEndsIsDestroyedUnstarted) {
  const auto held = std::make_shared<int>(0);
  const auto body = [](EventLoop& on, std::shared_ptr<int> hold) -> Task<> {
    const SpawnsAtItsEnd last(on, std::move(hold));
    co_await sleep_for(1h);
  };
  start(body(*loop, held));
  end_loop();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(SpawnTest, LogFailureTakesWhateverWasThrown) {
  log_failure(std::make_exception_ptr(std::runtime_error("x")));
  log_failure(std::make_exception_ptr(1));
}

TEST_F(SpawnTest, ManyTasksRunBesideEachOther) {
  std::vector<int> steps;
  for (int i = 0; i < 1000; ++i) start(sleep_then_note(steps, i));
  advance(1s);
  ASSERT_EQ(steps.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(steps[static_cast<std::size_t>(i)], i);
}

TEST(SpawnDeathTest, WantsSomebodyWhoHearsOfExceptions) {
  const test::ManualClock clock;
  const auto loop = make_loop(clock);
  EXPECT_DEATH(spawn(*loop, sleep_holding(nullptr), nullptr), "on_error");
}

}  // namespace
}  // namespace ssx::net

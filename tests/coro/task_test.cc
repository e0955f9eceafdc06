#include "ssxrver/coro/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/coro/event.h"
#include "tests/coro/read_root.h"

namespace ssx {
namespace {

Task<int> twice(int value) { co_return 2 * value; }
Task<std::unique_ptr<int>> boxed(int value) { co_return std::make_unique<int>(value); }
Task<std::string> converted() { co_return "a literal becomes a string"; }
Task<> fails() {
  throw std::runtime_error("from the child");
  co_return;
}

TEST(Task, IsLazy) {
  bool ran = false;
  const auto body = [](bool& flag) -> Task<> {
    flag = true;
    co_return;
  };
  {
    const Task<> task = body(ran);
    EXPECT_FALSE(task.done());
  }
  EXPECT_FALSE(ran);
  run_now(body(ran));
  EXPECT_TRUE(ran);
}

TEST(Task, HandsItsValueToTheAwaiter) {
  const auto parent = []() -> Task<int> { co_return co_await twice(4) + co_await twice(5); };
  EXPECT_EQ(run_now(parent()), 18);
}

TEST(Task, MovesValuesThatCannotBeCopied) {
  const auto parent = []() -> Task<int> {
    const auto box = co_await boxed(7);
    co_return *box;
  };
  EXPECT_EQ(run_now(parent()), 7);
}

TEST(Task, ConvertsWhatIsReturned) { EXPECT_EQ(run_now(converted()).front(), 'a'); }

TEST(Task, AnExceptionReachesTheAwaiter) {
  const auto parent = []() -> Task<std::string> {
    try {
      co_await fails();
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
    co_return "nothing was thrown";
  };
  EXPECT_EQ(run_now(parent()), "from the child");
}

TEST(Task, AnExceptionClimbsThroughAwaitersToTheOwner) {
  const auto middle = []() -> Task<int> {
    co_await fails();
    co_return 1;
  };
  const auto top = [](auto make) -> Task<int> { co_return co_await make(); };
  EXPECT_THROW(run_now(top(middle)), std::runtime_error);
}

TEST(Task, AnExceptionAfterASuspensionReachesTheAwaiterToo) {
  Event event;
  const auto child = [](Event& when) -> Task<> {
    co_await when;
    throw std::runtime_error("late");
  };
  const auto parent = [](Event& when, auto make) -> Task<> { co_await make(when); };
  Noted noted;
  auto task = parent(event, child);
  ASSERT_FALSE(task.start(noted));
  event.fire();
  EXPECT_EQ(noted.times, 1);
  EXPECT_THROW(task.result(), std::runtime_error);
}

TEST(Task, SuspendsAndTellsItsOwnerOnceWhenItFinishes) {
  Event event;
  const auto body = [](Event& when) -> Task<int> {
    co_await when;
    co_await when;
    co_return 3;
  };
  Noted noted;
  auto task = body(event);
  ASSERT_FALSE(task.start(noted));
  event.fire();
  EXPECT_EQ(noted.times, 0);
  EXPECT_FALSE(task.done());
  event.fire();
  EXPECT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), 3);
}

TEST(Task, AParentContinuesWhereItsChildFinished) {
  Event event;
  std::vector<int> steps;
  const auto child = [](Event& when, std::vector<int>& log) -> Task<int> {
    log.push_back(1);
    co_await when;
    log.push_back(2);
    co_return 5;
  };
  const auto parent = [](Event& when, std::vector<int>& log, auto make) -> Task<> {
    log.push_back(co_await make(when, log));
    log.push_back(co_await make(when, log));
  };
  Noted noted;
  auto task = parent(event, steps, child);
  ASSERT_FALSE(task.start(noted));
  event.fire();
  event.fire();
  EXPECT_EQ(noted.times, 1);
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 5, 1, 2, 5}));
}

TEST(Task, DestroyingItDestroysTheWholeChainAndTellsNobody) {
  Event event;
  const auto held = std::make_shared<int>(0);
  const auto child = [](Event& when, std::shared_ptr<int>) -> Task<> { co_await when; };
  const auto parent = [](Event& when, std::shared_ptr<int> hold, auto make) -> Task<> {
    co_await make(when, hold);
  };
  Noted noted;
  {
    auto task = parent(event, held, child);
    ASSERT_FALSE(task.start(noted));
    EXPECT_GT(held.use_count(), 1);
    EXPECT_EQ(event.waiting(), 1u);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(event.waiting(), 0u);  // the wait itself was cancelled
  event.fire();
  EXPECT_EQ(noted.times, 0);
}

TEST(Task, ATaskThatNeverRanGivesItsArgumentsBack) {
  const auto held = std::make_shared<int>(0);
  const auto body = [](std::shared_ptr<int>) -> Task<> { co_return; };
  { const Task<> task = body(held); }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Task, MovesAndLeavesNothingBehind) {
  auto first = twice(1);
  auto second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_TRUE(second);
  second = twice(3);
  EXPECT_EQ(run_now(std::move(second)), 6);
  EXPECT_FALSE(Task<>());
}

/// An owner that destroys the Task from inside the continuation, as a session does.
class Owner final : public Continuation {
 public:
  explicit Owner(Task<> task) noexcept
      : Continuation([](Continuation& self) noexcept { static_cast<Owner&>(self).task_.reset(); }),
        task_(std::move(task)) {}
  bool start() { return task_.start(*this); }
  [[nodiscard]] bool empty() const { return !task_; }

 private:
  Task<> task_;
};

TEST(Task, MayBeDestroyedByItsOwnContinuation) {
  Event event;
  const auto held = std::make_shared<int>(0);
  const auto body = [](Event& when, std::shared_ptr<int>) -> Task<> { co_await when; };
  Owner owner(body(event, held));
  ASSERT_FALSE(owner.start());
  event.fire();
  EXPECT_TRUE(owner.empty());
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Task, EveryTaskOfAChainKnowsWhoDetachedIt) {
  TaskRoot* seen = nullptr;
  const auto child = [](TaskRoot*& to) -> Task<> { co_await ReadRoot(to); };
  const auto parent = [](TaskRoot*& to, auto make) -> Task<> { co_await make(to); };
  Root root;
  Noted noted;
  auto task = parent(seen, child);
  ASSERT_TRUE(task.start(noted, &root));
  EXPECT_EQ(seen, &root);
}

TEST(TaskDeathTest, StartsOnce) {
  Event event;
  const auto body = [](Event& when) -> Task<> { co_await when; };
  Noted noted;
  auto task = body(event);
  ASSERT_FALSE(task.start(noted));
  EXPECT_DEATH(std::ignore = task.start(noted), "started_");
}

TEST(TaskDeathTest, HasNoResultBeforeItIsDone) {
  auto task = twice(1);
  EXPECT_DEATH(std::ignore = task.result(), "done");
}

TEST(TaskDeathTest, AnEmptyTaskCannotBeAwaited) {
  Task<> empty;
  Noted noted;
  EXPECT_DEATH(std::ignore = empty.start(noted), "handle_");
}

}  // namespace
}  // namespace ssx

#include "ssxrver/coro/when_all.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/base/scope_exit.h"
#include "ssxrver/coro/semaphore.h"
#include "ssxrver/coro/when_any.h"
#include "tests/coro/event.h"
#include "tests/coro/group_scenes.h"
#include "tests/support/counting_allocator.h"

namespace ssx {
namespace {

// GCC 12: no awaiter is an aggregate (docs/internals/coroutines.md).
static_assert(!std::is_aggregate_v<decltype(when_all(Task<int>(), Task<>()))>);
static_assert(!std::is_aggregate_v<decltype(when_all(std::vector<Task<int>>()))>);

Task<int> give(int value) { co_return value; }
Task<> nothing() { co_return; }
Task<std::unique_ptr<int>> boxed(int value) { co_return std::make_unique<int>(value); }
Task<int> give_after(Event& event, int value) {
  co_await event;
  co_return value;
}
Task<> wait(Event& event, int& passed) {
  co_await event;
  ++passed;
}
Task<> wait_holding(Event& event, std::shared_ptr<int>) { co_await event; }
Task<> throw_after(Event& event) {
  co_await event;
  throw std::runtime_error("thrown");
}
Task<Result<int>> read(int value) {
  if (value < 0) co_return fail(Errc::kMalformed, "read");
  co_return value;
}
Task<Result<void>> check(bool good) {
  if (!good) co_return fail(Errc::kClosed, "check");
  co_return Result<void>();
}

// Every end of three children in every order, as a tuple and as a vector.

std::string joined(const scenes::Ends& ends) {
  std::string text;
  for (std::size_t i = 0; i < ends.size(); ++i) text += scenes::text_of(ends, i) + ' ';
  return text;
}
std::string joined(const std::vector<Result<int>>& results) {
  std::string text;
  for (const auto& result : results) text += scenes::text_of(result) + ' ';
  return text;
}
std::string joined(const Result<std::vector<int>>& values) {
  if (!values) return std::string("e") + values.error().where();
  return joined(std::vector<Result<int>>(values->begin(), values->end()));
}

Task<> await_tuple(scenes::Stage& stage, scenes::Ends ends) {
  try {
    auto [a, b, c] =
        co_await when_all(child(stage, ends, 0), child(stage, ends, 1), child(stage, ends, 2));
    EXPECT_EQ(stage.held.use_count(), 1);
    stage.answer = joined(std::vector<Result<int>>{a, b, c});
  } catch (const std::runtime_error& thrown) {
    stage.answer = thrown.what();
  }
}
Task<> await_vector(scenes::Stage& stage, scenes::Ends ends) {
  try {
    const auto results = co_await when_all(all_children(stage, ends));
    stage.answer = joined(results);
  } catch (const std::runtime_error& thrown) {
    stage.answer = thrown.what();
  }
}
Task<> await_tuple_ok(scenes::Stage& stage, scenes::Ends ends) {
  try {
    const auto values =
        co_await when_all_ok(child(stage, ends, 0), child(stage, ends, 1), child(stage, ends, 2));
    stage.answer = values ? joined(std::vector<Result<int>>{
                                std::get<0>(*values), std::get<1>(*values), std::get<2>(*values)})
                          : std::string("e") + values.error().where();
  } catch (const std::runtime_error& thrown) {
    stage.answer = thrown.what();
  }
}
Task<> await_vector_ok(scenes::Stage& stage, scenes::Ends ends) {
  try {
    const auto values = co_await when_all_ok(all_children(stage, ends));
    stage.answer = joined(values);
  } catch (const std::runtime_error& thrown) {
    stage.answer = thrown.what();
  }
}

bool throws_or_fails(scenes::End end) { return scenes::is_throw(end) || scenes::is_error(end); }

TEST(WhenAll, WaitsForAllOrForTheFirstException) {
  scenes::play_all({.await = await_tuple, .settles = scenes::is_throw, .all = joined});
}
TEST(WhenAll, DoesSoForAVectorToo) {
  scenes::play_all({.await = await_vector, .settles = scenes::is_throw, .all = joined});
}
TEST(WhenAllOk, WaitsForAllOrForTheFirstFailure) {
  scenes::play_all({.await = await_tuple_ok, .settles = throws_or_fails, .all = joined});
}
TEST(WhenAllOk, DoesSoForAVectorToo) {
  scenes::play_all({.await = await_vector_ok, .settles = throws_or_fails, .all = joined});
}

TEST(WhenAll, GivesATupleWithMonostateForVoid) {
  const auto body = []() -> Task<int> {
    auto [number, none, box] = co_await when_all(give(3), nothing(), boxed(4));
    static_assert(std::is_same_v<decltype(none), std::monostate>);
    co_return number + *box;
  };
  EXPECT_EQ(run_now(body()), 7);
}

TEST(WhenAll, OfOneIsATupleOfOne) {
  const auto body = []() -> Task<int> {
    const auto [number] = co_await when_all(give(3));
    co_return number;
  };
  EXPECT_EQ(run_now(body()), 3);
}

TEST(WhenAll, OfNoneIsDoneAtOnce) {
  const auto body = []() -> Task<> {
    const auto none = co_await when_all();
    static_assert(std::is_same_v<decltype(none), const std::tuple<>>);
    const auto values = co_await when_all(std::vector<Task<int>>());
    EXPECT_TRUE(values.empty());
    co_await when_all(std::vector<Task<>>());
    const auto result = co_await when_all_ok(std::vector<Task<Result<int>>>());
    EXPECT_TRUE(result && result->empty());
    EXPECT_TRUE(co_await when_all_ok(std::vector<Task<Result<void>>>()));
  };
  run_now(body());
}

TEST(WhenAll, KeepsTheOrderOfTheTasksAndNotOfTheirEnds) {
  std::vector<Event> events(3);
  const auto body = [](std::vector<Event>& when) -> Task<std::vector<int>> {
    std::vector<Task<int>> tasks;
    for (std::size_t i = 0; i < when.size(); ++i) {
      tasks.push_back(give_after(when[i], static_cast<int>(i)));
    }
    co_return co_await when_all(std::move(tasks));
  };
  Noted noted;
  auto task = body(events);
  ASSERT_FALSE(task.start(noted));
  for (const std::size_t i : {2u, 0u, 1u}) events[i].fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), (std::vector<int>{0, 1, 2}));
}

TEST(WhenAll, MovesWhatCannotBeCopied) {
  const auto body = []() -> Task<int> {
    std::vector<Task<std::unique_ptr<int>>> tasks;
    tasks.push_back(boxed(1));
    tasks.push_back(boxed(2));
    const auto boxes = co_await when_all(std::move(tasks));
    co_return *boxes[0] + *boxes[1];
  };
  EXPECT_EQ(run_now(body()), 3);
}

TEST(WhenAll, OfAVectorOfVoidGivesNothing) {
  Event event;
  int passed = 0;
  const auto body = [](Event& when, int& count) -> Task<> {
    std::vector<Task<>> tasks;
    tasks.reserve(3);
    for (int i = 0; i < 3; ++i) tasks.push_back(wait(when, count));
    co_await when_all(std::move(tasks));
    EXPECT_EQ(count, 3);
  };
  Noted noted;
  auto task = body(event, passed);
  ASSERT_FALSE(task.start(noted));
  event.fire();
  EXPECT_EQ(noted.times, 1);
}

TEST(WhenAll, AThousandChildren) {
  constexpr std::size_t kMany = 1000;
  for (const bool throws : {false, true}) {
    std::vector<Event> events(kMany);
    const auto held = std::make_shared<int>(0);
    const auto body = [](std::vector<Event>& when, std::shared_ptr<int> hold,
                         bool fails) -> Task<> {
      std::vector<Task<>> tasks;
      for (std::size_t i = 0; i < when.size(); ++i) {
        tasks.push_back(fails && i == 500 ? throw_after(when[i]) : wait_holding(when[i], hold));
      }
      co_await when_all(std::move(tasks));
    };
    Noted noted;
    auto task = body(events, held, throws);
    ASSERT_FALSE(task.start(noted));
    EXPECT_GT(held.use_count(), 900);
    for (Event& event : events) event.fire();
    ASSERT_EQ(noted.times, 1);
    if (throws) {
      EXPECT_THROW(task.result(), std::runtime_error);
    } else {
      task.result();
    }
    EXPECT_EQ(held.use_count(), 2);  // and the parameter of the body
    for (const Event& event : events) EXPECT_EQ(event.waiting(), 0u);
  }
}

TEST(WhenAll, MayBeNamedBeforeItIsAwaited) {
  const auto body = []() -> Task<int> {
    auto both = when_all(give(1), give(2));
    const auto [a, b] = co_await both;
    co_return a + b;
  };
  EXPECT_EQ(run_now(body()), 3);
}

TEST(WhenAll, OneThatIsNeverAwaitedRunsNothing) {
  Event event;
  const auto held = std::make_shared<int>(0);
  { const auto never = when_all(wait_holding(event, held), wait_holding(event, held)); }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(event.waiting(), 0u);
}

/// Notes that it was destroyed.
Task<> note_the_end(Event& event, std::vector<int>& steps, int step) {
  const ScopeExit end([&steps, step] { steps.push_back(step); });
  co_await event;
}

TEST(WhenAll, CancelsTheLastFirst) {
  Event event;
  std::vector<int> steps;
  const auto of_a_tuple = [](Event& when, std::vector<int>& log) -> Task<> {
    co_await when_all(note_the_end(when, log, 1), note_the_end(when, log, 2),
                      note_the_end(when, log, 3));
  };
  const auto of_a_vector = [](Event& when, std::vector<int>& log) -> Task<> {
    std::vector<Task<>> tasks;
    for (int i = 4; i <= 6; ++i) tasks.push_back(note_the_end(when, log, i));
    co_await when_all(std::move(tasks));
  };
  Noted noted;
  for (auto make : {+of_a_tuple, +of_a_vector}) {
    auto task = make(event, steps);
    ASSERT_FALSE(task.start(noted));
  }
  EXPECT_EQ(steps, (std::vector<int>{3, 2, 1, 6, 5, 4}));
}

Task<> take_a_turn(Semaphore& semaphore) { const auto permit = co_await semaphore.acquire(); }

TEST(WhenAll, AllocatesNothingButFramesAndAnArrayForAVector) {
  Semaphore semaphore(1);
  const auto tuples = [](Semaphore& place) -> Task<> {
    co_await when_all(take_a_turn(place), take_a_turn(place));
    co_await when_any(take_a_turn(place), take_a_turn(place));
  };
  const auto vectors = [](Semaphore& place) -> Task<> {
    std::vector<Task<>> tasks;
    tasks.reserve(10);  // the first
    for (int i = 0; i < 10; ++i) tasks.push_back(take_a_turn(place));
    co_await when_all(std::move(tasks));  // the second
  };
  const auto news_of = [&semaphore](auto make) {
    Noted noted;
    auto permit = semaphore.try_acquire();
    const auto before = test::allocations();
    auto task = make(semaphore);
    EXPECT_FALSE(task.start(noted));
    permit.release();
    task.reset();
    const auto after = test::allocations();
    EXPECT_EQ(noted.times, 1);
    return (after - before).news;
  };
  static_cast<void>(news_of(tuples));  // frames that the pool has from now on
  EXPECT_EQ(news_of(tuples), 0);
  static_cast<void>(news_of(vectors));
  EXPECT_EQ(news_of(vectors), 2);
}

TEST(WhenAll, NestsAndUnwindsThroughAllLevels) {
  std::vector<Event> events(4);
  const auto held = std::make_shared<int>(0);
  const auto pair = [](Event& first, Event& second, std::shared_ptr<int> hold) -> Task<> {
    co_await when_all(wait_holding(first, hold), wait_holding(second, hold));
  };
  const auto bad_pair = [](Event& first, Event& second, std::shared_ptr<int> hold) -> Task<> {
    co_await when_all(throw_after(first), wait_holding(second, hold));
  };
  const auto body = [](std::vector<Event>& when, std::shared_ptr<int> hold, auto good,
                       auto bad) -> Task<> {
    co_await when_all(good(when[0], when[1], hold), bad(when[2], when[3], hold));
  };
  Noted noted;
  auto task = body(events, held, pair, bad_pair);
  ASSERT_FALSE(task.start(noted));
  events[0].fire();
  events[2].fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_THROW(task.result(), std::runtime_error);
  EXPECT_EQ(held.use_count(), 2);
  for (const Event& event : events) EXPECT_EQ(event.waiting(), 0u);
}

TEST(WhenAllOk, GivesATupleWithMonostateForVoid) {
  const auto body = []() -> Task<int> {
    const auto both = co_await when_all_ok(read(3), check(true));
    static_assert(std::is_same_v<decltype(both), const Result<std::tuple<int, std::monostate>>>);
    co_return both ? std::get<0>(*both) : -1;
  };
  EXPECT_EQ(run_now(body()), 3);
}

TEST(WhenAllOk, AnErrorOfVoidIsTheResult) {
  const auto body = []() -> Task<std::string> {
    std::vector<Task<Result<void>>> tasks;
    tasks.push_back(check(true));
    tasks.push_back(check(false));
    const Result<void> result = co_await when_all_ok(std::move(tasks));
    co_return result ? "good" : result.error().message();
  };
  EXPECT_EQ(run_now(body()), Error(Errc::kClosed, "check").message());
}

}  // namespace
}  // namespace ssx

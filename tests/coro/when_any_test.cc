#include "ssxrver/coro/when_any.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tests/coro/event.h"
#include "tests/coro/group_scenes.h"

namespace ssx {
namespace {

static_assert(!std::is_aggregate_v<decltype(when_any(Task<int>(), Task<>()))>);  // GCC 12
static_assert(!std::is_aggregate_v<FirstOf<std::string>>);

Task<> wait_for(Event& event) { co_await event; }
Task<> wait_holding(Event& event, std::shared_ptr<int>) { co_await event; }
Task<int> give_after(Event& event, int value) {
  co_await event;
  co_return value;
}
Task<std::unique_ptr<int>> boxed(int value) { co_return std::make_unique<int>(value); }

Task<> await_tuple(scenes::Stage& stage, scenes::Ends ends) {
  try {
    const auto won =
        co_await when_any(child(stage, ends, 0), child(stage, ends, 1), child(stage, ends, 2));
    EXPECT_EQ(stage.held.use_count(), 1);
    const auto text = [](const auto& result) { return scenes::text_of(result); };
    stage.answer = std::visit(text, won);
    EXPECT_EQ(stage.answer.back(), static_cast<char>('0' + won.index()));
  } catch (const std::runtime_error& thrown) {
    stage.answer = thrown.what();
  }
}
Task<> await_vector(scenes::Stage& stage, scenes::Ends ends) {
  try {
    const auto won = co_await when_any(all_children(stage, ends));
    stage.answer = scenes::text_of(won.value);
    EXPECT_EQ(stage.answer.back(), static_cast<char>('0' + won.index));
  } catch (const std::runtime_error& thrown) {
    stage.answer = thrown.what();
  }
}

bool any_end(scenes::End) { return true; }
std::string no_answer(const scenes::Ends&) { return "every end settles it"; }

TEST(WhenAny, TheFirstEndWins) {
  scenes::play_all({.await = await_tuple, .settles = any_end, .all = no_answer});
}
TEST(WhenAny, OfAVectorToo) {
  scenes::play_all({.await = await_vector, .settles = any_end, .all = no_answer});
}

TEST(WhenAny, GivesAVariantWithMonostateForVoid) {
  Event number;
  Event none;
  const auto body = [](Event& first, Event& second) -> Task<std::size_t> {
    const auto won = co_await when_any(give_after(first, 1), wait_for(second));
    static_assert(std::is_same_v<decltype(won), const std::variant<int, std::monostate>>);
    co_return won.index();
  };
  Noted noted;
  auto task = body(number, none);
  ASSERT_FALSE(task.start(noted));
  none.fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), 1u);
  EXPECT_EQ(number.waiting(), 0u);
}

TEST(WhenAny, TellsTwoOfOneTypeApart) {
  Event first;
  Event second;
  const auto body = [](Event& a, Event& b) -> Task<std::pair<std::size_t, int>> {
    const auto won = co_await when_any(give_after(a, 10), give_after(b, 20));
    co_return std::pair(won.index(), std::get<1>(won));
  };
  Noted noted;
  auto task = body(first, second);
  ASSERT_FALSE(task.start(noted));
  second.fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), std::pair(std::size_t{1}, 20));
}

TEST(WhenAny, OfVoidsGivesTheIndex) {
  std::vector<Event> events(3);
  const auto body = [](std::vector<Event>& when) -> Task<std::size_t> {
    std::vector<Task<>> tasks;
    tasks.reserve(when.size());
    for (Event& event : when) tasks.push_back(wait_for(event));
    const auto won = co_await when_any(std::move(tasks));
    static_assert(std::is_same_v<decltype(won.value), std::monostate>);
    co_return won.index;
  };
  Noted noted;
  auto task = body(events);
  ASSERT_FALSE(task.start(noted));
  events[2].fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), 2u);
}

TEST(WhenAny, MovesWhatCannotBeCopied) {
  const auto body = []() -> Task<int> {
    auto won = co_await when_any(boxed(4), boxed(5));
    co_return *std::get<0>(won);
  };
  EXPECT_EQ(run_now(body()), 4);
}

TEST(WhenAny, AThousandChildren) {
  constexpr std::size_t kMany = 1000;
  std::vector<Event> events(kMany);
  const auto held = std::make_shared<int>(0);
  const auto body = [](std::vector<Event>& when, std::shared_ptr<int> hold) -> Task<std::size_t> {
    std::vector<Task<>> tasks;
    tasks.reserve(when.size());
    for (Event& event : when) tasks.push_back(wait_holding(event, hold));
    const auto won = co_await when_any(std::move(tasks));
    co_return won.index;
  };
  Noted noted;
  auto task = body(events, held);
  ASSERT_FALSE(task.start(noted));
  EXPECT_GT(held.use_count(), 900);
  events[700].fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), 700u);
  EXPECT_EQ(held.use_count(), 2);  // and the parameter of the body
  for (const Event& event : events) EXPECT_EQ(event.waiting(), 0u);
}

TEST(WhenAny, NestsInItself) {
  std::vector<Event> events(4);
  const auto pair = [](Event& a, Event& b) -> Task<int> {
    const auto won = co_await when_any(give_after(a, 1), give_after(b, 2));
    co_return std::visit([](int value) { return value; }, won);
  };
  const auto body = [](std::vector<Event>& when, auto two) -> Task<int> {
    const auto won = co_await when_any(two(when[0], when[1]), two(when[2], when[3]));
    co_return static_cast<int>(won.index()) * 10 + std::visit([](int value) { return value; }, won);
  };
  Noted noted;
  auto task = body(events, pair);
  ASSERT_FALSE(task.start(noted));
  events[3].fire();
  ASSERT_EQ(noted.times, 1);
  EXPECT_EQ(task.result(), 12);
  for (const Event& event : events) EXPECT_EQ(event.waiting(), 0u);
}

TEST(WhenAnyDeathTest, OfNoneIsNeverFirst) {
  EXPECT_DEATH(std::ignore = when_any(std::vector<Task<>>()), "empty");
}

}  // namespace
}  // namespace ssx

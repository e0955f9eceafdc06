// The three traps of GCC 12.2 (docs/internals/coroutines.md), each with the form that is safe.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "ssxrver/coro/gate.h"
#include "ssxrver/coro/task.h"
#include "tests/coro/event.h"
#include "tests/coro/stack_span.h"

namespace ssx {
namespace {

// Trap 1: co_await Aggregate{non-trivial member} destroys the member twice.
static_assert(!std::is_aggregate_v<Task<>::Awaiter>);
static_assert(!std::is_aggregate_v<Task<std::string>::Awaiter>);
static_assert(!std::is_aggregate_v<Gate::EmptyAwaiter>);

class HoldingAwaiter {
 public:
  explicit HoldingAwaiter(std::shared_ptr<int> held) noexcept : held_(std::move(held)) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) const noexcept { return false; }
  int await_resume() const noexcept { return *held_; }

 private:
  std::shared_ptr<int> held_;
};

TEST(TaskTraps, AnAwaiterWithAConstructorIsDestroyedOnce) {
  const auto held = std::make_shared<int>(9);
  const auto body = [](std::shared_ptr<int> value) -> Task<int> {
    co_return co_await HoldingAwaiter(value);
  };
  EXPECT_EQ(run_now(body(held)), 9);
  EXPECT_EQ(held.use_count(), 1);
}

// Trap 2: a capturing lambda written inside the co_await expression is destroyed twice.
template <class Function>
Task<int> call(Function function) {
  co_return function();
}

TEST(TaskTraps, ACapturingLambdaThatWasNamedFirstIsDestroyedOnce) {
  const auto held = std::make_shared<int>(4);
  const auto body = [](std::shared_ptr<int> value) -> Task<int> {
    auto work = [value] { return *value; };
    co_return co_await call(std::move(work));
  };
  EXPECT_EQ(run_now(body(held)), 4);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(TaskTraps, ArgumentsWithConstructorsAreDestroyedOnce) {
  const auto held = std::make_shared<int>(4);
  const auto child = [](std::shared_ptr<int> a, std::string,
                        std::pair<std::shared_ptr<int>, int>) -> Task<int> { co_return *a; };
  const auto body = [](std::shared_ptr<int> value, auto make) -> Task<int> {
    co_return co_await make(value, std::string(100, 'x'), std::pair(value, 1));
  };
  EXPECT_EQ(run_now(body(held, child)), 4);
  EXPECT_EQ(held.use_count(), 1);
}

// Trap 3: symmetric transfer is no tail call at -O0, -O1, -Og, nor with AddressSanitizer: about
// 300,000 awaits that finish at once overflow the stack. Ours come back before the next begins.
constexpr std::int64_t kAwaits = 1'000'000;

Task<std::int64_t> leaf(std::int64_t value, StackSpan& span) {
  span.note();
  co_return value;
}
Task<std::int64_t> through(std::int64_t value, StackSpan& span) {
  co_return co_await leaf(value, span);
}
Task<std::int64_t> sum_of_many(StackSpan& span) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < kAwaits; ++i) sum += co_await leaf(i, span);
  for (std::int64_t i = 0; i < kAwaits / 2; ++i) sum -= co_await through(i, span);
  co_return sum;
}

TEST(TaskTraps, AMillionAwaitsThatFinishAtOnceLeaveTheStackFlat) {
  StackSpan span;
  const auto sum = run_now(sum_of_many(span));
  const auto half = kAwaits / 2;
  EXPECT_EQ(sum, kAwaits * (kAwaits - 1) / 2 - half * (half - 1) / 2);
  EXPECT_LT(span.bytes(), 16u * 1024u);
}

Task<> wait_once(Event& event, StackSpan& span) {
  co_await event;
  span.note();
}
Task<> wait_many(Event& event, StackSpan& span, int times) {
  for (int i = 0; i < times; ++i) co_await wait_once(event, span);
}

TEST(TaskTraps, AwaitsThatSuspendLeaveTheStackFlatToo) {
  constexpr int kTimes = 100'000;
  Event event;
  StackSpan span;
  Noted noted;
  auto task = wait_many(event, span, kTimes);
  ASSERT_FALSE(task.start(noted));
  for (int i = 0; i < kTimes; ++i) event.fire();
  EXPECT_EQ(noted.times, 1);
  EXPECT_LT(span.bytes(), 16u * 1024u);
}

}  // namespace
}  // namespace ssx

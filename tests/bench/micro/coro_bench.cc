// ns per step of what coroutines stand on. The figures of measured machines are ratios at best.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "ssxrver/coro/gate.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/metrics/counter.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"

namespace ssx::net {
namespace {

class Nobody final : public Continuation {
 public:
  Nobody() noexcept : Continuation([](Continuation&) noexcept {}) {}
};

/// Starts a Task that must finish at once.
void run_now(Task<> task) {
  Nobody nobody;
  if (!task.start(nobody)) std::abort();
}

[[gnu::noinline]] Task<int> child(int value) { co_return value; }

void child_task_that_finishes_at_once(benchmark::State& state) {
  const auto body = [](benchmark::State& rounds) -> Task<> {
    int value = 0;
    for (auto _ : rounds) value = co_await child(value + 1);
    benchmark::DoNotOptimize(value);
  };
  run_now(body(state));
}
BENCHMARK(child_task_that_finishes_at_once)->Name("Coroutine/child_that_finishes_at_once");

/// Suspends; the benchmark resumes it.
class Pause {
 public:
  explicit Pause(std::coroutine_handle<>& at) noexcept : at_(at) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { at_ = handle; }
  void await_resume() const noexcept {}

 private:
  std::coroutine_handle<>& at_;
};

void resume(benchmark::State& state) {
  std::coroutine_handle<> at;
  const auto body = [](std::coroutine_handle<>& here) -> Task<> {
    for (;;) co_await Pause(here);
  };
  Nobody nobody;
  auto task = body(at);
  if (task.start(nobody)) std::abort();
  for (auto _ : state) at.resume();
}
BENCHMARK(resume)->Name("Coroutine/resume");

[[gnu::noinline]] Task<> pause_once(std::coroutine_handle<>& at) { co_await Pause(at); }

void child_task_that_suspends(benchmark::State& state) {
  std::coroutine_handle<> at;
  const auto body = [](std::coroutine_handle<>& here) -> Task<> {
    for (;;) co_await pause_once(here);
  };
  Nobody nobody;
  auto task = body(at);
  if (task.start(nobody)) std::abort();
  for (auto _ : state) at.resume();
}
BENCHMARK(child_task_that_suspends)->Name("Coroutine/child_that_suspends");

// What a callback style costs instead: a std::function whose captures do not fit into it.
void function_with_captures_on_the_heap(benchmark::State& state) {
  for (auto _ : state) {
    const long a = 1, b = 2, c = 3;
    std::function<long()> function = [a, b, c] { return a + b + c; };
    benchmark::DoNotOptimize(function());
  }
}
BENCHMARK(function_with_captures_on_the_heap)->Name("Coroutine/function_with_captures_on_the_heap");

void gate_enter_and_leave(benchmark::State& state) {
  Gate gate;
  for (auto _ : state) benchmark::DoNotOptimize(gate.enter());
}
BENCHMARK(gate_enter_and_leave)->Name("Coroutine/gate_enter_and_leave");

void counter_add(benchmark::State& state) {
  metrics::Counter counter;
  for (auto _ : state) {
    counter.add();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(counter_add)->Name("Metrics/counter_add");

void histogram_observe(benchmark::State& state) {
  metrics::Histogram histogram(metrics::kLatencyBuckets);
  for (auto _ : state) {
    histogram.observe(1'000'000);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(histogram_observe)->Name("Metrics/histogram_observe");

/// Runs a Task on a loop to its end.
void run_on_loop(EventLoop& loop, Task<> task) {
  bool done = false;
  const auto body = [](Task<> inner, bool& flag) -> Task<> {
    co_await std::move(inner);
    flag = true;
  };
  spawn(loop, body(std::move(task), done), &log_failure);
  loop.run_until([&done] { return done; });
}

void yield_for_a_turn(benchmark::State& state) {
  const auto loop = *EventLoop::create();
  const auto body = [](benchmark::State& rounds) -> Task<> {
    for (auto _ : rounds) co_await yield();
  };
  run_on_loop(*loop, body(state));
}
BENCHMARK(yield_for_a_turn)->Name("Coroutine/yield_for_a_turn");

void sleep_for_nothing(benchmark::State& state) {
  const auto loop = *EventLoop::create();
  const auto body = [](benchmark::State& rounds) -> Task<> {
    for (auto _ : rounds) co_await sleep_for(Duration(0));
  };
  run_on_loop(*loop, body(state));
}
BENCHMARK(sleep_for_nothing)->Name("Coroutine/sleep_for_nothing");

// There and back, one at a time: mostly two wake-ups of a sleeping thread.
void task_pool_round_trip(benchmark::State& state) {
  const auto loop = *EventLoop::create();
  const auto pool = *TaskPool::start({.threads = 1});
  const auto body = [](benchmark::State& rounds, TaskPool& tasks) -> Task<> {
    for (auto _ : rounds) benchmark::DoNotOptimize(co_await tasks.run([] { return 1; }));
  };
  run_on_loop(*loop, body(state, *pool));
}
BENCHMARK(task_pool_round_trip)->Name("TaskPool/round_trip")->UseRealTime();

}  // namespace
}  // namespace ssx::net

// ns per function that one thread posts to the loop of another: for the one who posts, and there
// and back.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "ssxrver/net/event_loop.h"

namespace ssx::net {
namespace {

/// A loop on a thread of its own.
class Far {
 public:
  Far() : thread_([this] { loop_->run(); }) {}
  Far(const Far&) = delete;
  Far& operator=(const Far&) = delete;
  ~Far() {
    loop_->stop();
    thread_.join();
  }
  EventLoop& loop() noexcept { return *loop_; }

 private:
  const std::unique_ptr<EventLoop> loop_ = *EventLoop::create();
  std::thread thread_;
};

// A burst of 1 finds the loop asleep and wakes it: a system call. In a longer one the loop begins
// to run what has come while the rest is posted, on another core if there is one. Waiting until all
// have run is not timed.
void post(benchmark::State& state) {
  Far far;
  const std::int64_t burst = state.range(0);
  std::atomic<std::int64_t> ran = 0;
  std::int64_t posted = 0;
  while (state.KeepRunningBatch(burst)) {
    for (std::int64_t i = 0; i < burst; ++i) {
      if (!far.loop().post([&ran] { ran.fetch_add(1, std::memory_order_release); })) std::abort();
    }
    state.PauseTiming();
    posted += burst;
    while (ran.load(std::memory_order_acquire) != posted) std::this_thread::yield();
    state.ResumeTiming();
  }
}
BENCHMARK(post)->Name("Mailbox/post/in_bursts_of")->Arg(1)->Arg(32)->Arg(1000);

// From the first post until the last function has run on the other side.
void post_and_run(benchmark::State& state) {
  Far far;
  const std::int64_t burst = state.range(0);
  std::atomic<bool> done = false;
  while (state.KeepRunningBatch(burst)) {
    done.store(false, std::memory_order_relaxed);
    for (std::int64_t i = 1; i < burst; ++i) {
      if (!far.loop().post([] {})) std::abort();
    }
    if (!far.loop().post([&done] { done.store(true, std::memory_order_release); })) std::abort();
    while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
  }
}
BENCHMARK(post_and_run)->Name("Mailbox/post_and_run/in_bursts_of")->Arg(1000)->UseRealTime();

// One function at a time between two loops, both asleep while they wait.
void round_trip(benchmark::State& state) {
  Far far;
  const auto near = *EventLoop::create();
  bool back = false;
  const auto answer = [&near, &back] { near->post([&back] { back = true; }); };
  for (auto _ : state) {
    back = false;
    if (!far.loop().post(answer)) std::abort();
    near->run_until([&back] { return back; });
  }
}
BENCHMARK(round_trip)->Name("Mailbox/round_trip")->UseRealTime();

}  // namespace
}  // namespace ssx::net

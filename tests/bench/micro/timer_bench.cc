// ns per timer while 10^6 others stand: in the wheel, for deadlines of connections, and in the
// queue, a heap that truly cancels, for timers of users. The yardstick is std::priority_queue,
// which has no callbacks and cannot cancel. The times of the standing ones are spread over a
// minute, and each operation concerns another place in memory, as with connections.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "ssxrver/net/timer_queue.h"
#include "ssxrver/net/timer_wheel.h"

namespace ssx::net {
namespace {

constexpr std::size_t kStanding = 1'000'000;
constexpr std::size_t kBatch = 1000;  // timed at once; as many are due in each tick
constexpr Duration kTick = TimerWheel::kTick;
constexpr Duration kSpan = kStanding / kBatch * kTick;
constexpr TimePoint kStart{std::chrono::hours(1)};

std::mt19937_64 seeded() {
  return std::mt19937_64(4711);  // NOLINT(bugprone-random-generator-seed): the same each time
}

/// In random order, kBatch of them behind each tick and not behind the next.
std::vector<TimePoint> due_times() {
  auto random = seeded();
  std::vector<TimePoint> all;
  all.reserve(kStanding);
  for (std::size_t i = 0; i < kStanding; ++i) {
    const auto within = static_cast<std::int64_t>(random()) & (kTick.count() - 1);
    all.push_back(kStart + static_cast<std::int64_t>(i / kBatch) * kTick + Duration(1 + within));
  }
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

/// Every number below kStanding once in as many calls, each far from the last.
std::size_t jump(std::size_t& at) { return at = (at + 618'033) % kStanding; }

/// What both kinds share: benchmarks leave all timers standing at the times they had, or a whole
/// kSpan later, so that the next tick always has kBatch of them.
struct Standing {
  std::vector<TimePoint> due = due_times();
  std::vector<std::size_t> fired;
  std::vector<std::size_t> chosen = std::vector<std::size_t>(kBatch);
  TimePoint now = kStart;
  std::size_t at = 0;
  std::mt19937_64 random = seeded();

  Standing() { fired.reserve(kBatch); }
  void choose() {
    for (std::size_t& number : chosen) number = jump(at);
  }
  [[nodiscard]] TimePoint random_time() {
    return now + Duration(static_cast<std::int64_t>(random() % std::uint64_t{kSpan.count()}));
  }
  [[nodiscard]] std::vector<std::size_t> take_fired() {
    if (fired.size() != kBatch) std::abort();
    std::vector<std::size_t> taken = fired;
    fired.clear();  // and keeps its memory
    return taken;
  }
};

class Probe final : public Deadline {
 public:
  Probe(std::size_t number, std::vector<std::size_t>& fired) noexcept
      : number_(number), fired_(fired) {}

 private:
  void on_deadline() override { fired_.push_back(number_); }

  const std::size_t number_;
  std::vector<std::size_t>& fired_;
};

struct Wheel : Standing {
  TimerWheel wheel{kStart};
  std::vector<std::unique_ptr<Probe>> probes;  // each where its connection would have it

  Wheel() {
    for (std::size_t i = 0; i < kStanding; ++i) {
      probes.push_back(std::make_unique<Probe>(i, fired));
      wheel.set(*probes[i], due[i]);
    }
  }
  void restore() {
    for (const std::size_t number : chosen) wheel.set(*probes[number], due[number]);
  }
  static Wheel& instance() {
    static Wheel made_once;
    return made_once;
  }
};

void wheel_add(benchmark::State& state) {
  Wheel& all = Wheel::instance();
  std::vector<std::pair<std::unique_ptr<Probe>, TimePoint>> fresh(kBatch);
  while (state.KeepRunningBatch(kBatch)) {
    state.PauseTiming();
    for (auto& [probe, due] : fresh) {
      probe = std::make_unique<Probe>(0, all.fired);
      due = all.random_time();
    }
    state.ResumeTiming();
    for (const auto& [probe, due] : fresh) all.wheel.set(*probe, due);
  }
}
BENCHMARK(wheel_add)->Name("Timer/wheel/add");

// What every request does to the deadline of its connection.
void wheel_move(benchmark::State& state) {
  Wheel& all = Wheel::instance();
  while (state.KeepRunningBatch(kBatch)) {
    state.PauseTiming();
    all.choose();
    state.ResumeTiming();
    for (const std::size_t number : all.chosen) {
      all.wheel.set(*all.probes[number], all.now + 2 * kSpan);
    }
    state.PauseTiming();
    all.restore();
    state.ResumeTiming();
  }
}
BENCHMARK(wheel_move)->Name("Timer/wheel/move_later");

void wheel_cancel(benchmark::State& state) {
  Wheel& all = Wheel::instance();
  while (state.KeepRunningBatch(kBatch)) {
    state.PauseTiming();
    all.choose();
    state.ResumeTiming();
    for (const std::size_t number : all.chosen) all.wheel.clear(*all.probes[number]);
    state.PauseTiming();
    all.restore();
    state.ResumeTiming();
  }
}
BENCHMARK(wheel_cancel)->Name("Timer/wheel/cancel");

void wheel_expire(benchmark::State& state) {
  Wheel& all = Wheel::instance();
  while (state.KeepRunningBatch(kBatch)) {
    all.now += kTick;
    all.wheel.run_due(all.now, SIZE_MAX);
    state.PauseTiming();
    for (const std::size_t number : all.take_fired()) {
      all.wheel.set(*all.probes[number], all.due[number] += kSpan);
    }
    state.ResumeTiming();
  }
}
BENCHMARK(wheel_expire)->Name("Timer/wheel/expire");

struct Queue : Standing {
  TimerQueue queue;
  std::vector<TimerId> ids = std::vector<TimerId>(kStanding);

  Queue() {
    for (std::size_t i = 0; i < kStanding; ++i) add(i);
  }
  void add(std::size_t number) {
    ids[number] = queue.add(due[number], {}, [this, number] { fired.push_back(number); });
  }
  static Queue& instance() {
    static Queue made_once;
    return made_once;
  }
};

void queue_add(benchmark::State& state) {
  Queue& all = Queue::instance();
  std::vector<std::pair<TimerId, TimePoint>> fresh(kBatch);
  while (state.KeepRunningBatch(kBatch)) {
    state.PauseTiming();
    for (auto& [id, due] : fresh) due = all.random_time();
    state.ResumeTiming();
    for (auto& [id, due] : fresh) id = all.queue.add(due, {}, [&all] { all.fired.push_back(0); });
    state.PauseTiming();
    for (const auto& [id, due] : fresh) all.queue.cancel(id);
    state.ResumeTiming();
  }
}
BENCHMARK(queue_add)->Name("Timer/queue/add");

void queue_cancel(benchmark::State& state) {
  Queue& all = Queue::instance();
  while (state.KeepRunningBatch(kBatch)) {
    state.PauseTiming();
    all.choose();
    state.ResumeTiming();
    for (const std::size_t number : all.chosen) {
      if (!all.queue.cancel(all.ids[number])) std::abort();
    }
    state.PauseTiming();
    for (const std::size_t number : all.chosen) all.add(number);
    state.ResumeTiming();
  }
}
BENCHMARK(queue_cancel)->Name("Timer/queue/cancel");

void queue_expire(benchmark::State& state) {
  Queue& all = Queue::instance();
  while (state.KeepRunningBatch(kBatch)) {
    all.now += kTick;
    all.queue.run_due(all.now, SIZE_MAX);
    state.PauseTiming();
    for (const std::size_t number : all.take_fired()) {
      all.due[number] += kSpan;
      all.add(number);
    }
    state.ResumeTiming();
  }
}
BENCHMARK(queue_expire)->Name("Timer/queue/expire");

/// Its clock is the time of what came out last: whatever is added is due within the next kSpan.
struct Yardstick {
  using Entry = std::pair<TimePoint, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  Standing standing;

  Yardstick() {
    for (std::size_t i = 0; i < kStanding; ++i) heap.emplace(standing.due[i], i);
  }
  void add() {
    for (std::size_t i = 0; i < kBatch; ++i) heap.emplace(standing.random_time(), i);
  }
  void expire() {
    for (std::size_t i = 0; i < kBatch; ++i) {
      standing.now = heap.top().first;
      heap.pop();
    }
  }
  static Yardstick& instance() {
    static Yardstick made_once;
    return made_once;
  }
};

void yardstick_add(benchmark::State& state) {
  Yardstick& all = Yardstick::instance();
  while (state.KeepRunningBatch(kBatch)) {
    all.add();
    state.PauseTiming();
    all.expire();
    state.ResumeTiming();
  }
}
BENCHMARK(yardstick_add)->Name("Timer/std_priority_queue/add");

void yardstick_expire(benchmark::State& state) {
  Yardstick& all = Yardstick::instance();
  while (state.KeepRunningBatch(kBatch)) {
    all.expire();
    state.PauseTiming();
    all.add();
    state.ResumeTiming();
  }
}
BENCHMARK(yardstick_expire)->Name("Timer/std_priority_queue/expire");

}  // namespace
}  // namespace ssx::net

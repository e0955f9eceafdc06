// K18: the timers of a loop against models made of ordered maps. The wheel of deadlines must fire
// the same set, never early and never a tick late; the heap of timers the same ones in the same
// order, whatever their callbacks add and cancel.
//
// The input is a list of commands: set or add, move, clear or cancel, destroy, and let time pass.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/timer_queue.h"
#include "ssxrver/net/timer_wheel.h"
#include "tests/fuzz/fuzz.h"

namespace {

using ssx::Duration;
using ssx::TimePoint;
using ssx::net::Deadline;
using ssx::net::TimerId;
using ssx::net::TimerQueue;
using ssx::net::TimerWheel;

constexpr TimePoint kStart{std::chrono::hours(1) + std::chrono::nanoseconds(5)};

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : left_(bytes) {}
  [[nodiscard]] bool at_end() const { return left_.empty(); }
  std::uint32_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  /// From nothing to many rounds of the wheel: a small number of bits, shifted.
  Duration span() {
    const std::uint32_t mantissa = byte();
    return Duration(static_cast<std::int64_t>(mantissa) << (byte() % 38));
  }
  std::size_t budget() {
    const std::uint32_t value = byte();
    return value % 4 == 0 ? value / 4 + 1 : SIZE_MAX;
  }

 private:
  std::span<const std::uint8_t> left_;
};

// ---- the wheel

class WheelCheck {
 public:
  void run(Input& input) {
    while (!input.at_end()) {
      const std::uint32_t command = input.byte();
      const std::size_t index = command / 8 % kCount;
      switch (command % 8) {
        case 0:
        case 1:
        case 2:
          set(index, now_ + input.span());
          break;
        case 3:
          set(index, now_ - input.span());
          break;
        case 4:
          clear(index);
          break;
        case 5:
          clear(index);
          probes_[index] = std::make_unique<Probe>(*this, index);
          break;
        default:
          pass(input.span(), input.budget());
      }
      SSX_ASSERT(model_.empty() || wheel_.next_due() <= latest(model_.begin()->first));
    }
    for (int i = 0; i < 10; ++i) pass(std::chrono::hours(24 * 30), SIZE_MAX);
    SSX_ASSERT(model_.empty());
    SSX_ASSERT(wheel_.next_due() == TimePoint::max());
  }

 private:
  static constexpr std::size_t kCount = 32;

  class Probe final : public Deadline {
   public:
    Probe(WheelCheck& check, std::size_t index) : check_(check), index_(index) {}

   private:
    void on_deadline() override { check_.fired(index_); }
    WheelCheck& check_;
    std::size_t index_;
  };

  /// Not to be exceeded by a wheel that is asked all the time.
  static TimePoint latest(TimePoint due) { return std::max(due, kStart) + TimerWheel::kTick; }

  void set(std::size_t index, TimePoint due) {
    clear(index);
    // What has passed fires at the next tick, as if it were set for now.
    model_.emplace(std::max(due, seen_), index);
    wheel_.set(*probes_[index], due);
  }
  void clear(std::size_t index) {
    std::erase_if(model_, [index](const auto& entry) { return entry.second == index; });
    wheel_.clear(*probes_[index]);
  }
  void pass(Duration time, std::size_t budget) {
    now_ += time;
    seen_ = std::max(seen_, now_);
    bool more = wheel_.run_due(now_, budget);
    while (more) more = wheel_.run_due(now_, budget);
    for (const auto& [due, index] : model_) SSX_ASSERT(latest(due) > now_, index);
  }
  void fired(std::size_t index) {
    const auto found = std::find_if(model_.begin(), model_.end(),
                                    [index](const auto& entry) { return entry.second == index; });
    SSX_ASSERT(found != model_.end(), index);
    SSX_ASSERT(found->first <= now_, index);  // not early
    model_.erase(found);
    if (index % 5 == 0)
      set((index + 7) % kCount, now_ + static_cast<std::int64_t>(index) * TimerWheel::kTick);
    if (index % 7 == 0) clear((index + 3) % kCount);
  }

  TimePoint now_ = kStart;
  TimePoint seen_ = kStart;  ///< the latest time that the wheel has been told
  TimerWheel wheel_{kStart};
  std::multimap<TimePoint, std::size_t> model_;
  std::vector<std::unique_ptr<Probe>> probes_ = [this] {
    std::vector<std::unique_ptr<Probe>> all;
    for (std::size_t i = 0; i < kCount; ++i) all.push_back(std::make_unique<Probe>(*this, i));
    return all;
  }();
};

// ---- the heap

/// What the callback of timer number `name` does.
struct Behaviour {
  bool cancels = false;
  std::size_t victim = 0;
  bool adds = false;
  Duration delay{0};
};
Behaviour behaviour_of(std::size_t name) {
  const std::size_t mixed = name * 2654435761U >> 7;
  return {mixed % 5 == 0, mixed % 3 == 0 ? name : mixed % (name + 1), mixed % 4 == 0,
          Duration(static_cast<std::int64_t>(mixed % 1000) - 100)};
}

constexpr std::size_t kLiveMax = 300;

class Heap {
 public:
  void add(TimePoint due, Duration period) {
    if (queue_.size() >= kLiveMax) return;
    const std::size_t name = ids_.size();
    ids_.emplace_back();
    ids_[name] = queue_.add(due, period, [this, name] { fire(name); });
  }
  void cancel(std::size_t name) {
    if (name < ids_.size()) log.push_back(queue_.cancel(ids_[name]) ? 1'000'000 : 2'000'000);
  }
  void run(TimePoint now, std::size_t budget) {
    now_ = now;
    log.push_back(queue_.run_due(now, budget) ? 3'000'000 : 4'000'000);
  }
  [[nodiscard]] TimePoint next_due() const { return queue_.next_due(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }

  std::vector<std::size_t> log;

 private:
  void fire(std::size_t name) {
    log.push_back(name);
    const Behaviour does = behaviour_of(name);
    if (does.cancels) cancel(does.victim);
    if (does.adds) add(now_ + does.delay, Duration(0));
  }
  TimerQueue queue_;
  std::vector<TimerId> ids_;
  TimePoint now_{};
};

class HeapModel {
 public:
  void add(TimePoint due, Duration period) {
    if (live_.size() >= kLiveMax) return;
    live_.insert(next_name_);
    waiting_.emplace(due, Timer{next_name_++, next_order_++, period});
  }
  void cancel(std::size_t name) {
    if (name >= next_name_) return;
    std::erase_if(waiting_, [name](const auto& entry) { return entry.second.name == name; });
    log.push_back(live_.erase(name) > 0 ? 1'000'000 : 2'000'000);
  }
  void run(TimePoint now, std::size_t budget) {
    const std::size_t newest = next_order_;
    bool more = false;
    while (!waiting_.empty() && waiting_.begin()->first <= now) {
      const auto [due, timer] = *waiting_.begin();
      more = budget-- == 0 || timer.order >= newest;
      if (more) break;
      waiting_.erase(waiting_.begin());
      if (timer.period == Duration(0)) live_.erase(timer.name);
      fire(timer.name, now);
      if (timer.period == Duration(0) || !live_.contains(timer.name)) continue;
      TimePoint next = due;
      next += ((now - due) / timer.period + 1) * timer.period;
      waiting_.emplace(next, Timer{timer.name, next_order_++, timer.period});
    }
    log.push_back(more ? 3'000'000 : 4'000'000);
  }
  [[nodiscard]] TimePoint next_due() const {
    return waiting_.empty() ? TimePoint::max() : waiting_.begin()->first;
  }
  [[nodiscard]] std::size_t size() const { return live_.size(); }

  std::vector<std::size_t> log;

 private:
  struct Timer {
    std::size_t name;
    std::size_t order;
    Duration period;
  };
  void fire(std::size_t name, TimePoint now) {
    log.push_back(name);
    const Behaviour does = behaviour_of(name);
    if (does.cancels) cancel(does.victim);
    if (does.adds) add(now + does.delay, Duration(0));
  }
  std::multimap<TimePoint, Timer> waiting_;  ///< equal keys stand in the order of insertion
  std::set<std::size_t> live_;
  std::size_t next_name_ = 0;
  std::size_t next_order_ = 0;
};

void check_heap(Input& input) {
  Heap heap;
  HeapModel model;
  TimePoint now = kStart;
  while (!input.at_end()) {
    const std::uint32_t command = input.byte();
    if (command % 4 < 2) {
      const TimePoint due = command % 8 == 0 ? now - input.span() : now + input.span();
      const Duration period = command % 3 == 0 ? input.span() + Duration(1) : Duration(0);
      heap.add(due, period);
      model.add(due, period);
    } else if (command % 4 == 2) {
      const std::size_t name = input.byte();
      heap.cancel(name);
      model.cancel(name);
    } else {
      now += input.span();
      const std::size_t budget = input.budget();
      heap.run(now, budget);
      model.run(now, budget);
    }
    SSX_ASSERT(heap.log == model.log);
    SSX_ASSERT(heap.next_due() == model.next_due());
    SSX_ASSERT(heap.size() == model.size(), heap.size(), model.size());
    heap.log.clear();
    model.log.clear();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;  // longer lists say nothing new
  Input input({data, size});
  if (input.byte() % 2 == 0) {
    WheelCheck().run(input);
  } else {
    check_heap(input);
  }
  return 0;
}

#include "tests/support/sim/kernel.h"

#include <unistd.h>

#include <atomic>

#include "ssxrver/base/assert.h"
#include "tests/support/sim/gate.h"

namespace ssx::sim {
namespace {

using std::memory_order_relaxed;

struct CallFacts {
  const char* name;
  int usual_error;
};
constexpr std::array<CallFacts, kCallCount> kFacts{{
#define SSX_SIM_FACTS(enumerator, function, error) {#function, error},
    SSX_SIM_CALLS(SSX_SIM_FACTS)
#undef SSX_SIM_FACTS
}};

std::size_t index(Call call) noexcept { return static_cast<std::size_t>(call); }

/// Neither an error nor a limit: the call passes.
struct Rule {
  std::atomic<std::uint64_t> times{0};
  std::atomic<std::uint64_t> taken{0};
  std::atomic<int> error{0};
  std::atomic<std::size_t> limit{internal::kNoLimit};
};

struct Rules {
  std::atomic<std::size_t> size{0};
  std::array<Rule, FaultPlan::kRulesMax> rule;
};

/// Static, so that a thread that is inside a call when a plan ends touches living memory.
struct State {
  std::array<std::atomic<std::uint64_t>, kCallCount> count{};
  std::atomic<bool> planned{false};
  std::array<Rules, kCallCount> rules;
  std::atomic<std::uint64_t> seen{0};
  std::atomic<std::uint64_t> nth{0};
  std::atomic<int> nth_error{0};
  std::atomic<bool> random{false};
  std::atomic<std::uint64_t> draws{0};
  std::atomic<unsigned> chance_short{0};
  std::atomic<unsigned> chance_again{0};
  std::atomic<unsigned> chance_failure{0};
  std::atomic<bool> shuffle{false};
  std::atomic<pid_t> only_thread{0};
  std::atomic<std::uint64_t> faults{0};
  std::atomic<const char*> latest{""};
};

State& state() noexcept {
  static State only;
  return only;
}

/// splitmix64: every value of the counter gives an independent-looking number.
std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

bool drawn(unsigned per_thousand) noexcept { return internal::next_random() % 1000 < per_thousand; }

/// The first rule that still has turns decides; those before it are used up.
internal::Decision take_rule(Rules& rules) noexcept {
  const std::size_t size = rules.size.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < size; ++i) {
    Rule& rule = rules.rule[i];
    const std::uint64_t times = rule.times.load(memory_order_relaxed);
    if (rule.taken.load(memory_order_relaxed) >= times) continue;
    if (rule.taken.fetch_add(1, memory_order_relaxed) >= times) continue;
    return {rule.error.load(memory_order_relaxed), rule.limit.load(memory_order_relaxed)};
  }
  return {};
}

internal::Decision draw(Call call, std::size_t size) noexcept {
  State& s = state();
  if (usual_error(call) != 0 && drawn(s.chance_failure.load(memory_order_relaxed))) {
    return {.error = usual_error(call)};
  }
  if (may_say_again(call) && drawn(s.chance_again.load(memory_order_relaxed))) {
    return {.error = EAGAIN};
  }
  if (size > 1 && drawn(s.chance_short.load(memory_order_relaxed))) {
    return {.limit = static_cast<std::size_t>(1 + internal::next_random() % (size - 1))};
  }
  return {};
}

internal::Decision ask(Call call, std::size_t size) noexcept {
  State& s = state();
  if (usual_error(call) != 0 &&
      s.seen.fetch_add(1, memory_order_relaxed) + 1 == s.nth.load(memory_order_relaxed)) {
    const int error = s.nth_error.load(memory_order_relaxed);
    return {.error = error != 0 ? error : usual_error(call)};
  }
  const internal::Decision ruled = take_rule(s.rules[index(call)]);
  if (ruled.error != 0 || ruled.limit != internal::kNoLimit) return ruled;
  return s.random.load(memory_order_relaxed) ? draw(call, size) : ruled;
}

void add_rule(Call call, std::uint64_t times, int error, std::size_t limit) {
  Rules& rules = state().rules[index(call)];
  const std::size_t at = rules.size.load(memory_order_relaxed);
  SSX_ASSERT(at < FaultPlan::kRulesMax, at);
  Rule& rule = rules.rule[at];
  rule.times.store(times, memory_order_relaxed);
  rule.taken.store(0, memory_order_relaxed);
  rule.error.store(error, memory_order_relaxed);
  rule.limit.store(limit, memory_order_relaxed);
  rules.size.store(at + 1, std::memory_order_release);
}

}  // namespace

const char* name(Call call) noexcept { return kFacts[index(call)].name; }
int usual_error(Call call) noexcept { return kFacts[index(call)].usual_error; }

bool may_say_again(Call call) noexcept {
  return call == Call::kAccept || call == Call::kReceive || call == Call::kSend ||
         call == Call::kSendVector || call == Call::kSendFile || call == Call::kReceiveBatch ||
         call == Call::kSendBatch;
}

std::uint64_t calls(Call call) noexcept {
  return state().count[index(call)].load(memory_order_relaxed);
}

CallWatch::CallWatch() noexcept {
  for (std::size_t i = 0; i < kCallCount; ++i) start_[i] = calls(static_cast<Call>(i));
}

std::uint64_t CallWatch::of(Call call) const noexcept { return calls(call) - start_[index(call)]; }

std::uint64_t CallWatch::total() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kCallCount; ++i) sum += of(static_cast<Call>(i));
  for (const Call free : {Call::kThreadId, Call::kEnvironment, Call::kUnsetEnvironment}) {
    sum -= of(free);
  }
  return sum;
}

FaultPlan::FaultPlan() noexcept {
  const bool another = state().planned.exchange(true);
  SSX_ASSERT(!another);
}

FaultPlan::~FaultPlan() {
  State& s = state();
  s.nth.store(0, memory_order_relaxed);
  s.random.store(false, memory_order_relaxed);
  s.shuffle.store(false, memory_order_relaxed);
  s.only_thread.store(0, memory_order_relaxed);
  for (Rules& rules : s.rules) rules.size.store(0, memory_order_relaxed);
  s.seen.store(0, memory_order_relaxed);
  s.faults.store(0, memory_order_relaxed);
  s.latest.store("", memory_order_relaxed);
  s.planned.store(false);
}

FaultPlan& FaultPlan::pass(Call call, std::uint64_t times) {
  add_rule(call, times, 0, internal::kNoLimit);
  return *this;
}

FaultPlan& FaultPlan::fail(Call call, int error, std::uint64_t times) {
  SSX_ASSERT(error > 0 || usual_error(call) != 0, name(call));
  add_rule(call, times, error != 0 ? error : usual_error(call), internal::kNoLimit);
  return *this;
}

FaultPlan& FaultPlan::limit_bytes(Call call, std::size_t most, std::uint64_t times) {
  SSX_ASSERT(most >= 1, name(call));  // moving 0 means "closed" or "the end", which is no limit
  add_rule(call, times, 0, most);
  return *this;
}

FaultPlan& FaultPlan::fail_at_nth(std::uint64_t nth, int error) {
  SSX_ASSERT(nth >= 1);
  State& s = state();
  s.nth_error.store(error, memory_order_relaxed);
  s.nth.store(s.seen.load(memory_order_relaxed) + nth, memory_order_relaxed);
  return *this;
}

FaultPlan& FaultPlan::random(std::uint64_t seed, Chances chances) {
  State& s = state();
  s.draws.store(mix(seed), memory_order_relaxed);
  s.chance_short.store(chances.short_counts, memory_order_relaxed);
  s.chance_again.store(chances.again, memory_order_relaxed);
  s.chance_failure.store(chances.failures, memory_order_relaxed);
  s.random.store(true, memory_order_relaxed);
  return *this;
}

FaultPlan& FaultPlan::shuffle_events(std::uint64_t seed) {
  state().draws.store(mix(seed), memory_order_relaxed);
  state().shuffle.store(true, memory_order_relaxed);
  return *this;
}

FaultPlan& FaultPlan::only_this_thread() {
  state().only_thread.store(::gettid(), memory_order_relaxed);
  return *this;
}

std::uint64_t FaultPlan::faults() const noexcept {
  return state().faults.load(memory_order_relaxed);
}
std::uint64_t FaultPlan::calls() const noexcept { return state().seen.load(memory_order_relaxed); }
const char* FaultPlan::latest_fault() const noexcept {
  return state().latest.load(memory_order_relaxed);
}

namespace internal {

Decision decide(Call call, std::size_t size) noexcept {
  State& s = state();
  s.count[index(call)].fetch_add(1, memory_order_relaxed);
  if (!s.planned.load(memory_order_relaxed)) return {};
  const pid_t only = s.only_thread.load(memory_order_relaxed);
  if (only != 0 && only != ::gettid()) return {};
  const Decision decision = ask(call, size);
  if (decision.error != 0 || decision.limit < size) {
    s.faults.fetch_add(1, memory_order_relaxed);
    s.latest.store(name(call), memory_order_relaxed);
  }
  return decision;
}

bool shuffled() noexcept { return state().shuffle.load(memory_order_relaxed); }

std::uint64_t next_random() noexcept {
  return mix(state().draws.fetch_add(1, memory_order_relaxed));
}

}  // namespace internal
}  // namespace ssx::sim

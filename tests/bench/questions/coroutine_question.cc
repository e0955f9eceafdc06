// Coroutine or callback? An operation of sixteen steps, each of which waits for something that
// happens later: ns per step, and how often an operation asks the heap.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"

namespace {
std::int64_t taken = 0;  // blocks that operator new has handed out
}  // namespace

// Not inlined: the compiler must not find a malloc behind a new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++taken;
  if (void* const block = std::malloc(bytes)) return block;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace ssx::questions {
namespace {

constexpr int kSteps = 16;

// ---- callbacks in std::function: each step is a closure that owns what comes after it

class FunctionSource {
 public:
  void wait(std::function<void(int)> then) { waiting_ = std::move(then); }
  bool fire() {
    if (!waiting_) return false;
    const auto then = std::exchange(waiting_, nullptr);
    then(1);
    return true;
  }

 private:
  std::function<void(int)> waiting_;
};

void nested(FunctionSource& source, int left, int sum, std::function<void(int)> done) {
  if (left == 0) return done(sum);
  source.wait([&source, left, sum, done = std::move(done)](int value) {
    nested(source, left - 1, sum + value, done);
  });
}

int run_nested() {
  FunctionSource source;
  int result = 0;
  nested(source, kSteps, 0, [&result](int sum) { result = sum; });
  while (source.fire()) {
  }
  return result;
}

// ---- the same, but what the steps share is in an object that they keep alive

class SharedOperation : public std::enable_shared_from_this<SharedOperation> {
 public:
  SharedOperation(FunctionSource& source, int& result) : source_(source), result_(result) {}
  void step() {
    if (left_-- == 0) {
      result_ = sum_;
      return;
    }
    source_.wait([self = shared_from_this()](int value) {
      self->sum_ += value;
      self->step();
    });
  }

 private:
  FunctionSource& source_;
  int& result_;
  int left_ = kSteps;
  int sum_ = 0;
};

int run_shared() {
  FunctionSource source;
  int result = 0;
  std::make_shared<SharedOperation>(source, result)->step();
  while (source.fire()) {
  }
  return result;
}

// ---- one object that is its own callback: a state machine by hand, as the product's sessions are

class Source {
 public:
  void wait(Continuation& then) { waiting_ = &then; }
  bool fire() {
    if (waiting_ == nullptr) return false;
    std::exchange(waiting_, nullptr)->run();
    return true;
  }

 private:
  Continuation* waiting_ = nullptr;
};

class Machine final : private Continuation {
 public:
  Machine(Source& source, int& result) : Continuation(&told), source_(source), result_(result) {}
  void begin() { source_.wait(*this); }

 private:
  static void told(Continuation& self) noexcept { static_cast<Machine&>(self).step(); }
  void step() {
    ++sum_;
    if (--left_ > 0) return source_.wait(*this);
    result_ = sum_;
    delete this;
  }

  Source& source_;
  int& result_;
  int left_ = kSteps;
  int sum_ = 0;
};

int run_machine() {
  Source source;
  int result = 0;
  (new Machine(source, result))->begin();
  while (source.fire()) {
  }
  return result;
}

// ---- lambdas in a template: their types are known, so the chain is one object too

template <class... Steps>
class Chain final : private Continuation {
 public:
  Chain(Source& source, int& result, Steps... steps)
      : Continuation(&told), source_(source), result_(result), steps_(std::move(steps)...) {}
  void begin() { source_.wait(*this); }

 private:
  using Step = int (*)(Chain&, int);

  template <std::size_t... kIndex>
  static constexpr std::array<Step, sizeof...(Steps)> table(std::index_sequence<kIndex...>) {
    return {+[](Chain& self, int sum) { return std::get<kIndex>(self.steps_)(sum); }...};
  }
  static void told(Continuation& continuation) noexcept {
    static constexpr auto kTable = table(std::index_sequence_for<Steps...>());
    auto& self = static_cast<Chain&>(continuation);
    self.sum_ = kTable[self.at_++](self, self.sum_);
    if (self.at_ < sizeof...(Steps)) return self.source_.wait(self);
    self.result_ = self.sum_;
    delete &self;
  }

  Source& source_;
  int& result_;
  std::size_t at_ = 0;
  int sum_ = 0;
  std::tuple<Steps...> steps_;
};

template <std::size_t... kIndex>
void begin_chain(Source& source, int& result, const int& one, std::index_sequence<kIndex...>) {
  const auto step = [&one](std::size_t) { return [&one](int sum) { return sum + one; }; };
  using ChainOfSteps = Chain<decltype(step(kIndex))...>;
  (new ChainOfSteps(source, result, step(kIndex)...))->begin();
}

int run_chain() {
  Source source;
  int result = 0;
  const int one = 1;
  begin_chain(source, result, one, std::make_index_sequence<kSteps>());
  while (source.fire()) {
  }
  return result;
}

// ---- coroutines

class Wait final : private CoroutineContinuation {
 public:
  explicit Wait(Source& source) noexcept : source_(source) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept {
    set_handle(handle);
    source_.wait(*this);
  }
  int await_resume() const noexcept { return 1; }

 private:
  Source& source_;
};

Task<int> all_in_one(Source& source) {
  int sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += co_await Wait(source);
  co_return sum;
}

[[gnu::noinline]] Task<int> one_step(Source& source) { co_return co_await Wait(source); }

Task<int> a_child_for_each(Source& source) {
  int sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += co_await one_step(source);
  co_return sum;
}

class Nobody final : public Continuation {
 public:
  Nobody() noexcept : Continuation([](Continuation&) noexcept {}) {}
};

template <class Body>
int run_task(Body body) {
  Source source;
  Nobody nobody;
  auto task = body(source);
  if (task.start(nobody)) std::abort();
  while (source.fire()) {
  }
  return task.result();
}

void add(const char* name, int (*run)()) {
  benchmark::RegisterBenchmark(name, [run](benchmark::State& state) {
    if (run() != kSteps) std::abort();  // and the pool of frames is filled
    const std::int64_t before = taken;
    for (auto _ : state) benchmark::DoNotOptimize(run());
    const auto blocks = static_cast<double>(taken - before);
    state.counters["heap"] = blocks / static_cast<double>(state.iterations());
    state.SetItemsProcessed(state.iterations() * kSteps);
  });
}

}  // namespace
}  // namespace ssx::questions

int main(int argc, char** argv) {
  using namespace ssx::questions;
  add("nested/step", &run_nested);
  add("shared/step", &run_shared);
  add("machine/step", &run_machine);
  add("chain/step", &run_chain);
  add("task/step", [] { return run_task(&all_in_one); });
  add("children/step", [] { return run_task(&a_child_for_each); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

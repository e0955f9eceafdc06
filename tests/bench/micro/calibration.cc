// The same work whatever the project's code does, linked into every program here: how fast the
// machine is while that program is measured. compare.py divides by what it says, so a change here
// makes every stored baseline worthless.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace {

std::uint64_t next_random(std::uint64_t seed) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^ (seed << 17);
}

// A chain of shifts: each waits for the one before, so it is the clock of the core that counts.
void arithmetic(benchmark::State& state) {
  std::uint64_t value = 4711;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) value = next_random(value);
    benchmark::DoNotOptimize(value);
  }
}
BENCHMARK(arithmetic)->Name("Calibration/arithmetic");

/// One cycle through all places of so many bytes (Sattolo).
std::vector<std::uint32_t> one_cycle(std::size_t bytes) {
  std::vector<std::uint32_t> next(bytes / sizeof(std::uint32_t));
  std::iota(next.begin(), next.end(), 0U);
  std::uint64_t random = 4711;
  for (std::size_t i = next.size() - 1; i > 0; --i) {
    random = next_random(random);
    std::swap(next[i], next[random % i]);
  }
  return next;
}

// Each step says where the next one is: what counts is how long a core waits for what it reads.
void walk(benchmark::State& state, const std::vector<std::uint32_t>& next) {
  std::uint32_t at = 0;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) at = next[at];
    benchmark::DoNotOptimize(at);
  }
}

// Within the caches of one core.
void cache(benchmark::State& state) {
  static const auto next = one_cycle(128 << 10);
  walk(state, next);
}
BENCHMARK(cache)->Name("Calibration/cache");

// Beyond them, where neighbours are.
void memory(benchmark::State& state) {
  static const auto next = one_cycle(4 << 20);
  walk(state, next);
}
BENCHMARK(memory)->Name("Calibration/memory");

// Two programs are compared only if one compiler made both in the same way.
[[maybe_unused]] const bool told = [] {
#if defined(__clang__)
  const char* const compiler = "clang " __clang_version__;
#else
  const char* const compiler = "GCC " __VERSION__;
#endif
#if defined(NDEBUG) && defined(__OPTIMIZE__)
  const char* const build = "optimised";
#else
  const char* const build = "not optimised";
#endif
  benchmark::AddCustomContext("compiler", compiler);
  benchmark::AddCustomContext("build", build);
  return true;
}();

}  // namespace

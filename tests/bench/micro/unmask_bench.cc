// ns per payload that is unmasked where it lies, as every message of a browser is.
#include <benchmark/benchmark.h>

#include <vector>

#include "websocket/mask.h"

namespace ssx::websocket {
namespace {

void unmask(benchmark::State& state) {
  std::vector<std::byte> payload(static_cast<std::size_t>(state.range(0)), std::byte{'x'});
  MaskKey key{std::byte{0x12}, std::byte{0xA4}, std::byte{0x7F}, std::byte{0x03}};
  benchmark::DoNotOptimize(key);
  for (auto _ : state) {
    apply_mask(payload, key, 0);
    benchmark::DoNotOptimize(payload.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(unmask)->Name("Unmask")->RangeMultiplier(16)->Range(16, 1 << 20);

}  // namespace
}  // namespace ssx::websocket

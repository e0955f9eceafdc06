// What a rate per address costs a request: one look-up in the table that all loops share.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "ssxrver/net/address_counts.h"
#include "ssxrver/net/address_rates.h"

namespace ssx::net {
namespace {

constexpr TimePoint kNow{std::chrono::hours(1)};

std::vector<SocketAddress> addresses(std::uint32_t count) {
  std::vector<SocketAddress> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = i * 2654435761U;  // Knuth's multiplicative hash
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
        static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
    all.push_back(SocketAddress::from_ipv4(bytes, 1));
  }
  return all;
}

void take(benchmark::State& state) {
  static AddressRates rates({.events = 1'000'000, .burst = 1'000'000}, 4711);
  const auto from = addresses(static_cast<std::uint32_t>(state.range(0)));
  std::size_t next = static_cast<std::size_t>(state.thread_index()) * 997;
  for (auto _ : state) benchmark::DoNotOptimize(rates.take(from[next++ % from.size()], kNow));
}
BENCHMARK(take)->Name("AddressRates/take")->Arg(1)->Arg(1000)->Arg(50'000)->ThreadRange(1, 2);

void count_in_and_out(benchmark::State& state) {
  static AddressCounts counts(64, 4711);
  const auto from = addresses(static_cast<std::uint32_t>(state.range(0)));
  std::size_t next = static_cast<std::size_t>(state.thread_index()) * 997;
  for (auto _ : state) {
    const AddressKey key = AddressKey::of(from[next++ % from.size()]);
    if (counts.try_add(key)) counts.remove(key);
  }
}
BENCHMARK(count_in_and_out)->Name("AddressCounts/in_and_out")->Arg(1)->Arg(1000)->ThreadRange(1, 2);

}  // namespace
}  // namespace ssx::net

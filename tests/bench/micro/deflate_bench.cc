// ns per message that permessage-deflate makes shorter and back again, with the context kept from
// message to message ("takeover") or begun anew, as a server does it ("deflate") and a client
// undoes it ("inflate"). Level 6 is the default, level 1 the fastest. "ratio": bytes in by bytes on
// the wire.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "websocket/deflate.h"

namespace ssx::websocket {
namespace {

using compress::Piece;

constexpr std::size_t kRecord = 190;
constexpr std::size_t kLarge = 64 << 10;
constexpr std::size_t kMemory = 64 << 20;

/// Of 190 bytes, no two alike.
std::string record(unsigned number) {
  const unsigned random = number * 2654435761U;  // Knuth's multiplicative hash
  std::string json = fmt::format(
      R"({{"type":"trade","id":{},"symbol":"{}","price":{}.{:02},"size":{},"side":"{}",)"
      R"("time":"2026-01-02T{:02}:{:02}:{:02}.{:03}Z","venue":"XETR","flags":["auction","late"],)",
      100'000 + number, random % 3 == 0 ? "ABC" : "DEFG", 10 + random % 90, random % 100,
      1 + random % 5000, random % 2 == 0 ? "buy" : "sell", random % 24, random % 60, number % 60,
      random % 1000);
  json += R"("note":")";
  if (json.size() + 2 > kRecord) std::abort();
  json.append(kRecord - 2 - json.size(), '-');
  return json + "\"}";
}

std::vector<std::string> messages(std::size_t size) {
  std::vector<std::string> all(size == kRecord ? 128 : 8);
  unsigned number = 0;
  for (std::string& message : all) {
    while (message.size() < size) message += record(number++);
    message.resize(size);
  }
  return all;
}

struct Pair {
  explicit Pair(benchmark::State& state, bool takeover) {
    options.deflate.mode = DeflateMode::kBoth;
    options.deflate.min_size = 0;
    options.deflate.level = static_cast<int>(state.range(1));
    params.server_no_context_takeover = params.client_no_context_takeover = !takeover;
  }

  Options options;
  DeflateParams params;
  ByteBudget budget{kMemory};
  DeflatePool pool{budget};
};

void deflate(benchmark::State& state, bool takeover) {
  Pair pair(state, takeover);
  Deflate server(pair.params, pair.options, Role::kServer, pair.pool);
  const auto all = messages(static_cast<std::size_t>(state.range(0)));
  std::string out;
  out.reserve(2 * kLarge);
  std::size_t next = 0;
  std::size_t sent = 0;
  for (auto _ : state) {
    out.clear();
    if (!server.deflate(as_bytes(all[next]), out)) std::abort();
    benchmark::DoNotOptimize(out.data());
    sent += out.size();
    next = (next + 1) % all.size();
  }
  const auto bytes = state.iterations() * state.range(0);
  state.SetBytesProcessed(bytes);
  state.counters["ratio"] = static_cast<double>(bytes) / static_cast<double>(sent);
}

// The compressed messages come round and round: the first was made without a context and may follow
// any other, and what the others look back at has just come again.
void inflate(benchmark::State& state, bool takeover) {
  Pair pair(state, takeover);
  Deflate server(pair.params, pair.options, Role::kServer, pair.pool);
  Deflate client(pair.params, pair.options, Role::kClient, pair.pool);
  const auto all = messages(static_cast<std::size_t>(state.range(0)));
  std::vector<std::string> wire(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!server.deflate(as_bytes(all[i]), wire[i])) std::abort();
  }
  std::vector<std::byte> room(2 * kLarge);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto step = client.inflate(as_bytes(wire[next]), room, Piece::kLast);
    if (!step || !step->done || step->produced != all[next].size()) std::abort();
    benchmark::DoNotOptimize(room.data());
    next = (next + 1) % all.size();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sizes_and_levels(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"bytes", "level"})->ArgsProduct({{kRecord, kLarge}, {1, 6}});
}
void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"bytes", "level"})->ArgsProduct({{kRecord, kLarge}, {6}});
}
BENCHMARK_CAPTURE(deflate, takeover, true)->Name("Deflate/takeover")->Apply(sizes_and_levels);
BENCHMARK_CAPTURE(deflate, anew, false)->Name("Deflate/anew")->Apply(sizes_and_levels);
BENCHMARK_CAPTURE(inflate, takeover, true)->Name("Inflate/takeover")->Apply(sizes);
BENCHMARK_CAPTURE(inflate, anew, false)->Name("Inflate/anew")->Apply(sizes);

}  // namespace
}  // namespace ssx::websocket

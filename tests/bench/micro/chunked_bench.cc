// ns per chunked body, by the size of its chunks. The decoder hands out views, so the data of a
// chunk costs nothing: items are chunks.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "http/chunked_decoder.h"

namespace ssx::http {
namespace {

constexpr std::size_t kBody = 64 << 10;

std::string body_of_chunks(std::size_t chunk) {
  std::string body;
  for (std::size_t done = 0; done < kBody; done += chunk) {
    body += fmt::format("{:x}\r\n{}\r\n", chunk, std::string(chunk, 'x'));
  }
  return body + "0\r\n\r\n";
}

void decode(benchmark::State& state) {
  const auto chunk = static_cast<std::size_t>(state.range(0));
  const std::string body = body_of_chunks(chunk);
  const ParserLimits limits;
  ChunkedDecoder decoder(limits);
  for (auto _ : state) {
    decoder.reset();
    std::string_view in = body;
    while (!in.empty()) {
      const auto step = decoder.next(in);
      if (step.progress == Progress::kFailed) std::abort();
      benchmark::DoNotOptimize(step.data.data());
      in.remove_prefix(step.consumed);
    }
    if (decoder.body_size() != kBody) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBody / chunk + 1));
}
BENCHMARK(decode)->Name("Chunked/64_KiB_in_chunks_of")->Arg(16)->Arg(1024)->Arg(16 << 10);

// The same bytes as a network may cut them: a read ends in the middle of a chunk and of its line.
void decode_pieces(benchmark::State& state) {
  const auto piece = static_cast<std::size_t>(state.range(0));
  const std::string body = body_of_chunks(1024);
  const ParserLimits limits;
  ChunkedDecoder decoder(limits);
  for (auto _ : state) {
    decoder.reset();
    for (std::size_t from = 0; from < body.size(); from += piece) {
      std::string_view in = std::string_view(body).substr(from, piece);
      while (!in.empty()) {
        const auto step = decoder.next(in);
        if (step.progress == Progress::kFailed) std::abort();
        benchmark::DoNotOptimize(step.data.data());
        in.remove_prefix(step.consumed);
      }
    }
    if (decoder.body_size() != kBody) std::abort();
  }
}
BENCHMARK(decode_pieces)->Name("Chunked/64_KiB_in_reads_of")->Arg(100)->Arg(1460);

}  // namespace
}  // namespace ssx::http

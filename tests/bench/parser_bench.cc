#include "http/request_parser.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string_view>

#include "tests/bench/requests.h"

namespace ssx::http {
namespace {

void parse(benchmark::State& state, std::string_view bytes) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  for (auto _ : state) {
    parser.reset();
    const auto parsed = parser.parse(bytes, head);
    if (parsed.progress != Progress::kDone) std::abort();
    benchmark::DoNotOptimize(head);
  }
}
BENCHMARK_CAPTURE(parse, request_86_bytes_3_fields, bench::kSmallRequest);
BENCHMARK_CAPTURE(parse, request_753_bytes_10_fields, bench::kLargeRequest);

}  // namespace
}  // namespace ssx::http

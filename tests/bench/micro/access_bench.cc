// ns per line of the access log: what the I/O thread does before it copies the line into its ring.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "http/access_format.h"
#include "http/request_parser.h"

namespace ssx::http {
namespace {

// What a browser says, as far as a line shows it.
constexpr std::string_view kRequest =
    "GET /docs/guide/getting_started.html?from=front&lang=en HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8\r\n"
    "Accept-Encoding: gzip, deflate\r\n"
    "Referer: http://www.example.com/docs/guide/index.html\r\n"
    "\r\n";

void render(benchmark::State& state, const char* pattern) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  if (parser.parse(kRequest, head).progress != Progress::kDone) std::abort();
  const auto format = *AccessFormat::compile(pattern, 8192);
  AccessTime time(false);
  const auto peer = *net::SocketAddress::parse("203.0.113.77", 50123);
  AccessEntry entry{.head = head, .peer = peer, .client = peer};
  entry.path = head.path;
  entry.status = 200;
  entry.bytes_sent = 12345;
  entry.body_bytes_sent = 12000;
  entry.when = SystemClock::instance().wall_now();
  std::vector<char> room(8192);
  std::size_t size = 0;
  for (auto _ : state) {
    size = format.render(entry, time, room).size;
    benchmark::DoNotOptimize(room.data());
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK_CAPTURE(render, common, "common")->Name("AccessLog/common");
BENCHMARK_CAPTURE(render, combined, "combined")->Name("AccessLog/combined");
BENCHMARK_CAPTURE(render, json, "json")->Name("AccessLog/json");

}  // namespace
}  // namespace ssx::http

#include "http/request_parser.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string_view>

namespace ssx::http {
namespace {

// What wrk sends for a short URL: 3 fields.
constexpr std::string_view kSmall =
    "GET /index.html HTTP/1.1\r\n"
    "Host: 127.0.0.1:4507\r\n"
    "User-Agent: wrk/4.1.0\r\n"
    "Accept: */*\r\n"
    "\r\n";
static_assert(kSmall.size() == 86);

// What a browser sends: 10 fields.
constexpr std::string_view kLarge =
    "GET /docs/guide/getting_started.html?from=front&lang=en HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 "
    "Firefox/115.0\r\n"
    "Accept: "
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;"
    "q=0.8\r\n"
    "Accept-Language: en-GB,en;q=0.7,sv;q=0.3\r\n"
    "Accept-Encoding: gzip, deflate\r\n"
    "Referer: http://www.example.com/docs/guide/index.html\r\n"
    "Connection: keep-alive\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; visits=2; "
    "last_visit=1700000000; consent=necessary.statistics.preferences; "
    "trail=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n"
    "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
    "If-None-Match: \"5f3c1a2b-264\"\r\n"
    "\r\n";
static_assert(kLarge.size() == 753);

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
BENCHMARK_CAPTURE(parse, small, kSmall)->Name("Parser/86_bytes_3_fields");
BENCHMARK_CAPTURE(parse, large, kLarge)->Name("Parser/753_bytes_10_fields");

}  // namespace
}  // namespace ssx::http

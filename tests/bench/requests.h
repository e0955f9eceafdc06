// The two requests of tests/bench: 86 bytes with 3 fields, 753 bytes with 10.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <string_view>

namespace ssx::bench {

// What wrk sends for a short URL.
inline constexpr std::string_view kSmallRequest =
    "GET /index.html HTTP/1.1\r\n"
    "Host: 127.0.0.1:4507\r\n"
    "User-Agent: wrk/4.1.0\r\n"
    "Accept: */*\r\n"
    "\r\n";
static_assert(kSmallRequest.size() == 86);

// What a browser sends.
inline constexpr std::string_view kLargeRequest =
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
static_assert(kLargeRequest.size() == 753);

}  // namespace ssx::bench

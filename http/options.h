// What can be chosen about HTTP. The keys of the JSON file are named beside each field.
//
// Thread: immutable once validated
// Owner:  whoever starts a server; copied into it
// Life:   longer than the server
// Bounds: every limit has a default, an error and a counter (docs/guide/limits.md)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ssxrver/net/rate.h"

namespace ssx::http {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Bounds of a request head and of chunked framing; the parser enforces them by itself.
struct ParserLimits {
  std::size_t request_line_max = 8192;  ///< `http.max_request_line`: 64 B .. 64 KiB, else 414
  std::size_t target_max = 8192;        ///< `http.max_uri_length`: 1 B .. 64 KiB, else 414
  /// `http.max_path_length` of a target's path as it was sent: 1 B .. 64 KiB, else 414
  std::size_t path_max = 8192;
  /// `http.max_path_segments`: parts of a path, one behind each "/": 1 .. 65536, else 400
  std::size_t segments_max = 128;
  std::size_t method_max = 20;        ///< longer methods: 501
  std::size_t field_name_max = 256;   ///< longer names: 400
  std::size_t field_line_max = 8192;  ///< `http.max_header_line`: 64 B .. 64 KiB, else 431
  std::size_t head_max =
      16384;  ///< `http.max_header_size`, the whole head: 256 B .. 64 KiB, else 431
  std::size_t field_count_max = 100;  ///< `http.max_header_count`: 1 .. 256, else 431
  std::size_t leading_crlf_max =
      1;  ///< empty lines before the request line (RFC 9112 2.2), else 400
  std::size_t chunk_extension_max =
      256;                         ///< `http.max_chunk_extension` bytes per chunk line, else 400
  std::size_t trailer_max = 4096;  ///< `http.max_trailer_size` bytes, else 400
  std::size_t trailer_count_max = 32;  ///< trailer fields, else 400
  /// Framing bytes allowed beyond this plus chunk_overhead_ratio x body bytes are an attack (400).
  std::size_t chunk_overhead_base = 64 << 10;
  std::size_t chunk_overhead_ratio = 4;
  bool operator==(const ParserLimits&) const = default;
};

/// Time-outs of one exchange (`http.timeouts`); 0 switches one off.
struct Timeouts {
  milliseconds first_byte{10000};  ///< `first_byte`: from accept to the first byte; closed silently
  milliseconds header{
      10000};                ///< `header`: absolute, from the first byte of a head to its end; 408
  milliseconds body{30000};  ///< `body`: between two reads of a body; 408
  std::size_t body_min_rate = 1024;         ///< `body_min_rate` bytes/s on average; 408; 0 = off
  milliseconds body_min_rate_grace{10000};  ///< `body_min_rate_grace`: before that; 1 s .. 5 min
  milliseconds write{30000};          ///< `write`: no byte taken from one look to the next; reset
  std::size_t write_min_rate = 1024;  ///< `write_min_rate` bytes/s from look to look; reset
  milliseconds write_min_rate_grace{30000};  ///< `write_min_rate_grace`: before that; 1 s .. 5 min
  milliseconds handler{30000};               ///< `handler`: a coroutine makes no step; 503
  milliseconds idle{60000};   ///< `idle`: keep-alive without a request; closed silently
  milliseconds linger{2000};  ///< `linger`: reading on after an error answer
  bool operator==(const Timeouts&) const = default;
};

struct OpenFileCacheOptions {
  std::size_t max = 1024;                 ///< `max` entries per worker: 0 = off .. 1048576
  milliseconds ttl{5000};                 ///< `ttl`: after this the file is looked at again
  std::size_t memory_max = 16 << 20;      ///< `memory_max`: of file content, per worker
  std::size_t small_file_max = 16 << 10;  ///< `small_file_max`: content of longer ones is not kept
  bool operator==(const OpenFileCacheOptions&) const = default;
};

/// One entry of `cache_control`: what Cache-Control says of the files that it matches.
struct CacheRule {
  std::string match = "*";  ///< `match`: with a "/" the path below root, without one the name
  std::string value;        ///< `value`: empty = no such field
  bool operator==(const CacheRule&) const = default;
};

/// `http.static`, and the keys of a route whose handler is `static`.
struct StaticOptions {
  std::string root = "./";                          ///< `http.root_path`, or a route's `root`
  std::vector<std::string> index = {"index.html"};  ///< `index`: tried in order for a directory
  bool autoindex = false;               ///< `autoindex`: a list of the files where no index is
  std::size_t autoindex_max = 1000;     ///< `autoindex_max`: 1 .. 100000 entries; the list says so
  bool sendfile = true;                 ///< `sendfile`: off = read and write
  std::size_t sendfile_min = 12 << 10;  ///< `sendfile_min`: of files in memory too
  bool range = true;                    ///< `range`: off = always the whole file
  std::size_t ranges_max = 16;  ///< `ranges_max` of one request: 1 .. 64, else the whole file
  bool etag = true;             ///< `etag` and Last-Modified, and conditions on them
  std::vector<CacheRule> cache_control = {};  ///< `cache_control`: the first that matches
  std::vector<std::string> try_files = {};    ///< `try_files`: "$uri", "/name" and "=404", in order
  std::vector<std::string> precompressed = {"br", "gz"};  ///< `precompressed`: of "br" "gz" "zst"
  std::string spa_fallback = {};  ///< `spa_fallback`: for what is not there and looks like no file
  bool follow_symlinks = false;   ///< `follow_symlinks`: links that stay below root
  bool allow_dotfiles = false;    ///< `dotfiles` "deny" | "allow"
  OpenFileCacheOptions open_file_cache = {};     ///< `open_file_cache`
  std::map<std::string, std::string> mime = {};  ///< `mime`: extension -> type, over our own
  /// Of the compression around it, if any: files of these types say Vary, their 304s as well.
  std::vector<std::string> compressed_types = {};
  std::uint64_t compressed_min = 0;
  bool operator==(const StaticOptions&) const = default;
};

/// `http.multipart`: bounds of a multipart/form-data body (multipart.h).
struct MultipartLimits {
  std::size_t parts_max = 128;         ///< `max_parts`: 1 .. 65536, else 413
  std::size_t part_header_max = 4096;  ///< `max_part_header`: 64 B .. 64 KiB, else 400
  std::size_t part_fields_max = 16;    ///< header fields of one part, else 400
  bool operator==(const MultipartLimits&) const = default;
};

/// The `log.access` object.
struct AccessLogOptions {
  bool enabled = false;             ///< `enabled`
  std::string path = "access";      ///< `path`: below the log's folder, and named as its files are
  std::string format = "combined";  ///< `format`: common | combined | json, or a pattern
  double sample = 1;                ///< `sample`: the share of requests that get a line: 0 .. 1
  std::vector<std::string> exclude = {};  ///< `exclude`: paths that get none; 64 at the most
  std::size_t line_max = 8192;            ///< `log.line_max`: longer values are cut
  bool utc = false;                       ///< `log.time` is "utc"
  bool operator==(const AccessLogOptions&) const = default;
};

/// How often one address may ask (an entry of `limits.requests`).
struct RequestRateOptions {
  std::string match = "/*";  ///< `match`: a path, or what begins like one: "/api/*"
  net::Rate rate;            ///< `rate`: 429 above it
  bool operator==(const RequestRateOptions&) const = default;
};

/// Which field of a trusted proxy names the client (`access.real_ip_header`).
enum class RealIpHeader : std::uint8_t { kNone, kXForwardedFor, kForwarded, kXRealIp };

/// `http.cors`: which pages of other origins may read answers (middleware/cors.h).
struct CorsOptions {
  bool enabled = false;                   ///< `enabled`
  std::vector<std::string> origins = {};  ///< `origins`: "https://a.example", "null", "*" for all
  std::vector<std::string> methods = {};  ///< `methods` of a preflight; empty = GET, HEAD and POST
  std::vector<std::string> headers = {};  ///< `headers` of a preflight; "*" = whatever it asks for
  std::vector<std::string> expose_headers = {};  ///< `expose_headers`: those that pages may read
  bool credentials = false;  ///< `credentials`: with cookies; not together with "*"
  seconds max_age{600};      ///< `max_age`: how long a preflight's answer is kept
  bool operator==(const CorsOptions&) const = default;
};

/// `http.compression`: which answers are compressed (middleware/compression.h).
struct CompressionOptions {
  bool gzip = true;               ///< `gzip`
  bool brotli = false;            ///< `brotli`, where the build has it
  bool zstd = false;              ///< `zstd`, where the build has it
  std::size_t min_size = 1024;    ///< `min_size`: shorter bodies stay as they are
  int level = 5;                  ///< `level`: 1 .. 9
  std::size_t encoders_max = 64;  ///< `encoders_max` at work per worker; then as it is
  std::vector<std::string> types = {"text/*", "application/json"};  ///< `types`
  bool operator==(const CompressionOptions&) const = default;
};

/// Bodies of requests that are compressed (body_inflater.h).
struct BodyDecodingOptions {
  bool enabled = false;  ///< `compression.request`: gzip and deflate are inflated, others are 415
  std::uint64_t ratio_max = 100;  ///< `compression.request_ratio_max`: bytes per byte, else 413
  std::uint64_t ratio_free = 64 << 10;  ///< bytes before the ratio counts: short texts repeat much
  bool operator==(const BodyDecodingOptions&) const = default;
};

/// The `http` object.
struct HttpOptions {
  ParserLimits parser;
  Timeouts timeouts;
  std::uint64_t body_max = 64 << 20;  ///< `max_body_size`: 0 .. 2^62; else 413
  std::uint64_t body_spool_threshold =
      1 << 20;  ///< `body_spool_threshold`: bodies above go to a file
  std::uint64_t upload_tmp_total =
      1 << 30;             ///< `upload_tmp_total`: spooled bytes of all connections; 503
  std::string spool_path;  ///< `spool_path`: empty = $TMPDIR or /tmp
  bool keepalive = true;   ///< `keepalive`
  std::uint64_t keepalive_requests =
      10000;  ///< `keepalive_requests`: the last answer says close; 1 ..
  BodyDecodingOptions body_decoding;
  MultipartLimits multipart;
  std::size_t query_params_max = 256;  ///< pairs of a query or a form (form.h), else kTooManyParams
  std::size_t cookie_pairs_max = 128;  ///< pairs of a Cookie field (cookie.h), else kTooManyCookies
  std::size_t pipeline_limit = 16;  ///< `pipeline_limit`: parsed and unanswered; then reading stops
  milliseconds max_connection_age{
      3600000};                           ///< `max_connection_age` +-10 %: close at the next answer
  std::string server_header = "ssxrver";  ///< `server_header`: empty = none
  bool date_header = true;                ///< `date_header`
  /// `ignore_client_abort`: a client's end does not cancel the coroutine that makes its answer.
  bool ignore_client_abort = false;
  /// `error_pages`: "404" or "5xx" to a file, for error answers without a body of their own
  std::map<std::string, std::string> error_pages;
  std::vector<RequestRateOptions> request_rates;  ///< `limits.requests`: the first that matches
  RealIpHeader real_ip_header = RealIpHeader::kXForwardedFor;  ///< `access.real_ip_header`
  bool operator==(const HttpOptions&) const = default;
};

}  // namespace ssx::http

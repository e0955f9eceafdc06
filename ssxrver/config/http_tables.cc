#include <algorithm>
#include <memory>

#include "ssxrver/config/kinds.h"
#include "ssxrver/config/special_kinds.h"
#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using http::CacheRule;
using http::HttpOptions;
using http::MultipartLimits;
using http::OpenFileCacheOptions;
using http::ParserLimits;
using http::RouteTimeouts;
using http::StaticOptions;
using http::Timeouts;

constexpr std::int64_t kBodyMax = std::int64_t{1} << 62;
constexpr std::size_t kRoutesMax = 1024;
constexpr std::size_t kCacheRulesMax = 64;
constexpr std::size_t kErrorPagesMax = 64;
constexpr std::size_t kTextBodyMax = 1 << 20;

template <class Member>
auto parser(Member member) {
  return in(&ServerConfig::http, &HttpOptions::parser, member);
}
template <class Member>
auto http_field(Member member) {
  return in(&ServerConfig::http, member);
}

void add_head_limits(ServerTable& table) {
  const auto live = Reload::kLive;
  const Size line{{64, 64 << 10}};
  table.key("max_header_size", parser(&ParserLimits::head_max), Size{{256, 64 << 10}}, live,
            "of a whole request head; else 431");
  table
      .key("max_header_count", parser(&ParserLimits::field_count_max), Whole{{1, 256}}, live,
           "header fields; else 431")
      .hardened(64);
  table.key("max_uri_length", parser(&ParserLimits::target_max), Size{{1, 64 << 10}}, live,
            "of a request target; else 414");
  table
      .key("max_path_length", parser(&ParserLimits::path_max), Size{{1, 64 << 10}}, live,
           "of its path, as it was sent; else 414")
      .hardened(1024);
  table
      .key("max_path_segments", parser(&ParserLimits::segments_max), Whole{{1, 64 << 10}}, live,
           "parts of a path, one behind each \"/\"; else 400")
      .hardened(32);
  table.key("max_request_line", parser(&ParserLimits::request_line_max), line, live, "else 414")
      .hardened(4096);
  table.key("max_header_line", parser(&ParserLimits::field_line_max), line, live, "else 431");
  table
      .key("max_chunk_extension", parser(&ParserLimits::chunk_extension_max), Size{{0, 64 << 10}},
           live, "of one chunk's line; else 400")
      .hardened(0);
  table
      .key("max_trailer_size", parser(&ParserLimits::trailer_max), Size{{0, 64 << 10}}, live,
           "of all trailer fields; else 400")
      .hardened(0);
}

Table<MultipartLimits> multipart_keys() {
  Table<MultipartLimits> table;
  table
      .key("max_parts", &MultipartLimits::parts_max, Whole{{1, 65536}}, Reload::kLive,
           "parts of one body; else 413")
      .hardened(32);
  table
      .key("max_part_header", &MultipartLimits::part_header_max, Size{{64, 64 << 10}},
           Reload::kLive, "of the header of one part; else 400")
      .hardened(1024);
  return table;
}

void add_exchange_keys(ServerTable& table) {
  const auto live = Reload::kLive;
  const Size bytes{{0, kBodyMax}};
  table
      .key("max_connection_age", http_field(&HttpOptions::max_connection_age), Time{}, live,
           "give or take 10 %: then the next answer says close; 0 = never")
      .hardened(10min);
  table
      .key("upload_tmp_total", http_field(&HttpOptions::upload_tmp_total), bytes, live,
           "spooled bytes of all connections together; else 503")
      .hardened(256 << 20);
  table.object("multipart", http_field(&HttpOptions::multipart),
               std::make_shared<const Table<MultipartLimits>>(multipart_keys()),
               "bounds of a multipart/form-data body");
  table.key("keepalive", http_field(&HttpOptions::keepalive), Switch{}, live,
            "several requests on one connection");
  table
      .key("keepalive_requests", http_field(&HttpOptions::keepalive_requests),
           Whole{{1, 1'000'000'000}}, live, "the last answer says close")
      .hardened(1000);
  table
      .key("pipeline_limit", http_field(&HttpOptions::pipeline_limit), Whole{{1, 1024}}, live,
           "requests parsed and not yet answered; then reading stops")
      .hardened(8);
  table.key("body_spool_threshold", http_field(&HttpOptions::body_spool_threshold), bytes, live,
            "longer bodies go to a file");
  table.key("spool_path", http_field(&HttpOptions::spool_path), Text{.what = "a path"},
            Reload::kRestart, "folder of those files; empty = $TMPDIR, or /tmp");
  table.key("server_header", http_field(&HttpOptions::server_header),
            Text{.length_max = 256, .what = "text"}, live, "the Server field; empty = none");
  table.key("date_header", http_field(&HttpOptions::date_header), Switch{}, live, "the Date field");
  table.key("ignore_client_abort", http_field(&HttpOptions::ignore_client_abort), Switch{}, live,
            "a client's end does not cancel the coroutine that makes its answer");
}

constexpr std::int64_t kRateMax = 1 << 30;
const Time kGrace{.min = 1s, .max = 5min, .has_off = false};

Table<Timeouts> timeout_keys() {
  const auto live = Reload::kLive;
  const Time time{};
  Table<Timeouts> table;
  table
      .key("header", &Timeouts::header, time, live,
           "from the first byte of a head to its end, however it trickles; 408; 0 = off")
      .hardened(5s);
  table.key("body", &Timeouts::body, time, live, "between two reads of a body; 408; 0 = off")
      .hardened(10s);
  table
      .key("body_min_rate", &Timeouts::body_min_rate, Size{{0, kRateMax}}, live,
           "bytes per second on average, after the grace; 408; 0 = off")
      .hardened(4096);
  table
      .key("body_min_rate_grace", &Timeouts::body_min_rate_grace, kGrace, live,
           "how long a body may arrive at any rate")
      .hardened(5s);
  table.key("write", &Timeouts::write, time, live, "no byte taken by the peer; reset; 0 = off")
      .hardened(10s);
  table
      .key("write_min_rate", &Timeouts::write_min_rate, Size{{0, kRateMax}}, live,
           "bytes per second on average, after the grace; reset; 0 = off")
      .hardened(4096);
  table
      .key("write_min_rate_grace", &Timeouts::write_min_rate_grace, kGrace, live,
           "how long an answer may leave at any rate; the average is that of so long at the most")
      .hardened(10s);
  table.key("idle", &Timeouts::idle, time, live, "keep-alive without a request; 0 = off")
      .hardened(15s);
  table
      .key("first_byte", &Timeouts::first_byte, time, live,
           "from accept to the first byte; 0 = off")
      .hardened(5s);
  table
      .key("linger", &Timeouts::linger, Time{.max = 5min}, live,
           "how long a peer may still send after an error answer")
      .hardened(1s);
  table
      .key("handler", &Timeouts::handler, time, live,
           "for each step of a handler that is a coroutine; 503, and it is cancelled; 0 = off")
      .hardened(10s);
  return table;
}

Table<RouteTimeouts> route_timeout_keys() {
  const auto live = Reload::kLive;
  const Time time{};
  Table<RouteTimeouts> table;
  table.key("body", &RouteTimeouts::body, time, live, "as `http.timeouts.body`");
  table.key("body_min_rate", &RouteTimeouts::body_min_rate, Size{{0, kRateMax}}, live,
            "as `http.timeouts.body_min_rate`");
  table.key("body_min_rate_grace", &RouteTimeouts::body_min_rate_grace, kGrace, live,
            "as `http.timeouts.body_min_rate_grace`");
  table.key("write", &RouteTimeouts::write, time, live, "as `http.timeouts.write`");
  table.key("write_min_rate", &RouteTimeouts::write_min_rate, Size{{0, kRateMax}}, live,
            "as `http.timeouts.write_min_rate`");
  table.key("write_min_rate_grace", &RouteTimeouts::write_min_rate_grace, kGrace, live,
            "as `http.timeouts.write_min_rate_grace`");
  table.key("handler", &RouteTimeouts::handler, time, live,
            "as `http.timeouts.handler`; of a route of WebSockets this is `handshake_timeout`");
  return table;
}

Table<OpenFileCacheOptions> open_file_cache_keys() {
  Table<OpenFileCacheOptions> table;
  table.key("max", &OpenFileCacheOptions::max, Whole{{0, 1 << 20}}, Reload::kLive,
            "files that each I/O thread keeps open; 0 = off");
  table.key("ttl", &OpenFileCacheOptions::ttl, Time{.max = 1h}, Reload::kLive,
            "after this a file is looked at again");
  table.key("memory_max", &OpenFileCacheOptions::memory_max, Size{{0, 1 << 30}}, Reload::kLive,
            "bytes of file content that each I/O thread keeps; the oldest goes first");
  table.key("small_file_max", &OpenFileCacheOptions::small_file_max, Size{{0, 16 << 20}},
            Reload::kLive, "the content of files up to this size is kept in memory");
  return table;
}

const char* object_to_error_status(const std::string& text) {
  const bool is_status = text.size() == 3 && (text[0] == '4' || text[0] == '5') &&
                         text.find_first_not_of("0123456789", 1) == std::string::npos;
  const bool is_class = text == "4xx" || text == "5xx";
  return is_status || is_class ? nullptr : "a status from 400 to 599, \"4xx\" or \"5xx\"";
}

const char* object_to_try_file(const std::string& text) {
  const bool is_path = text.starts_with('/') || text.starts_with("$uri");
  const bool is_status = text.size() == 4 && text[0] == '=' && (text[1] == '4' || text[1] == '5') &&
                         text.find_first_not_of("0123456789", 1) == std::string::npos;
  return is_path || is_status ? nullptr : "\"$uri\" with or without more, \"/path\" or \"=404\"";
}

const char* object_to_coding(const std::string& text) {
  return text == "br" || text == "gz" || text == "zst" ? nullptr : "\"br\", \"gz\" or \"zst\"";
}

const char* object_to_fallback(const std::string& text) {
  return text.empty() || text.starts_with('/') ? nullptr : "a path that begins with \"/\", or \"\"";
}

Table<CacheRule> cache_rule_keys() {
  Table<CacheRule> table;
  table.key("match", &CacheRule::match,
            Text{.length_max = 1024, .may_be_empty = false, .what = "a pattern"}, Reload::kLive,
            "\"*.css\" by name, \"/assets/*\" by path below the root");
  table.key("value", &CacheRule::value, Text{.length_max = 1024, .what = "a field value"},
            Reload::kLive, "what Cache-Control says; empty = no such field");
  return table;
}

/// What is sent instead of a file, or with it.
void add_fallback_keys(Table<StaticOptions>& table) {
  const auto live = Reload::kLive;
  table.list<decltype(&StaticOptions::cache_control), CacheRule>(
      "cache_control", &StaticOptions::cache_control,
      std::make_shared<const Table<CacheRule>>(cache_rule_keys()),
      [](const StaticOptions&) { return CacheRule(); }, kCacheRulesMax, live,
      "the first that matches counts");
  table.key("try_files", &StaticOptions::try_files,
            Words{{.what = "paths", .objection = object_to_try_file}, 16}, live,
            "tried in order, `$uri` being the path; empty = `$uri`");
  table.key("precompressed", &StaticOptions::precompressed,
            Words{{.what = "extensions", .objection = object_to_coding}, 3}, live,
            "siblings that are sent to clients that take them, unless older than the file");
  table.key("spa_fallback", &StaticOptions::spa_fallback,
            Text{.what = "a path", .objection = object_to_fallback}, live,
            "the page that answers for paths without an extension where no file is; empty = none");
}

Table<StaticOptions> static_keys() {
  const auto live = Reload::kLive;
  Table<StaticOptions> table;
  table.key("index", &StaticOptions::index,
            Words{{.what = "file names", .objection = object_to_file_name}, 16}, live,
            "tried in order for a folder");
  table.key("autoindex", &StaticOptions::autoindex, Switch{}, live,
            "a list of what is in a folder without an index; with ?format=json as JSON");
  table.key("autoindex_max", &StaticOptions::autoindex_max, Whole{{1, 100'000}}, live,
            "names in such a list; it says when there are more");
  table.key("sendfile", &StaticOptions::sendfile, Switch{}, live,
            "files go from the page cache to the socket; off = read and write");
  table.key("sendfile_min", &StaticOptions::sendfile_min, Size{{0, 16 << 20}}, live,
            "from this size on files that are kept in memory are sent by sendfile as well");
  table.key("range", &StaticOptions::range, Switch{}, live, "parts of files: 206 and 416");
  table
      .key("ranges_max", &StaticOptions::ranges_max, Whole{{1, 64}}, live,
           "ranges of one request; else the whole file")
      .hardened(1);
  table.key("etag", &StaticOptions::etag, Switch{}, live,
            "ETag and Last-Modified, and conditions on them: 304 and 412");
  add_fallback_keys(table);
  table.key("follow_symlinks", &StaticOptions::follow_symlinks, Switch{}, live,
            "links that stay below the root");
  table.key("dotfiles", &StaticOptions::allow_dotfiles,
            Choice<bool>{{{"deny", false}, {"allow", true}}}, live,
            "files whose name begins with a dot");
  table.object("open_file_cache", &StaticOptions::open_file_cache,
               std::make_shared<const Table<OpenFileCacheOptions>>(open_file_cache_keys()),
               "files that stay open between two requests");
  table.key(
      "mime", &StaticOptions::mime,
      Dictionary{{.what = "extension", .objection = object_to_extension},
                 {.length_max = 256, .what = "media type", .objection = object_to_media_type}},
      live, "media types by extension, over the built-in table");
  return table;
}

bool is_static(const RouteOptions& route) { return route.handler == "static"; }
bool is_text(const RouteOptions& route) { return route.handler == "text"; }
bool has_answer(const RouteOptions& route) { return is_text(route) || route.handler == "status"; }
bool has_status(const RouteOptions& route) {
  return has_answer(route) || route.handler == "redirect";
}

void add_answer_keys(Table<RouteOptions>& table) {
  using http::AnswerOptions;
  const auto live = Reload::kLive;
  const char* both = "the handlers \"text\" and \"status\"";
  table
      .key("status", in(&RouteOptions::answer, &AnswerOptions::status), Whole{{200, 599}}, live,
           "of the answer; for a redirect 301, 302, 303, 307 or 308, and without the key 301")
      .only_if(has_status, "the handlers \"text\", \"status\" and \"redirect\"");
  table
      .key("content_type", in(&RouteOptions::answer, &AnswerOptions::content_type),
           Text{.length_max = 256, .what = "a media type", .objection = object_to_media_type}, live,
           "of the answer")
      .only_if(is_text, "the handler \"text\"");
  table
      .key("body", in(&RouteOptions::answer, &AnswerOptions::body),
           Text{.length_max = kTextBodyMax, .may_have_control_bytes = true, .what = "text"}, live,
           "the same bytes each time, kept ready")
      .only_if(has_answer, both);
}

/// Two routes for the same requests: the second would never answer.
void refuse_twins(Reader& reader, const json::Value& http, ServerConfig& config) {
  const json::Value* list = http.find("routes");
  const json::Array* entries = list != nullptr ? list->array() : nullptr;
  if (entries == nullptr || entries->size() != config.routes.size()) return;
  const Reader::Step outer(reader, "routes");
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const RouteOptions& route = config.routes[i];
    const json::Value* match = (*entries)[i].find("match");
    const json::Value* methods = (*entries)[i].find("methods");
    const bool is_refused = (match != nullptr && !(*match == json::Value(route.match))) ||
                            (methods != nullptr && methods->array() != nullptr &&
                             methods->array()->size() != route.methods.size());
    if (is_refused) continue;
    const auto end = config.routes.begin() + static_cast<std::ptrdiff_t>(i);
    const auto twin = std::find_if(config.routes.begin(), end, [&route](const RouteOptions& other) {
      const bool is_twin_rule = other.handler == route.handler;
      return other.match == route.match && other.methods == route.methods &&
             other.host == route.host && (is_twin_rule || !(is_rule(route) || is_rule(other)));
    });
    if (twin == end) continue;
    const Reader::Step inner(reader, std::to_string(i));
    const auto number = std::to_string(twin - config.routes.begin());
    reader.error((*entries)[i], "answers the same requests as route " + number);
  }
}

}  // namespace

Table<RouteOptions> route_keys() {
  const auto live = Reload::kLive;
  Table<RouteOptions> table;
  table.key("match", &RouteOptions::match,
            Text{.length_max = 1024, .what = "a path", .objection = object_to_path_pattern}, live,
            "a path with `{name}` for a segment and a final `*` for the rest");
  table.key("methods", &RouteOptions::methods,
            Words{{.what = "methods", .objection = object_to_method}, 16}, live,
            "empty = all that the handler answers");
  table.key("host", &RouteOptions::host,
            Text{.length_max = 255, .what = "a host name", .objection = object_to_host}, live,
            "only for this host; empty = any");
  table.key(
      "handler", &RouteOptions::handler,
      HandlerName{{{"static", "text", "echo", "status", "redirect", "rewrite", "websocket:echo",
                    "websocket:sink", "websocket:broadcast", "websocket:chat"},
                   {}},
                  {"plugin:", "websocket:plugin:"},
                  {}},
      live,
      "what answers; \"plugin:NAME\" is a rule for the routes of that plugin, which stand below "
      "its "
      "`mount`, \"websocket:plugin:NAME\" one for its WebSockets");
  table.key("max_body_size", &RouteOptions::body_max, Size{{0, kBodyMax}}, live, "else 413")
      .only_if(answers_itself, kAnswersItself);
  add_surround_keys(table);
  table
      .object("timeouts", &RouteOptions::timeouts,
              std::make_shared<const Table<RouteTimeouts>>(route_timeout_keys()),
              "the time-outs that begin once the route is known")
      .only_if(answers_itself, kAnswersItself);
  table
      .key("root", in(&RouteOptions::files, &StaticOptions::root),
           Text{.may_be_empty = false, .what = "a path"}, live, "the folder that is served")
      .only_if(is_static, "the handler \"static\"");
  table.merge(&RouteOptions::files, static_keys(), is_static, "the handler \"static\"");
  add_answer_keys(table);
  add_target_keys(table);
  add_websocket_keys(table);
  table.check([](Reader& reader, const json::Value& value, RouteOptions& route) {
    const bool is_bare = route.handler == "status" && value.find("status") == nullptr;
    if (is_bare) reader.error(value, "the handler \"status\" needs the key \"status\"");
    check_run_on(reader, value, route);
    check_target(reader, value, route);
    check_websocket_route(reader, value, route);
    if (is_rule(route)) route.given = given_keys(value);
  });
  table.trim([](const RouteOptions& route, json::Value& written) {
    if (is_rule(route)) keep_given(route, written);
  });
  return table;
}

RouteOptions default_route(const ServerConfig& config) {
  const Timeouts& times = config.http.timeouts;
  RouteOptions route;
  route.body_max = config.http.body_max;
  route.timeouts = {times.body,   times.body_min_rate,  times.body_min_rate_grace,
                    times.write,  times.write_min_rate, times.write_min_rate_grace,
                    times.handler};
  route.files = config.files;
  route.websocket = config.websocket;
  return route;
}

ServerTable http_keys() {
  const auto live = Reload::kLive;
  ServerTable table;
  table
      .key("max_body_size", http_field(&HttpOptions::body_max),
           Size{{.min = 1, .max = kBodyMax, .low_means_default = true}}, live,
           "of a request; else 413, before it is read where the length is known")
      .hardened(1 << 20);
  table.key("root_path", in(&ServerConfig::files, &StaticOptions::root),
            Text{.may_be_empty = false, .what = "a path"}, live,
            "the folder that the handler `static` serves");
  add_head_limits(table);
  add_exchange_keys(table);
  table.object("timeouts", http_field(&HttpOptions::timeouts),
               std::make_shared<const Table<Timeouts>>(timeout_keys()),
               "of one connection and its exchanges");
  table.group("compression", compression_keys(),
              "answers in fewer bytes, for whoever takes them so");
  table.object(
      "static", &ServerConfig::files, std::make_shared<const Table<StaticOptions>>(static_keys()),
      "how files are served; a route with the handler `static` may have these keys of its own");
  table.key("error_pages", http_field(&HttpOptions::error_pages),
            Dictionary{{.what = "status", .objection = object_to_error_status},
                       {.may_be_empty = false, .what = "a path"},
                       kErrorPagesMax},
            live, "files for error answers without a body of their own: {\"404\": \"404.html\"}");
  table.object("cors", &ServerConfig::cors,
               std::make_shared<const Table<http::CorsOptions>>(cors_keys()),
               "which pages of other origins may read answers");
  table.list<decltype(&ServerConfig::routes), RouteOptions>(
      "routes", &ServerConfig::routes, std::make_shared<const Table<RouteOptions>>(route_keys()),
      default_route, kRoutesMax, live,
      "which handler answers what; without the key: `static` for everything");
  table.check(refuse_twins);
  return table;
}

}  // namespace ssx::config

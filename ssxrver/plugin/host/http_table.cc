// The interface "ssxrver.http": routes, what a request says, answers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "http/route_pattern.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/plugin/host/exchange.h"
#include "ssxrver/plugin/host/handler_route.h"
#include "ssxrver/plugin/host/plugin_stream.h"
#include "ssxrver/plugin/host/tables.h"
#include "ssxrver/plugin/host/wait.h"

namespace ssx::plugins {
namespace {

using http::Request;

Instance& instance_of(ssxrver_context* context) noexcept {
  return *static_cast<Instance*>(context);
}

// ---- routes

Outcome<std::vector<http::Method>> parse_methods(std::string_view text) {
  std::vector<http::Method> methods;
  std::string unknown;
  for_each_part(text, ' ', [&methods, &unknown](std::string_view word) {
    if (word.empty()) return;
    methods.push_back(http::parse_method(word));
    if (methods.back() == http::Method::kUnknown) unknown = word;
  });
  if (!unknown.empty())
    return UnexpectedOf<std::string>(fmt::format("\"{}\" is no method", unknown));
  return methods;
}

/// What is wrong with it; null: nothing.
const char* find_problem(const ssxrver_handler& handler) noexcept {
  const bool later = (handler.flags & SSXRVER_HANDLER_LATER) != 0;
  if (handler.handle == nullptr) return "a handler without handle()";
  if (later && (handler.flags & SSXRVER_HANDLER_TASKS) != 0)
    return "a handler that answers later runs on its loop, and on no task thread";
  if (!later && (handler.flags & SSXRVER_HANDLER_PIECES) != 0)
    return "only a handler that answers later can read a body by pieces";
  return nullptr;
}

RouteSettings to_settings(const ssxrver_handler& handler, const ssxrver_route_settings* given) {
  RouteSettings settings;
  if ((handler.flags & SSXRVER_HANDLER_TASKS) != 0) settings.run_on = RunOn::kTasks;
  if ((handler.flags & SSXRVER_HANDLER_PIECES) != 0) settings.body = http::BodyMode::kStream;
  if (given == nullptr) return settings;
  const ssxrver_route_settings wanted = copy_table(*given);
  settings.host = to_view(wanted.host);
  if (wanted.body_max > 0) settings.body_max = wanted.body_max;
  if (wanted.handler_timeout_ns > 0) {
    settings.handler_timeout = std::chrono::ceil<std::chrono::milliseconds>(
        std::chrono::nanoseconds(wanted.handler_timeout_ns));
  }
  return settings;
}

std::int32_t add_route(Instance& instance, std::string_view methods, std::string_view pattern,
                       const ssxrver_handler& given, const ssxrver_route_settings* settings,
                       ssxrver_error* error) {
  const ssxrver_handler handler = copy_table(given);
  const std::string full = instance.mount() + std::string(pattern);
  // From here on it is released with the route, whatever becomes of it.
  const std::string name = fmt::format("{}{}{}", methods, methods.empty() ? "" : " ", full);
  auto route = std::make_shared<const HandlerRoute>(instance, name, handler);
  const auto refuse = [error, &name](std::string_view why) {
    return say(error, SSXRVER_INVALID, fmt::format("route \"{}\": {}", name, why));
  };
  if (const char* const problem = find_problem(handler)) return refuse(problem);
  auto parsed = parse_methods(methods);
  if (!parsed) return refuse(parsed.error());
  if (const auto good = http::RoutePattern::parse(full); !good)
    return refuse(good.error().message());
  const auto added =
      instance.add_route({*std::move(parsed), full, to_settings(handler, settings)},
                         [route = std::move(route)](const NamedRoute& named) {
                           return HandlerRoute::make_handler(route, named.settings.run_on);
                         });
  return added ? std::int32_t{SSXRVER_OK} : refuse(added.error());
}

std::int32_t route(ssxrver_context* context, ssxrver_text methods, ssxrver_text pattern,
                   const ssxrver_handler* handler, const ssxrver_route_settings* settings,
                   ssxrver_error* error) noexcept {
  if (context == nullptr || handler == nullptr) return say(error, SSXRVER_INVALID, "no handler");
  return add_route(instance_of(context), to_view(methods), to_view(pattern), *handler, settings,
                   error);
}

// ---- answers

void answer_exchange(ssxrver_exchange* exchange, const ssxrver_response* response) noexcept {
  if (exchange != nullptr && response != nullptr) answer(*exchange, *response);
}

void fail_exchange(ssxrver_exchange* exchange, ssxrver_text sentence) noexcept {
  if (exchange != nullptr) fail(*exchange, to_view(sentence));
}

// ---- requests

ssxrver_text method(const ssxrver_request* request) noexcept {
  return to_text(http::to_string(request_of(request).method()));
}
ssxrver_text target(const ssxrver_request* request) noexcept {
  return to_text(request_of(request).target());
}
ssxrver_text path(const ssxrver_request* request) noexcept {
  return to_text(request_of(request).path());
}
ssxrver_text query(const ssxrver_request* request) noexcept {
  return to_text(request_of(request).query());
}
ssxrver_text route_name(const ssxrver_request* request) noexcept {
  return to_text(request_of(request).route());
}
std::uint32_t version(const ssxrver_request* request) noexcept {
  return request_of(request).version() == http::Version::kHttp10 ? 10 : 11;
}
std::uint32_t worker(const ssxrver_request* request) noexcept {
  return request_of(request).worker();
}

std::uint8_t give(std::optional<std::string_view> found, ssxrver_text* value) noexcept {
  if (value != nullptr) *value = to_text(found.value_or(std::string_view()));
  return found ? 1 : 0;
}
std::uint8_t header(const ssxrver_request* request, ssxrver_text name,
                    ssxrver_text* value) noexcept {
  return give(request_of(request).header(to_view(name)), value);
}
std::uint8_t param(const ssxrver_request* request, ssxrver_text name,
                   ssxrver_text* value) noexcept {
  const std::string_view found = request_of(request).param(to_view(name));
  return give(found.data() == nullptr ? std::nullopt : std::optional(found), value);
}
std::uint8_t cookie(const ssxrver_request* request, ssxrver_text name,
                    ssxrver_text* value) noexcept {
  return give(request_of(request).cookie(to_view(name)), value);
}
std::uint8_t attribute(const ssxrver_request* request, ssxrver_text name,
                       ssxrver_text* value) noexcept {
  return give(request_of(request).attribute(to_view(name)), value);
}
void set_attribute(const ssxrver_request* request, ssxrver_text name, ssxrver_text value) noexcept {
  request_of(request).set_attribute(to_view(name), std::string(to_view(value)));
}

std::size_t field_count(const ssxrver_request* request) noexcept {
  return request_of(request).fields().size();
}
ssxrver_field field(const ssxrver_request* request, std::size_t index) noexcept {
  const http::Fields& fields = request_of(request).fields();
  if (index >= fields.size()) return {};
  const http::Field found = fields[index];
  return {to_text(found.name), to_text(found.value)};
}

std::size_t peer(const ssxrver_request* request, char* text, std::size_t capacity) noexcept {
  return write_text(request_of(request).peer().to_string(), text, capacity);
}
std::size_t client(const ssxrver_request* request, char* text, std::size_t capacity) noexcept {
  return write_text(request_of(request).client().to_string(), text, capacity);
}

// ---- bodies

std::int32_t body(const ssxrver_request* request, ssxrver_text* text) noexcept {
  if (text == nullptr) return SSXRVER_INVALID;
  const http::Body& body = request_of(request).body();
  *text = to_text(body.text);
  if (body.is_spooled()) return SSXRVER_LIMIT;
  return body.stream != nullptr && body.stream->is_arriving() ? SSXRVER_UNSUPPORTED : SSXRVER_OK;
}

Task<std::int32_t> read_piece(const http::Body& body, ssxrver_text* piece) {
  const auto read = co_await body.read();
  *piece = to_text(read.value_or(std::string_view()));
  if (!read) co_return SSXRVER_ERROR;
  co_return read->empty() ? SSXRVER_END : SSXRVER_OK;
}

std::int32_t read(const ssxrver_request* request, ssxrver_text* piece, ssxrver_waiter waiter,
                  ssxrver_wait** wait) noexcept {
  const Request& from = request_of(request);
  auto* const later = static_cast<LaterExchange*>(from.runner());
  if (later == nullptr || from.body().stream == nullptr) return SSXRVER_UNSUPPORTED;
  if (!later->pending().is_on_loop()) return SSXRVER_WRONG_THREAD;
  if (piece == nullptr || later->reading != nullptr) return SSXRVER_INVALID;
  return ssxrver_wait::begin(read_piece(from.body(), piece), &later->exchange().instance, waiter,
                             wait, &later->reading);
}

Task<std::int32_t> write_piece(http::BodyWriter& body, std::string_view bytes) {
  const auto written = co_await body.write(bytes);
  if (written) co_return SSXRVER_OK;
  co_return written.error().code() == Errc::kOverflow ? SSXRVER_LIMIT : SSXRVER_ERROR;
}

std::int32_t write(ssxrver_writer* writer, ssxrver_text bytes, ssxrver_waiter waiter,
                   ssxrver_wait** wait) noexcept {
  if (writer == nullptr || writer->writing != nullptr) return SSXRVER_INVALID;
  if (!writer->pending.is_on_loop()) return SSXRVER_WRONG_THREAD;
  return ssxrver_wait::begin(write_piece(writer->body, to_view(bytes)), &writer->instance, waiter,
                             wait, &writer->writing);
}

std::int32_t trailer(ssxrver_writer* writer, ssxrver_text name, ssxrver_text value) noexcept {
  if (writer == nullptr) return SSXRVER_INVALID;
  if (!writer->pending.is_on_loop()) return SSXRVER_WRONG_THREAD;
  const auto added = writer->body.trailer(to_view(name), to_view(value));
  if (added) return SSXRVER_OK;
  return added.error().code() == Errc::kUnsupported ? SSXRVER_UNSUPPORTED : SSXRVER_INVALID;
}

void stream_end(ssxrver_writer* writer, std::int32_t status) noexcept {
  if (writer == nullptr) return;
  if (!writer->pending.is_on_loop())
    return writer->instance.misuse(writer->route, "its body ended on another thread");
  writer->status = status;
  writer->pending.end();
}

}  // namespace

const ssxrver_http kHttpTable = {.size = sizeof(ssxrver_http),
                                 .route = &route,
                                 .answer = &answer_exchange,
                                 .fail = &fail_exchange,
                                 .method = &method,
                                 .target = &target,
                                 .path = &path,
                                 .query = &query,
                                 .route_name = &route_name,
                                 .version = &version,
                                 .worker = &worker,
                                 .header = &header,
                                 .field_count = &field_count,
                                 .field = &field,
                                 .param = &param,
                                 .cookie = &cookie,
                                 .attribute = &attribute,
                                 .set_attribute = &set_attribute,
                                 .peer = &peer,
                                 .client = &client,
                                 .body = &body,
                                 .read = &read,
                                 .write = &write,
                                 .trailer = &trailer,
                                 .stream_end = &stream_end};

}  // namespace ssx::plugins

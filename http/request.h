// What a handler sees of a request.
//
// Thread: loop-only
// Owner:  the exchange
// Life:   until the response is complete, its streamed body included. A view that it hands out to a
//         function dies when that returns; to a coroutine, with the request
// Bounds: ParserLimits, HttpOptions::body_max; kAttributesMax attributes
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http/body.h"
#include "http/cookie.h"
#include "http/form.h"
#include "http/head.h"
#include "http/params.h"
#include "ssxrver/base/result.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::http {

struct Counters;
struct HttpOptions;
class SpareMemory;

class Request {
 public:
  static constexpr std::size_t kAttributesMax = 64;

  Request(const Head& head, std::string_view path, const Params& params, const Body& body,
          const net::SocketAddress& peer, std::uint32_t worker) noexcept
      : head_(head),
        path_(path),
        params_(params),
        body_(body),
        peer_(peer),
        client_(&peer),
        worker_(worker) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] Method method() const noexcept { return head_.method; }
  [[nodiscard]] Version version() const noexcept { return head_.version; }
  /// As it was sent: "/a%20b?c=d".
  [[nodiscard]] std::string_view target() const noexcept { return head_.target; }
  /// Decoded once and without dot segments: "/a b".
  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  /// The whole query as it was sent, without "?".
  [[nodiscard]] std::string_view query() const noexcept { return head_.query; }
  /// The first value of this name in the query, decoded ("+" is a space).
  [[nodiscard]] std::optional<std::string> query(std::string_view name) const;
  /// The same as a number; nothing when it is none or does not fit.
  template <std::integral T>
  [[nodiscard]] std::optional<T> query_as(std::string_view name) const {
    const auto text = query(name);
    return text ? to_number<T>(*text) : std::nullopt;
  }
  /// All of the query, decoded. kTooManyParams; it looks into query().
  [[nodiscard]] Result<Form> query_params() const;
  /// The body as application/x-www-form-urlencoded; it looks into body(). kNotForm when the
  /// Content-Type is another one, kTooManyParams, kBodyTooLarge when it is not in memory.
  [[nodiscard]] Result<Form> form() const;
  /// The value of the first cookie of that name, as it was sent. Nothing, too, when there are more
  /// than HttpOptions::cookie_pairs_max.
  [[nodiscard]] std::optional<std::string_view> cookie(std::string_view name) const noexcept;

  /// Host and port as the client wrote them; empty in HTTP/1.0 without Host.
  [[nodiscard]] std::string_view host() const noexcept { return head_.host; }

  [[nodiscard]] const Fields& fields() const noexcept { return head_.fields; }
  /// The first line of this name, whatever its case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return head_.fields.find(name);
  }
  [[nodiscard]] std::optional<std::string_view> header(FieldName name) const noexcept {
    return head_.fields.find(name);
  }

  /// What `{name}` of the route matched, or the rest that `*` matched (its name is "rest").
  [[nodiscard]] std::string_view param(std::string_view name) const noexcept {
    return params_.find(name);
  }
  /// The same as a number; nothing when it is none or does not fit.
  template <std::integral T>
  [[nodiscard]] std::optional<T> param_as(std::string_view name) const noexcept {
    return to_number<T>(param(name));
  }

  /// Asks to speak another protocol, which Upgrade names, and nothing is in the way of it: HTTP/1.1
  /// and no body (RFC 9110 7.8).
  [[nodiscard]] bool wants_upgrade() const noexcept { return head_.upgrade && !head_.has_body(); }

  [[nodiscard]] const Body& body() const noexcept { return body_; }
  /// Whom the socket is connected to: perhaps a proxy.
  [[nodiscard]] const net::SocketAddress& peer() const noexcept { return peer_; }
  /// Who asked: what a trusted proxy says, else peer().
  [[nodiscard]] const net::SocketAddress& client() const noexcept { return *client_; }
  /// Which worker runs the handler, from 0: for state kept per worker.
  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  /// The name of the route that was matched, "GET /users/{id}"; empty when there is none.
  [[nodiscard]] std::string_view route() const noexcept { return route_; }

  /// Of a function on a task thread: asked to stop when nobody waits for the answer any more, as
  /// the client has gone or handler_timeout has passed. Elsewhere it never is: what waits on a loop
  /// is destroyed instead.
  [[nodiscard]] const std::stop_token& stop_token() const noexcept { return stop_; }

  /// Those of the server; the defaults for a request that no server has read.
  [[nodiscard]] const HttpOptions& options() const noexcept;

  /// Where no route is for this method: the methods that the path has routes for; else none.
  [[nodiscard]] MethodSet allowed() const noexcept { return allowed_; }

  /// What middleware has found out for those behind it, e.g. the name of the user. An attribute
  /// that is set again is replaced; beyond kAttributesMax none is taken.
  void set_attribute(std::string_view name, std::string value) const;
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const noexcept;

  /// A place for who runs the handler, to find what he has made for this request; else null.
  void set_runner(void* runner) const noexcept { runner_ = runner; }
  [[nodiscard]] void* runner() const noexcept { return runner_; }

 private:
  friend class DetachedRequest;
  friend class Exchange;
  friend class Session;
  friend Counters* counters_of(const Request& request) noexcept;
  friend SpareMemory* spare_memory_of(const Request& request) noexcept;

  struct Attribute {
    std::string name;
    std::string value;
  };

  template <std::integral T>
  [[nodiscard]] static std::optional<T> to_number(std::string_view text) noexcept {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      return std::nullopt;
    return value;
  }

  const Head& head_;
  std::string_view path_;
  const Params& params_;
  const Body& body_;
  const net::SocketAddress& peer_;
  const net::SocketAddress* client_;
  std::string_view route_;
  Counters* counters_ = nullptr;
  SpareMemory* spare_memory_ = nullptr;
  const HttpOptions* options_ = nullptr;
  const std::uint32_t worker_;
  MethodSet allowed_ = 0;
  std::stop_token stop_;
  mutable std::vector<Attribute> attributes_;
  mutable void* runner_ = nullptr;
};

}  // namespace ssx::http

// What a handler sees of a request: ssx::Request, read through the border.
//
// Thread: loop-only
// Owner:  the host
// Life:   until the response is complete, its streamed body included; every view with it
// Bounds: those of http::Request
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/method.h"
#include "ssxrver/plugin/sdk/error.h"
#include "ssxrver/plugin/sdk/tables.h"
#include "ssxrver/plugin/sdk/url_text.h"
#include "ssxrver/plugin/sdk/wait.h"

namespace ssx::plugin {

using http::Method;

/// Reads a body as it comes, for coroutines, one at a time.
class [[nodiscard]] BodyReadAwaiter final : private internal::HostWait {
 public:
  explicit BodyReadAwaiter(const ssxrver_request* raw) noexcept : raw_(raw) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    return suspend(handle, internal::tables.http->read(raw_, &piece_, waiter(), slot()));
  }
  /// Empty at the end.
  Result<std::string_view> await_resume() {
    // One that had to wait has come by now.
    if (status() == SSXRVER_OK) return internal::to_view(piece_);
    if (status() == SSXRVER_END) return std::string_view();
    return fail(status());
  }

 private:
  const ssxrver_request* raw_;
  ssxrver_text piece_{};
};

/// Of a request: whole, or read as it comes.
struct Body {
  std::string_view text;  ///< empty when it is in a file, or still to come
  const ssxrver_request* raw;
  bool spooled;

  [[nodiscard]] bool is_spooled() const noexcept { return spooled; }
  /// co_await gives a Result<std::string_view>: the next piece, empty at the end.
  [[nodiscard]] BodyReadAwaiter read() const noexcept { return BodyReadAwaiter(raw); }
};

class Request {
 public:
  explicit Request(const ssxrver_request* raw) noexcept : raw_(raw) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] Method method() const noexcept { return parse(view(http().method)); }
  /// As it was sent: "/a%20b?c=d".
  [[nodiscard]] std::string_view target() const noexcept { return view(http().target); }
  /// Decoded once and without dot segments: "/a b".
  [[nodiscard]] std::string_view path() const noexcept { return view(http().path); }
  /// The whole query as it was sent, without "?".
  [[nodiscard]] std::string_view query() const noexcept { return view(http().query); }
  /// The first value of this name in the query, decoded ("+" is a space).
  [[nodiscard]] std::optional<std::string> query(std::string_view name) const {
    return internal::find_in_form(query(), name);
  }
  template <std::integral T>
  [[nodiscard]] std::optional<T> query_as(std::string_view name) const {
    const auto text = query(name);
    return text ? to_number<T>(*text) : std::nullopt;
  }
  /// The first value of this name in a body that is application/x-www-form-urlencoded.
  [[nodiscard]] std::optional<std::string> form_field(std::string_view name) const {
    return internal::find_in_form(body().text, name);
  }
  [[nodiscard]] std::optional<std::string_view> cookie(std::string_view name) const noexcept {
    return find(http().cookie, name);
  }
  /// The first line of this name, whatever its case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return find(http().header, name);
  }
  [[nodiscard]] std::size_t header_count() const noexcept { return http().field_count(raw_); }
  struct Field {
    std::string_view name;
    std::string_view value;
  };
  [[nodiscard]] Field header_at(std::size_t index) const noexcept {
    const ssxrver_field field = http().field(raw_, index);
    return {internal::to_view(field.name), internal::to_view(field.value)};
  }

  /// What `{name}` of the route matched, or the rest that `*` matched (its name is "rest").
  [[nodiscard]] std::string_view param(std::string_view name) const noexcept {
    return find(http().param, name).value_or(std::string_view());
  }
  template <std::integral T>
  [[nodiscard]] std::optional<T> param_as(std::string_view name) const noexcept {
    return to_number<T>(param(name));
  }

  [[nodiscard]] Body body() const noexcept {
    ssxrver_text text{};
    const std::int32_t status = http().body(raw_, &text);
    return {internal::to_view(text), raw_, status == SSXRVER_LIMIT};
  }
  /// "203.0.113.7:4711": whom the socket is connected to, perhaps a proxy.
  [[nodiscard]] std::string peer() const { return address(http().peer); }
  /// Who asked: what a trusted proxy says, else peer().
  [[nodiscard]] std::string client() const { return address(http().client); }
  /// Which worker runs the handler, from 0.
  [[nodiscard]] std::uint32_t worker() const noexcept { return http().worker(raw_); }
  /// "GET /users/{id}"
  [[nodiscard]] std::string_view route() const noexcept { return view(http().route_name); }

  void set_attribute(std::string_view name, std::string_view value) const {
    http().set_attribute(raw_, internal::to_text(name), internal::to_text(value));
  }
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view name) const noexcept {
    return find(http().attribute, name);
  }

 private:
  static const ssxrver_http& http() noexcept { return *internal::tables.http; }
  using Get = ssxrver_text (*)(const ssxrver_request*);
  using Find = std::uint8_t (*)(const ssxrver_request*, ssxrver_text, ssxrver_text*);
  using Address = std::size_t (*)(const ssxrver_request*, char*, std::size_t);

  [[nodiscard]] std::string_view view(Get get) const noexcept {
    return internal::to_view(get(raw_));
  }
  [[nodiscard]] std::optional<std::string_view> find(Find get,
                                                     std::string_view name) const noexcept {
    ssxrver_text value{};
    if (get(raw_, internal::to_text(name), &value) == 0) return std::nullopt;
    return internal::to_view(value);
  }
  [[nodiscard]] std::string address(Address get) const {
    std::string text(128, '\0');
    text.resize(get(raw_, text.data(), text.size()));
    return text;
  }
  [[nodiscard]] static Method parse(std::string_view text) noexcept {
    struct Name {
      std::string_view text;
      Method method;
    };
    constexpr Name kNames[] = {
        {"GET", Method::kGet},     {"HEAD", Method::kHead},     {"POST", Method::kPost},
        {"PUT", Method::kPut},     {"DELETE", Method::kDelete}, {"OPTIONS", Method::kOptions},
        {"TRACE", Method::kTrace}, {"PATCH", Method::kPatch},   {"CONNECT", Method::kConnect}};
    for (const Name& name : kNames) {
      if (name.text == text) return name.method;
    }
    return Method::kUnknown;
  }
  template <std::integral T>
  [[nodiscard]] static std::optional<T> to_number(std::string_view text) noexcept {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      return std::nullopt;
    return value;
  }

  const ssxrver_request* raw_;
};

}  // namespace ssx::plugin

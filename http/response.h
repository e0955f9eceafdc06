// What a handler answers: a status, fields and a body, as a value.
//
// Thread: a value; loop-only once it holds a LocalRef
// Owner:  the handler until it returns, then the session
// Life:   until it has been written
// Bounds: names and values of fields are checked, so that no byte of a handler's can break the
//         framing
//
// Date, Server, Content-Length, Transfer-Encoding and Connection are the server's business.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "http/body_writer.h"
#include "http/status.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/coro/task.h"

namespace ssx::net {
class Connection;
class Protocol;
}  // namespace ssx::net

namespace ssx::http {

class EventWriter;
class Response;

/// A type whose namespace has a `Response to_response(T)`: a handler may return it as it is.
template <class T>
concept HasResponse = !std::same_as<std::remove_cvref_t<T>, Response> && requires(T&& value) {
  { to_response(std::forward<T>(value)) } -> std::same_as<Response>;
};

class Response {
 public:
  static constexpr std::string_view kText = "text/plain; charset=utf-8";
  static constexpr std::string_view kHtml = "text/html; charset=utf-8";
  static constexpr std::string_view kJson = "application/json";

  /// Makes a body: the coroutine ends when the body is complete. What it captures lives as long as
  /// the coroutine. An exception, like a body shorter than promised, cuts the connection.
  using BodyMaker = UniqueFunction<Task<>(BodyWriter&)>;

  Response() = default;
  /// Only a status; those with content get a short page.
  Response(Status status) : status_(status) {}  // NOLINT: `return Status::kNotFound;` is the point

  /// Text that the response owns.
  Response(std::string text) : body_(std::move(text)) {}  // NOLINT: as above
  /// Text that outlives the return of the handler (a literal, a member of something that stays). It
  /// is looked at once, before anything else runs.
  Response(std::string_view text) : body_(View{text}) {}            // NOLINT: as above
  Response(const char* text) : Response(std::string_view(text)) {}  // NOLINT: as above
  /// Whatever to_response() makes of it, e.g. of a json::Value (ssxrver/app/json_body.h).
  template <HasResponse T>
  Response(T&& value)  // NOLINT: as above
      : Response(to_response(std::forward<T>(value))) {}

  [[nodiscard]] static Response text(std::string body) { return Response(std::move(body)); }
  [[nodiscard]] static Response html(std::string body) { return {std::move(body), kHtml}; }
  /// Text that is JSON already.
  [[nodiscard]] static Response json(std::string body) { return {std::move(body), kJson}; }
  /// Bytes that live as long as the server, sent without a copy.
  [[nodiscard]] static Response permanent(std::string_view body);
  /// Bytes that live as long as `keep` is held (loop-only). An open `file` that begins with them,
  /// and stays open as long, is what they are sent from.
  [[nodiscard]] static Response kept(std::string_view body, LocalRef<LocalShared> keep,
                                     int file = -1);
  /// A part of an open file (loop-only).
  [[nodiscard]] static Response file(FileSlice slice);

  /// A body that a coroutine makes while it is being sent: chunked, or in HTTP/1.0 until the
  /// connection ends. The request lives as long.
  [[nodiscard]] static Response stream(BodyMaker make);
  /// The same with a length that is known: exactly so many bytes must be written.
  [[nodiscard]] static Response stream(std::uint64_t length, BodyMaker make);
  /// Server-sent events (event_writer.h), as a page's EventSource reads them.
  [[nodiscard]] static Response events(UniqueFunction<Task<>(EventWriter&)> make);
  /// 101: from here on the connection speaks `protocol` (a literal), which `make` knows (RFC 9110
  /// 7.8). An answer to Request::wants_upgrade() alone; to others it is a 500.
  using ProtocolMaker = UniqueFunction<std::unique_ptr<net::Protocol>(net::Connection&)>;
  [[nodiscard]] static Response switch_protocols(std::string_view protocol, ProtocolMaker make);
  /// `location` is checked like a field: a URI or a path.
  [[nodiscard]] static Response redirect(std::string_view location, Status status = Status::kFound);
  struct Kept {
    std::string_view bytes;
    LocalRef<LocalShared> keep;
    int file = -1;  ///< begins with `bytes`: they leave by sendfile(2), which costs no copy
  };
  using Piece = std::variant<std::string, Kept, FileSlice>;
  /// Pieces of any kind that leave one behind the other (loop-only).
  [[nodiscard]] static Response pieces(std::vector<Piece> pieces);

  Response& status(Status status) {
    status_ = status;
    return *this;
  }
  /// `type` must be a literal, or live as long as what keeps the body; others: set("Content-Type",
  /// ...). Checked like a field. Empty: none is sent.
  Response& content_type(std::string_view type);
  /// Adds a field line. One that is not allowed (not a token, a control character, or a field that
  /// is the server's business) makes the answer a 500, which is logged with the name.
  Response& set(std::string_view name, std::string_view value);
  /// The same in place of all lines of that name; an empty `value` leaves none.
  Response& replace(std::string_view name, std::string_view value);
  /// Says that the answer depends on this field of the request (RFC 9110 12.5.5), once.
  Response& vary(std::string_view name);
  /// Copies what lives only as long as the body: call it before the body is replaced.
  Response& own_fields();
  /// Ready-made field lines, each with its CRLF, that live as long as what keeps the body. They are
  /// sent as they are: never make them of what a peer has said.
  Response& prepared_fields(std::string_view lines) {
    prepared_fields_ = lines;
    return *this;
  }
  /// This answer is the last one on its connection.
  Response& close_connection() {
    close_ = true;
    return *this;
  }

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] std::string_view content_type() const noexcept { return content_type_; }
  [[nodiscard]] std::string_view fields() const noexcept { return fields_; }
  [[nodiscard]] std::string_view prepared_fields() const noexcept { return prepared_fields_; }
  /// The value of the first line of that name, whatever its case; Content-Type as well.
  [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const noexcept;
  [[nodiscard]] bool has(std::string_view name) const noexcept { return field(name).has_value(); }
  [[nodiscard]] bool wants_close() const noexcept { return close_; }
  /// A field that may not be sent was set: its name.
  [[nodiscard]] std::string_view bad_field() const noexcept { return bad_field_; }
  [[nodiscard]] std::uint64_t body_size() const noexcept;
  [[nodiscard]] bool has_body() const noexcept {
    return !std::holds_alternative<std::monostate>(body_);
  }

  // The writer's side.
  struct View {
    std::string_view bytes;
  };
  struct Stream {
    BodyMaker make;
    std::optional<std::uint64_t> length;
  };
  struct Switch {
    std::string_view protocol;
    ProtocolMaker make;
  };
  using Content = std::variant<std::monostate, std::string, View, Kept, FileSlice,
                               std::vector<Piece>, Stream, Switch>;
  [[nodiscard]] Content& content() noexcept { return body_; }
  [[nodiscard]] const Content& content() const noexcept { return body_; }
  /// The coroutine that makes the body; null when it is there already.
  [[nodiscard]] Stream* stream() noexcept { return std::get_if<Stream>(&body_); }
  /// Another protocol follows; null when it does not.
  [[nodiscard]] Switch* next_protocol() noexcept { return std::get_if<Switch>(&body_); }
  [[nodiscard]] const Switch* next_protocol() const noexcept { return std::get_if<Switch>(&body_); }

 private:
  Response(std::string text, std::string_view type) : content_type_(type), body_(std::move(text)) {}

  Status status_ = Status::kOk;
  bool close_ = false;
  std::string_view content_type_ = kText;
  std::string_view prepared_fields_;
  std::string fields_;
  std::string bad_field_;
  Content body_;
};

}  // namespace ssx::http

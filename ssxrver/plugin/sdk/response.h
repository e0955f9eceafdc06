// What a handler answers: a status, fields and a body, as a value. ssx::Response of a plugin.
//
// Thread: a value
// Owner:  the handler until it returns
// Life:   until the host has read it
// Bounds: the host checks names and values of fields
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/status.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/plugin/sdk/body_writer.h"

namespace ssx::plugin {

using http::Status;

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

  /// Makes a body: the coroutine ends when the body is complete. An exception, like a body shorter
  /// than promised, cuts the connection.
  using BodyMaker = std::function<Task<>(BodyWriter&)>;

  Response() = default;
  Response(Status status) : status_(status) {}                      // NOLINT: as ssx::Response
  Response(std::string text) : body_(std::move(text)) {}            // NOLINT: as ssx::Response
  Response(std::string_view text) : body_(text) {}                  // NOLINT: as ssx::Response
  Response(const char* text) : Response(std::string_view(text)) {}  // NOLINT: as ssx::Response
  template <HasResponse T>
  Response(T&& value)  // NOLINT: as ssx::Response
      : Response(to_response(std::forward<T>(value))) {}

  [[nodiscard]] static Response text(std::string body) { return Response(std::move(body)); }
  [[nodiscard]] static Response html(std::string body) { return {std::move(body), kHtml}; }
  /// Text that is JSON already.
  [[nodiscard]] static Response json(std::string body) { return {std::move(body), kJson}; }
  /// A body that a coroutine makes while it is being sent.
  [[nodiscard]] static Response stream(BodyMaker make) {
    return stream(SSXRVER_LENGTH_UNKNOWN, std::move(make));
  }
  /// The same with a length that is known: exactly so many bytes must be written.
  [[nodiscard]] static Response stream(std::uint64_t length, BodyMaker make) {
    Response response;
    response.body_ = Stream{std::move(make), length};
    return response;
  }
  /// A file that the daemon may read, sent without reading it into memory.
  [[nodiscard]] static Response file(std::string path) {
    Response response;
    response.body_ = File{std::move(path)};
    response.known_type_ = "application/octet-stream";
    return response;
  }
  [[nodiscard]] static Response redirect(std::string_view location,
                                         Status status = Status::kFound) {
    Response response(status);
    response.set("Location", location);
    return response;
  }

  Response& status(Status status) {
    status_ = status;
    return *this;
  }
  Response& content_type(std::string_view type) {
    known_type_ = {};
    own_type_ = type;
    return *this;
  }
  /// Adds a field line. One that is not allowed makes the answer a 500, which is logged.
  Response& set(std::string_view name, std::string_view value) {
    fields_.emplace_back(name, value);
    return *this;
  }
  /// This answer is the last one on its connection.
  Response& close_connection() {
    close_ = true;
    return *this;
  }

  [[nodiscard]] Status status() const noexcept { return status_; }
  [[nodiscard]] std::string_view content_type() const noexcept {
    return known_type_.data() == nullptr ? std::string_view(own_type_) : known_type_;
  }

  /// Gives it to the host.
  void send(ssxrver_exchange* exchange) &&;
  /// The same as a Response of that text, which outlives the call, without making one.
  static void send_literal(std::string_view text, ssxrver_exchange* exchange) noexcept;

 private:
  struct Stream {
    BodyMaker make;
    std::uint64_t length;
  };
  struct File {
    std::string path;
  };
  /// What is longer than this goes without a copy.
  static constexpr std::size_t kCopyMax = 4096;

  /// `type` is a literal.
  Response(std::string text, std::string_view type) : known_type_(type), body_(std::move(text)) {}

  void put_body(ssxrver_response& raw);

  Status status_ = Status::kOk;
  bool close_ = false;
  std::string_view known_type_ = kText;  ///< a literal; null: it is in own_type_
  std::string own_type_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::variant<std::monostate, std::string, std::string_view, Stream, File> body_;
};

namespace internal {

/// The coroutine that makes a body. The host begins it, may cancel it, and frees it in any case.
class BodyStream final : private Continuation {
 public:
  explicit BodyStream(Response::BodyMaker make)
      : Continuation(&BodyStream::end), make_(std::move(make)) {}
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;

  static std::int32_t begin(void* owner, ssxrver_writer* raw, ssxrver_operation* started) {
    return static_cast<BodyStream*>(owner)->begin(raw, started);
  }
  static void release(void* owner) { delete static_cast<BodyStream*>(owner); }

 private:
  std::int32_t begin(ssxrver_writer* raw, ssxrver_operation* started) {
    raw_ = raw;
    writer_.emplace(raw);
    try {
      task_ = make_(*writer_);
      if (task_.start(*this)) return outcome();
    } catch (...) {
      return SSXRVER_ERROR;
    }
    *started = {&BodyStream::cancel, this};
    return SSXRVER_PENDING;
  }
  [[nodiscard]] std::int32_t outcome() noexcept {
    try {
      task_.result();
      return SSXRVER_OK;
    } catch (...) {
      return SSXRVER_ERROR;
    }
  }
  static void cancel(void* state) { static_cast<BodyStream*>(state)->task_.reset(); }
  static void end(Continuation& self) noexcept {
    auto& stream = static_cast<BodyStream&>(self);
    tables.http->stream_end(stream.raw_, stream.outcome());
  }

  Response::BodyMaker make_;
  std::optional<BodyWriter> writer_;
  ssxrver_writer* raw_ = nullptr;
  Task<> task_;
};

}  // namespace internal

inline void Response::put_body(ssxrver_response& raw) {
  if (auto* const view = std::get_if<std::string_view>(&body_)) {
    raw.body_kind = SSXRVER_BODY_STATIC;
    raw.body = internal::to_text(*view);
  } else if (auto* const text = std::get_if<std::string>(&body_)) {
    raw.body_kind = SSXRVER_BODY_COPY;
    raw.body = internal::to_text(*text);
    if (text->size() <= kCopyMax) return;
    auto kept = std::make_unique<std::string>(std::move(*text));
    raw.body_kind = SSXRVER_BODY_OWNED;
    raw.body = internal::to_text(*kept);
    raw.release = [](void* owner) { delete static_cast<std::string*>(owner); };
    raw.owner = kept.release();
  } else if (auto* const stream = std::get_if<Stream>(&body_)) {
    raw.body_kind = SSXRVER_BODY_STREAM;
    raw.stream_length = stream->length;
    raw.begin = &internal::BodyStream::begin;
    raw.release = &internal::BodyStream::release;
    raw.owner = std::make_unique<internal::BodyStream>(std::move(stream->make)).release();
  } else if (auto* const file = std::get_if<File>(&body_)) {
    raw.body_kind = SSXRVER_BODY_FILE;
    raw.body = internal::to_text(file->path);
  }
}

inline void Response::send_literal(std::string_view text, ssxrver_exchange* exchange) noexcept {
  ssxrver_response raw{};
  raw.size = sizeof(raw);
  raw.status = static_cast<std::uint16_t>(Status::kOk);
  raw.body_kind = SSXRVER_BODY_STATIC;
  raw.body = internal::to_text(text);
  internal::tables.http->answer(exchange, &raw);
}

inline void Response::send(ssxrver_exchange* exchange) && {
  ssxrver_response raw{};
  raw.size = sizeof(raw);
  raw.status = static_cast<std::uint16_t>(status_);
  raw.close = close_ ? 1 : 0;
  // kText is what a host takes null for, and so it need not look.
  if (known_type_.data() != kText.data()) raw.content_type = internal::to_text(content_type());
  std::vector<ssxrver_field> fields;
  fields.reserve(fields_.size());
  for (const auto& [name, value] : fields_) {
    fields.push_back({internal::to_text(name), internal::to_text(value)});
  }
  raw.fields = fields.data();
  raw.field_count = fields.size();
  put_body(raw);
  internal::tables.http->answer(exchange, &raw);
}

}  // namespace ssx::plugin

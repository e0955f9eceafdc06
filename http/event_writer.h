// Server-sent events, one after the other, as the body of an answer (HTML Standard 9.2).
//
// Thread: loop-only
// Owner:  the coroutine of Response::events()
// Life:   that of the body
// Bounds: one event at a time; those of BodyWriter
//
//   return Response::events([](EventWriter& events) -> Task<> {
//     while (co_await events.send("tick")) co_await net::sleep_for(1s);
//   });
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/body_writer.h"
#include "http/request.h"
#include "http/sse.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

class EventWriter {
 public:
  explicit EventWriter(BodyWriter& body) noexcept : body_(body) {}
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// co_await gives what BodyWriter::write gives, or kBadEvent, and then nothing is sent. The event
  /// is put into bytes at once. Name a ServerEvent before you await: GCC 12 takes no aggregate
  /// there.
  [[nodiscard]] Task<Result<void>> send(const ServerEvent& event);
  /// With nothing but data.
  [[nodiscard]] Task<Result<void>> send(std::string_view data);
  /// What no page sees: it keeps a quiet connection from being taken for a dead one.
  [[nodiscard]] Task<Result<void>> comment(std::string_view text);

 private:
  Task<Result<void>> write(Result<void> added);

  BodyWriter& body_;
  std::string text_;
};

/// The id of the last event that the page has seen, when it reconnects: where to go on.
[[nodiscard]] std::optional<std::string_view> last_event_id(const Request& request) noexcept;

}  // namespace ssx::http

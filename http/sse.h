// Server-sent events as text/event-stream (HTML Standard 9.2.6): events out, lines in.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: seven bytes more per line of data, at the most; linear time
//
// The stream is UTF-8; whether a text is, is the caller's to know.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/error.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

inline constexpr std::string_view kEventStream = "text/event-stream";

struct ServerEvent {
  /// What a page sees; its line ends, of any kind, become "\n". Without data a page sees nothing,
  /// but `id` and `retry` count.
  std::optional<std::string_view> data = {};
  std::string_view event = {};  ///< empty = "message"
  /// Comes back as Last-Event-ID when a page reconnects; an empty one forgets the last one.
  std::optional<std::string_view> id = {};
  std::optional<std::chrono::milliseconds> retry =
      {};  ///< how long a page waits before it reconnects
};

/// Appends one event. kBadEvent, and nothing is appended, when `event` or `id` holds CR, LF or NUL,
/// which would begin another field, or when `retry` is negative.
[[nodiscard]] Result<void> append_event(std::string& out, const ServerEvent& event);

/// Appends lines that no page sees: they keep a connection alive that passes through proxies.
void append_event_comment(std::string& out, std::string_view text);

}  // namespace ssx::http

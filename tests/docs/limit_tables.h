// The rows of docs/guide/limits.md: what has a bound, and where that bound is in the code.
//
// Thread: immutable
// Owner:  the program
// Life:   that of the program
// Bounds: -
#pragma once

#include <span>
#include <string>

#include "http/error.h"
#include "ssxrver/config/server_config.h"
#include "websocket/error.h"

namespace ssx::config {

struct Limit {
  const char* what;
  /// Keys of the file, or members of options that only a program sets; ", " between them; "" =
  /// none.
  const char* option;
  /// What it is under a profile. Null: the default of the keys.
  std::string (*value)(const ServerConfig& profile);
  /// What happens; "{}" stands for the status of `error`, or for what a peer is told of
  /// `socket_error`.
  const char* at_the_bound;
  http::Errc error;
  const char* counter;
  bool none_is_off = false;  ///< 0, -1, an empty text or list: there is no bound
  websocket::Errc socket_error = websocket::Errc::kOk;
};

struct LimitSection {
  const char* title;
  const char* before;  ///< a paragraph in front of the table, or ""
  std::span<const Limit> limits;
  const char* after;
};

[[nodiscard]] std::span<const LimitSection> limit_sections();

// Its parts.
[[nodiscard]] std::span<const Limit> request_limits();
[[nodiscard]] std::span<const Limit> client_limits();
[[nodiscard]] std::span<const Limit> websocket_limits();
[[nodiscard]] std::span<const Limit> chat_limits();
[[nodiscard]] std::span<const Limit> plugin_limits();
[[nodiscard]] std::span<const Limit> websocket_client_limits();

}  // namespace ssx::config

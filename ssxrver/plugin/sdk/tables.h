// What the host serves, as this plugin was given it, and how texts cross the border.
//
// Thread: set once, before anything else of the plugin runs; then any thread
// Owner:  the host
// Life:   that of the plugin's library: every instance of it is given the same tables
// Bounds: -
#pragma once

#include <string_view>

#include "ssxrver/plugin/abi.h"

namespace ssx::plugin::internal {

/// Null: this host has none of it.
struct Tables {
  const ssxrver_http* http;
  const ssxrver_websocket* websocket;
  const ssxrver_loops* loops;
  const ssxrver_db* db;
};

/// No constructor and no destructor: nothing of it holds the library in memory.
inline constinit Tables tables{};

inline void take_tables(const ssxrver_host& host) {
  const auto get = [&host](const char* name) { return host.get_interface(host.context, name, 1); };
  tables.http = static_cast<const ssxrver_http*>(get("ssxrver.http"));
  tables.websocket = static_cast<const ssxrver_websocket*>(get("ssxrver.websocket"));
  tables.loops = static_cast<const ssxrver_loops*>(get("ssxrver.loop"));
  tables.db = static_cast<const ssxrver_db*>(get("ssxrver.db"));
}

[[nodiscard]] constexpr ssxrver_text to_text(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
[[nodiscard]] constexpr std::string_view to_view(ssxrver_text text) noexcept {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

}  // namespace ssx::plugin::internal

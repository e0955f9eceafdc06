// What a plugin chooses for a route of WebSockets; the rest is `websocket` of the configuration.
//
// Thread: immutable once the route is there
// Owner:  whoever adds a route
// Life:   -
// Bounds: each as `websocket` of the configuration has it
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::plugin {

using std::chrono::milliseconds;

/// The names are those of ssx::WebSocketOptions.
struct WebSocketOptions {
  std::optional<std::size_t> message_max = {};
  std::optional<std::size_t> frame_max = {};
  std::optional<std::uint32_t> fragments_max = {};
  std::optional<bool> utf8_check = {};
  std::optional<bool> ignore_pong = {};
  std::optional<milliseconds> ping_interval = {};
  std::optional<milliseconds> pong_timeout = {};
  std::optional<milliseconds> idle_timeout = {};
  std::optional<milliseconds> max_lifetime = {};
  std::optional<milliseconds> close_timeout = {};
  std::vector<std::string> subprotocols = {};
  std::vector<std::string> allowed_origins = {};

  /// With the keys of the configuration.
  [[nodiscard]] std::string to_json() const;
};

namespace internal {

inline std::string json_string(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += "\\u00";
      quoted += kHex[static_cast<unsigned char>(c) >> 4];
      quoted += kHex[static_cast<unsigned char>(c) & 15];
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// A JSON object, member by member.
class JsonObject {
 public:
  void add(std::string_view key, const std::optional<bool>& value) {
    if (value) put(key, *value ? "true" : "false");
  }
  void add(std::string_view key, const std::optional<milliseconds>& value) {
    if (value) put(key, json_string(std::to_string(value->count()) + "ms"));
  }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  void add(std::string_view key, const std::optional<T>& value) {
    if (value) put(key, std::to_string(*value));
  }
  void add(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    std::string array;
    for (const std::string& value : values) {
      array += array.empty() ? '[' : ',';
      array += json_string(value);
    }
    put(key, array + ']');
  }
  [[nodiscard]] std::string take() { return text_.empty() ? std::string() : text_ + '}'; }

 private:
  void put(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? '{' : ',';
    text_ += json_string(key);
    text_ += ':';
    text_ += value;
  }
  std::string text_;
};

}  // namespace internal

inline std::string WebSocketOptions::to_json() const {
  internal::JsonObject object;
  object.add("max_message_size", message_max);
  object.add("max_frame_size", frame_max);
  object.add("max_fragments", fragments_max);
  object.add("utf8_check", utf8_check);
  object.add("ignore_pong", ignore_pong);
  object.add("ping_interval", ping_interval);
  object.add("pong_timeout", pong_timeout);
  object.add("idle_timeout", idle_timeout);
  object.add("max_lifetime", max_lifetime);
  object.add("close_timeout", close_timeout);
  object.add("subprotocols", subprotocols);
  object.add("allowed_origins", allowed_origins);
  return object.take();
}

}  // namespace ssx::plugin

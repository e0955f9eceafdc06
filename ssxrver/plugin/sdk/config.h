// The "config" object of a plugin's entry in the configuration, value by value.
//
// Thread: while the instance is being set up, or any thread
// Owner:  the host
// Life:   that of the instance
// Bounds: what the plugin's schema says has been checked before
//
//   const auto greeting = host.config().string("greeting", "Hello");
//   const auto limit = host.config().integer("limit", 100);
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/plugin/sdk/error.h"
#include "ssxrver/plugin/sdk/tables.h"

namespace ssx::plugin {

/// A value that is there and is of another kind is a SetupError: the daemon says which.
class Config {
 public:
  explicit Config(const ssxrver_host& host, std::string pointer = {})
      : host_(host), pointer_(std::move(pointer)) {}

  /// The object below that key.
  [[nodiscard]] Config at(std::string_view key) const { return Config(host_, step(key)); }
  [[nodiscard]] bool has(std::string_view key) const { return find(step(key)).has_value(); }
  /// As JSON text; "" when there is none.
  [[nodiscard]] std::string_view json() const { return find(pointer_).value_or(""); }

  [[nodiscard]] std::string string(std::string_view key, std::string_view standard) const {
    return string_at(step(key)).value_or(std::string(standard));
  }
  /// One that must be there.
  [[nodiscard]] std::string string(std::string_view key) const {
    auto found = string_at(step(key));
    if (!found) throw SetupError("config" + step(key) + ": missing; expected a text");
    return *std::move(found);
  }
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t standard) const {
    return number<std::int64_t>(key, standard, "a whole number");
  }
  [[nodiscard]] double real(std::string_view key, double standard) const {
    return number<double>(key, standard, "a number");
  }
  /// true and false, or "on" and "off" as in the rest of the configuration.
  [[nodiscard]] bool boolean(std::string_view key, bool standard) const {
    const auto text = find(step(key));
    if (!text) return standard;
    if (*text == "true" || *text == "\"on\"") return true;
    if (*text == "false" || *text == "\"off\"") return false;
    throw wrong(step(key), *text, "true or false");
  }
  [[nodiscard]] std::vector<std::string> strings(std::string_view key) const {
    std::vector<std::string> found;
    const std::string array = step(key);
    while (auto item = string_at(array + '/' + std::to_string(found.size()))) {
      found.push_back(*std::move(item));
    }
    return found;
  }

 private:
  [[nodiscard]] std::optional<std::string_view> find(const std::string& pointer,
                                                     bool plain = false) const {
    ssxrver_text value{};
    const std::int32_t status =
        host_.config(host_.context, internal::to_text(pointer), plain ? 1 : 0, &value);
    if (status != SSXRVER_OK) return std::nullopt;
    return internal::to_view(value);
  }
  [[nodiscard]] std::optional<std::string> string_at(const std::string& pointer) const {
    const auto text = find(pointer);
    if (!text) return std::nullopt;
    if (!text->starts_with('"')) throw wrong(pointer, *text, "a text");
    return std::string(find(pointer, true).value_or(""));
  }
  template <class T>
  [[nodiscard]] T number(std::string_view key, T standard, const char* expected) const {
    const auto text = find(step(key));
    if (!text) return standard;
    T value{};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size())
      throw wrong(step(key), *text, expected);
    return value;
  }
  /// One more step of a JSON pointer (RFC 6901).
  [[nodiscard]] std::string step(std::string_view key) const {
    std::string pointer = pointer_ + '/';
    for (const char c : key) {
      if (c == '~' || c == '/')
        pointer += c == '~' ? "~0" : "~1";
      else
        pointer += c;
    }
    return pointer;
  }
  static SetupError wrong(std::string_view pointer, std::string_view found, const char* expected) {
    return SetupError("config" + std::string(pointer) + ": " + std::string(found) + "; expected " +
                      expected);
  }

  const ssxrver_host& host_;
  std::string pointer_;
};

}  // namespace ssx::plugin

// The types that keys have: each reads a JSON value, writes it back, and describes itself.
//
// A kind is a value with three functions: read() gives nothing after it has told the Reader why, or
// when the value stands for the default; write() gives what read() takes; describe() fills type,
// range and schema.
//
// Thread: immutable values
// Owner:  the tables
// Life:   as long as the tables
// Bounds: each kind has its own, from the table
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/config/facts.h"
#include "ssxrver/config/reader.h"
#include "ssxrver/net/udp_options.h"

namespace ssx::config {

/// "on" | "off", or a JSON boolean.
struct Switch {
  std::optional<bool> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(bool on) const;
  void describe(Facts& facts) const;
};

/// A whole number; as text too.
struct Whole {
  Range range;
  std::optional<std::int64_t> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(std::int64_t number) const { return number; }
  void describe(Facts& facts) const;
};

/// Bytes: a number, or "64k", "64M", "1G".
struct Size {
  Range range;
  std::optional<std::int64_t> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(std::int64_t bytes) const { return bytes; }
  void describe(Facts& facts) const;
};

/// "10ms", "5s", "1m", "2h", or 0.
struct Time {
  std::chrono::milliseconds min{0};
  std::chrono::milliseconds max{std::chrono::hours(24)};
  bool has_off = true;                 ///< 0 switches it off, even below `min`
  std::chrono::milliseconds grain{1};  ///< no finer than this
  /// A `*_second` key: a bare number is seconds, and is written so; below 1 it means the default.
  bool is_seconds = false;
  std::optional<std::chrono::milliseconds> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(std::chrono::milliseconds time) const;
  void describe(Facts& facts) const;
};

/// What a text may look like. Texts that end in a path, a header or a log line must not carry
/// control bytes.
struct Text {
  std::size_t length_max = 4096;
  bool may_be_empty = true;
  bool may_have_control_bytes = false;
  const char* what = "text";
  /// Says what is expected instead, or nullptr when the text is right.
  const char* (*objection)(const std::string& text) = nullptr;
  std::optional<std::string> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const std::string& text) const;
  void describe(Facts& facts) const;
};

/// A list of texts, each as `item` allows.
struct Words {
  Text item;
  std::size_t count_max = 64;
  std::optional<std::vector<std::string>> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const std::vector<std::string>& words) const;
  void describe(Facts& facts) const;
};

/// An object whose keys are free: {"wasm": "application/wasm"}.
struct Dictionary {
  Text key;
  Text value;
  std::size_t count_max = 1024;
  using Map = std::map<std::string, std::string>;
  std::optional<Map> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const Map& map) const;
  void describe(Facts& facts) const;
};

/// "1000/s burst 2000"; empty = no limit.
struct RateText {
  std::optional<net::Rate> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const net::Rate& rate) const;
  void describe(Facts& facts) const;
};

/// File mode or mask: "0660".
struct Octal {
  std::optional<unsigned> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(unsigned mode) const;
  void describe(Facts& facts) const;
};

/// 'off', 'on' (every core that this process may use), [0, 2], "0-3,8".
struct Cores {
  std::optional<std::vector<unsigned>> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const std::vector<unsigned>& cores) const;
  void describe(Facts& facts) const;
};

/// A number of threads, or "auto": one per core that this process may use.
struct Threads {
  Range range;
  std::optional<std::int64_t> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(std::int64_t count) const { return count; }
  void describe(Facts& facts) const;
};

/// One of a few words, without regard to case, each standing for a value.
struct ChoiceNames {
  std::vector<std::string_view> names;
  std::vector<std::string_view> later;  ///< documented, but not in this build
  std::optional<std::size_t> read(Reader& reader, const json::Value& value) const;
  void describe(Facts& facts) const;
};

template <class Enum>
struct Choice {
  std::vector<std::pair<std::string_view, Enum>> pairs;
  std::vector<std::string_view> later = {};

  std::optional<Enum> read(Reader& reader, const json::Value& value) const {
    const auto index = names().read(reader, value);
    if (!index) return std::nullopt;
    return pairs[*index].second;
  }
  [[nodiscard]] json::Value write(Enum chosen) const {
    for (const auto& [name, value] : pairs) {
      if (value == chosen) return name;
    }
    return nullptr;
  }
  void describe(Facts& facts) const { names().describe(facts); }

 private:
  [[nodiscard]] ChoiceNames names() const {
    ChoiceNames result{{}, later};
    for (const auto& [name, value] : pairs) result.names.push_back(name);
    return result;
  }
};

/// Any object: kept as it is, for others to read.
struct AnyObject {
  std::optional<json::Value> read(Reader& reader, const json::Value& value) const;
  [[nodiscard]] json::Value write(const json::Value& value) const { return value; }
  void describe(Facts& facts) const;
};

// Objections for Text.
const char* object_to_address(const std::string& text);  ///< IPv4, IPv6 or "*"
const char* object_to_address_or_none(const std::string& text);
const char* object_to_blocked(const std::string& text);       ///< address or CIDR range
const char* object_to_proxy(const std::string& text);         ///< the same, or "unix"
const char* object_to_path_prefix(const std::string& text);   ///< "/api/users" or "/api/*"
const char* object_to_path_pattern(const std::string& text);  ///< "/api/{name}/*"
const char* object_to_method(const std::string& text);        ///< "GET", as it is written
const char* object_to_host(const std::string& text);          ///< a host name without port
const char* object_to_media_type(const std::string& text);    ///< "text/html; charset=utf-8"
const char* object_to_extension(const std::string& text);     ///< "wasm", without a dot
const char* object_to_file_name(const std::string& text);     ///< no '/', not "." or ".."
const char* object_to_file_path(const std::string& text);     ///< the same behind the last '/'

}  // namespace ssx::config

// What is known of a key: for messages, the JSON schema, docs/reference/config.md and the tests.
//
// Thread: a value
// Owner:  whoever asked Table::describe
// Life:   any
// Bounds: as many as there are keys
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/json/json.h"

namespace ssx::config {

/// When a change of the key takes effect.
enum class Reload : std::uint8_t {
  kLive,            ///< with the next reload, also for connections that stand
  kNewConnections,  ///< with the next reload, for new connections
  kRestart,         ///< needs new processes: an upgrade or a restart
};
[[nodiscard]] const char* to_text(Reload reload) noexcept;

/// The numbers a key takes: min .. max, and perhaps one that means something else (-1, 0).
struct Range {
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::optional<std::int64_t> special = std::nullopt;
  /// The rule of 2021: what is below 1 (and below `min`) means the default.
  bool low_means_default = false;
  [[nodiscard]] bool holds(std::int64_t value) const noexcept {
    return (value >= min && value <= max) || value == special;
  }
};

struct Facts {
  std::string name;
  std::string alias;     ///< another spelling, or empty
  std::string type;      ///< "size", "on | off": what a message says was expected
  std::string range;     ///< "64 .. 64k", or empty
  std::string why;       ///< one sentence
  std::string only_for;  ///< the key belongs to some entries only: "the handler \"static\""
  Reload reload = Reload::kLive;
  bool is_built = true;  ///< false: accepted at `standard` only, in this build
  bool is_secret = false;
  bool is_optional = false;  ///< no default: without the key there is nothing
  bool is_list = false;      ///< `children` are the keys of one entry
  bool is_map = false;       ///< the same, of entries with names: {"main": {...}}
  std::optional<Range> numbers;
  json::Value schema;  ///< the type as JSON Schema, without title and default
  /// The same as text that lives for ever: who reads a configuration has no use for its tree.
  std::string_view schema_text;
  json::Value standard;  ///< the default
  json::Value hardened;  ///< the default of `profile: hardened`
  std::vector<Facts> children;

  [[nodiscard]] bool has_entries() const noexcept { return is_list || is_map; }
};

/// JSON pointers of the objects under `root` that have a key of this name; list entries not
/// counted.
[[nodiscard]] std::vector<std::string> homes_of(const Facts& root, std::string_view name);

}  // namespace ssx::config

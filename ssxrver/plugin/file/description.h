// What a plugin says of itself, judged: whether this host can have it.
//
// Thread: a value; judge() reads what the plugin gave
// Owner:  whoever holds it; the texts and functions are the plugin's
// Life:   the texts and functions live as long as the plugin is mapped
// Bounds: kTextMax for a text, kSchemaMax for the schema, kNameMax for the name
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/plugin/abi.h"

namespace ssx {

/// What the host has, and what it asks of every plugin.
struct PluginNeeds {
  std::vector<std::string_view> interfaces;  ///< "ssxrver.http", ...
  std::string_view toolchain;                ///< SSXRVER_TOOLCHAIN of the host
  bool has_tasks = true;                     ///< task threads
};

/// [a-z][a-z0-9_]*, at most kNameMax bytes.
[[nodiscard]] bool is_plugin_name(std::string_view name) noexcept;

/// The tables as this host knows them: what the plugin's do not have is null or 0, and a text that
/// it did not give is empty.
class PluginDescription {
 public:
  static constexpr std::size_t kNameMax = 64;
  static constexpr std::size_t kTextMax = 4096;
  static constexpr std::size_t kSchemaMax = 256 << 10;
  static constexpr std::uint32_t kTableMax = 64 << 10;  ///< no table will ever be so large

  /// `answer` and `given`: what the query function gave. The error is the end of a sentence that
  /// begins with the file: "describes ...".
  static Expected<PluginDescription, std::string> judge(std::int32_t answer,
                                                        const ssxrver_plugin_desc* given,
                                                        const PluginNeeds& needs);

  [[nodiscard]] std::string_view name() const noexcept { return desc_.name; }
  [[nodiscard]] std::string_view version() const noexcept { return desc_.version; }
  [[nodiscard]] std::string_view vendor() const noexcept { return desc_.vendor; }
  [[nodiscard]] std::string_view license() const noexcept { return desc_.license; }
  [[nodiscard]] std::string_view summary() const noexcept { return desc_.summary; }
  [[nodiscard]] std::string_view build_id() const noexcept { return desc_.build_id; }
  [[nodiscard]] std::string_view toolchain() const noexcept { return desc_.toolchain; }
  /// Names of interfaces with blanks between them.
  [[nodiscard]] std::string_view required() const noexcept { return desc_.required; }
  [[nodiscard]] std::string_view optional() const noexcept { return desc_.optional; }
  /// A JSON Schema; empty: the plugin takes whatever there is.
  [[nodiscard]] std::string_view config_schema() const noexcept { return desc_.config_schema; }
  [[nodiscard]] std::uint32_t abi_minor() const noexcept { return desc_.abi_minor; }
  [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (desc_.flags & flag) != 0; }
  [[nodiscard]] bool takes_state(std::uint32_t version) const noexcept {
    return version >= desc_.state_version_min && version <= desc_.state_version_max;
  }
  [[nodiscard]] const ssxrver_plugin_entry& entry() const noexcept { return entry_; }
  /// All of it as the border has it; its `entry` is entry().
  [[nodiscard]] ssxrver_plugin_desc raw() const noexcept {
    ssxrver_plugin_desc desc = desc_;
    desc.entry = &entry_;
    return desc;
  }

 private:
  PluginDescription() = default;

  ssxrver_plugin_desc desc_{};
  ssxrver_plugin_entry entry_{};
};

}  // namespace ssx

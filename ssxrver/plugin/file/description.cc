#include "ssxrver/plugin/file/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ssxrver/base/strings.h"
#include "ssxrver/plugin/copy_table.h"

namespace ssx {
namespace {

using Refusal = UnexpectedOf<std::string>;

// What version 1.0 has: no plugin has less.
constexpr std::size_t kDescMin = offsetof(ssxrver_plugin_desc, entry) + sizeof(void*);
constexpr std::size_t kEntryMin = offsetof(ssxrver_plugin_entry, destroy) + sizeof(void (*)());
static_assert(SSXRVER_ABI_MAJOR == 1);

std::string object_to_size(const char* table, std::uint32_t size, std::size_t size_min) {
  if (size < size_min) {
    return fmt::format("gives a {} of {} bytes, wanted {} or more", table, size, size_min);
  }
  if (size > PluginDescription::kTableMax) {
    return fmt::format("gives a {} of {} bytes, wanted {} or less", table, size,
                       PluginDescription::kTableMax);
  }
  return {};
}

/// Reads magic, size and version alone: what stands there in every version.
std::string object_to_head(std::int32_t answer, const ssxrver_plugin_desc* given) {
  if (given == nullptr) {
    return answer == SSXRVER_UNSUPPORTED
               ? fmt::format("is not for version {}.{} of the border, and does not say for which",
                             SSXRVER_ABI_MAJOR, SSXRVER_ABI_MINOR)
               : fmt::format("gives no description (status {})", answer);
  }
  if (given->magic != SSXRVER_PLUGIN_MAGIC) {
    return fmt::format("gives a description that begins with {:#018x}, wanted {:#018x}",
                       given->magic, SSXRVER_PLUGIN_MAGIC);
  }
  if (given->abi_major != SSXRVER_ABI_MAJOR) {
    return fmt::format("is for version {}.{} of the border, wanted {}.x", given->abi_major,
                       given->abi_minor, SSXRVER_ABI_MAJOR);
  }
  if (answer != SSXRVER_OK) {
    return fmt::format("refuses version {}.{} of the border (status {}); it is for {}.{}",
                       SSXRVER_ABI_MAJOR, SSXRVER_ABI_MINOR, answer, given->abi_major,
                       given->abi_minor);
  }
  return object_to_size("description", given->size, kDescMin);
}

struct TextRule {
  const char* what;
  const char* ssxrver_plugin_desc::*at;
  std::size_t size_max;
};

constexpr std::array<TextRule, 10> kTexts{{
    {"name", &ssxrver_plugin_desc::name, PluginDescription::kTextMax},
    {"version", &ssxrver_plugin_desc::version, PluginDescription::kTextMax},
    {"vendor", &ssxrver_plugin_desc::vendor, PluginDescription::kTextMax},
    {"license", &ssxrver_plugin_desc::license, PluginDescription::kTextMax},
    {"summary", &ssxrver_plugin_desc::summary, PluginDescription::kTextMax},
    {"build_id", &ssxrver_plugin_desc::build_id, PluginDescription::kTextMax},
    {"toolchain", &ssxrver_plugin_desc::toolchain, PluginDescription::kTextMax},
    {"list of required interfaces", &ssxrver_plugin_desc::required, PluginDescription::kTextMax},
    {"list of optional interfaces", &ssxrver_plugin_desc::optional, PluginDescription::kTextMax},
    {"config_schema", &ssxrver_plugin_desc::config_schema, PluginDescription::kSchemaMax},
}};

/// Gives every text that is missing an empty one.
std::string object_to_texts(ssxrver_plugin_desc& desc) {
  for (const TextRule& rule : kTexts) {
    const char*& text = desc.*rule.at;
    if (text == nullptr) text = "";
    if (::strnlen(text, rule.size_max + 1) > rule.size_max) {
      return fmt::format("gives a {} of more than {} bytes", rule.what, rule.size_max);
    }
  }
  if (!is_plugin_name(desc.name)) {
    return fmt::format(
        "is called \"{}\": a name is made of a-z, 0-9 and _, begins with a letter, "
        "and has 1 .. {} bytes",
        std::string_view(desc.name).substr(0, PluginDescription::kNameMax),
        PluginDescription::kNameMax);
  }
  if (*desc.version == '\0') return fmt::format("(\"{}\") says no version", desc.name);
  return {};
}

std::string object_to_entry(const ssxrver_plugin_desc& desc) {
  const ssxrver_plugin_entry* const entry = desc.entry;
  if (entry == nullptr) return fmt::format("(\"{}\") gives no table of functions", desc.name);
  if (auto why = object_to_size("table of functions", entry->size, kEntryMin); !why.empty()) {
    return why;
  }
  if (entry->create == nullptr || entry->destroy == nullptr) {
    return fmt::format("(\"{}\") has no function {}", desc.name,
                       entry->create == nullptr ? "create" : "destroy");
  }
  return {};
}

std::string object_to_needs(const ssxrver_plugin_desc& desc, const PluginNeeds& needs) {
  std::string why;
  for_each_part(desc.required, ' ', [&](std::string_view wanted) {
    if (!why.empty() || wanted.empty()) return;
    if (std::ranges::find(needs.interfaces, wanted) != needs.interfaces.end()) return;
    why = fmt::format(
        "(\"{}\") needs the interface \"{}\", and this program has {}", desc.name, wanted,
        needs.interfaces.empty() ? "none"
                                 : fmt::format("\"{}\"", fmt::join(needs.interfaces, "\", \"")));
  });
  if (!why.empty()) return why;
  const bool is_same = (desc.flags & SSXRVER_PLUGIN_SAME_TOOLCHAIN) == 0 ||
                       std::string_view(desc.toolchain) == needs.toolchain;
  if (!is_same) {
    return fmt::format(
        "(\"{}\") was made with \"{}\" and asks for a program made with the same; "
        "this one was made with \"{}\"",
        desc.name, desc.toolchain, needs.toolchain);
  }
  if ((desc.flags & SSXRVER_PLUGIN_NEEDS_TASKS) != 0 && !needs.has_tasks) {
    return fmt::format("(\"{}\") needs task threads: set \"task_processes\" above 0", desc.name);
  }
  if (desc.state_version_min > desc.state_version_max) {
    return fmt::format("(\"{}\") takes states of version {} .. {}, which is none", desc.name,
                       desc.state_version_min, desc.state_version_max);
  }
  return {};
}

}  // namespace

bool is_plugin_name(std::string_view name) noexcept {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_rest = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= PluginDescription::kNameMax && is_letter(name.front()) &&
         std::ranges::all_of(name, is_rest);
}

Expected<PluginDescription, std::string> PluginDescription::judge(std::int32_t answer,
                                                                  const ssxrver_plugin_desc* given,
                                                                  const PluginNeeds& needs) {
  if (auto why = object_to_head(answer, given); !why.empty()) return Refusal(std::move(why));
  PluginDescription made;
  made.desc_ = copy_table(*given);
  if (auto why = object_to_texts(made.desc_); !why.empty()) return Refusal(std::move(why));
  if (auto why = object_to_entry(made.desc_); !why.empty()) return Refusal(std::move(why));
  if (auto why = object_to_needs(made.desc_, needs); !why.empty()) return Refusal(std::move(why));
  made.entry_ = copy_table(*made.desc_.entry);
  made.desc_.entry = nullptr;  // entry() is the table; this one was the plugin's
  return made;
}

}  // namespace ssx

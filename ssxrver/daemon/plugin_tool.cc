#include "ssxrver/daemon/plugin_tool.h"

#include <fmt/format.h>

#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/daemon/plugin_checks.h"
#include "ssxrver/daemon/template_files.h"
#include "ssxrver/sys/file.h"

namespace ssx {
namespace {

constexpr std::string_view kMark = "@NAME@";

/// A file that is named here is a path, whether or not it has a '/'.
StartupResult<std::unique_ptr<PluginFile>> open_here(const std::string& file) {
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  auto opened = PluginFile::open(path, {plugin_needs(), {}, ""});
  if (!opened) return fail_start(ExitCode::kConfig, std::move(opened).error());
  return *std::move(opened);
}

std::string flags_of(const PluginDescription& plugin) {
  std::string text;
  const auto add = [&](std::uint32_t flag, std::string_view name) {
    if (plugin.has(flag)) text += (text.empty() ? "" : " ") + std::string(name);
  };
  add(SSXRVER_PLUGIN_RELOADABLE, "reloadable");
  add(SSXRVER_PLUGIN_UNLOADABLE, "unloadable");
  add(SSXRVER_PLUGIN_NEEDS_TASKS, "needs-tasks");
  add(SSXRVER_PLUGIN_SAME_TOOLCHAIN, "same-toolchain");
  return text;
}

std::string with_name(std::string text, const std::string& name) {
  for (auto at = text.find(kMark); at != text.npos; at = text.find(kMark, at + name.size())) {
    text.replace(at, kMark.size(), name);
  }
  return text;
}

Result<void> write_file(const std::string& path, std::string_view text) {
  SSX_TRY(const sys::UniqueFd file, sys::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644));
  while (!text.empty()) {
    SSX_TRY(const std::size_t count, sys::write(file.get(), as_bytes(text)));
    text.remove_prefix(count);
  }
  return {};
}

UnexpectedOf<StartupError> cannot_write(const std::string& path, const Error& error) {
  return fail_start(ExitCode::kCannotCreate,
                    fmt::format("\"{}\": {}", path, error.code().message()));
}

}  // namespace

StartupResult<std::string> plugin_info(const std::string& file) {
  const auto opened = open_here(file);
  if (!opened) return UnexpectedOf<StartupError>(opened.error());
  const PluginDescription& plugin = (*opened)->description();
  std::string text;
  const auto add = [&text](std::string_view what, std::string_view value) {
    if (!value.empty()) text += fmt::format("{:<12} {}\n", fmt::format("{}:", what), value);
  };
  add("name", plugin.name());
  add("version", plugin.version());
  add("summary", plugin.summary());
  add("vendor", plugin.vendor());
  add("license", plugin.license());
  add("build", plugin.build_id());
  add("toolchain", plugin.toolchain());
  add("border", fmt::format("{}.{}", SSXRVER_ABI_MAJOR, plugin.abi_minor()));
  add("flags", flags_of(plugin));
  add("required", plugin.required());
  add("optional", plugin.optional());
  add("sha256", (*opened)->sha256());
  add("config", plugin.config_schema().empty() ? "anything" : plugin.config_schema());
  return text;
}

StartupResult<std::string> check_plugin_file(const std::string& file, const std::string& config) {
  const auto opened = open_here(file);
  if (!opened) return UnexpectedOf<StartupError>(opened.error());
  const auto document = json::parse(config.empty() ? "{}" : config);
  if (!document) {
    const auto at = json::locate(config, document.error().origin.offset);
    return fail_start(ExitCode::kConfig, fmt::format("--config: line {}, column {}: {}", at.line,
                                                     at.column, document.error().text));
  }
  if (document->root.object() == nullptr) {
    return fail_start(ExitCode::kConfig, fmt::format("--config: expected an object, found {}",
                                                     json::show(document->root)));
  }
  std::vector<std::string> sentences;
  for (const json::Violation& one : (*opened)->object_to(document->root)) {
    sentences.push_back(fmt::format("--config: {}: {}", one.pointer, one.text));
  }
  if (!sentences.empty()) {
    return UnexpectedOf<StartupError>(StartupError(ExitCode::kConfig, std::move(sentences)));
  }
  const PluginDescription& plugin = (*opened)->description();
  return fmt::format("the plugin {} ({} {}) is good\n", (*opened)->path(), plugin.name(),
                     plugin.version());
}

StartupResult<std::string> new_plugin(const std::string& name, const std::string& folder) {
  if (!is_plugin_name(name)) {
    return fail_start(
        ExitCode::kUsage,
        fmt::format("\"{}\": a plugin's name is made of a-z, 0-9 and _, begins with a "
                    "letter, and has 1 .. {} bytes",
                    name, PluginDescription::kNameMax));
  }
  const std::string root = folder.empty() ? name : folder;
  if (const auto made = sys::mkdir(root.c_str(), 0755); !made) {
    if (!made.error().is_errno(EEXIST)) return cannot_write(root, made.error());
    return fail_start(
        ExitCode::kCannotCreate,
        fmt::format("\"{}\" is there already: choose another with --directory", root));
  }
  std::string list;
  for (const TemplateFile& file : template_files()) {
    const std::string path = root + "/" + with_name(std::string(file.name), name);
    if (const auto done = write_file(path, with_name(std::string(file.text), name)); !done) {
      return cannot_write(path, done.error());
    }
    list += fmt::format("  {}\n", path);
  }
  return fmt::format("made\n{}{}/README.md says how to build and check it\n", list, root);
}

}  // namespace ssx

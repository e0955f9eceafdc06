// ssxrver_limits_docs [--check] ROOT: writes docs/guide/limits.md, or says that it is stale.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/config/tables.h"
#include "ssxrver/config/text_values.h"
#include "tests/docs/limit_tables.h"

namespace ssx::config {
namespace {

constexpr const char* kIntroduction = R"(# Limits

What a peer could make longer, larger or more has a bound: an option with a default, an answer,
and a counter. Keys are those of [config.md](../reference/config.md); "hardened" is the default
under `"profile": "hardened"`. Counters are members of `Counters` and its relatives in
`http/counters.h` and `ssxrver/net/counters.h`, or of `LogStats`; `refused[...]` counts by reason
(`http/error.h`). Sizes are bytes; k, M and G are powers of 1024.

This page is made from the code: `ssxrver_limits_docs` writes it from the tables that read the
configuration, from the options and from the table of errors, and a test fails when it is stale.
What its rows say beside numbers is in `tests/docs/limit_tables.cc` and its neighbours.
)";
constexpr const char* kHeading =
    "| what | option | default | hardened | range | at the bound | counter |\n"
    "|---|---|---|---|---|---|---|\n";

const Facts* find(const Facts& root, std::string_view path) {
  const Facts* facts = &root;
  while (!path.empty()) {
    std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (name.ends_with("[]")) name.remove_suffix(2);  // of an entry of a list
    const auto& children = facts->children;
    const auto found = std::find_if(children.begin(), children.end(),
                                    [name](const Facts& child) { return child.name == name; });
    if (found == children.end()) return nullptr;
    facts = &*found;
  }
  return facts;
}

std::vector<std::string_view> options_of(const Limit& limit) {
  std::vector<std::string_view> options;
  std::string_view rest = limit.option;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    options.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 2));
  }
  return options;
}

bool is_off(const json::Value& value) {
  if (const auto* number = value.number()) return *number == 0;
  if (const auto* text = value.string()) return text->empty();
  return value.negative() != nullptr || (value.array() != nullptr && value.array()->empty());
}

std::string show(const Facts& facts, const json::Value& value, bool none_is_off) {
  if (none_is_off && is_off(value)) return "none";
  if (facts.type == "a size" && value.number() != nullptr) return show_size(*value.number());
  return value.string() != nullptr ? *value.string() : json::write(value, json::kOneLine);
}

std::string join(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Of the keys under a profile, or what the row computes.
std::string value_cell(const Limit& limit, ServerConfig::Profile profile) {
  if (limit.value != nullptr) return limit.value(profile_defaults(profile));
  std::vector<std::string> parts;
  for (const std::string_view option : options_of(limit)) {
    const Facts* facts = find(server_facts(), option);
    SSX_ASSERT(facts != nullptr);  // a row without a function names keys
    const bool is_hardened = profile == ServerConfig::Profile::kHardened;
    const json::Value& value = is_hardened ? facts->hardened : facts->standard;
    parts.push_back(show(*facts, value, limit.none_is_off));
  }
  return join(parts);
}

std::string range_cell(const Limit& limit) {
  std::vector<std::string> parts;
  for (const std::string_view option : options_of(limit)) {
    const Facts* facts = find(server_facts(), option);
    if (facts != nullptr && !facts->range.empty()) parts.push_back(facts->range);
  }
  return join(parts);
}

std::string option_cell(const Limit& limit) {
  std::vector<std::string> parts;
  for (const std::string_view option : options_of(limit))
    parts.push_back(fmt::format("`{}`", option));
  return parts.empty() ? "none" : join(parts);
}

/// A status, or the code of a close frame where there is one.
int told(const Limit& limit) {
  if (limit.socket_error == websocket::Errc::kOk) return to_int(status_of(limit.error));
  const auto code = close_code_of(limit.socket_error);
  if (code != websocket::CloseCode::kAbnormal) return static_cast<int>(code);
  return to_int(status_of(limit.socket_error));
}

std::string row(const Limit& limit) {
  const std::string at_the_bound = fmt::format(fmt::runtime(limit.at_the_bound), told(limit));
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", limit.what, option_cell(limit),
                     value_cell(limit, ServerConfig::Profile::kDefault),
                     value_cell(limit, ServerConfig::Profile::kHardened), range_cell(limit),
                     at_the_bound, limit.counter);
}

std::string make_limits() {
  std::string page = kIntroduction;
  for (const LimitSection& section : limit_sections()) {
    page += fmt::format("\n## {}\n\n", section.title);
    if (*section.before != '\0') page += fmt::format("{}\n", section.before + 1);
    page += kHeading;
    for (const Limit& limit : section.limits) page += row(limit);
    page += section.after;
  }
  return page;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int run(const std::string& path, bool check) {
  const std::string page = make_limits();
  if (check) {
    if (read(path) == page) return 0;
    fmt::print(stderr, "{} is stale: run ssxrver_limits_docs\n", path);
    return 1;
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << page;
  return file.flush() ? 0 : 1;
}

}  // namespace
}  // namespace ssx::config

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    fmt::print(stderr, "usage: ssxrver_limits_docs [--check] ROOT\n");
    return 64;
  }
  return ssx::config::run(std::string(argv[argc - 1]) + "/docs/guide/limits.md", check);
}

#include "ssxrver/config/rule_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ssxrver/config/tables.h"

namespace ssx::config {
namespace {

constexpr std::array<std::string_view, 4> kWhichRequests{"match", "methods", "host", "handler"};

bool says_which(std::string_view key) {
  return std::ranges::find(kWhichRequests, key) != kWhichRequests.end();
}

json::Value names_of(const json::Object& members) {
  json::Value names{json::Object()};
  for (const json::Member& member : members) {
    const json::Object* inner = member.value.object();
    names.set(member.key, inner != nullptr ? names_of(*inner) : json::Value(true));
  }
  return names;
}

void keep(json::Object& members, const json::Value& names) {
  std::erase_if(members,
                [&names](const json::Member& member) { return names.find(member.key) == nullptr; });
  for (json::Member& member : members) {
    const json::Value* inner = names.find(member.key);
    if (inner->object() != nullptr && member.value.object() != nullptr)
      keep(*member.value.object(), *inner);
  }
}

}  // namespace

std::string_view plugin_of(std::string_view handler) noexcept {
  for (const std::string_view prefix : {"plugin:", "websocket:plugin:"}) {
    if (handler.starts_with(prefix)) return handler.substr(prefix.size());
  }
  return {};
}

json::Value given_keys(const json::Value& route) {
  json::Object members = *route.object();
  std::erase_if(members, [](const json::Member& member) { return says_which(member.key); });
  return names_of(members);
}

void keep_given(const RouteOptions& rule, json::Value& written) {
  json::Value names = rule.given;
  for (const std::string_view key : kWhichRequests) names.set(key, true);
  keep(*written.object(), names);
}

Expected<RouteOptions, std::string> put_over(const RouteOptions& rule, RouteOptions base) {
  Sources sources;
  sources.add({.name = fmt::format("route \"{}\"", rule.match), .text = "", .is_override = true});
  Problems problems;
  Reader reader(
      sources, problems, [](std::string_view) { return std::vector<std::string>(); }, false);
  const Table<RouteOptions> table = route_keys();
  table.read(reader, table.write(rule), base);
  const auto errors = problems.errors(sources, Strictness::kError);
  if (errors.empty()) return base;
  return UnexpectedOf<std::string>(fmt::format("{}", fmt::join(errors, "; ")));
}

}  // namespace ssx::config

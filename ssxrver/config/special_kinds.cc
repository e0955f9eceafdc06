#include "ssxrver/config/special_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "http/access_format.h"
#include "ssxrver/base/nearest.h"
#include "ssxrver/config/json_file.h"

namespace ssx::config {
namespace {

constexpr const char* kWant = "text, or {\"file\": \"PATH\"}";

Text path_text() { return Text{.what = "a path", .objection = nullptr}; }

/// At the path, wherever that stands.
std::optional<Secret> read_secret_of(Reader& reader, const json::Value& path) {
  const auto name = path_text().read(reader, path);
  if (!name) return std::nullopt;
  auto content = read_whole_file(*name, kSecretMax, true);
  if (!content) {
    reader.error(path, fmt::format("\"{}\" {}", *name, why_unreadable(content.error())));
    return std::nullopt;
  }
  if ((content->mode & 077) != 0) reader.exposed_secret(path, *name);
  while (content->text.ends_with('\n') || content->text.ends_with('\r')) content->text.pop_back();
  if (!json::is_utf8(content->text)) {
    reader.error(path, fmt::format("\"{}\" is not UTF-8", *name));
    return std::nullopt;
  }
  return Secret{std::move(content->text), *name};
}

std::optional<Secret> read_secret_file(Reader& reader, const json::Value& value) {
  const json::Value* path = value.find("file");
  if (path == nullptr || value.object()->size() != 1) return reader.ill_typed(value, kWant);
  const Reader::Step step(reader, "file");
  return read_secret_of(reader, *path);
}

}  // namespace

std::optional<Secret> SecretText::read(Reader& reader, const json::Value& value) const {
  if (value.object() != nullptr) return read_secret_file(reader, value);
  const auto text = reader.text_of(value);
  if (!text) return reader.ill_typed(value, kWant);
  if (text->size() > kSecretMax) return reader.out_of_range(value, "at most 64k");
  if (!text->empty()) reader.check_exposure(value);
  return Secret{*text, ""};
}

json::Value SecretText::write(const Secret& secret) const {
  if (secret.file.empty()) return secret.value;
  json::Value object;
  object.set("file", secret.file);
  return object;
}

void SecretText::describe(Facts& facts) const {
  facts.type = kWant;
  facts.is_secret = true;
  facts.schema.set("type", json::Array{"string", "object"});
}

std::optional<std::string> HandlerName::read(Reader& reader, const json::Value& value) const {
  const std::string* name = value.string();
  for (const std::string_view prefix : later_prefixes) {
    if (name == nullptr || !name->starts_with(prefix)) continue;
    Facts facts;
    choice.describe(facts);
    reader.not_built(value, facts.type);
    return std::nullopt;
  }
  for (const std::string_view prefix : prefixes) {
    if (name != nullptr && name->starts_with(prefix)) return *name;
  }
  const auto index = choice.read(reader, value);
  if (!index) return std::nullopt;
  return std::string(choice.names[*index]);
}

void HandlerName::describe(Facts& facts) const {
  choice.describe(facts);
  if (prefixes.empty()) return;
  json::Value with_plugin;
  with_plugin.set("type", "string");
  with_plugin.set("pattern",
                  fmt::format("^({})[a-z0-9_]{{1,64}}$|\\$\\{{", fmt::join(prefixes, "|")));
  json::Array either{std::exchange(facts.schema, json::Object()), std::move(with_plugin)};
  facts.schema.set("anyOf", std::move(either));
  std::vector<std::string> shown;
  for (const std::string_view prefix : prefixes) shown.push_back(fmt::format("{}NAME", prefix));
  ChoiceNames all = choice;
  all.names.insert(all.names.end(), shown.begin(), shown.end());
  Facts with_all;
  all.describe(with_all);
  facts.type = std::move(with_all.type);
}

std::optional<Secret> SecretFile::read(Reader& reader, const json::Value& value) const {
  const bool is_none = value.string() != nullptr && value.string()->empty();
  return is_none ? std::nullopt : read_secret_of(reader, value);
}

void SecretFile::describe(Facts& facts) const { path_text().describe(facts); }

std::optional<std::string> MaybePath::read(Reader& reader, const json::Value& value) const {
  if (value.is_null()) return std::string();
  return path_text().read(reader, value);
}

json::Value MaybePath::write(const std::string& path) const {
  return path.empty() ? json::Value() : json::Value(path);
}

void MaybePath::describe(Facts& facts) const {
  facts.type = "null, or a path";
  facts.schema.set("type", json::Array{"string", "null"});
}

std::optional<double> Share::read(Reader& reader, const json::Value& value) const {
  constexpr const char* kShare = "a number, 0 .. 1";
  double share = -1;
  if (const auto* whole = value.number()) {
    share = *whole <= 1 ? static_cast<double>(*whole) : 2;
  } else if (const auto* real = value.real()) {
    share = *real;
  } else if (const auto* text = value.string()) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), share);
    if (error != std::errc() || end != text->data() + text->size())
      return reader.ill_typed(value, kShare);
  } else if (value.negative() == nullptr) {
    return reader.ill_typed(value, kShare);
  }
  if (!(share >= 0 && share <= 1)) return reader.out_of_range(value, kShare);
  return share;
}

void Share::describe(Facts& facts) const {
  facts.type = "a number";
  facts.range = "0 .. 1";
  facts.schema.set("type", json::Array{"number", "string"});
}

std::optional<std::string> AccessPattern::read(Reader& reader, const json::Value& value) const {
  using http::AccessFormat;
  auto text =
      Text{.length_max = 4096, .may_be_empty = false, .what = "a pattern"}.read(reader, value);
  if (!text) return std::nullopt;
  // Whether it fits log.line_max is looked at when both are known.
  const auto format = AccessFormat::compile(*text, std::numeric_limits<std::size_t>::max());
  if (format) return text;
  const std::string& name = format.error().name;
  if (format.error().what == AccessFormat::Mistake::What::kUnknownVariable) {
    const auto near = nearest(name, AccessFormat::variables());
    reader.error(value,
                 near.empty()
                     ? fmt::format("unknown variable \"${}\"", name)
                     : fmt::format("unknown variable \"${}\"; did you mean \"${}\"?", name, near));
  } else {
    reader.error(value, "\"$\" begins a variable, as in \"$status\"; a plain one is \"$$\"");
  }
  return std::nullopt;
}

void AccessPattern::describe(Facts& facts) const {
  facts.type = "\"common\", \"combined\", \"json\", or a pattern";
  facts.schema.set("type", "string");
}

Choice<log::Level> level_choice() {
  using log::Level;
  return {{{"TRACE", Level::kTrace},
           {"DEBUG", Level::kDebug},
           {"INFO", Level::kInfo},
           {"WARN", Level::kWarn},
           {"ERROR", Level::kError},
           {"FATAL", Level::kFatal},
           {"OFF", Level::kOff}}};
}

std::optional<ModuleLevels::Levels> ModuleLevels::read(Reader& reader,
                                                       const json::Value& value) const {
  const json::Object* members = value.object();
  if (members == nullptr) return reader.ill_typed(value, "an object {MODULE: LEVEL}");
  if (members->size() > log::kModuleLevelsMax) {
    return reader.out_of_range(value, fmt::format("at most {} modules", log::kModuleLevelsMax));
  }
  Levels levels;
  for (const json::Member& member : *members) {
    const Reader::Step step(reader, member.key);
    const auto level = level_choice().read(reader, member.value);
    if (member.key.empty() || member.key.size() > log::kModuleNameMax) {
      reader.error(member.value,
                   fmt::format("a module's name has 1 .. {} bytes", log::kModuleNameMax));
    } else if (level) {
      levels.emplace_back(member.key, *level);
    }
  }
  return levels;
}

json::Value ModuleLevels::write(const Levels& levels) const {
  json::Object members;
  for (const auto& [module, level] : levels)
    members.push_back({module, level_choice().write(level)});
  return members;
}

void ModuleLevels::describe(Facts& facts) const {
  facts.type = "an object {MODULE: LEVEL}";
  facts.schema.set("type", "object");
}

}  // namespace ssx::config

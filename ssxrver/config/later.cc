#include "ssxrver/config/later.h"

#include <algorithm>
#include <optional>
#include <string>

#include "ssxrver/base/assert.h"
#include "ssxrver/config/text_values.h"

namespace ssx::config {
namespace {

std::optional<double> number_of(const json::Value& value) {
  if (const auto* number = value.number()) return static_cast<double>(*number);
  if (const auto* number = value.negative()) return static_cast<double>(*number);
  if (const auto* number = value.real()) return *number;
  if (const auto* text = value.string()) {
    if (const auto size = parse_size(*text)) return static_cast<double>(*size);
    if (const auto number = parse_int(*text)) return static_cast<double>(*number);
  }
  return std::nullopt;
}

bool is_same_text(const json::Value& found, const std::string& standard) {
  if (const bool* on = found.boolean()) return parse_switch(standard) == *on;
  const std::string text = found.number() != nullptr && *found.number() == 0 ? "0"
                           : found.string() != nullptr                       ? *found.string()
                                                                             : "?";
  if (text == standard) return true;
  if (const auto on = parse_switch(standard)) return parse_switch(text) == on;
  if (const auto time = parse_time(standard)) return parse_time(text) == time;
  const auto rate = standard.empty() ? std::nullopt : parse_rate(standard);
  return rate && parse_rate(text) == rate;
}

bool are_same_items(const json::Array& found, const json::Array& standard) {
  return std::equal(found.begin(), found.end(), standard.begin(), standard.end(), says_the_same);
}

bool are_same_members(const json::Object& found, const json::Value& standard) {
  return std::all_of(found.begin(), found.end(), [&standard](const json::Member& member) {
    const json::Value* expected = standard.find(member.key);
    return expected != nullptr && says_the_same(member.value, *expected);
  });
}

Facts describe_one(const std::string& name, const json::Value& standard) {
  Facts facts;
  facts.name = name;
  facts.is_built = false;
  facts.standard = standard;
  facts.hardened = standard;
  facts.schema = json::Value(json::Object());
  facts.type = show_value(standard);
  if (const json::Object* members = standard.object()) {
    for (const json::Member& member : *members) {
      facts.children.push_back(describe_one(member.key, member.value));
    }
  }
  return facts;
}

}  // namespace

bool says_the_same(const json::Value& found, const json::Value& standard) {
  if (found == standard) return true;
  if (const auto* text = standard.string()) return is_same_text(found, *text);
  if (const auto* items = standard.array()) {
    return found.array() != nullptr && are_same_items(*found.array(), *items);
  }
  if (standard.object() != nullptr) {
    return found.object() != nullptr && are_same_members(*found.object(), standard);
  }
  const auto number = number_of(standard);
  return number && number_of(found) == number;
}

void read_later(Reader& reader, const json::Value& found, const json::Value& standard,
                Extra extra) {
  if (says_the_same(found, standard)) return;
  const json::Object* defaults = standard.object();
  if (defaults == nullptr || found.object() == nullptr) {
    return reader.not_built(found, show_value(standard));
  }
  std::vector<std::string_view> known;
  for (const json::Member& member : *defaults) known.push_back(member.key);
  for (const json::Member& member : *found.object()) {
    if (const json::Value* expected = standard.find(member.key)) {
      const Reader::Step step(reader, member.key);
      read_later(reader, member.value, *expected, extra);
    } else if (extra == Extra::kNotBuilt || known.empty()) {
      const Reader::Step step(reader, member.key);
      reader.not_built(member.value, "no such entry");
    } else {
      reader.unknown_key(member, known);
    }
  }
}

std::vector<Facts> describe_later(std::string_view defaults) {
  const auto document = json::parse(defaults);
  SSX_ASSERT(document && document->root.object() != nullptr, defaults);
  std::vector<Facts> all;
  for (const json::Member& member : *document->root.object()) {
    all.push_back(describe_one(member.key, member.value));
  }
  return all;
}

}  // namespace ssx::config

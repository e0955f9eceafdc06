#include "ssxrver/config/schema.h"

#include <utility>

#include "ssxrver/config/tables.h"
#include "ssxrver/config/text_values.h"

namespace ssx::config {
namespace {

constexpr const char* kExpansion = "\\$\\{";

json::Value schema_of(const Facts& facts);

json::Value properties_of(const std::vector<Facts>& children) {
  json::Value properties{json::Object()};
  for (const Facts& child : children) {
    properties.set(child.name, schema_of(child));
    if (!child.alias.empty()) properties.set(child.alias, schema_of(child));
  }
  return properties;
}

json::Value object_schema(const std::vector<Facts>& children) {
  json::Value schema;
  schema.set("type", "object");
  schema.set("additionalProperties", false);
  schema.set("properties", properties_of(children));
  return schema;
}

/// What is not built takes its default only; a switch in both spellings.
json::Value later_schema(const json::Value& standard) {
  json::Array values{standard};
  const auto* text = standard.string();
  const auto on = text != nullptr ? parse_switch(*text) : std::nullopt;
  if (on) values.emplace_back(*on);
  json::Value schema;
  schema.set("enum", std::move(values));
  return schema;
}

/// A list of words or a pattern would refuse "${NAME}".
json::Value with_expansion(json::Value schema) {
  if (schema.find("enum") == nullptr) return schema;
  json::Value text;
  text.set("type", "string");
  text.set("pattern", kExpansion);
  json::Value either;
  either.set("anyOf", json::Array{std::move(schema), std::move(text)});
  return either;
}

json::Value list_schema(const Facts& facts) {
  json::Value schema;
  schema.set("type", "array");
  schema.set("items", object_schema(facts.children));
  return schema;
}

/// Names are looked at by the program: how many there are, and what they are made of.
json::Value map_schema(const Facts& facts) {
  json::Value schema;
  schema.set("type", "object");
  schema.set("additionalProperties", object_schema(facts.children));
  return schema;
}

std::string description_of(const Facts& facts) {
  std::string text = facts.is_built ? facts.why : "not in this build: accepted at this value only";
  if (!facts.range.empty()) text += (text.empty() ? "" : " ") + ("(" + facts.range + ")");
  return text;
}

json::Value type_of(const Facts& facts) {
  if (facts.schema_text.empty()) return facts.schema;
  auto document = json::parse(facts.schema_text);
  return document ? std::move(document->root) : json::Value();
}

json::Value schema_of(const Facts& facts) {
  json::Value schema;
  if (facts.is_list) {
    schema = list_schema(facts);
  } else if (facts.is_map) {
    schema = map_schema(facts);
  } else if (!facts.children.empty()) {
    schema = object_schema(facts.children);
  } else {
    schema = with_expansion(facts.is_built ? type_of(facts) : later_schema(facts.standard));
    if (!facts.is_optional) schema.set("default", facts.standard);
  }
  const auto description = description_of(facts);
  if (!description.empty()) schema.set("description", description);
  return schema;
}

}  // namespace

std::string make_schema() {
  json::Value schema;
  schema.set("$schema", "http://json-schema.org/draft-07/schema#");
  schema.set("title", "The configuration of ssxrver");
  schema.set("$comment", "made from the tables of ssxrver/config by ssxrver_config_docs");
  json::Value object = object_schema(server_facts().children);
  for (json::Member& member : *object.object()) schema.set(member.key, std::move(member.value));
  return json::write(schema) + "\n";
}

}  // namespace ssx::config

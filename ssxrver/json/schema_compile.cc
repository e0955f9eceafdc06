#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "ssxrver/json/schema_check.h"
#include "ssxrver/json/schema_node.h"

namespace ssx::json {
namespace {

using internal::Interval;
using internal::NodeIndex;
using internal::SchemaNode;

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> kTypes{{
    {"null", internal::kNullBit},
    {"boolean", internal::kBooleanBit},
    {"integer", internal::kIntegerBit},
    {"number", internal::kNumberBit | internal::kIntegerBit},
    {"string", internal::kStringBit},
    {"array", internal::kArrayBit},
    {"object", internal::kObjectBit},
}};

class Compiler {
 public:
  explicit Compiler(const Value& root) : root_(root) {}

  /// Empty: the root and all it leads to stand in nodes().
  std::string run() {
    node_of(root_, "");
    if (why_.empty()) find_loops();
    return why_;
  }
  std::vector<SchemaNode> take_nodes() { return std::move(nodes_); }

 private:
  using Read = void (Compiler::*)(const Value&, const std::string&, SchemaNode&);
  struct Keyword {
    std::string_view name;
    Read read;
  };
  static const std::array<Keyword, 31> kKeywords;

  void refuse(const std::string& at, const std::string& text) {
    if (why_.empty()) why_ = fmt::format("{}: {}", at.empty() ? "the root" : at, text);
  }

  /// The node of a schema that stands at `at`; made once, so that a $ref may lead back.
  NodeIndex node_of(const Value& schema, const std::string& at);
  void read_members(const Object& members, const std::string& at, SchemaNode& node);

  void ignore(const Value&, const std::string&, SchemaNode&) {}
  void read_title(const Value& value, const std::string& at, SchemaNode& node);
  void read_type(const Value& value, const std::string& at, SchemaNode& node);
  void read_const(const Value& value, const std::string&, SchemaNode& node) {
    node.constant = value;
  }
  void read_enum(const Value& value, const std::string& at, SchemaNode& node);
  template <std::optional<Value> SchemaNode::*kField>
  void read_bound(const Value& value, const std::string& at, SchemaNode& node);
  template <Interval SchemaNode::*kField, bool kIsMin>
  void read_count(const Value& value, const std::string& at, SchemaNode& node);
  void read_unique(const Value& value, const std::string& at, SchemaNode& node);
  void read_item(const Value& value, const std::string& at, SchemaNode& node);
  void read_properties(const Value& value, const std::string& at, SchemaNode& node);
  void read_required(const Value& value, const std::string& at, SchemaNode& node);
  template <std::optional<NodeIndex> SchemaNode::*kField>
  void read_schema(const Value& value, const std::string& at, SchemaNode& node) {
    node.*kField = node_of(value, at);
  }
  template <std::vector<NodeIndex> SchemaNode::*kField>
  void read_schemas(const Value& value, const std::string& at, SchemaNode& node);
  void read_definitions(const Value& value, const std::string& at, SchemaNode& node);
  void read_reference(const Value& value, const std::string& at, SchemaNode& node);

  void find_loops();
  bool has_loop(NodeIndex index, std::vector<std::uint8_t>& states) const;

  const Value& root_;
  std::vector<SchemaNode> nodes_;
  std::map<const Value*, NodeIndex> made_;
  std::string why_;
};

const std::array<Compiler::Keyword, 31> Compiler::kKeywords{{
    {"title", &Compiler::read_title},
    {"description", &Compiler::ignore},
    {"default", &Compiler::ignore},
    {"examples", &Compiler::ignore},
    {"$comment", &Compiler::ignore},
    {"$schema", &Compiler::ignore},
    {"readOnly", &Compiler::ignore},
    {"writeOnly", &Compiler::ignore},
    {"type", &Compiler::read_type},
    {"const", &Compiler::read_const},
    {"enum", &Compiler::read_enum},
    {"minimum", &Compiler::read_bound<&SchemaNode::minimum>},
    {"maximum", &Compiler::read_bound<&SchemaNode::maximum>},
    {"exclusiveMinimum", &Compiler::read_bound<&SchemaNode::above>},
    {"exclusiveMaximum", &Compiler::read_bound<&SchemaNode::below>},
    {"minLength", &Compiler::read_count<&SchemaNode::length, true>},
    {"maxLength", &Compiler::read_count<&SchemaNode::length, false>},
    {"items", &Compiler::read_item},
    {"minItems", &Compiler::read_count<&SchemaNode::items, true>},
    {"maxItems", &Compiler::read_count<&SchemaNode::items, false>},
    {"uniqueItems", &Compiler::read_unique},
    {"properties", &Compiler::read_properties},
    {"required", &Compiler::read_required},
    {"additionalProperties", &Compiler::read_schema<&SchemaNode::other_properties>},
    {"minProperties", &Compiler::read_count<&SchemaNode::members, true>},
    {"maxProperties", &Compiler::read_count<&SchemaNode::members, false>},
    {"allOf", &Compiler::read_schemas<&SchemaNode::all_of>},
    {"anyOf", &Compiler::read_schemas<&SchemaNode::any_of>},
    {"oneOf", &Compiler::read_schemas<&SchemaNode::one_of>},
    {"not", &Compiler::read_schema<&SchemaNode::none_of>},
    {"definitions", &Compiler::read_definitions},
}};

NodeIndex Compiler::node_of(const Value& schema, const std::string& at) {
  if (const auto found = made_.find(&schema); found != made_.end()) return found->second;
  if (nodes_.size() == Schema::kNodesMax) {
    refuse(at, fmt::format("more than {} schemas", Schema::kNodesMax));
    return 0;
  }
  const NodeIndex index = nodes_.size();
  made_.emplace(&schema, index);
  nodes_.emplace_back();
  SchemaNode node;
  if (const bool* takes_all = schema.boolean()) {
    node.never = !*takes_all;
  } else if (const Object* members = schema.object()) {
    read_members(*members, at, node);
  } else {
    refuse(at, fmt::format("expected a schema, found {}", show(schema)));
  }
  nodes_[index] = std::move(node);
  return index;
}

void Compiler::read_members(const Object& members, const std::string& at, SchemaNode& node) {
  for (const Member& member : members) {
    if (!why_.empty()) return;
    const std::string below = at + pointer_step(member.key);
    if (member.key == "$ref") {
      read_reference(member.value, below, node);
      continue;
    }
    const std::string_view key = member.key;
    const std::string_view name = key == "$defs" ? "definitions" : key;
    const auto known =
        std::ranges::find_if(kKeywords, [name](const Keyword& one) { return one.name == name; });
    if (known == kKeywords.end()) {
      refuse(below, fmt::format("the keyword \"{}\" is not supported", member.key));
    } else {
      (this->*known->read)(member.value, below, node);
    }
  }
  const bool only_describes = std::ranges::all_of(members, [](const Member& member) {
    const auto known = std::ranges::find(kKeywords, member.key, &Keyword::name);
    return member.key == "$ref" || member.key == "$defs" || member.key == "definitions" ||
           (known != kKeywords.end() && known->read == &Compiler::ignore) || member.key == "title";
  });
  if (node.to && !only_describes) refuse(at, "\"$ref\" stands beside other rules, which it hides");
}

void Compiler::read_title(const Value& value, const std::string& at, SchemaNode& node) {
  if (const std::string* title = value.string()) {
    node.title = *title;
  } else {
    refuse(at, fmt::format("expected text, found {}", show(value)));
  }
}

void Compiler::read_type(const Value& value, const std::string& at, SchemaNode& node) {
  const auto add = [&](const Value& name) {
    const auto known = std::ranges::find_if(kTypes, [&name](const auto& type) {
      return name.string() != nullptr && *name.string() == type.first;
    });
    if (known == kTypes.end()) return refuse(at, fmt::format("{} is no type", show(name)));
    node.types |= known->second;
  };
  const Array* names = value.array();
  if (names == nullptr) return add(value);
  if (names->empty()) refuse(at, "names no type");
  for (const Value& name : *names) add(name);
}

void Compiler::read_enum(const Value& value, const std::string& at, SchemaNode& node) {
  if (const Array* choices = value.array()) {
    node.choices = *choices;
  } else {
    refuse(at, fmt::format("expected a list, found {}", show(value)));
  }
}

template <std::optional<Value> SchemaNode::*kField>
void Compiler::read_bound(const Value& value, const std::string& at, SchemaNode& node) {
  const bool is_number =
      value.number() != nullptr || value.negative() != nullptr || value.real() != nullptr;
  if (!is_number) return refuse(at, fmt::format("expected a number, found {}", show(value)));
  node.*kField = value;
}

template <Interval SchemaNode::*kField, bool kIsMin>
void Compiler::read_count(const Value& value, const std::string& at, SchemaNode& node) {
  std::optional<std::uint64_t> count;
  if (value.number() != nullptr) count = *value.number();
  // 2.0 is an integer in JSON Schema. What no list reaches needs no precision.
  if (const double* real = value.real(); real != nullptr && *real >= 0 && *real < 0x1p53) {
    const auto whole = static_cast<std::uint64_t>(*real);
    if (static_cast<double>(whole) == *real) count = whole;
  }
  if (!count) return refuse(at, fmt::format("expected a whole number, found {}", show(value)));
  ((node.*kField).*(kIsMin ? &Interval::min : &Interval::max)) = count;
}

void Compiler::read_unique(const Value& value, const std::string& at, SchemaNode& node) {
  const bool* on = value.boolean();
  if (on == nullptr)
    return refuse(at, fmt::format("expected true or false, found {}", show(value)));
  node.unique_items = *on;
}

void Compiler::read_item(const Value& value, const std::string& at, SchemaNode& node) {
  if (value.array() != nullptr) return refuse(at, "a schema for each place is not supported");
  node.item = node_of(value, at);
}

void Compiler::read_properties(const Value& value, const std::string& at, SchemaNode& node) {
  const Object* members = value.object();
  if (members == nullptr)
    return refuse(at, fmt::format("expected an object, found {}", show(value)));
  for (const Member& member : *members) {
    node.properties.emplace_back(member.key, node_of(member.value, at + pointer_step(member.key)));
  }
}

void Compiler::read_required(const Value& value, const std::string& at, SchemaNode& node) {
  const Array* names = value.array();
  if (names == nullptr) return refuse(at, fmt::format("expected a list, found {}", show(value)));
  for (const Value& name : *names) {
    if (name.string() == nullptr) {
      return refuse(at, fmt::format("expected a list of names, found {}", show(name)));
    }
    node.required.push_back(*name.string());
  }
}

template <std::vector<NodeIndex> SchemaNode::*kField>
void Compiler::read_schemas(const Value& value, const std::string& at, SchemaNode& node) {
  const Array* list = value.array();
  if (list == nullptr || list->empty()) {
    return refuse(at, fmt::format("expected a list of schemas, found {}", show(value)));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    (node.*kField).push_back(node_of((*list)[i], fmt::format("{}/{}", at, i)));
  }
}

/// They are looked at whether or not something refers to them.
void Compiler::read_definitions(const Value& value, const std::string& at, SchemaNode&) {
  SchemaNode unused;
  read_properties(value, at, unused);
}

/// "#", "#/definitions/x", "#/properties/a": RFC 6901 in a fragment, without percent-encoding.
void Compiler::read_reference(const Value& value, const std::string& at, SchemaNode& node) {
  const std::string* text = value.string();
  const bool is_local = text != nullptr && (*text == "#" || text->starts_with("#/"));
  if (!is_local || text->find('%') != std::string::npos) {
    return refuse(
        at, fmt::format("{} does not lead into this schema (\"#/definitions/...\")", show(value)));
  }
  const Value* target = find_by_pointer(root_, std::string_view(*text).substr(1));
  if (target == nullptr) return refuse(at, fmt::format("there is no {}", *text));
  node.to = node_of(*target, text->substr(1));
}

/// A schema that asks itself about the same value would never come to an end.
void Compiler::find_loops() {
  std::vector<std::uint8_t> states(nodes_.size(), 0);
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    if (has_loop(index, states)) return refuse("", "a \"$ref\" leads back to itself");
  }
}

bool Compiler::has_loop(NodeIndex index, std::vector<std::uint8_t>& states) const {
  enum : std::uint8_t { kNew, kOpen, kDone };
  if (states[index] != kNew) return states[index] == kOpen;
  states[index] = kOpen;
  const SchemaNode& node = nodes_[index];
  const auto leads_back = [&](NodeIndex next) { return has_loop(next, states); };
  const bool is_loop =
      (node.to && leads_back(*node.to)) || (node.none_of && leads_back(*node.none_of)) ||
      std::ranges::any_of(node.all_of, leads_back) ||
      std::ranges::any_of(node.any_of, leads_back) || std::ranges::any_of(node.one_of, leads_back);
  states[index] = kDone;
  return is_loop;
}

}  // namespace

Expected<Schema, std::string> Schema::compile(const Value& schema) {
  Compiler compiler(schema);
  if (std::string why = compiler.run(); !why.empty()) {
    return UnexpectedOf<std::string>(std::move(why));
  }
  return Schema(std::make_shared<const Nodes>(compiler.take_nodes()));
}

}  // namespace ssx::json

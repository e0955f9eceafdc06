#include "ssxrver/json/schema_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "ssxrver/json/schema_node.h"

namespace ssx::json {
namespace {

using internal::Interval;
using internal::NodeIndex;
using internal::SchemaNode;
using Nodes = std::vector<SchemaNode>;

// long double holds every integer of 64 bits, signed or not, on the machines that we run on.
static_assert(std::numeric_limits<long double>::digits >= 64);

std::optional<long double> number_of(const Value& value) {
  if (const auto* number = value.number()) return static_cast<long double>(*number);
  if (const auto* number = value.negative()) return static_cast<long double>(*number);
  if (const auto* number = value.real()) return static_cast<long double>(*number);
  return std::nullopt;
}

bool are_same(const Value& a, const Value& b);

bool are_same_members(const Object& a, const Value& b) {
  return a.size() == b.object()->size() && std::ranges::all_of(a, [&b](const Member& member) {
           const Value* other = b.find(member.key);
           return other != nullptr && are_same(member.value, *other);
         });
}

/// 1 is 1.0, and members have no order.
bool are_same(const Value& a, const Value& b) {
  const auto left = number_of(a);
  const auto right = number_of(b);
  if (left || right) return left == right;
  if (a.array() != nullptr && b.array() != nullptr) {
    return std::ranges::equal(*a.array(), *b.array(), are_same);
  }
  if (a.object() != nullptr && b.object() != nullptr) return are_same_members(*a.object(), b);
  return a == b;
}

std::uint8_t type_of(const Value& value) {
  if (value.is_null()) return internal::kNullBit;
  if (value.boolean() != nullptr) return internal::kBooleanBit;
  if (value.string() != nullptr) return internal::kStringBit;
  if (value.array() != nullptr) return internal::kArrayBit;
  if (value.object() != nullptr) return internal::kObjectBit;
  const auto number = number_of(value);
  return number && std::floor(*number) == *number ? internal::kIntegerBit : internal::kNumberBit;
}

std::string names_of(std::uint8_t types) {
  constexpr std::array<std::pair<std::uint8_t, std::string_view>, 7> kNames{{
      {internal::kNumberBit, "a number"},
      {internal::kIntegerBit, "an integer"},
      {internal::kStringBit, "text"},
      {internal::kBooleanBit, "true or false"},
      {internal::kArrayBit, "a list"},
      {internal::kObjectBit, "an object"},
      {internal::kNullBit, "null"},
  }};
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kNames) {
    const bool is_said = bit == internal::kIntegerBit && (types & internal::kNumberBit) != 0;
    if ((types & bit) != 0 && !is_said) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string choices_of(const std::vector<Value>& choices) {
  std::vector<std::string> shown;
  for (const Value& choice : choices) shown.push_back(show(choice));
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// What a schema wants, in a few words: for lists of alternatives.
std::string want_of(const Nodes& nodes, NodeIndex index) {
  const SchemaNode& node = nodes[index];
  if (!node.title.empty()) return node.title;
  if (node.to) return want_of(nodes, *node.to);
  if (node.constant) return show(*node.constant);
  if (node.choices) return choices_of(*node.choices);
  return node.types != 0 ? names_of(node.types) : "another form";
}

class Checker {
 public:
  explicit Checker(const Nodes& nodes) : nodes_(nodes) {}

  /// Tells of what is wrong, below the pointer that it stands at.
  void check(const Value& value, NodeIndex index);
  std::vector<Violation> take() { return std::move(found_); }

 private:
  void add(const Value& at, std::string text) { add(at.origin, std::move(text)); }
  void add(const Origin& origin, std::string text) {
    ++count_;
    if (found_.size() < Schema::kViolationsMax) {
      found_.push_back({pointer_, origin, std::move(text)});
    }
  }
  void wrong(const Value& value, const std::string& wanted) {
    add(value, fmt::format("expected {}, found {}", wanted, show(value)));
  }
  /// Says nothing.
  [[nodiscard]] bool fits(const Value& value, NodeIndex index) const {
    Checker other(nodes_);
    other.check(value, index);
    return other.count_ == 0;
  }
  void below(std::string_view key, const Value& value, NodeIndex index) {
    const std::size_t size = pointer_.size();
    pointer_ += pointer_step(key);
    check(value, index);
    pointer_.resize(size);
  }
  void check_number(const Value& value, const SchemaNode& node);
  void check_count(const Value& value, const Interval& count, std::size_t found,
                   std::string_view what);
  void check_items(const Value& value, const SchemaNode& node);
  void check_members(const Value& value, const SchemaNode& node);
  void check_member(const Member& member, const SchemaNode& node);
  void check_alternatives(const Value& value, const SchemaNode& node);

  const Nodes& nodes_;
  std::string pointer_;
  std::vector<Violation> found_;
  std::size_t count_ = 0;
};

void Checker::check(const Value& value, NodeIndex index) {
  const SchemaNode& node = nodes_[index];
  if (node.to) return check(value, *node.to);
  if (node.never) return add(value, fmt::format("nothing may stand here, found {}", show(value)));
  if (node.types != 0 && (node.types & type_of(value)) == 0) {
    return wrong(value, names_of(node.types));
  }
  if (node.constant && !are_same(value, *node.constant)) wrong(value, show(*node.constant));
  const auto is_it = [&value](const Value& choice) { return are_same(value, choice); };
  if (node.choices && std::ranges::none_of(*node.choices, is_it)) {
    wrong(value, node.choices->size() == 1 ? show(node.choices->front())
                                           : "one of " + choices_of(*node.choices));
  }
  check_number(value, node);
  if (const std::string* text = value.string()) {
    check_count(value, node.length, code_points(*text), "characters");
  }
  check_items(value, node);
  check_members(value, node);
  check_alternatives(value, node);
}

void Checker::check_number(const Value& value, const SchemaNode& node) {
  const auto number = number_of(value);
  if (!number) return;
  if (node.minimum && *number < *number_of(*node.minimum)) {
    wrong(value, show(*node.minimum) + " or more");
  }
  if (node.maximum && *number > *number_of(*node.maximum)) {
    wrong(value, show(*node.maximum) + " or less");
  }
  if (node.above && *number <= *number_of(*node.above)) {
    wrong(value, "more than " + show(*node.above));
  }
  if (node.below && *number >= *number_of(*node.below)) {
    wrong(value, "less than " + show(*node.below));
  }
}

void Checker::check_count(const Value& value, const Interval& count, std::size_t found,
                          std::string_view what) {
  if (count.min && found < *count.min) {
    wrong(value, fmt::format("{} {} or more", *count.min, what));
  }
  if (count.max && found > *count.max) {
    wrong(value, fmt::format("{} {} or less", *count.max, what));
  }
}

void Checker::check_items(const Value& value, const SchemaNode& node) {
  const Array* items = value.array();
  if (items == nullptr) return;
  check_count(value, node.items, items->size(), "entries");
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (node.item) below(std::to_string(i), (*items)[i], *node.item);
    if (!node.unique_items) continue;
    const auto end = items->begin() + static_cast<std::ptrdiff_t>(i);
    const auto is_it = [&](const Value& other) { return are_same(other, (*items)[i]); };
    const auto twin = std::find_if(items->begin(), end, is_it);
    if (twin != end) {
      const auto number = twin - items->begin();
      add((*items)[i], fmt::format("entry {} is the same as entry {}: {}", i, number, show(*twin)));
    }
  }
}

void Checker::check_members(const Value& value, const SchemaNode& node) {
  const Object* members = value.object();
  if (members == nullptr) return;
  check_count(value, node.members, members->size(), "keys");
  for (const std::string& name : node.required) {
    if (value.find(name) == nullptr) {
      add(value, fmt::format("the key \"{}\" is missing", name));
    }
  }
  for (const Member& member : *members) check_member(member, node);
}

void Checker::check_member(const Member& member, const SchemaNode& node) {
  const auto known =
      std::ranges::find(node.properties, member.key, &std::pair<std::string, NodeIndex>::first);
  if (known != node.properties.end()) return below(member.key, member.value, known->second);
  if (!node.other_properties) return;
  if (!nodes_[*node.other_properties].never) {
    return below(member.key, member.value, *node.other_properties);
  }
  std::vector<std::string_view> names;
  for (const auto& property : node.properties) names.emplace_back(property.first);
  const std::size_t size = pointer_.size();
  pointer_ += pointer_step(member.key);
  add(member.origin,
      names.empty() ? "unknown key: there are none here"
                    : fmt::format("unknown key; known here: \"{}\"", fmt::join(names, "\", \"")));
  pointer_.resize(size);
}

void Checker::check_alternatives(const Value& value, const SchemaNode& node) {
  for (const NodeIndex part : node.all_of) check(value, part);
  const auto is_good = [&](NodeIndex part) { return fits(value, part); };
  const auto wants = [this](const std::vector<NodeIndex>& parts) {
    std::vector<std::string> texts;
    for (const NodeIndex part : parts) texts.push_back(want_of(nodes_, part));
    return fmt::format("{}", fmt::join(texts, " or "));
  };
  if (!node.any_of.empty() && std::ranges::none_of(node.any_of, is_good)) {
    wrong(value, wants(node.any_of));
  }
  if (!node.one_of.empty()) {
    const auto count = std::ranges::count_if(node.one_of, is_good);
    if (count == 0) wrong(value, wants(node.one_of));
    if (count > 1) {
      add(value, fmt::format("fits {} of the forms {}, and should fit one: {}", count,
                             wants(node.one_of), show(value)));
    }
  }
  if (node.none_of && fits(value, *node.none_of)) {
    add(value, fmt::format("expected anything but {}, found {}", want_of(nodes_, *node.none_of),
                           show(value)));
  }
}

}  // namespace

std::vector<Violation> Schema::check(const Value& value) const {
  Checker checker(*nodes_);
  checker.check(value, 0);
  return checker.take();
}

}  // namespace ssx::json

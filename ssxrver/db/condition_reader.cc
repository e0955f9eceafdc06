#include "ssxrver/db/condition_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ssx::db::internal {
namespace {

constexpr auto kMembers = std::to_array<std::string_view>({"data", "op", "and", "or", "not"});

/// The operator of each comparison, as the request lists them; all are "=" when it does not.
Result<std::vector<const Operator*>> operators(const json::Value* op, std::size_t count,
                                               const Place& place) {
  std::vector<const Operator*> all(count, &equality());
  if (op == nullptr) return all;
  const json::Array* names = op->array();
  if (names == nullptr || names->size() != count) {
    return refuse(place, fmt::format("{} is no list of operators for \"data\"; expected {} in []",
                                     json::show(*op), count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto* name = (*names)[i].string();
    all[i] = name == nullptr ? nullptr : find_operator(*name);
    if (all[i] == nullptr) {
      return refuse(Place(place, i),
                    fmt::format("{} is no operator{}", json::show((*names)[i]),
                                hint(name == nullptr ? "" : *name, operator_names())));
    }
  }
  return all;
}

}  // namespace

std::span<const std::string_view> ConditionReader::members() noexcept { return kMembers; }

bool ConditionReader::has_condition(const json::Value& request) noexcept {
  return std::ranges::any_of(
      kMembers, [&request](std::string_view member) { return request.find(member) != nullptr; });
}

Result<void> ConditionReader::read_terms(const json::Value& condition, const Place& place,
                                         std::size_t depth) {
  bool is_first = true;
  const auto next = [this, &is_first] {
    if (!is_first) out_.add(" AND ");
    is_first = false;
  };
  const json::Value* data = condition.find("data");
  const json::Value* op = condition.find("op");
  if (data == nullptr && op != nullptr) {
    return refuse(Place(place, "op"), "operators without \"data\"");
  }
  if (data != nullptr) {
    next();
    if (auto end = read_data(*data, op, place); !end) return end;
  }
  if (const json::Value* group = condition.find("and")) {
    next();
    if (auto end = read_group(*group, " AND ", Place(place, "and"), depth); !end) return end;
  }
  if (const json::Value* group = condition.find("or")) {
    next();
    if (auto end = read_group(*group, " OR ", Place(place, "or"), depth); !end) return end;
  }
  if (const json::Value* inner = condition.find("not")) {
    next();
    out_.add("NOT ");
    return read_nested(*inner, Place(place, "not"), depth + 1);
  }
  return {};
}

Result<void> ConditionReader::read_data(const json::Value& data, const json::Value* op,
                                        const Place& above) {
  const Place place(above, "data");
  const json::Object* members = data.object();
  if (members == nullptr || members->empty()) {
    return refuse(place, fmt::format("{} is no condition; expected {{\"column\": value, ...}}",
                                     json::show(data)));
  }
  if (members->size() > limits_.conditions_max - comparisons_) {
    return too_much(place, limits_.conditions_max, "comparisons", "conditions_max");
  }
  comparisons_ += members->size();
  const auto ops = operators(op, members->size(), Place(above, "op"));
  if (!ops) return fail(ops.error());
  for (std::size_t i = 0; i < members->size(); ++i) {
    if (i > 0) out_.add(" AND ");
    if (auto end = read_comparison((*members)[i], *(*ops)[i], place); !end) return end;
  }
  return {};
}

Result<void> ConditionReader::read_comparison(const json::Member& member, const Operator& op,
                                              const Place& data) {
  const Place place(data, member.key);
  const auto column = find_column(table_, member.key, place);
  if (!column) return fail(column.error());
  return write_comparison(out_, limits_, **column, op, member.value, place);
}

Result<void> ConditionReader::read_group(const json::Value& group, Words between,
                                         const Place& place, std::size_t depth) {
  const json::Array* items = group.array();
  if (items == nullptr || items->empty()) {
    return refuse(place, fmt::format("{} is no list of conditions; expected at least one in []",
                                     json::show(group)));
  }
  out_.add("(");
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (i > 0) out_.add(between);
    if (auto end = read_nested((*items)[i], Place(place, i), depth + 1); !end) return end;
  }
  out_.add(")");
  return {};
}

Result<void> ConditionReader::read_nested(const json::Value& condition, const Place& place,
                                          std::size_t depth) {
  if (depth > limits_.depth_max) {
    return too_much(place, limits_.depth_max, "levels of \"and\", \"or\" and \"not\"", "depth_max");
  }
  const json::Object* members = condition.object();
  if (members == nullptr || members->empty()) {
    return refuse(place, fmt::format("{} is no condition; expected {{\"data\": ...}}, or \"and\", "
                                     "\"or\", \"not\"",
                                     json::show(condition)));
  }
  if (auto end = check_members(*members, {kMembers.begin(), kMembers.end()}, place); !end)
    return end;
  out_.add("(");
  if (auto end = read_terms(condition, place, depth); !end) return end;
  out_.add(")");
  return {};
}

Result<const ColumnSchema*> find_column(const TableSchema& table, std::string_view name,
                                        const Place& place) {
  if (const ColumnSchema* column = table.find(name)) return column;
  return refuse(place, fmt::format("no column {} in \"{}\"{}", shown(name), table.name(),
                                   hint(name, table.column_names())));
}

Result<void> check_members(const json::Object& object, const std::vector<std::string_view>& known,
                           const Place& place) {
  for (const json::Member& member : object) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    return refuse(Place(place, member.key), "unknown member" + hint(member.key, known));
  }
  return {};
}

}  // namespace ssx::db::internal

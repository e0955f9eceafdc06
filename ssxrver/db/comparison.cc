#include "ssxrver/db/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "ssxrver/base/strings.h"
#include "ssxrver/db/column_value.h"

namespace ssx::db::internal {

struct Operator {
  enum class Operand : std::uint8_t { kValue, kPattern, kList, kRange };
  std::string_view name;
  Operand operand;
  Words sql;
  Words with_null = {};  ///< what it is with null; empty: nothing
};

namespace {

using Operand = Operator::Operand;

constexpr auto kOperators = std::to_array<Operator>({
    {"=", Operand::kValue, " = ", " IS NULL"},
    {"!=", Operand::kValue, " <> ", " IS NOT NULL"},
    {"<>", Operand::kValue, " <> ", " IS NOT NULL"},
    {"<", Operand::kValue, " < "},
    {"<=", Operand::kValue, " <= "},
    {">", Operand::kValue, " > "},
    {">=", Operand::kValue, " >= "},
    {"like", Operand::kPattern, " LIKE "},
    {"not like", Operand::kPattern, " NOT LIKE "},
    {"in", Operand::kList, " IN ("},
    {"not in", Operand::kList, " NOT IN ("},
    {"between", Operand::kRange, " BETWEEN "},
    {"not between", Operand::kRange, " NOT BETWEEN "},
});
constexpr std::size_t kNameMax = 64;  ///< longer ones are no operator, and not looked at

/// What takes a wildcard for itself. A parameter as well: as a literal it would be read in one way
/// by SQLite and in two by MySQL (NO_BACKSLASH_ESCAPES).
constexpr std::string_view kEscape = "\\";

UnexpectedOf<Failure> no_value(const ColumnSchema& column, const json::Value& value,
                               const Place& place) {
  return refuse(place, fmt::format("{} is no value for \"{}\"; expected {}", json::show(value),
                                   column.name, expectation(column.kind)));
}

Result<void> add_value(StatementWriter& out, const StatementLimits& limits, Value value,
                       const Place& place) {
  if (out.bind(std::move(value))) return {};
  return too_much(place, limits.values_max, "values", "values_max");
}

/// A value that is not null.
Result<void> bind_operand(StatementWriter& out, const StatementLimits& limits,
                          const ColumnSchema& column, const json::Value& given,
                          const Place& place) {
  auto value = column_value(given, column.kind);
  if (!value) return no_value(column, given, place);
  return add_value(out, limits, *std::move(value), place);
}

Result<void> write_value(StatementWriter& out, const StatementLimits& limits,
                         const ColumnSchema& column, const Operator& op, const json::Value& operand,
                         const Place& place) {
  if (!operand.is_null()) {
    out.add(op.sql);
    return bind_operand(out, limits, column, operand, place);
  }
  if (op.with_null.text().empty()) {
    return refuse(place,
                  fmt::format("nothing is \"{}\" null; expected {}, or the operator \"=\" or "
                              "\"!=\"",
                              op.name, expectation(column.kind)));
  }
  out.add(op.with_null);
  return {};
}

/// Every escape stands before something, and no NUL is in it: SQLite would read only what is before
/// that, and find rows that nobody has asked for.
bool is_pattern(std::string_view text) {
  if (text.find('\0') != text.npos || !json::is_utf8(text)) return false;
  const auto last = text.find_last_not_of(kEscape);
  const std::size_t escapes = last == text.npos ? text.size() : text.size() - last - 1;
  return escapes % 2 == 0;
}

Result<void> write_pattern(StatementWriter& out, const StatementLimits& limits,
                           const ColumnSchema& column, const Operator& op,
                           const json::Value& operand, const Place& place) {
  const bool is_text = column.kind == ColumnKind::kText || column.kind == ColumnKind::kAny;
  if (!is_text) {
    return refuse(place,
                  fmt::format("\"{}\" is not for \"{}\", which is no text", op.name, column.name));
  }
  const auto* text = operand.string();
  if (text == nullptr || !is_pattern(*text)) {
    return refuse(
        place,
        fmt::format("{} is no pattern; expected text in UTF-8 without NUL, with an even number "
                    "of backslashes at its end",
                    json::show(operand)));
  }
  out.add(op.sql);
  if (auto end = add_value(out, limits, *text, place); !end) return end;
  out.add(" ESCAPE ");
  return add_value(out, limits, kEscape, place);
}

Result<void> write_list(StatementWriter& out, const StatementLimits& limits,
                        const ColumnSchema& column, const Operator& op, const json::Value& operand,
                        const Place& place) {
  const json::Array* items = operand.array();
  if (items == nullptr || items->empty()) {
    return refuse(place, fmt::format("{} is no list for \"{}\"; expected at least one value in []",
                                     json::show(operand), op.name));
  }
  if (items->size() > limits.list_max)
    return too_much(place, limits.list_max, "values", "list_max");
  out.add(op.sql);
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (i > 0) out.add(", ");
    if (auto end = bind_operand(out, limits, column, (*items)[i], Place(place, i)); !end)
      return end;
  }
  out.add(")");
  return {};
}

Result<void> write_range(StatementWriter& out, const StatementLimits& limits,
                         const ColumnSchema& column, const Operator& op, const json::Value& operand,
                         const Place& place) {
  const json::Array* ends = operand.array();
  if (ends == nullptr || ends->size() != 2) {
    return refuse(place, fmt::format("{} is no range for \"{}\"; expected two values in []",
                                     json::show(operand), op.name));
  }
  out.add(op.sql);
  if (auto end = bind_operand(out, limits, column, ends->front(), Place(place, 0)); !end)
    return end;
  out.add(" AND ");
  return bind_operand(out, limits, column, ends->back(), Place(place, 1));
}

}  // namespace

const Operator* find_operator(std::string_view name) noexcept {
  if (name.size() > kNameMax) return nullptr;
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  const auto* place = std::ranges::find_if(kOperators, [name](const Operator& each) {
    return std::ranges::equal(each.name, name, {}, {}, &ascii_lower);
  });
  return place == kOperators.end() ? nullptr : place;
}

const Operator& equality() noexcept { return kOperators.front(); }

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names;
  for (const Operator& each : kOperators) names.push_back(each.name);
  return names;
}

Result<void> write_comparison(StatementWriter& out, const StatementLimits& limits,
                              const ColumnSchema& column, const Operator& op,
                              const json::Value& operand, const Place& place) {
  out.add(column);
  switch (op.operand) {
    case Operand::kValue:
      return write_value(out, limits, column, op, operand, place);
    case Operand::kPattern:
      return write_pattern(out, limits, column, op, operand, place);
    case Operand::kList:
      return write_list(out, limits, column, op, operand, place);
    case Operand::kRange:
      return write_range(out, limits, column, op, operand, place);
  }
  return {};
}

Result<void> bind_value(StatementWriter& out, const StatementLimits& limits,
                        const ColumnSchema& column, const json::Value& value, const Place& place) {
  if (value.is_null()) return add_value(out, limits, Value(), place);
  return bind_operand(out, limits, column, value, place);
}

}  // namespace ssx::db::internal

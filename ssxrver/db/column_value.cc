#include "ssxrver/db/column_value.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"

namespace ssx::db::internal {
namespace {

// Values are made where they stay: GCC 12 warns of what a Value that is moved might hold.

std::optional<Value> whole_number(const json::Value& given) {
  if (const auto* number = given.number()) return std::make_optional<Value>(*number);
  if (const auto* number = given.negative()) return std::make_optional<Value>(*number);
  return std::nullopt;
}

std::optional<Value> whole_number_or_truth(const json::Value& given) {
  if (const auto* truth = given.boolean()) return std::make_optional<Value>(*truth);
  return whole_number(given);
}

std::optional<Value> number(const json::Value& given) {
  if (const auto* real = given.real(); real != nullptr && std::isfinite(*real))
    return std::make_optional<Value>(*real);
  return whole_number(given);
}

/// A sign, digits, and digits behind a point: no form that two databases read differently.
bool is_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  const auto point = text.find('.');
  if (point == text.npos) return is_digits(text);
  return is_digits(text.substr(0, point)) && is_digits(text.substr(point + 1));
}

std::optional<Value> decimal(const json::Value& given) {
  const auto* text = given.string();
  if (text == nullptr) return number(given);
  if (!is_decimal(*text)) return std::nullopt;
  return std::make_optional<Value>(*text);
}

std::optional<Value> text_value(const json::Value& given) {
  const auto* text = given.string();
  if (text == nullptr || !json::is_utf8(*text)) return std::nullopt;
  return std::make_optional<Value>(*text);
}

std::optional<Value> bytes_value(const json::Value& given) {
  const auto* text = given.string();
  if (text == nullptr) return std::nullopt;
  const auto decoded = base64_decode(*text, Base64::kStandard);
  if (!decoded) return std::nullopt;
  return std::make_optional<Value>(as_bytes(*decoded));
}

std::optional<Value> anything(const json::Value& given) {
  if (given.string() != nullptr) return text_value(given);
  if (given.boolean() != nullptr) return whole_number_or_truth(given);
  return number(given);
}

}  // namespace

std::optional<Value> column_value(const json::Value& given, ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kInteger:
      return whole_number_or_truth(given);
    case ColumnKind::kReal:
      return number(given);
    case ColumnKind::kDecimal:
      return decimal(given);
    case ColumnKind::kText:
      return text_value(given);
    case ColumnKind::kBytes:
      return bytes_value(given);
    case ColumnKind::kAny:
      return anything(given);
    case ColumnKind::kOpaque:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string_view expectation(ColumnKind kind) noexcept {
  switch (kind) {
    case ColumnKind::kInteger:
      return "a whole number, true or false";
    case ColumnKind::kReal:
      return "a number";
    case ColumnKind::kDecimal:
      return "a number, or the text of one";
    case ColumnKind::kText:
      return "text in UTF-8";
    case ColumnKind::kBytes:
      return "text in Base64";
    case ColumnKind::kAny:
      return "text in UTF-8, a number, true or false";
    case ColumnKind::kOpaque:
      return "null: its type has no form in JSON";
  }
  return {};
}

}  // namespace ssx::db::internal

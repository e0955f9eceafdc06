// A schema, requests as text, and what is built from them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/db/statement_builder.h"
#include "ssxrver/json/json.h"

namespace ssx::db {

inline constexpr Dialect kDoubleQuotes{"sqlite", '"', "BEGIN"};
inline constexpr Dialect kBackticks{"mysql", '`', "BEGIN"};

inline json::Value json_of(std::string_view text) {
  auto document = json::parse(text);
  SSX_ASSERT(document.has_value(), text);
  return std::move(document->root);
}

inline DatabaseSchema cinema() {
  auto schema = DatabaseSchema::create({
      {"movie",
       {{"id", ColumnKind::kInteger},
        {"name", ColumnKind::kText},
        {"length", ColumnKind::kReal},
        {"price", ColumnKind::kDecimal},
        {"poster", ColumnKind::kBytes},
        {"note", ColumnKind::kAny},
        {"place", ColumnKind::kOpaque}}},
      {"odd \"`table?", {{"a\"b", ColumnKind::kInteger}, {"c`d", ColumnKind::kText}, {"?", {}}}},
      {"user", {{"id", ColumnKind::kInteger}, {"password", ColumnKind::kText}}},
  });
  SSX_ASSERT(schema.has_value());
  return *std::move(schema);
}

inline StatementBuilder builder_of(const StatementLimits& limits = {},
                                   const Dialect& dialect = kDoubleQuotes) {
  auto builder = StatementBuilder::create(cinema(), dialect, limits);
  SSX_ASSERT(builder.has_value());
  return *std::move(builder);
}

/// The text and the values, or the name of the error and its text.
inline std::string told(const Result<Statement>& built) {
  if (built) return built->sql;
  const auto code = static_cast<Errc>(built.error().error().code().value());
  const std::string_view name = code == Errc::kInvalidRequest    ? "invalid "
                                : code == Errc::kRequestTooLarge ? "too large "
                                                                 : "? ";
  return std::string(name) + built.error().text();
}

}  // namespace ssx::db

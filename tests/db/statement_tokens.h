// Takes the text of a built statement apart, and says what in it must not be there: all that is no
// word of ours, no quoted name of the schema, and no "?".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/db/table_schema.h"

namespace ssx::db {

inline constexpr auto kStatementWords = std::to_array<std::string_view>(
    {"SELECT", "FROM",    "WHERE", "AND",    "OR",     "NOT", "IN",     "LIKE",
     "ESCAPE", "BETWEEN", "IS",    "NULL",   "ORDER",  "BY",  "DESC",   "LIMIT",
     "OFFSET", "INSERT",  "INTO",  "VALUES", "UPDATE", "SET", "DELETE", "(",
     ")",      ",",       "=",     "<>",     "<",      "<=",  ">",      ">="});

struct StatementTokens {
  std::vector<std::string> names;    ///< unquoted
  std::vector<std::string> strange;  ///< what is neither word, name nor place
  std::size_t places = 0;
};

inline StatementTokens tokens_of(std::string_view sql, char quote) {
  StatementTokens found;
  const auto is_word = [](char c) { return (c >= 'A' && c <= 'Z'); };
  const auto is_sign = [](char c) { return c == '<' || c == '>' || c == '='; };
  for (std::size_t at = 0; at < sql.size();) {
    std::size_t end = at + 1;
    if (sql[at] == quote) {
      std::string name;
      while (end < sql.size() &&
             (sql[end] != quote || sql.substr(end + 1, 1) == sql.substr(at, 1))) {
        if (sql[end] == quote) ++end;
        name += sql[end++];
      }
      if (end == sql.size()) found.strange.emplace_back(sql.substr(at));
      found.names.push_back(name);
      at = end + 1;
      continue;
    }
    if (sql[at] == '?') ++found.places;
    while (is_word(sql[at]) && end < sql.size() && is_word(sql[end])) ++end;
    while (is_sign(sql[at]) && end < sql.size() && is_sign(sql[end])) ++end;
    const std::string_view token = sql.substr(at, end - at);
    const bool known = token == " " || token == "?" ||
                       std::ranges::find(kStatementWords, token) != kStatementWords.end();
    if (!known) found.strange.emplace_back(token);
    at = end;
  }
  return found;
}

/// Empty: the statement is one of ours, with as many places as it has values, and every name in it
/// is of `table` or one of its columns.
inline std::string what_is_wrong(std::string_view sql, std::size_t values, char quote,
                                 const DatabaseSchema& schema) {
  const StatementTokens found = tokens_of(sql, quote);
  if (!found.strange.empty()) return "strange: " + found.strange.front();
  if (found.places != values) return "places: " + std::to_string(found.places);
  const auto is_table = [&schema](const std::string& name) { return schema.find(name) != nullptr; };
  for (const TableSchema& table : schema.tables()) {
    const bool all = std::ranges::all_of(found.names, [&table](const std::string& name) {
      return name == table.name() || table.find(name) != nullptr;
    });
    if (all && std::ranges::any_of(found.names, is_table)) return {};
  }
  return "names of no one table";
}

}  // namespace ssx::db

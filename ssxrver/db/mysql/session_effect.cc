#include "ssxrver/db/mysql/session_effect.h"

#include <algorithm>
#include <array>

#include "ssxrver/base/strings.h"

namespace ssx::db::mysql {
namespace {

// What is CREATE TEMPORARY the server tells.
constexpr auto kPlain = std::to_array<std::string_view>(
    {"select", "insert",   "update",    "delete",   "replace", "with",  "values",
     "table",  "show",     "explain",   "describe", "desc",    "start", "begin",
     "commit", "rollback", "savepoint", "release",  "create",  "alter", "drop",
     "rename", "do",       "truncate",  "analyze",  "optimize"});

bool is_letter(char c) noexcept { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }

/// Before any comment, which may be one that the server executes.
std::string_view first_word(std::string_view sql) noexcept {
  const auto begin = sql.find_first_not_of(" \t\r\n(");
  if (begin == std::string_view::npos) return {};
  sql.remove_prefix(begin);
  const auto* const end = std::ranges::find_if_not(sql, &is_letter);
  return sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
}

bool contains(std::string_view sql, std::string_view name) noexcept {
  return !std::ranges::search(sql, name, {}, ascii_lower).empty();
}

}  // namespace

bool may_change_session(std::string_view sql) noexcept {
  const std::string_view word = first_word(sql);
  const auto is_word = [word](std::string_view plain) { return ascii_iequals(word, plain); };
  if (std::ranges::none_of(kPlain, is_word)) return true;
  // A block of statements (BEGIN NOT ATOMIC ...) has them all between semicolons.
  if (ascii_iequals(word, "begin") && sql.find(';') != std::string_view::npos) return true;
  return sql.find('@') != std::string_view::npos || contains(sql, "get_lock");
}

}  // namespace ssx::db::mysql

// What a database of a process may be called, and how many there may be.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: kDatabaseNameMax bytes; kDatabasesMax names
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ssx::db {

inline constexpr std::size_t kDatabaseNameMax = 64;
inline constexpr std::size_t kDatabasesMax = 64;

/// "notes", "shop-eu": letters, digits, "_" and "-", so that it reads well in logs and in paths.
[[nodiscard]] constexpr bool is_database_name(std::string_view text) noexcept {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= kDatabaseNameMax && std::ranges::all_of(text, is_good);
}

}  // namespace ssx::db

// Prepared statements of one connection, by their text; the one that was not used for longest goes.
//
// Thread: one thread at a time, as its connection
// Owner:  a driver's connection
// Life:   that of the connection; a Handle's destructor closes what it stands for
// Bounds: PoolOptions::statement_cache
//
//   Prepared* const known = cache.find(sql);
//   Prepared& statement = known != nullptr ? *known : cache.insert(sql, prepare(sql));
//
// Where closing takes more than a destructor, a word to the server, what has to go is taken first:
//
//   while (auto surplus = cache.take_surplus()) co_await close(*std::move(surplus));
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::db {

template <class Handle>
class StatementCache {
 public:
  /// 0: what insert() was given last is kept until the next, and never found again.
  explicit StatementCache(std::size_t size_max) : size_max_(size_max) {}
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;
  ~StatementCache() { clear(); }

  /// Null: not there. Else it is now the one that was used last, and lives until others push it out
  /// or it is erased.
  [[nodiscard]] Handle* find(std::string_view sql) {
    if (size_max_ == 0) return nullptr;
    const auto found = by_text_.find(sql);
    if (found == by_text_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  /// What has to go before another one comes; nothing: there is room.
  [[nodiscard]] std::optional<Handle> take_surplus() {
    if (entries_.empty() || entries_.size() < size_max_) return std::nullopt;
    return take(--entries_.end());
  }
  /// Requires that it is not there. Makes room for itself.
  Handle& insert(std::string_view sql, Handle handle) {
    while (take_surplus()) {
    }
    entries_.emplace_front(std::string(sql), std::move(handle));
    const bool is_new = by_text_.emplace(entries_.front().first, entries_.begin()).second;
    SSX_ASSERT(is_new);
    return entries_.front().second;
  }

  /// One that the server does not know any more, or that is not worth its place; nothing: not
  /// there.
  std::optional<Handle> take(std::string_view sql) {
    const auto found = by_text_.find(sql);
    if (found == by_text_.end()) return std::nullopt;
    return take(found->second);
  }
  void clear() noexcept {
    by_text_.clear();
    entries_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<const std::string, Handle>>;

  Handle take(typename Entries::iterator entry) {
    Handle handle = std::move(entry->second);
    by_text_.erase(entry->first);
    entries_.erase(entry);
    return handle;
  }

  const std::size_t size_max_;
  Entries entries_;  ///< the one that was used last in front
  std::unordered_map<std::string_view, typename Entries::iterator> by_text_;
};

}  // namespace ssx::db

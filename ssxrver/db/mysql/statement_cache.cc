#include "ssxrver/db/mysql/statement_cache.h"

#include "ssxrver/base/assert.h"

namespace ssx::db::mysql {

PreparedStatement* StatementCache::find(std::string_view sql) {
  const auto found = index_.find(sql);
  if (found == index_.end()) return nullptr;
  statements_.splice(statements_.begin(), statements_, found->second);
  return &statements_.front();
}

PreparedStatement& StatementCache::insert(std::string sql) {
  statements_.emplace_front(std::move(sql));
  const bool is_new = index_.emplace(statements_.front().sql, statements_.begin()).second;
  SSX_ASSERT(is_new);
  return statements_.front();
}

StatementHandle StatementCache::take(List::iterator at) {
  StatementHandle handle = std::move(at->handle);
  index_.erase(at->sql);
  statements_.erase(at);
  return handle;
}

StatementHandle StatementCache::take_surplus() {
  while (statements_.size() > capacity_) {
    if (auto handle = take(std::prev(statements_.end()))) return handle;
  }
  return nullptr;
}

StatementHandle StatementCache::take(PreparedStatement& statement) {
  const auto found = index_.find(statement.sql);
  SSX_ASSERT(found != index_.end() && &*found->second == &statement);
  return take(found->second);
}

void StatementCache::clear() {
  index_.clear();
  statements_.clear();
}

}  // namespace ssx::db::mysql

// The statements that a session has prepared, by their text; the one not used for longest goes
// first.
//
// Thread: one thread at a time
// Owner:  a MysqlConnection
// Life:   the session's; clear() where the server has forgotten them all
// Bounds: `capacity`; one more, and then none of it, while a statement is under way
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ssxrver/db/mysql/cells.h"
#include "ssxrver/db/mysql/session.h"

namespace ssx::db::mysql {

struct PreparedStatement {
  explicit PreparedStatement(std::string text) : sql(std::move(text)) {}
  const std::string sql;
  StatementHandle handle;  ///< null: the server prepares no such statement, and takes it as text
  Cells cells;
};

class StatementCache {
 public:
  explicit StatementCache(std::size_t capacity) noexcept : capacity_(capacity) {}
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  /// Null: it is not known. Counts as its use.
  [[nodiscard]] PreparedStatement* find(std::string_view sql);
  /// Requires that `sql` is not known.
  PreparedStatement& insert(std::string sql);
  /// What has to be closed at the server to keep to the capacity; null: nothing.
  [[nodiscard]] StatementHandle take_surplus();
  /// Out of the cache, to be closed.
  [[nodiscard]] StatementHandle take(PreparedStatement& statement);
  void clear();

  [[nodiscard]] std::size_t size() const noexcept { return statements_.size(); }

 private:
  using List = std::list<PreparedStatement>;

  StatementHandle take(List::iterator at);

  const std::size_t capacity_;
  List statements_;  ///< the one used last comes first
  std::unordered_map<std::string_view, List::iterator> index_;
};

}  // namespace ssx::db::mysql

#include "ssxrver/db/mysql/connection.h"

#include <errmsg.h>
#include <fmt/format.h>
#include <mysqld_error.h>

#include <limits>
#include <utility>

#include "ssxrver/db/mysql/call.h"
#include "ssxrver/db/mysql/client_library.h"
#include "ssxrver/db/mysql/parameters.h"
#include "ssxrver/db/mysql/session_effect.h"
#include "ssxrver/net/awaitables.h"

namespace ssx::db::mysql {
namespace {

/// Whether another statement stands behind a semicolon. For a better word after the server has
/// refused the text, so it may take a semicolon within quotes for one.
bool looks_like_several(std::string_view sql) noexcept {
  const auto semicolon = sql.find(';');
  return semicolon != std::string_view::npos &&
         sql.find_first_not_of("; \t\r\n", semicolon) != std::string_view::npos;
}

UnexpectedOf<Failure> lost(const char* where) {
  return fail(Errc::kConnectionLost, where, CR_SERVER_GONE_ERROR, "the session has ended");
}

std::string quoted(std::string_view name) {
  std::string text = "`";
  for (const char c : name) text.append(c == '`' ? 2 : 1, c);
  return text + "`";
}

/// 0, which is none, for one that no int64 holds.
std::int64_t id_of(my_ulonglong id) noexcept {
  return std::in_range<std::int64_t>(id) ? static_cast<std::int64_t>(id) : 0;
}

}  // namespace

/// Counts what was read since the loop had its turn: rows that are here already are read without a
/// wait, however many they are.
class MysqlConnection::Pace {
 public:
  /// True: the others first.
  bool is_spent(std::size_t bytes) noexcept {
    ++rows_;
    bytes_ += bytes;
    if (rows_ < kRowsPerTurn && bytes_ < kBytesPerTurn) return false;
    rows_ = bytes_ = 0;
    return true;
  }

 private:
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

MysqlConnection::MysqlConnection(std::unique_ptr<Session> session, const MysqlOptions& options,
                                 std::size_t statement_cache)
    : cache_(statement_cache),
      session_(std::move(session)),
      set_names_("SET NAMES " + options.charset),
      use_database_(options.database.empty() ? "" : "USE " + quoted(options.database)) {}

Connection::State MysqlConnection::state() const noexcept {
  if (session_->broken()) return State::kBroken;
  const bool dirty = open_ != nullptr || session_changed_ || session_->in_transaction();
  return dirty ? State::kDirty : State::kClean;
}

bool MysqlConnection::has_gone() noexcept {
  if (!session_->broken() && open_ == nullptr && session_->peer_has_gone()) session_->set_broken();
  return session_->broken();
}

void MysqlConnection::note_session_state(int status) noexcept {
  if (status == 0) undone_ = false;
  if ((session_->handle()->server_status & SERVER_SESSION_STATE_CHANGED) != 0) {
    session_changed_ = true;
  }
}

Failure MysqlConnection::failure_of(MYSQL_STMT* statement, const char* where,
                                    std::string_view sql) {
  Failure failure = session_->failure(statement, where);
  if (undoes_transaction(static_cast<unsigned>(failure.vendor_code()))) undone_ = true;
  if (failure.vendor_code() == ER_PARSE_ERROR && looks_like_several(sql)) {
    return {Error(make_error_code(Errc::kUnsupported), where), ER_PARSE_ERROR,
            "one statement, and no more"};
  }
  return failure;
}

Task<> MysqlConnection::forget(PreparedStatement& prepared) {
  const auto taken = cache_.take(prepared.sql);
  StatementHandle handle = std::move((*taken)->handle);
  if (handle != nullptr) co_await close_call(*session_, handle.release());
}

Task<Result<PreparedStatement*>> MysqlConnection::prepare(std::string_view sql,
                                                          bool has_parameters) {
  if (auto* const known = cache_.find(sql)) co_return known->get();
  if (auto taken = check_text(sql); !taken) co_return fail(std::move(taken).error());
  while (auto surplus = cache_.take_surplus()) {
    StatementHandle handle = std::move((*surplus)->handle);
    if (handle != nullptr) co_await close_call(*session_, handle.release());
  }
  StatementHandle handle(client().mysql_stmt_init(session_->handle()));
  if (handle == nullptr) {
    co_return fail(Errc::kRejected, "prepare", CR_OUT_OF_MEMORY, "out of memory");
  }
  if (co_await prepare_call(*session_, handle.get(), sql) != 0) {
    // BEGIN and its like, at some servers.
    const bool as_text =
        client().mysql_stmt_errno(handle.get()) == ER_UNSUPPORTED_PS && !has_parameters;
    if (!as_text) co_return fail(failure_of(handle.get(), "prepare", sql));
    handle.reset();
  }
  auto prepared = std::make_unique<PreparedStatement>(std::string(sql), std::move(handle),
                                                      may_change_session(sql));
  co_return cache_.insert(sql, std::move(prepared)).get();
}

Task<Result<Batch>> MysqlConnection::execute(Statement statement, BatchLimits limits) {
  if (open_ != nullptr && !session_->broken()) {
    const auto dropped = co_await drop_result();
    if (!dropped) co_return fail(dropped.error());
  }
  if (session_->broken()) co_return lost("execute");
  const auto prepared = co_await prepare(statement.sql, !statement.parameters.empty());
  if (!prepared) co_return fail(prepared.error());
  if ((*prepared)->handle == nullptr) {
    if ((*prepared)->changes_session) session_changed_ = true;
    co_return co_await execute_text(statement.sql, limits);
  }
  const std::size_t places = client().mysql_stmt_param_count((*prepared)->handle.get());
  if (places != statement.parameters.size()) {
    co_return fail(Errc::kParameterCount, "execute", 0,
                   fmt::format("{} places, {} parameters", places, statement.parameters.size()));
  }
  if ((*prepared)->changes_session) session_changed_ = true;
  co_return co_await execute_prepared(**prepared, statement.parameters, limits);
}

Task<Result<Batch>> MysqlConnection::execute_prepared(PreparedStatement& prepared,
                                                      const Values& parameters,
                                                      BatchLimits limits) {
  MYSQL_STMT* const statement = prepared.handle.get();
  Parameters bound(parameters);
  if (!bound.bind(statement)) co_return fail(failure_of(statement, "execute", prepared.sql));
  const int status = co_await execute_call(*session_, statement);
  note_session_state(status);
  if (status != 0) {
    Failure failure = failure_of(statement, "execute", prepared.sql);
    // A table was altered, or the server has forgotten it: the next one prepares again.
    if (!session_->broken() && (failure.vendor_code() == ER_NEED_REPREPARE ||
                                failure.vendor_code() == ER_UNKNOWN_STMT_HANDLER)) {
      co_await forget(prepared);
    }
    co_return fail(std::move(failure));
  }
  open_ = &prepared;
  if (client().mysql_stmt_field_count(statement) == 0) {
    RowsBuilder builder(limits);
    builder.set_affected(client().mysql_stmt_affected_rows(statement));
    builder.set_last_insert_id(id_of(client().mysql_stmt_insert_id(statement)));
    const auto closed = co_await close_result();
    if (!closed) co_return fail(closed.error());
    co_return Batch(builder.take(), false);
  }
  if (!prepared.cells.bind(statement)) {
    session_->set_broken();
    co_return fail(failure_of(statement, "execute", prepared.sql));
  }
  co_return co_await read(limits);
}

Task<Result<Batch>> MysqlConnection::execute_text(std::string_view sql, BatchLimits limits) {
  const auto done = co_await run(sql);
  if (!done) co_return fail(done.error());
  RowsBuilder builder(limits);
  builder.set_affected(client().mysql_affected_rows(session_->handle()));
  builder.set_last_insert_id(id_of(client().mysql_insert_id(session_->handle())));
  co_return Batch(builder.take(), false);
}

Task<Result<void>> MysqlConnection::run(std::string_view sql) {
  const int status = co_await query_call(*session_, sql);
  note_session_state(status);
  if (status != 0) {
    Failure failure = session_->failure("execute");
    if (undoes_transaction(static_cast<unsigned>(failure.vendor_code()))) undone_ = true;
    co_return fail(std::move(failure));
  }
  if (client().mysql_field_count(session_->handle()) != 0 ||
      client().mysql_more_results(session_->handle())) {
    session_->set_broken();  // rows as text are on their way
    co_return fail(Errc::kUnsupported, "execute", 0, "rows of a statement that is not prepared");
  }
  co_return Result<void>();
}

Task<Result<Batch>> MysqlConnection::fetch(BatchLimits limits) {
  if (session_->broken() || open_ == nullptr) co_return lost("fetch");
  co_return co_await read(limits);
}

Task<Result<Batch>> MysqlConnection::read(BatchLimits limits) {
  PreparedStatement& prepared = *open_;
  MYSQL_STMT* const statement = prepared.handle.get();
  RowsBuilder builder(limits, prepared.cells.names());
  Pace pace;
  for (;;) {
    if (!row_waits_) {
      const int status = co_await fetch_call(*session_, statement);
      if (status == MYSQL_NO_DATA) break;
      if (status != 0 && status != MYSQL_DATA_TRUNCATED) {
        Failure failure = failure_of(statement, "fetch", prepared.sql);
        session_->set_broken();  // where in the result it stands is not known
        co_return fail(std::move(failure));
      }
      row_waits_ = true;
    }
    // Looked at before there is room for it; behind other rows it belongs to the next batch.
    const std::size_t bytes = prepared.cells.text_bytes();
    auto added = builder.size() > 0 ? RowsBuilder::Added::kFull : RowsBuilder::Added::kTooLarge;
    if (bytes <= limits.bytes_max) {
      if (!prepared.cells.complete(statement)) {
        session_->set_broken();
        co_return fail(failure_of(statement, "fetch", prepared.sql));
      }
      added = builder.add_row([&cells = prepared.cells](std::size_t i) { return cells.cell(i); });
    }
    switch (added) {
      case RowsBuilder::Added::kTaken:
        row_waits_ = false;
        if (pace.is_spent(bytes)) co_await net::yield();
        continue;
      case RowsBuilder::Added::kFull:
        co_return Batch(builder.take(), true);
      case RowsBuilder::Added::kTooLarge:
        co_return fail(Errc::kResultTooLarge, "fetch");
    }
  }
  const auto closed = co_await close_result();
  if (!closed) co_return fail(closed.error());
  co_return Batch(builder.take(), false);
}

Task<Result<void>> MysqlConnection::drop_result() {
  row_waits_ = false;
  const auto dropped = co_await drop_rows(open_->cells);
  if (!dropped) co_return fail(dropped.error());
  co_return co_await close_result();
}

Task<Result<void>> MysqlConnection::drop_rows(const Cells& bound) {
  MYSQL_STMT* const statement = open_->handle.get();
  std::size_t bytes = 0;
  Pace pace;
  for (std::size_t rows = 0; rows < kRowsDropped && bytes < kBytesDropped; ++rows) {
    const int status = co_await fetch_call(*session_, statement);
    if (status == MYSQL_NO_DATA) co_return Result<void>();
    if (status != 0 && status != MYSQL_DATA_TRUNCATED) {
      Failure failure = failure_of(statement, "fetch", open_->sql);
      session_->set_broken();
      co_return fail(std::move(failure));
    }
    const std::size_t row = bound.text_bytes();
    bytes += row;
    if (pace.is_spent(row)) co_await net::yield();
  }
  session_->set_interrupted();  // a new session is sooner there than the end of this result
  co_return fail(Errc::kConnectionLost, "fetch", 0, "the rest of a result is too long to be read");
}

Task<Result<void>> MysqlConnection::close_result() {
  PreparedStatement& prepared = *open_;
  MYSQL_STMT* const statement = prepared.handle.get();
  row_waits_ = false;
  bool several = false;
  for (;;) {
    if (co_await free_result_call(*session_, statement) != 0) {
      session_->set_broken();
      co_return fail(failure_of(statement, "fetch", prepared.sql));
    }
    // A procedure gives a result for each of its SELECTs, and one of its own. The first counts.
    if (client().mysql_stmt_more_results(statement) == 0) break;
    several = true;
    const int status = co_await next_result_call(*session_, statement);
    if (status > 0) {
      session_->set_broken();
      co_return fail(failure_of(statement, "fetch", prepared.sql));
    }
    if (status < 0) break;
    // How a result is read the library notes with the first that has rows, and follows that note
    // here also where it is null. An honest server begins with rows, or gives one result.
    if (statement->default_rset_handler == nullptr) {
      session_->set_interrupted();
      co_return fail(Errc::kConnectionLost, "fetch", CR_MALFORMED_PACKET, "a result after none");
    }
    if (client().mysql_stmt_field_count(statement) == 0) continue;
    // Without a place to write to the library follows a null.
    Cells& unwanted = prepared.unwanted.emplace();
    if (!unwanted.bind(statement)) {
      session_->set_broken();
      co_return fail(failure_of(statement, "fetch", prepared.sql));
    }
    const auto dropped = co_await drop_rows(unwanted);
    if (!dropped) co_return fail(dropped.error());
  }
  note_session_state(0);
  open_ = nullptr;
  prepared.cells.shrink();
  // After several results the columns are those of the last.
  if (several || prepared.cells.renamed()) co_await forget(prepared);
  co_return Result<void>();
}

Task<Result<void>> MysqlConnection::reset() {
  if (session_->broken()) co_return lost("reset");
  if (open_ != nullptr) {
    const auto dropped = co_await drop_result();
    if (!dropped) co_return fail(dropped.error());
  }
  // The library would read away for ever what a server says is left.
  const MYSQL& mysql = *session_->handle();
  if (mysql.status != MYSQL_STATUS_READY || client().mysql_more_results(session_->handle()) != 0) {
    session_->set_broken();
    co_return lost("reset");
  }
  if (session_changed_ && use_database_.empty()) {
    co_return fail(Errc::kRejected, "reset", 0, "a database that was chosen stays so");
  }
  const int status = co_await reset_call(*session_);
  if (status != 0) {
    session_->set_broken();  // before any statement is closed, which would send a word
    co_return fail(session_->failure("reset"));
  }
  cache_.clear();
  // Servers keep the database that somebody has chosen, and some forget the character set.
  if (session_changed_) {
    const auto back = co_await run(use_database_);
    if (!back) co_return fail(back.error());
  }
  const auto named = co_await run(set_names_);
  if (!named) co_return fail(named.error());
  const auto begun = co_await run(kSessionBegin);
  if (!begun) co_return fail(begun.error());
  session_changed_ = false;
  co_return Result<void>();
}

Task<Result<void>> MysqlConnection::ping() {
  if (session_->broken()) co_return lost("ping");
  const int status = co_await ping_call(*session_);
  if (status != 0) {
    session_->set_broken();
    co_return fail(session_->failure("ping"));
  }
  co_return Result<void>();
}

}  // namespace ssx::db::mysql

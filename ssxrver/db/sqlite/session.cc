#include "ssxrver/db/sqlite/session.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::db::internal {
namespace {

/// How many steps of its virtual machine SQLite does before it asks whether to go on: some 50 us.
constexpr int kProgressSteps = 4000;

Errc errc_of(int code, bool preparing) {
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return Errc::kConstraint;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Errc::kConflict;
    case SQLITE_READONLY:
      return Errc::kReadOnly;
    case SQLITE_FULL:
      return Errc::kFull;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Errc::kDamaged;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return Errc::kUnavailable;
    case SQLITE_INTERRUPT:
      return Errc::kCancelled;
    case SQLITE_TOOBIG:
      return Errc::kResultTooLarge;
    case SQLITE_ERROR:
      return preparing ? Errc::kSyntax : Errc::kRejected;
    default:
      return Errc::kRejected;
  }
}

/// The file is not to be trusted any more, or the session.
bool breaks(int code) {
  constexpr auto kCodes = std::to_array({SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR,
                                         SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_INTERNAL});
  return std::ranges::find(kCodes, code & 0xff) != kCodes.end();
}

ValueView cell(sqlite3_stmt* statement, int column) {
  const auto text = [statement, column](const void* data) {
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return std::string_view(static_cast<const char*>(data), data == nullptr ? 0 : size);
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return ValueView::of_int64(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return ValueView::of_double(sqlite3_column_double(statement, column));
    case SQLITE_TEXT:
      return ValueView::of_text(text(sqlite3_column_text(statement, column)));
    case SQLITE_BLOB:
      return ValueView::of_bytes(as_bytes(text(sqlite3_column_blob(statement, column))));
    default:
      return {};
  }
}

int bind_one(sqlite3_stmt* statement, int place, const ValueView& value) {
  switch (value.type()) {
    case Type::kNull:
      return sqlite3_bind_null(statement, place);
    case Type::kInt64:
      return sqlite3_bind_int64(statement, place, value.int64());
    case Type::kUint64:
      return SQLITE_RANGE;  // a Value has this form only above what an int64 holds
    case Type::kDouble:
      return sqlite3_bind_double(statement, place, value.real());
    case Type::kText:
      return sqlite3_bind_text64(statement, place, value.text().data(), value.text().size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
    case Type::kBytes:
      // Of no bytes there may be no address, which would be NULL.
      if (value.text().empty()) return sqlite3_bind_zeroblob(statement, place, 0);
      return sqlite3_bind_blob64(statement, place, value.text().data(), value.text().size(),
                                 SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

}  // namespace

void SqliteClose::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
void SqliteClose::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

// ---- opening

Result<std::shared_ptr<SqliteSession>> SqliteSession::open(const Options& options) {
  std::shared_ptr<SqliteSession> session(new SqliteSession(options));
  // One thread at a time is our own affair: no mutex in each call. A path is not a URI.
  int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (options.memory) flags |= SQLITE_OPEN_URI;
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(options.name.c_str(), &database, flags, nullptr);
  session->database_.reset(database);  // also when it failed: it holds the reason
  if (opened != SQLITE_OK) return session->failure(opened);
  if (auto end = session->set_up(options); !end) return fail(std::move(end).error());
  return session;
}

Result<void> SqliteSession::set_up(const Options& options) {
  sqlite3* const database = database_.get();
  sqlite3_busy_handler(database, &on_busy, this);
  sqlite3_progress_handler(database, kProgressSteps, &on_progress, this);
  const auto length = std::min<std::size_t>(options.length_max, std::numeric_limits<int>::max());
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, static_cast<int>(length));
  // What is in quotes of a name is a name: a misspelt column is an error, not a text. And no
  // statement writes into the file's own tables.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  // Readers and a writer at once. A commit is safe from a crash of the process; the power may take
  // the last ones along, but leaves no half of one.
  if (!options.memory) {
    if (auto end = run("PRAGMA journal_mode = WAL"); !end) return end;
  }
  return run("PRAGMA synchronous = NORMAL");
}

Result<void> SqliteSession::run(const char* sql) {
  const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

// ---- a statement

Result<Batch> SqliteSession::execute(Statement statement, const BatchLimits& limits) {
  close_result();
  auto prepared = prepare(statement.sql);
  if (!prepared) return fail(std::move(prepared).error());
  running_ = std::move(statement);
  open_ = *prepared;
  if (auto end = bind((*prepared)->handle.get()); !end) {
    close_result();
    return fail(std::move(end).error());
  }
  changes_before_ = sqlite3_total_changes64(database_.get());
  sqlite3_set_last_insert_rowid(database_.get(), 0);
  return read(limits);
}

Result<SqliteSession::Prepared*> SqliteSession::prepare(std::string_view sql) {
  if (Prepared* const known = statements_.find(sql)) return known;
  if (sql.size() >= std::numeric_limits<int>::max()) return failure(SQLITE_TOOBIG);
  const auto compile = [this](std::string_view text, sqlite3_stmt*& made, std::string_view& rest) {
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, &tail);
    if (code == SQLITE_OK) rest = text.substr(static_cast<std::size_t>(tail - text.data()));
    return code;
  };
  sqlite3_stmt* made = nullptr;
  std::string_view rest;
  const int code = compile(sql, made, rest);
  Prepared prepared;
  prepared.handle.reset(made);
  if (code != SQLITE_OK) return failure(code, true);
  if (made == nullptr) return fail(Errc::kSyntax, "query", 0, "there is no statement");
  // Blanks and comments may follow; of anything else a statement is made, or an error.
  while (!rest.empty()) {
    sqlite3_stmt* second = nullptr;
    const int more = compile(rest, second, rest);
    const std::unique_ptr<sqlite3_stmt, SqliteClose> owned(second);
    if (more != SQLITE_OK || second != nullptr) {
      return fail(Errc::kUnsupported, "query", 0, "more than one statement");
    }
  }
  return &statements_.insert(sql, std::move(prepared));
}

Result<void> SqliteSession::bind(sqlite3_stmt* statement) {
  const Values& values = running_.parameters;
  const auto places = static_cast<std::size_t>(sqlite3_bind_parameter_count(statement));
  if (places != values.size()) {
    const std::string said = std::to_string(values.size()) + " for " + std::to_string(places);
    return fail(Errc::kParameterCount, "query", 0, said);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int code = bind_one(statement, static_cast<int>(i) + 1, values[i].view());
    if (code == SQLITE_RANGE) return fail(Errc::kOutOfRange, "query", 0, "above 2^63 - 1");
    if (code != SQLITE_OK) return failure(code);
  }
  return {};
}

Result<Batch> SqliteSession::fetch(const BatchLimits& limits) {
  SSX_ASSERT(open_ != nullptr);
  return read(limits);
}

Result<Batch> SqliteSession::read(const BatchLimits& limits) {
  sqlite3_stmt* const statement = open_->handle.get();
  // The first step comes before the names: it may find another schema.
  int code = has_row_ ? SQLITE_ROW : sqlite3_step(statement);
  RowsBuilder builder(limits, columns());
  const auto cell_at = [statement](std::size_t i) { return cell(statement, static_cast<int>(i)); };
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    switch (builder.add_row(cell_at)) {
      case RowsBuilder::Added::kTaken:
        break;
      case RowsBuilder::Added::kFull:
        has_row_ = true;
        return Batch(builder.take(), true);
      case RowsBuilder::Added::kTooLarge:
        close_result();
        return fail(Errc::kResultTooLarge, "query");
    }
  }
  if (code != SQLITE_DONE) {
    auto failed = failure(code);
    close_result();
    return failed;
  }
  if (sqlite3_total_changes64(database_.get()) != changes_before_) {
    builder.set_affected(static_cast<std::uint64_t>(sqlite3_changes64(database_.get())));
  }
  builder.set_last_insert_id(sqlite3_last_insert_rowid(database_.get()));
  close_result();
  return Batch(builder.take(), false);
}

ColumnNames SqliteSession::columns() {
  sqlite3_stmt* const statement = open_->handle.get();
  const int prepared = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
  if (std::exchange(open_->prepared, prepared) == prepared) return open_->columns;
  std::vector<std::string> names;
  const int count = sqlite3_column_count(statement);
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const char* const name = sqlite3_column_name(statement, i);
    names.emplace_back(name == nullptr ? "" : name);
  }
  open_->columns = std::make_shared<const std::vector<std::string>>(std::move(names));
  return open_->columns;
}

void SqliteSession::close_result() noexcept {
  if (open_ == nullptr) return;
  sqlite3_reset(open_->handle.get());  // says again what sqlite3_step() has said
  sqlite3_clear_bindings(open_->handle.get());
  open_ = nullptr;
  has_row_ = false;
  running_ = Statement();
}

// ---- the session

Result<void> SqliteSession::reset() {
  close_result();
  if (sqlite3_get_autocommit(database_.get()) != 0) return {};
  return run("ROLLBACK");
}

Connection::State SqliteSession::state() const noexcept {
  if (broken_ || stopped_.load(std::memory_order_relaxed)) return Connection::State::kBroken;
  const bool in_transaction = sqlite3_get_autocommit(database_.get()) == 0;
  return open_ != nullptr || in_transaction ? Connection::State::kDirty : Connection::State::kClean;
}

void SqliteSession::stop() noexcept {
  stopped_.store(true, std::memory_order_relaxed);
  sqlite3_interrupt(database_.get());  // for what does not ask on_progress: sorting, a commit
}

UnexpectedOf<Failure> SqliteSession::failure(int code, bool preparing) {
  if (breaks(code)) broken_ = true;
  const char* const said =
      database_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database_.get());
  return fail(errc_of(code, preparing), "query", code, said);
}

/// Somebody else holds the lock: a little later once more.
int SqliteSession::on_busy(void* self, int count) noexcept {
  const auto& session = *static_cast<const SqliteSession*>(self);
  constexpr int kShort = 10;  // so many pauses of 1 ms first: most locks are held for less
  constexpr int kPause = 10;
  if (session.stopped_.load(std::memory_order_relaxed)) return 0;
  const int waited = count <= kShort ? count : kShort + (count - kShort) * kPause;
  if (milliseconds(waited) >= session.busy_timeout_) return 0;
  sqlite3_sleep(count < kShort ? 1 : kPause);
  return 1;
}

int SqliteSession::on_progress(void* self) noexcept {
  return static_cast<const SqliteSession*>(self)->stopped_.load(std::memory_order_relaxed) ? 1 : 0;
}

}  // namespace ssx::db::internal

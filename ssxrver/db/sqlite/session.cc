#include "ssxrver/db/sqlite/session.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::db::internal {
namespace {

/// How many steps of its virtual machine SQLite does before it asks whether to go on: some 50 us.
constexpr int kProgressSteps = 4000;

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

/// What stays with the session when the statement is over, and cannot be undone but by its end.
bool is_change_of_session(int action, const char* second, const char* database) noexcept {
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_TRIGGER:
    case SQLITE_DROP_TEMP_VIEW:
      return true;
    // `temp.name` is another way to say it.
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_VTABLE:
      return database != nullptr && std::strcmp(database, "temp") == 0;
    case SQLITE_PRAGMA:
      return second != nullptr;  // without a value it only tells
    default:
      return false;
  }
}

}  // namespace

void SqliteClose::operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
void SqliteClose::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

// ---- opening

std::string SqliteSession::name_in_memory() {
  std::array<std::uint64_t, 2> random{};
  sqlite3_randomness(sizeof random, random.data());
  // Of a name that begins with "/" all connections of the process see the same database.
  return fmt::format("file:/ssxrver-{:016x}{:016x}?vfs=memdb", random[0], random[1]);
}

Result<std::shared_ptr<SqliteSession>> SqliteSession::open_within(const Options& options,
                                                                  milliseconds patience) {
  constexpr milliseconds kPause{10};
  auto opened = open(options);
  for (milliseconds waited{0}; waited < patience; waited += kPause) {
    if (opened || !(opened.error() == Errc::kConflict)) break;
    sqlite3_sleep(static_cast<int>(kPause.count()));
    opened = open(options);
  }
  return opened;
}

Result<std::shared_ptr<SqliteSession>> SqliteSession::open(const Options& options) {
  std::shared_ptr<SqliteSession> session(new SqliteSession(options));
  // One thread at a time is our own affair: no mutex in each call. A path is not a URI.
  int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (options.memory) flags |= SQLITE_OPEN_URI;
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(options.name.c_str(), &database, flags, nullptr);
  session->database_.reset(database);  // also when it failed: it holds the reason
  if (opened != SQLITE_OK) return session->failure(opened, Phase::kRunning);
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
  if (auto end = run("PRAGMA synchronous = NORMAL"); !end) return end;
  sqlite3_set_authorizer(database, &on_prepare, this);
  return {};
}

Result<void> SqliteSession::run(const char* sql) {
  const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code, Phase::kRunning);
  return {};
}

// ---- a statement

Result<Batch> SqliteSession::execute(Statement statement, const BatchLimits& limits) {
  close_result();
  running_ = std::move(statement);
  return retry(limits);
}

Result<Batch> SqliteSession::retry(const BatchLimits& limits) {
  met_lock_ = blocked_ = false;
  auto batch = attempt(limits);
  if (batch) return batch;
  blocked_ = met_lock_ && batch.error() == Errc::kConflict;
  if (blocked_) {
    close_statement();
  } else {
    close_result();
  }
  return batch;
}

void SqliteSession::forget_blocked() noexcept {
  SSX_ASSERT(open_ == nullptr);
  blocked_ = false;
  running_ = Statement();
}

Result<Batch> SqliteSession::attempt(const BatchLimits& limits) {
  auto prepared = prepare(running_.sql);
  if (!prepared) return fail(std::move(prepared).error());
  open_ = *prepared;
  if (open_->changes_session) session_changed_ = true;
  if (auto end = bind(open_->handle.get()); !end) return fail(std::move(end).error());
  changes_before_ = sqlite3_total_changes64(database_.get());
  sqlite3_set_last_insert_rowid(database_.get(), 0);
  return read(limits);
}

Result<SqliteSession::Prepared*> SqliteSession::prepare(std::string_view sql) {
  if (Prepared* const known = statements_.find(sql)) return known;
  if (auto taken = check_text(sql); !taken) return fail(std::move(taken).error());
  if (sql.size() >= std::numeric_limits<int>::max()) {
    return fail(Errc::kStatementTooLong, "query", SQLITE_TOOBIG, sqlite3_errstr(SQLITE_TOOBIG));
  }
  const auto compile = [this](std::string_view text, sqlite3_stmt*& made, std::string_view& rest) {
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()),
                                        SQLITE_PREPARE_PERSISTENT, &made, &tail);
    if (code == SQLITE_OK) rest = text.substr(static_cast<std::size_t>(tail - text.data()));
    return code;
  };
  sqlite3_stmt* made = nullptr;
  std::string_view rest;
  changes_session_ = false;
  const int code = compile(sql, made, rest);
  Prepared prepared;
  prepared.handle.reset(made);
  prepared.changes_session = changes_session_;
  if (code != SQLITE_OK) return failure(code, Phase::kPreparing);
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
    if (code != SQLITE_OK) return failure(code, Phase::kBinding);
  }
  return {};
}

Result<Batch> SqliteSession::fetch(const BatchLimits& limits) {
  SSX_ASSERT(open_ != nullptr);
  auto batch = read(limits);
  if (!batch) close_result();
  return batch;
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
        return fail(Errc::kResultTooLarge, "query");
    }
  }
  if (code != SQLITE_DONE) {
    if (builder.size() > 0) met_lock_ = false;  // tried again it would give those rows twice
    return failure(code, Phase::kRunning);
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

void SqliteSession::close_statement() noexcept {
  if (open_ == nullptr) return;
  sqlite3_reset(open_->handle.get());  // says again what sqlite3_step() has said
  sqlite3_clear_bindings(open_->handle.get());
  open_ = nullptr;
  has_row_ = false;
}

void SqliteSession::close_result() noexcept {
  close_statement();
  running_ = Statement();
}

// ---- the session

Result<void> SqliteSession::reset() {
  close_result();
  if (session_changed_) {
    return fail(Errc::kRejected, "reset", 0, "what was done to the session ends with it only");
  }
  if (sqlite3_get_autocommit(database_.get()) != 0) return {};
  return run("ROLLBACK");
}

Connection::State SqliteSession::state() const noexcept {
  if (broken_ || stopped_.load(std::memory_order_relaxed)) return Connection::State::kBroken;
  const bool dirty = open_ != nullptr || session_changed_ || in_transaction();
  return dirty ? Connection::State::kDirty : Connection::State::kClean;
}

bool SqliteSession::in_transaction() const noexcept {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

void SqliteSession::stop() noexcept {
  stopped_.store(true, std::memory_order_relaxed);
  sqlite3_interrupt(database_.get());  // for what does not ask on_progress: sorting, a commit
}

Errc SqliteSession::errc_of(int code, Phase phase) noexcept {
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
      return phase == Phase::kRunning ? Errc::kResultTooLarge : Errc::kStatementTooLong;
    case SQLITE_ERROR:
      return phase == Phase::kPreparing ? Errc::kSyntax : Errc::kRejected;
    default:
      return Errc::kRejected;
  }
}

UnexpectedOf<Failure> SqliteSession::failure(int code, Phase phase) {
  if (breaks(code)) broken_ = true;
  const char* const said =
      database_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database_.get());
  return fail(errc_of(code, phase), "query", code, said);
}

/// Somebody else holds the lock. Waiting for it is the loop's: here it would take a thread.
int SqliteSession::on_busy(void* self, int) noexcept {
  static_cast<SqliteSession*>(self)->met_lock_ = true;
  return 0;
}

int SqliteSession::on_prepare(void* self, int action, const char*, const char* second,
                              const char* database, const char*) noexcept {
  if (is_change_of_session(action, second, database)) {
    static_cast<SqliteSession*>(self)->changes_session_ = true;
  }
  return SQLITE_OK;
}

int SqliteSession::on_progress(void* self) noexcept {
  return static_cast<const SqliteSession*>(self)->stopped_.load(std::memory_order_relaxed) ? 1 : 0;
}

}  // namespace ssx::db::internal

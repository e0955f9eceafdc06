#include "ssxrver/db/sqlite/sqlite_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/db/sqlite/session.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::db {

using internal::SqliteSession;

namespace {

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(net::TaskPool& tasks, std::shared_ptr<SqliteSession> session) noexcept
      : tasks_(tasks), session_(std::move(session)) {}

  Task<Result<Batch>> execute(Statement statement, BatchLimits limits) override {
    return run<Batch>([session = session_, statement = std::move(statement), limits]() mutable {
      return session->execute(std::move(statement), limits);
    });
  }
  Task<Result<Batch>> fetch(BatchLimits limits) override {
    return run<Batch>([session = session_, limits] { return session->fetch(limits); });
  }
  Task<Result<void>> reset() override {
    return run<void>([session = session_] { return session->reset(); });
  }
  /// It is in this process.
  Task<Result<void>> ping() override { co_return Result<void>(); }
  [[nodiscard]] State state() const noexcept override { return state_; }

  std::shared_ptr<SqliteSession> take_session() noexcept { return std::move(session_); }

 private:
  /// While it is away the session is the task thread's, and kBroken is what to know about it.
  template <class T, class Work>
  Task<Result<T>> run(Work work) {
    const State before = std::exchange(state_, State::kBroken);
    auto job = tasks_.run(std::move(work));
    auto done = co_await job;
    if (!done) {
      state_ = before;  // it has not run
      co_return fail(Errc::kUnavailable, "query", 0, done.error().message());
    }
    state_ = session_->state();
    co_return *std::move(done);
  }

  net::TaskPool& tasks_;
  std::shared_ptr<SqliteSession> session_;
  State state_ = State::kClean;
};

SqliteSession::Options session_options(const std::string& name, const SqliteOptions& options,
                                       const PoolOptions& pool) {
  return {.name = name,
          .memory = options.file.empty(),
          .busy_timeout = options.busy_timeout,
          .statement_cache = pool.statement_cache,
          .length_max = std::max(pool.bytes_max, pool.statement_bytes_max)};
}

}  // namespace

SqliteDriver::SqliteDriver(net::TaskPool& tasks, const SqliteOptions& options,
                           const PoolOptions& pool)
    : tasks_(tasks), options_(options), pool_(pool), name_(options.file) {
  // Of a name that begins with "/" all connections of the process see the same database.
  if (name_.empty()) name_ = fmt::format("file:/ssxrver-{}?vfs=memdb", fmt::ptr(this));
}

SqliteDriver::~SqliteDriver() = default;

Result<std::unique_ptr<SqliteDriver>> SqliteDriver::create(net::TaskPool& tasks,
                                                           const SqliteOptions& options,
                                                           const PoolOptions& pool) {
  const net::TaskOptions& threads = tasks.options();
  if (threads.threads == 0 && threads.overflow != net::TaskOverflow::kRunOnLoop) {
    return fail(Errc::kUnsupported, "sqlite", 0, "it needs task threads, and there are none");
  }
  std::unique_ptr<SqliteDriver> driver(new SqliteDriver(tasks, options, pool));
  auto opened = SqliteSession::open(session_options(driver->name_, options, pool));
  if (!opened) return fail(std::move(opened).error());
  if (options.file.empty()) driver->anchor_ = *std::move(opened);
  return driver;
}

Task<Result<std::unique_ptr<Connection>>> SqliteDriver::connect() {
  auto job = tasks_.run(
      [options = session_options(name_, options_, pool_)] { return SqliteSession::open(options); });
  auto done = co_await job;
  if (!done) co_return fail(Errc::kUnavailable, "connect", 0, done.error().message());
  if (!*done) co_return fail(std::move(*done).error());
  co_return std::make_unique<SqliteConnection>(tasks_, **std::move(done));
}

/// Closing may write to the disk, so it is work for a task thread, too.
void SqliteDriver::discard(std::unique_ptr<Connection> connection) noexcept {
  auto session = static_cast<SqliteConnection&>(*connection).take_session();
  session->stop();
  net::EventLoop* const loop = net::EventLoop::current();
  if (loop == nullptr) return;
  tasks_.run(
      *loop, [session = std::move(session)]() mutable { session.reset(); },
      [](const ssx::Result<void>&) {});
}

const Dialect& SqliteDriver::dialect() const noexcept {
  // A transaction that first reads and then writes would fail where another has written meanwhile.
  static constexpr Dialect kDialect{"sqlite", '"', "BEGIN IMMEDIATE"};
  return kDialect;
}

}  // namespace ssx::db

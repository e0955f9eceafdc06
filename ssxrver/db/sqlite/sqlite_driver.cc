#include "ssxrver/db/sqlite/sqlite_driver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/db/sqlite/session.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::db {

using internal::SqliteSession;

namespace {

/// The pauses of one who waits for a lock: on the loop, so that he takes no task thread from the
/// one who has it. Most are held for less than the first.
class LockWait {
 public:
  explicit LockWait(milliseconds patience) noexcept : patience_(patience) {}

  /// How long to sleep before the next attempt; zero: it is not tried again.
  Duration next() {
    const TimePoint now = net::EventLoop::current()->now();
    if (!end_) end_ = now + patience_;
    pause_ = std::min(pause_ * 2, kPauseMax);
    return std::clamp<Duration>(*end_ - now, Duration::zero(), pause_);
  }

 private:
  static constexpr std::chrono::microseconds kPauseMax{16000};

  const milliseconds patience_;
  std::chrono::microseconds pause_{500};
  std::optional<TimePoint> end_;
};

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(net::TaskPool& tasks, milliseconds busy_timeout,
                   std::shared_ptr<SqliteSession> session) noexcept
      : tasks_(tasks), busy_timeout_(busy_timeout), session_(std::move(session)) {}

  Task<Result<Batch>> execute(Statement statement, BatchLimits limits) override {
    auto first = [session = session_, statement = std::move(statement), limits]() mutable {
      return session->execute(std::move(statement), limits);
    };
    Result<Batch> batch = co_await run<Batch>(std::move(first));
    LockWait wait(busy_timeout_);
    while (is_blocked(batch)) {
      const Duration pause = wait.next();
      if (pause == Duration::zero()) {
        session_->forget_blocked();
        break;
      }
      co_await net::sleep_for(pause);
      auto again = [session = session_, limits] { return session->retry(limits); };
      batch = co_await run<Batch>(std::move(again));
    }
    co_return batch;
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
  [[nodiscard]] bool in_transaction() const noexcept override { return in_transaction_; }

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
    in_transaction_ = session_->in_transaction();
    co_return *std::move(done);
  }
  /// The session is here, and not on a task thread: of one that was not let in, nothing is known.
  [[nodiscard]] bool is_blocked(const Result<Batch>& batch) const noexcept {
    return !batch && batch.error() == Errc::kConflict && session_->is_blocked();
  }

  net::TaskPool& tasks_;
  const milliseconds busy_timeout_;
  std::shared_ptr<SqliteSession> session_;
  State state_ = State::kClean;
  bool in_transaction_ = false;
};

SqliteSession::Options session_options(const std::string& name, const SqliteOptions& options,
                                       const PoolOptions& pool) {
  return {.name = name,
          .memory = options.file.empty(),
          .statement_cache = pool.statement_cache,
          .length_max = std::max(pool.bytes_max, pool.statement_bytes_max)};
}

}  // namespace

SqliteDriver::SqliteDriver(net::TaskPool& tasks, const SqliteOptions& options,
                           const PoolOptions& pool)
    : tasks_(tasks),
      options_(options),
      pool_(pool),
      name_(options.file.empty() ? SqliteSession::name_in_memory() : options.file) {}

SqliteDriver::~SqliteDriver() = default;

Result<std::unique_ptr<SqliteDriver>> SqliteDriver::create(net::TaskPool& tasks,
                                                           const SqliteOptions& options,
                                                           const PoolOptions& pool) {
  const net::TaskOptions& threads = tasks.options();
  if (threads.threads == 0 && threads.overflow != net::TaskOverflow::kRunOnLoop) {
    return fail(Errc::kUnsupported, "sqlite", 0, "it needs task threads, and there are none");
  }
  std::unique_ptr<SqliteDriver> driver(new SqliteDriver(tasks, options, pool));
  auto opened = SqliteSession::open_within(session_options(driver->name_, options, pool),
                                           options.busy_timeout);
  if (!opened) return fail(std::move(opened).error());
  if (options.file.empty()) driver->anchor_ = *std::move(opened);
  return driver;
}

Task<Result<std::unique_ptr<Connection>>> SqliteDriver::connect() {
  LockWait wait(options_.busy_timeout);
  for (;;) {
    auto job = tasks_.run([options = session_options(name_, options_, pool_)] {
      return SqliteSession::open(options);
    });
    auto done = co_await job;
    if (!done) co_return fail(Errc::kUnavailable, "connect", 0, done.error().message());
    if (*done) {
      co_return std::make_unique<SqliteConnection>(tasks_, options_.busy_timeout,
                                                   **std::move(done));
    }
    const bool locked = done->error() == Errc::kConflict;
    const Duration pause = locked ? wait.next() : Duration::zero();
    if (pause == Duration::zero()) co_return fail(std::move(*done).error());
    co_await net::sleep_for(pause);
  }
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

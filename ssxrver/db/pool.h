// The connections of one database: made, lent, asked whether they live, and closed.
//
// Thread: any loop; close(), counters() and the destructor: any thread
// Owner:  a Database
// Life:   longer than the loops that borrow from it, or closed and with nothing lent (asserted)
// Bounds: PoolOptions: pool_max connections of all loops together, waiters_max who wait
//
// One pool for all loops (docs/adr/0017-one-pool-for-all-loops.md): a connection belongs to no loop
// while it is idle, so that the next borrower may be on another. Who comes first is served first.
//
// What the next borrower gets is clean: a connection that comes back kDirty (a transaction or a
// result open, or a session that was changed) is reset before anybody else has it; one that failed
// in a way that leaves its session in doubt, or whose operation was destroyed before it had
// finished, is discarded.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/db/counters.h"
#include "ssxrver/db/driver.h"
#include "ssxrver/db/options.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::db {

class Pool {
 public:
  class Lease;

  /// How often tend() looks.
  static constexpr milliseconds kTendInterval{1000};
  /// After a failed connect nobody tries for so long: doubled with each failure, up to the second.
  /// Who comes meanwhile waits for the end of it, or is told at once (PoolOptions::on_unavailable).
  static constexpr milliseconds kBackoffMin{100};
  static constexpr milliseconds kBackoffMax{2000};

  Pool(Driver& driver, const PoolOptions& options);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  /// A connection that is clean and was alive a moment ago, within acquire_timeout. The failure is
  /// why the last attempt to make one did not succeed, whoever made it; else kAcquireTimedOut.
  [[nodiscard]] Task<Result<Lease>> acquire();

  /// Never ends: spawn it on one loop. Closes what has been idle or alive for too long, and keeps
  /// pool_min connections. From then on the log tells of an outage, by this name (else the kind of
  /// database): with its first attempt to connect that fails, and with the first that does not.
  [[nodiscard]] Task<> tend(std::string name = {});

  /// Closes what is idle, now, and what is lent, when it comes back. Who waits for one, or is
  /// making one, gets kShutDown.
  void close();

  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  [[nodiscard]] const PoolCounters& counters() const noexcept { return counters_; }
  /// For what is refused before a connection is needed, and for what a result was too much for.
  void count(metrics::Counter PoolCounters::*counter);

 private:
  /// The right to one of the pool_max connections, and the connection once there is one.
  struct Slot {
    std::unique_ptr<Connection> connection;
    TimePoint made{};
    TimePoint idle_since{};
    std::uint64_t losses = 0;  ///< what Pool::losses_ was when it last answered
  };
  enum class Return : std::uint8_t {
    kUsable,
    kBroken,  ///< to be discarded
  };
  struct Waiter;
  class SlotAwaiter;
  class CloseAwaiter;
  using Waiters = std::list<std::shared_ptr<Waiter>>;

  Task<Result<Lease>> find(bool& connecting);
  Task<bool> is_alive(Lease& lease);
  Task<Result<void>> connect(Lease& lease);
  Task<Result<void>> wait_out_backoff();
  template <class T>
  Task<Result<T>> until_closed(Task<Result<T>> task);
  Task<> closed();
  static Task<> clean(Lease lease);
  Task<> keep_minimum();

  /// Takes a slot, or links `waiter`: true.
  bool take_or_wait(const std::shared_ptr<Waiter>& waiter);
  void leave(Waiter& waiter);
  /// Links `waiter` until close(): true. False: it has been.
  bool watch(const std::shared_ptr<Waiter>& waiter);
  void unwatch(Waiter& waiter);
  void give_back(Slot slot, Return how);
  std::shared_ptr<Waiter> pass_on(Slot slot) SSX_REQUIRES(mutex_);
  static void wake(const std::shared_ptr<Waiter>& waiter);

  void expire(TimePoint now);
  bool take_missing(Slot& slot);
  bool needs_ping(const Slot& slot, TimePoint now);
  [[nodiscard]] bool is_old(const Slot& slot, TimePoint now) const noexcept;
  Duration backoff(TimePoint now);
  Failure last_trouble();
  bool is_closed();
  void be_called(std::string name);
  void note_connected(Slot& slot, TimePoint now);
  void note_trouble(const Failure& why, TimePoint now);
  void note_answer(Slot& slot, metrics::Counter PoolCounters::*counter = nullptr);
  void note_loss();
  void show() SSX_REQUIRES(mutex_);

  Driver& driver_;
  const PoolOptions options_;
  PoolCounters counters_;

  Mutex mutex_;
  bool closed_ SSX_GUARDED_BY(mutex_) = false;
  std::size_t open_ SSX_GUARDED_BY(mutex_) = 0;   ///< slots: idle, lent, or being connected
  std::deque<Slot> idle_ SSX_GUARDED_BY(mutex_);  ///< the one that was used last at the back
  Waiters waiters_ SSX_GUARDED_BY(mutex_);        ///< then nothing is idle and open_ is pool_max
  Waiters makers_ SSX_GUARDED_BY(mutex_);         ///< of connections, and who will be
  unsigned failures_ SSX_GUARDED_BY(mutex_) = 0;  ///< of connecting, in a row
  std::optional<Failure> trouble_ SSX_GUARDED_BY(mutex_);  ///< the last of them
  std::string name_ SSX_GUARDED_BY(mutex_);                ///< empty: nobody tends it yet
  bool outage_told_ SSX_GUARDED_BY(mutex_) = false;        ///< to the log
  std::uint64_t outage_attempts_ SSX_GUARDED_BY(mutex_) = 0;
  TimePoint retry_at_ SSX_GUARDED_BY(mutex_){};      ///< nobody connects before
  std::uint64_t losses_ SSX_GUARDED_BY(mutex_) = 0;  ///< of connections that were in use
};

/// A borrowed connection. It goes back when this is destroyed.
class Pool::Lease {
 public:
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        slot_(std::move(other.slot_)),
        busy_(other.busy_),
        result_is_open_(other.result_is_open_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release();
      pool_ = std::exchange(other.pool_, nullptr);
      slot_ = std::move(other.slot_);
      busy_ = other.busy_;
      result_is_open_ = other.result_is_open_;
    }
    return *this;
  }
  ~Lease() { release(); }

  // One at a time, and the Lease stays where it is meanwhile. Within query_timeout; a connection
  // whose query took longer, or was given up, is gone, and what follows is kConnectionLost.
  [[nodiscard]] Task<Result<Batch>> execute(Statement statement, BatchLimits limits);
  [[nodiscard]] Task<Result<Batch>> fetch(BatchLimits limits);

  /// Gives it back now. Twice is once.
  void release() noexcept;

  /// Null: it is gone.
  [[nodiscard]] Connection* connection() const noexcept { return slot_.connection.get(); }
  [[nodiscard]] Pool& pool() const noexcept { return *pool_; }

 private:
  friend class Pool;
  class Operation;
  Lease(Pool& pool, Slot slot) noexcept : pool_(&pool), slot_(std::move(slot)) {}

  Task<Result<Batch>> run(Task<Result<Batch>> operation);
  void note_end(const Result<Batch>& result);
  void end_result();
  void drop_connection(metrics::Counter PoolCounters::*why);

  Pool* pool_;
  Slot slot_;
  bool busy_ = false;            ///< an operation has begun and not ended
  bool result_is_open_ = false;  ///< of a query that has begun well and is not counted yet
};

}  // namespace ssx::db

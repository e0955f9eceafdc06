// What a borrower does with a connection, and how it comes back.
#include "ssxrver/db/pool.h"

#include <optional>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/timeout.h"

namespace ssx::db {

/// One operation of a Lease. Destroyed before its end, as nobody waits for it any more, it costs
/// the connection.
class Pool::Lease::Operation {
 public:
  explicit Operation(Lease& lease) : lease_(lease) {
    SSX_ASSERT(!lease.busy_);
    lease.busy_ = true;
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() {
    if (!lease_.busy_) return;
    lease_.pool_->count(&PoolCounters::cancelled);
    lease_.drop_connection(&PoolCounters::discarded);
  }

 private:
  Lease& lease_;
};

Task<Result<Batch>> Pool::Lease::execute(Statement statement, BatchLimits limits) {
  if (slot_.connection == nullptr) co_return fail(Errc::kConnectionLost, "query");
  end_result();
  co_return co_await run(slot_.connection->execute(std::move(statement), limits));
}

Task<Result<Batch>> Pool::Lease::fetch(BatchLimits limits) {
  if (slot_.connection == nullptr) co_return fail(Errc::kConnectionLost, "query");
  co_return co_await run(slot_.connection->fetch(limits));
}

Task<Result<Batch>> Pool::Lease::run(Task<Result<Batch>> operation) {
  const Operation running(*this);
  Task<Result<Batch>> task = std::move(operation);  // is destroyed before `running`
  const milliseconds limit = pool_->options_.query_timeout;
  std::optional<Result<Batch>> result;
  if (limit == milliseconds::zero()) {
    result = co_await std::move(task);
  } else {
    auto in_time = co_await net::with_timeout(limit, std::move(task));
    if (in_time) result = *std::move(in_time);
  }
  if (!result) {
    result_is_open_ = false;
    pool_->count(&PoolCounters::timed_out);
    drop_connection(&PoolCounters::discarded);
    co_return fail(Errc::kQueryTimedOut, "query");
  }
  busy_ = false;
  note_end(*result);
  co_return *std::move(result);
}

/// A query is counted once, when it is over: with its last batch, its failure, or when the rest of
/// its rows is given up.
void Pool::Lease::note_end(const Result<Batch>& result) {
  result_is_open_ = result && result->more;
  if (!result) return pool_->count(&PoolCounters::failed);
  pool_->note_answer(slot_, result_is_open_ ? nullptr : &PoolCounters::done);
}

void Pool::Lease::end_result() {
  if (std::exchange(result_is_open_, false)) pool_->count(&PoolCounters::done);
}

/// What is left is the right to make another one.
void Pool::Lease::drop_connection(metrics::Counter PoolCounters::*why) {
  pool_->count(why);
  busy_ = result_is_open_ = false;
  pool_->driver_.discard(std::move(slot_.connection));
}

void Pool::Lease::release() noexcept {
  if (pool_ == nullptr) return;
  Pool& pool = *pool_;
  end_result();
  if (slot_.connection == nullptr) {
    pool_ = nullptr;
    return pool.give_back(std::move(slot_), Return::kUsable);
  }
  const auto state = slot_.connection->state();
  const bool is_broken = state == Connection::State::kBroken;
  net::EventLoop* const loop = net::EventLoop::current();
  const bool has_loop = loop != nullptr && !loop->is_stopping();
  if (busy_ || is_broken || !has_loop) {
    if (is_broken && !busy_) pool.note_loss();
    pool_ = nullptr;
    return pool.give_back(std::move(slot_), Return::kBroken);
  }
  if (state == Connection::State::kDirty) {
    pool.count(&PoolCounters::reset);
    return net::spawn(*loop, clean(std::move(*this)), &net::log_failure);
  }
  slot_.idle_since = loop->now();
  pool_ = nullptr;
  pool.give_back(std::move(slot_), Return::kUsable);
}

/// On the borrower's loop, after it has gone. When the loop ends first, or the reset does not
/// succeed in time, the connection is discarded.
Task<> Pool::clean(Lease lease) {
  Connection& connection = *lease.slot_.connection;
  lease.busy_ = true;
  const auto end =
      co_await net::with_timeout(lease.pool_->options_.connect_timeout, connection.reset());
  const bool is_clean = end && *end && connection.state() == Connection::State::kClean;
  if (is_clean) {
    lease.busy_ = false;
    lease.pool_->note_answer(lease.slot_);
  } else {
    lease.drop_connection(&PoolCounters::discarded);
  }
}

}  // namespace ssx::db

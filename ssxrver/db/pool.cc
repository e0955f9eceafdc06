#include "ssxrver/db/pool.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/coro/when_any.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/net/timeout.h"

namespace ssx::db {
namespace {

TimePoint loop_time() {
  const net::EventLoop* const loop = net::EventLoop::current();
  SSX_ASSERT(loop != nullptr);
  return loop->now();
}

}  // namespace

/// Who waits, on a loop of its own. Shared with the post that wakes it, which may come too late.
struct Pool::Waiter {
  explicit Waiter(net::EventLoop& loop) : home(loop.handle()) {}

  const net::LoopHandle home;
  Continuation* continuation = nullptr;  ///< loop-only; null: nobody waits any more
  bool linked = false;                   ///< under the pool's mutex, as what follows
  Waiters::iterator place;               ///< while linked
  std::optional<Result<Slot>> outcome;   ///< set when it is unlinked
};

class Pool::SlotAwaiter final : private net::LoopContinuation {
 public:
  explicit SlotAwaiter(Pool& pool) : pool_(pool) {
    net::EventLoop* const loop = net::EventLoop::current();
    SSX_ASSERT(loop != nullptr);
    waiter_ = std::make_shared<Waiter>(*loop);
  }
  SlotAwaiter(const SlotAwaiter&) = delete;
  SlotAwaiter& operator=(const SlotAwaiter&) = delete;
  ~SlotAwaiter() {
    waiter_->continuation = nullptr;
    pool_.leave(*waiter_);
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    set_handle(handle);
    waiter_->continuation = this;  // before anybody may wake it
    return pool_.take_or_wait(waiter_);
  }
  Result<Lease> await_resume() {
    Result<Slot> slot = *std::exchange(waiter_->outcome, std::nullopt);
    if (!slot) return fail(std::move(slot).error());
    return Lease(pool_, *std::move(slot));
  }

 private:
  Pool& pool_;
  std::shared_ptr<Waiter> waiter_;
};

/// Continues when the pool is closed, at once if it has been.
class Pool::CloseAwaiter final : private net::LoopContinuation {
 public:
  explicit CloseAwaiter(Pool& pool) : pool_(pool) {
    net::EventLoop* const loop = net::EventLoop::current();
    SSX_ASSERT(loop != nullptr);
    waiter_ = std::make_shared<Waiter>(*loop);
  }
  CloseAwaiter(const CloseAwaiter&) = delete;
  CloseAwaiter& operator=(const CloseAwaiter&) = delete;
  ~CloseAwaiter() {
    waiter_->continuation = nullptr;
    pool_.unwatch(*waiter_);
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    set_handle(handle);
    waiter_->continuation = this;  // before anybody may wake it
    return pool_.watch(waiter_);
  }
  void await_resume() const noexcept {}

 private:
  Pool& pool_;
  std::shared_ptr<Waiter> waiter_;
};

Pool::Pool(Driver& driver, const PoolOptions& options) : driver_(driver), options_(options) {
  SSX_ASSERT(options.pool_max > 0);
  SSX_ASSERT(options.pool_min <= options.pool_max, options.pool_min, options.pool_max);
}

Pool::~Pool() {
  close();
  const MutexLock lock(mutex_);
  SSX_ASSERT(open_ == 0, open_);
}

// ---- for those who borrow

Task<Result<Pool::Lease>> Pool::acquire() {
  bool connecting = false;
  auto found = co_await net::with_timeout(options_.acquire_timeout, find(connecting));
  if (!found) {
    count(&PoolCounters::acquire_timed_out);
    if (connecting) note_trouble(Failure(Error(Errc::kConnectTimedOut, "connect")), loop_time());
    co_return fail(last_trouble());
  }
  co_return *std::move(found);
}

/// `connecting` is for a caller that gives up meanwhile.
Task<Result<Pool::Lease>> Pool::find(bool& connecting) {
  SlotAwaiter turn(*this);
  Result<Lease> lease = co_await turn;
  if (!lease) co_return fail(std::move(lease).error());
  const bool is_usable = co_await is_alive(*lease);
  while (!is_usable) {
    const auto may_try = co_await wait_out_backoff();
    if (!may_try) co_return fail(may_try.error());
    connecting = true;
    const Result<void> connected = co_await connect(*lease);
    connecting = false;
    if (connected) break;
    const bool is_final = options_.on_unavailable == OnUnavailable::kFail || is_closed();
    if (is_final) co_return fail(connected.error());
  }
  count(&PoolCounters::lent);
  co_return std::move(lease);
}

Task<Result<void>> Pool::wait_out_backoff() {
  const auto pass = [](Duration time) -> Task<Result<void>> {
    co_await net::sleep_for(time);
    co_return Result<void>();
  };
  for (Duration pause; (pause = backoff(loop_time())) > Duration::zero();) {
    if (options_.on_unavailable == OnUnavailable::kFail) co_return fail(last_trouble());
    const auto slept = co_await until_closed(pass(pause));
    if (!slept) co_return fail(slept.error());
  }
  co_return Result<void>();
}

/// kShutDown, and the task is destroyed, when the pool is closed before it has finished.
template <class T>
Task<Result<T>> Pool::until_closed(Task<Result<T>> task) {
  auto first = co_await when_any(std::move(task), closed());
  if (first.index() == 1) co_return fail(Errc::kShutDown, "acquire");
  co_return std::get<0>(std::move(first));
}

Task<> Pool::closed() {
  CloseAwaiter end(*this);
  co_await end;
}

/// False: there is no connection, or there is none any more.
Task<bool> Pool::is_alive(Lease& lease) {
  Slot& slot = lease.slot_;
  if (slot.connection == nullptr) co_return false;
  const TimePoint now = loop_time();
  if (is_old(slot, now)) {
    lease.drop_connection(&PoolCounters::expired);
    co_return false;
  }
  if (slot.connection->has_gone()) {
    lease.drop_connection(&PoolCounters::discarded);
    co_return false;
  }
  if (!needs_ping(slot, now)) co_return true;
  lease.busy_ = true;
  const auto answer = co_await net::with_timeout(options_.connect_timeout, slot.connection->ping());
  lease.busy_ = false;
  if (answer && *answer && slot.connection->state() == Connection::State::kClean) {
    note_answer(slot);
    co_return true;
  }
  lease.drop_connection(&PoolCounters::discarded);
  co_return false;
}

Task<Result<void>> Pool::connect(Lease& lease) {
  auto made = co_await net::with_timeout(options_.connect_timeout, until_closed(driver_.connect()));
  const TimePoint now = loop_time();
  if (!made || !*made) {
    Failure why =
        made ? std::move(*made).error() : Failure(Error(Errc::kConnectTimedOut, "connect"));
    if (!is_closed()) note_trouble(why, now);
    co_return fail(std::move(why));
  }
  lease.slot_.connection = **std::move(made);
  SSX_ASSERT(lease.slot_.connection != nullptr);
  note_connected(lease.slot_, now);
  if (is_closed()) co_return fail(Errc::kShutDown, "acquire");  // at the same moment
  co_return Result<void>();
}

// ---- slots

bool Pool::take_or_wait(const std::shared_ptr<Waiter>& waiter) {
  const MutexLock lock(mutex_);
  if (closed_) {
    waiter->outcome = fail(Errc::kShutDown, "acquire");
  } else if (!idle_.empty()) {
    waiter->outcome = std::move(idle_.back());
    idle_.pop_back();
  } else if (open_ < options_.pool_max) {
    ++open_;
    waiter->outcome = Slot();
  } else {
    counters_.pool_max_hit.add();
    if (waiters_.size() < options_.waiters_max) {
      waiter->place = waiters_.insert(waiters_.end(), waiter);
      waiter->linked = true;
    } else {
      counters_.waiters_max_hit.add();
      waiter->outcome = fail(Errc::kTooManyWaiters, "acquire");
    }
  }
  show();
  return waiter->linked;
}

/// The awaiter goes. What it was given and has not taken goes to the next.
void Pool::leave(Waiter& waiter) {
  std::optional<Result<Slot>> unused;
  {
    const MutexLock lock(mutex_);
    if (waiter.linked) {
      waiters_.erase(waiter.place);
      waiter.linked = false;
      show();
    }
    unused.swap(waiter.outcome);
  }
  if (unused && *unused) give_back(**std::move(unused), Return::kUsable);
}

bool Pool::watch(const std::shared_ptr<Waiter>& waiter) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  waiter->place = makers_.insert(makers_.end(), waiter);
  waiter->linked = true;
  return true;
}

void Pool::unwatch(Waiter& waiter) {
  const MutexLock lock(mutex_);
  if (!waiter.linked) return;
  makers_.erase(waiter.place);
  waiter.linked = false;
}

void Pool::give_back(Slot slot, Return how) {
  std::unique_ptr<Connection> dropped;
  std::shared_ptr<Waiter> next;
  {
    const MutexLock lock(mutex_);
    if (slot.connection != nullptr && (how == Return::kBroken || closed_)) {
      (how == Return::kBroken ? counters_.discarded : counters_.shut_down).add();
      dropped = std::move(slot.connection);
    }
    next = pass_on(std::move(slot));
    show();
  }
  if (dropped != nullptr) driver_.discard(std::move(dropped));
  if (next != nullptr) wake(next);
}

std::shared_ptr<Pool::Waiter> Pool::pass_on(Slot slot) {
  if (!waiters_.empty()) {
    std::shared_ptr<Waiter> next = std::move(waiters_.front());
    waiters_.pop_front();
    next->linked = false;
    next->outcome = std::move(slot);
    return next;
  }
  if (slot.connection != nullptr) {
    idle_.push_back(std::move(slot));
  } else {
    SSX_ASSERT(open_ > 0);
    --open_;
  }
  return nullptr;
}

/// Always later, on its own loop. When that has ended, its end destroys the awaiter.
void Pool::wake(const std::shared_ptr<Waiter>& waiter) {
  waiter->home.post([waiter] {
    if (Continuation* const then = std::exchange(waiter->continuation, nullptr)) then->run();
  });
}

void Pool::close() {
  std::deque<Slot> idle;
  Waiters waiters;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    idle.swap(idle_);
    open_ -= idle.size();
    counters_.shut_down.add(idle.size());
    waiters.swap(waiters_);
    for (const auto& waiter : waiters) waiter->outcome = fail(Errc::kShutDown, "acquire");
    waiters.splice(waiters.end(), makers_);
    for (const auto& waiter : waiters) waiter->linked = false;
    show();
  }
  for (Slot& slot : idle) driver_.discard(std::move(slot.connection));
  for (const auto& waiter : waiters) wake(waiter);
}

// ---- what happens with time

Task<> Pool::tend(std::string name) {
  be_called(std::move(name));
  for (;;) {
    expire(loop_time());
    co_await keep_minimum();
    co_await net::sleep_for(kTendInterval);
  }
}

Task<> Pool::keep_minimum() {
  Slot missing;
  while (backoff(loop_time()) <= Duration::zero() && take_missing(missing)) {
    Lease lease(*this, std::move(missing));
    std::ignore = co_await connect(lease);  // which has told the log of an outage
  }
}

bool Pool::take_missing(Slot& slot) {
  const MutexLock lock(mutex_);
  if (closed_ || open_ >= options_.pool_min) return false;
  ++open_;
  slot = Slot();
  show();
  return true;
}

void Pool::expire(TimePoint now) {
  std::vector<std::unique_ptr<Connection>> expired;
  {
    const MutexLock lock(mutex_);
    const auto is_over = [&](const Slot& slot, std::size_t open) {
      if (is_old(slot, now)) return true;
      const milliseconds limit = options_.idle_timeout;
      if (limit == milliseconds::zero() || open <= options_.pool_min) return false;
      return now - slot.idle_since >= limit;
    };
    for (auto slot = idle_.begin(); slot != idle_.end();) {
      if (!is_over(*slot, open_)) {
        ++slot;
        continue;
      }
      expired.push_back(std::move(slot->connection));
      slot = idle_.erase(slot);
      --open_;
      counters_.expired.add();
    }
    show();
  }
  for (auto& connection : expired) driver_.discard(std::move(connection));
}

bool Pool::is_old(const Slot& slot, TimePoint now) const noexcept {
  return options_.max_lifetime > milliseconds::zero() && now - slot.made >= options_.max_lifetime;
}

bool Pool::needs_ping(const Slot& slot, TimePoint now) {
  const MutexLock lock(mutex_);
  return now - slot.idle_since >= options_.ping_after || slot.losses != losses_;
}

/// Those that are idle may have been lost with it: they are asked before they are lent.
void Pool::note_loss() {
  const MutexLock lock(mutex_);
  ++losses_;
}

Duration Pool::backoff(TimePoint now) {
  const MutexLock lock(mutex_);
  return retry_at_ - now;
}

/// Why nobody has a connection.
Failure Pool::last_trouble() {
  const MutexLock lock(mutex_);
  return trouble_ ? *trouble_ : Failure(Error(Errc::kAcquireTimedOut, "acquire"));
}

bool Pool::is_closed() {
  const MutexLock lock(mutex_);
  return closed_;
}

void Pool::be_called(std::string name) {
  const MutexLock lock(mutex_);
  name_ = name.empty() ? std::string(driver_.dialect().name) : std::move(name);
}

void Pool::note_connected(Slot& slot, TimePoint now) {
  slot.made = slot.idle_since = now;
  const MutexLock lock(mutex_);
  slot.losses = losses_;
  counters_.connected.add();
  failures_ = 0;
  trouble_.reset();
  retry_at_ = TimePoint();
  const std::uint64_t attempts = std::exchange(outage_attempts_, 0);
  if (!std::exchange(outage_told_, false)) return;
  SSX_LOG_INFO("database \"{}\" is there again; attempts that have failed: {}", name_, attempts);
}

void Pool::note_trouble(const Failure& why, TimePoint now) {
  const MutexLock lock(mutex_);
  counters_.connect_failed.add();
  trouble_ = why;
  ++outage_attempts_;
  if (!name_.empty() && !std::exchange(outage_told_, true)) {
    SSX_LOG_WARN("database \"{}\" cannot be had: {}; not told again until it is there", name_,
                 why.message());
  }
  if (now < retry_at_) return;        // others have failed with it
  constexpr unsigned kDoublings = 8;  // kBackoffMax is reached before
  const milliseconds pause =
      std::min(kBackoffMax, kBackoffMin * (1U << std::min(failures_, kDoublings)));
  ++failures_;
  retry_at_ = now + pause;
}

void Pool::note_answer(Slot& slot, metrics::Counter PoolCounters::*counter) {
  const MutexLock lock(mutex_);
  slot.losses = losses_;
  if (counter != nullptr) (counters_.*counter).add();
}

void Pool::count(metrics::Counter PoolCounters::*counter) {
  const MutexLock lock(mutex_);
  (counters_.*counter).add();
}

void Pool::show() {
  counters_.open.set(static_cast<std::int64_t>(open_));
  counters_.idle.set(static_cast<std::int64_t>(idle_.size()));
  counters_.waiting.set(static_cast<std::int64_t>(waiters_.size()));
}

}  // namespace ssx::db

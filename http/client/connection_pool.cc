#include "http/client/connection_pool.h"

#include <coroutine>
#include <optional>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/loop_continuation.h"

namespace ssx::http {

/// Waits for a place, in line.
class ConnectionPool::Waiter final : public ssx::ListHook<Host>, private net::LoopContinuation {
 public:
  Waiter(ConnectionPool& pool, Host& host, Want want, TimePoint until) noexcept
      : pool_(pool), host_(host), want_(want), until_(until) {}
  ~Waiter() {
    if (ssx::ListHook<Host>::is_linked()) leave();
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    set_handle(handle);
    host_.waiters.push_back(*this);
    ++host_.waiting;
    net::EventLoop& loop = pool_.loop();
    loop.assert_in_loop_thread();
    timer_ = loop.run_at(until_, [this] {
      leave();
      run();
    });
  }
  /// Empty: the time is over.
  Lease await_resume() noexcept { return std::move(granted_); }

  [[nodiscard]] Want want() const noexcept { return want_; }
  void grant(Lease lease) {
    granted_ = std::move(lease);
    leave();
    run();
  }

 private:
  void leave() {
    ssx::ListHook<Host>::unlink();
    --host_.waiting;
    net::EventLoop& loop = pool_.loop();
    loop.assert_in_loop_thread();
    loop.cancel(timer_);
    if (!granted_) pool_.forget(host_);
  }

  ConnectionPool& pool_;
  Host& host_;
  const Want want_;
  const TimePoint until_;
  net::TimerId timer_;
  Lease granted_;
};

/// Waits for TcpClient; one that has gone is not told.
class ConnectionPool::Connect final : private net::LoopContinuation {
 public:
  Connect(ConnectionPool& pool, net::SocketAddress to, Duration patience) noexcept
      : pool_(pool), to_(to), patience_(patience) {}
  ~Connect() {
    if (!link_) return;
    link_->waiter = nullptr;
    connection_->close();  // as soon as it is opened
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    set_handle(handle);
    link_ = LocalRef<Link>(new Link());
    link_->waiter = this;
    auto [connection, protocol] = ClientConnection::create();
    connection_ = std::move(connection);
    pool_.tcp_.connect(to_, std::move(protocol), patience_,
                       [link = link_](Result<net::Connection*> done) {
                         if (link->waiter != nullptr) link->waiter->finish(done);
                       });
  }
  Result<LocalRef<ClientConnection>> await_resume() {
    if (error_) return fail(*error_);
    return std::move(connection_);
  }

 private:
  struct Link final : LocalShared {
    Connect* waiter = nullptr;
  };

  void finish(const Result<net::Connection*>& done) {
    link_ = LocalRef<Link>();
    if (!done) error_ = done.error();
    run();
  }

  ConnectionPool& pool_;
  const net::SocketAddress to_;
  const Duration patience_;
  LocalRef<Link> link_;  ///< empty while nobody waits
  LocalRef<ClientConnection> connection_;
  std::optional<Error> error_;
};

// ---- the pool

ConnectionPool::ConnectionPool(net::Connections& connections, net::NetStack& stack,
                               const net::Resolver& resolver, ClientOptions options)
    : connections_(connections),
      resolver_(resolver),
      options_(std::move(options)),
      tcp_(connections, stack) {}

ConnectionPool::~ConnectionPool() { close(); }

void ConnectionPool::close() {
  closed_ = true;
  while (Idle* const idle = by_age_.front()) close_idle(*idle);
}

void ConnectionPool::count_failure(const Error& error) noexcept {
  if (error.code().category() == http_category()) {
    counters_.of(static_cast<Errc>(error.code().value())).add();
  } else {
    counters_.failed_otherwise.add();
  }
}

Task<Result<ConnectionPool::Lease>> ConnectionPool::acquire(std::string host, std::uint16_t port,
                                                            Want want, TimePoint until) {
  const LocalRef<ConnectionPool> self(this);
  std::string key = host + ':' + std::to_string(port);
  auto& entry = hosts_[key];
  if (entry == nullptr) {
    entry = std::make_unique<Host>();
    entry->key = std::move(key);
  }
  Host& at = *entry;
  Lease lease;
  if (at.waiters.empty()) lease = take(at, want);
  if (!lease) {
    counters_.waited.add();
    if (at.waiting >= options_.waiting_per_host) co_return fail(Errc::kTooManyWaiting, "connect");
    Waiter waiter(*this, at, want, until);
    lease = co_await waiter;
    if (!lease) co_return fail(Errc::kConnectTimedOut, "connect");
  }
  if (lease.connection() == nullptr) {
    const auto connected = co_await connect(lease, std::move(host), port, until);
    if (!connected) co_return fail(connected.error());
  }
  co_return lease;
}

Task<Result<void>> ConnectionPool::connect(Lease& lease, std::string host, std::uint16_t port,
                                           TimePoint until) {
  const auto addresses = co_await resolver_.resolve(std::move(host), port, until - loop().now());
  if (!addresses) {
    if (addresses.error() == make_error_code(net::Errc::kTimedOut)) {
      co_return fail(Errc::kConnectTimedOut, "resolve");
    }
    co_return fail(addresses.error());
  }
  // In their order; one that does not answer leaves its share of the time to the others.
  std::optional<Error> error;
  for (std::size_t i = 0; i < addresses->size(); ++i) {
    const Duration left = until - loop().now();
    if (left <= Duration::zero()) break;
    Connect attempt(*this, (*addresses)[i],
                    left / static_cast<Duration::rep>(addresses->size() - i));
    auto connected = co_await attempt;
    if (connected) {
      counters_.connected.add();
      lease.connection_ = *std::move(connected);
      co_return Result<void>();
    }
    error = connected.error();
  }
  if (!error || *error == make_error_code(net::Errc::kTimedOut)) {
    co_return fail(Errc::kConnectTimedOut, "connect");
  }
  co_return fail(*error);
}

// Empty: there is no place. New connections are made only while none rests, so those that rest and
// those in use are never more than connections_per_host together.
ConnectionPool::Lease ConnectionPool::take(Host& host, Want want) {
  if (host.places + host.idle_count >= options_.connections_per_host && host.idle_count == 0) {
    return {};
  }
  ++host.places;
  Lease lease(LocalRef<ConnectionPool>(this), host);
  if (want == Want::kNew) {
    while (Idle* const idle = host.idle.front()) close_idle(*idle);
  } else if (Idle* const idle = host.idle.front()) {
    lease.connection_ = unlink(*idle);
    lease.connection_->wake();
    lease.reused_ = true;
    counters_.reused.add();
  }
  return lease;
}

// The place is given up last: the host stays until then.
void ConnectionPool::take_back(Host& host, LocalRef<ClientConnection> connection) {
  const bool room = !host.waiters.empty() || host.idle_count < options_.idle_per_host;
  if (!room) counters_.idle_per_host_hit.add();
  if (room && !closed_ && !connection->is_draining() && connection->is_reusable()) {
    keep(host, std::move(connection));
  } else {
    connection->close();
  }
  --host.places;
  place_is_free(host);
}

void ConnectionPool::keep(Host& host, LocalRef<ClientConnection> connection) {
  auto* const idle = new Idle();
  idle->connection = std::move(connection);
  idle->host = &host;
  host.idle.push_front(*idle);
  by_age_.push_back(*idle);
  ++host.idle_count;
  ++idle_count_;
  idle->connection->rest(options_.idle_time, [this, idle](ClientConnection::RestEnd how) {
    const bool timed_out = how == ClientConnection::RestEnd::kTimedOut;
    (timed_out ? counters_.idle_timeouts : counters_.idle_ended).add();
    Host& of = *idle->host;
    unlink(*idle);
    place_is_free(of);
  });
  if (idle_count_ <= options_.idle_max) return;
  counters_.idle_max_hit.add();
  close_idle(*by_age_.front());
}

LocalRef<ClientConnection> ConnectionPool::unlink(Idle& idle) {
  const std::unique_ptr<Idle> owned(&idle);
  --idle.host->idle_count;
  --idle_count_;
  return std::move(idle.connection);
}

void ConnectionPool::close_idle(Idle& idle) {
  Host& host = *idle.host;
  unlink(idle)->close();
  forget(host);
}

// Those who wait are served at the end of the turn: this may run in a destructor.
void ConnectionPool::place_is_free(Host& host) {
  if (host.waiters.empty()) return forget(host);
  if (!host.is_linked()) with_free_place_.push_back(host);
  loop().at_turn_end(*this);
}

void ConnectionPool::on_turn_end() {
  const LocalRef<ConnectionPool> self(this);
  while (Host* const host = with_free_place_.pop_front()) serve(*host);
}

// One at a time: whoever is served may make the others go, and the host with them.
void ConnectionPool::serve(Host& host) {
  Waiter* const waiter = host.waiters.front();
  if (waiter == nullptr) return;
  Lease lease = take(host, waiter->want());
  if (!lease) return;
  if (host.waiting > 1) with_free_place_.push_back(host);
  waiter->grant(std::move(lease));
}

void ConnectionPool::forget(Host& host) {
  if (host.places != 0 || host.idle_count != 0 || host.waiting != 0) return;
  hosts_.erase(hosts_.find(host.key));
}

// ---- a lease

void ConnectionPool::Lease::give_back() {
  const LocalRef<ConnectionPool> pool = std::move(pool_);
  Host& host = *std::exchange(host_, nullptr);
  pool->take_back(host, std::move(connection_));
}

void ConnectionPool::Lease::close() noexcept {
  if (host_ == nullptr) return;
  const LocalRef<ConnectionPool> pool = std::move(pool_);
  Host& host = *std::exchange(host_, nullptr);
  if (connection_) connection_->close();
  connection_ = LocalRef<ClientConnection>();
  --host.places;
  pool->place_is_free(host);
}

}  // namespace ssx::http

// The connections of one client: made within limits, kept for the next request to the same host.
//
// Thread: loop-only
// Owner:  shared between the Client, its leases and its ways to one
// Life:   until the last of those goes; close() when the Client does
// Bounds: ClientOptions: connections_per_host, waiting_per_host, idle_per_host, idle_max and
//         idle_time; the hosts that have a connection or somebody who waits
//
// Who comes first is served first: nobody overtakes those who wait for a place. A connection that
// was used last is used next, so that the others may grow old and be closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "http/client/client_connection.h"
#include "http/client/counters.h"
#include "http/client/options.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/tcp_client.h"

namespace ssx::http {

class ConnectionPool final : public LocalShared, private net::TurnEnd {
  struct Host;
  struct HostOrder;
  class Waiter;

 public:
  enum class Want : std::uint8_t {
    kAny,  ///< one that was kept, if there is one
    kNew,  ///< those that were kept are not trusted, and closed
  };
  class Lease;

  /// All must outlive the pool.
  ConnectionPool(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
                 ClientOptions options);

  /// A connection for one exchange, in time.
  [[nodiscard]] Task<Result<Lease>> acquire(std::string host, std::uint16_t port, Want want,
                                            TimePoint until);

  /// Ends what rests, and keeps nothing from now on.
  void close();

  [[nodiscard]] net::EventLoop& loop() const noexcept { return connections_.loop(); }
  [[nodiscard]] const ClientOptions& options() const noexcept { return options_; }
  [[nodiscard]] ClientCounters& counters() noexcept { return counters_; }
  /// An exchange of this client has failed.
  void count_failure(const Error& error) noexcept;
  /// Connections that rest.
  [[nodiscard]] std::size_t idle() const noexcept { return idle_count_; }
  [[nodiscard]] std::size_t hosts_for_test() const noexcept { return hosts_.size(); }

 private:
  ~ConnectionPool() override;

  /// A connection that rests.
  struct Idle : ssx::ListHook<Host>, ssx::ListHook<ConnectionPool> {
    LocalRef<ClientConnection> connection;
    Host* host = nullptr;
  };
  /// One that waits, makes or uses a connection counts for its host.
  struct Host : ssx::ListHook<HostOrder> {
    std::string key;
    std::size_t places = 0;  ///< connections, those under way included
    std::size_t idle_count = 0;
    std::size_t waiting = 0;
    IntrusiveList<Idle, Host> idle;  ///< the one that was used last in front
    IntrusiveList<Waiter, Host> waiters;
  };

  void on_turn_end() override;
  void serve(Host& host);
  void place_is_free(Host& host);
  Lease take(Host& host, Want want);
  void take_back(Host& host, LocalRef<ClientConnection> connection);
  void keep(Host& host, LocalRef<ClientConnection> connection);
  LocalRef<ClientConnection> unlink(Idle& idle);
  void close_idle(Idle& idle);
  void forget(Host& host);
  Task<Result<void>> connect(Lease& lease, std::string host, std::uint16_t port, TimePoint until);

  class Connect;

  net::Connections& connections_;
  const net::Resolver& resolver_;
  const ClientOptions options_;
  net::TcpClient tcp_;
  std::unordered_map<std::string, std::unique_ptr<Host>> hosts_;
  IntrusiveList<Idle, ConnectionPool> by_age_;      ///< owned; the one that rests longest in front
  IntrusiveList<Host, HostOrder> with_free_place_;  ///< somebody there is to be served
  std::size_t idle_count_ = 0;
  bool closed_ = false;
  ClientCounters counters_;
};

/// A place, and the connection on it. Destroying it ends the connection.
class ConnectionPool::Lease {
 public:
  Lease() noexcept = default;
  Lease(Lease&& other) noexcept
      : pool_(std::move(other.pool_)),
        host_(std::exchange(other.host_, nullptr)),
        connection_(std::move(other.connection_)),
        reused_(other.reused_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      close();
      pool_ = std::move(other.pool_);
      host_ = std::exchange(other.host_, nullptr);
      connection_ = std::move(other.connection_);
      reused_ = other.reused_;
    }
    return *this;
  }
  ~Lease() { close(); }

  /// False once it was closed or given back.
  [[nodiscard]] explicit operator bool() const noexcept { return host_ != nullptr; }
  /// Null while it is only a place.
  [[nodiscard]] ClientConnection* connection() const noexcept { return connection_.get(); }
  /// It had an exchange before, and may have died since.
  [[nodiscard]] bool is_reused() const noexcept { return reused_; }

  /// The exchange is over, and another may follow.
  void give_back();
  /// Ends the connection.
  void close() noexcept;

 private:
  friend class ConnectionPool;
  Lease(LocalRef<ConnectionPool> pool, Host& host) noexcept
      : pool_(std::move(pool)), host_(&host) {}

  LocalRef<ConnectionPool> pool_;
  Host* host_ = nullptr;
  LocalRef<ClientConnection> connection_;
  bool reused_ = false;
};

}  // namespace ssx::http

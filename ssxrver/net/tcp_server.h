// Listeners, workers, and what to do with a new connection: the whole of a TCP server.
//
// Thread: create, start, drain, stop, destruction: the thread of the main loop. post() any thread
// Owner:  whoever created it; must be destroyed before the main loop
// Life:   create (sockets are bound, so errors are known) .. start .. drain .. stop. The workers
//         live to the end of the server, so that a late post() finds a loop that refuses it
// Bounds: WorkerOptions, LoopOptions, ConnectionOptions, TcpOptions
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ssxrver/base/result.h"
#include "ssxrver/net/acceptor.h"
#include "ssxrver/net/admission.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/connection_limits.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/memory_watch.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/overload.h"
#include "ssxrver/net/stall_watchdog.h"
#include "ssxrver/net/worker.h"

namespace ssx::net {

struct TcpServerOptions {
  std::vector<ListenOptions> listeners;
  TcpOptions tcp;
  WorkerOptions workers;
  LoopOptions loop;
  ConnectionOptions connection;
  AccessOptions access;
  MemoryOptions memory;
  MemoryMeter memory_meter;  ///< for tests; empty: the resident memory of the process
};

class TcpServer {
 public:
  /// Called on the worker's loop for each new connection. `listener` counts from 0. Null: refused.
  using ProtocolFactory = std::function<std::unique_ptr<Protocol>(Worker&, std::uint32_t listener)>;

  /// Why it could not be created: the error, and the listener that it concerns ("" = none).
  struct Failure {
    Error error;
    std::string listener;
  };

  /// Binds every listener. `loop` runs the accept thread's part, `stack` must outlive the server.
  static tl::expected<std::unique_ptr<TcpServer>, Failure> create(EventLoop& loop, NetStack& stack,
                                                                  TcpServerOptions options,
                                                                  ProtocolFactory factory);
  ~TcpServer();

  /// Before start(): `callback` is called on the loop of each worker at OverloadLevel::kStop, and
  /// again every half second while that lasts.
  void on_memory_stop(std::function<void(Worker&)> callback) {
    on_memory_stop_ = std::move(callback);
  }

  /// Before start(): `callback` is called on the loop of each worker when drain() begins.
  void on_drain(std::function<void(Worker&)> callback) { on_worker_drain_ = std::move(callback); }

  /// Starts the workers, then accepts. `on_worker_start` is the first thing that each worker's loop
  /// runs. After an error, or stop(), there is no second start.
  Result<void> start(std::function<void(Worker&)> on_worker_start = nullptr);

  /// Refuses newcomers but serves who has begun to connect, lets exchanges end, closes idle
  /// connections after `idle_grace`, and calls `done` (on the main loop) when no connection is left
  /// or `timeout` has passed: then stop() resets the rest, and counts it. Again: the new times and
  /// the new `done` replace the old ones. stop() meanwhile: `done` is dropped.
  void drain(Duration idle_grace, Duration timeout, UniqueFunction<void()> done);
  /// Ends what is left and joins the workers. Idempotent.
  void stop();

  /// Any thread: calls fn(connection) on its worker, or counts a stale id. False when the worker
  /// has ended.
  bool post(ConnectionId id, UniqueFunction<void(Connection&)> fn);

  [[nodiscard]] const std::vector<std::unique_ptr<Worker>>& workers() const noexcept {
    return workers_;
  }
  /// Where listener number `index` listens.
  [[nodiscard]] const SocketAddress& address(std::size_t index = 0) const {
    return addresses_.at(index);
  }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Who is let in: any thread.
  [[nodiscard]] Admission& admission() noexcept { return *admission_; }
  /// How short of memory the process is: any thread, and as long as the server.
  [[nodiscard]] const Overload& overload() const noexcept { return overload_; }
  [[nodiscard]] const ConnectionLimits& limits() const noexcept { return limits_; }
  /// Of the accept thread and of all workers together.
  [[nodiscard]] std::uint64_t accepted() const noexcept;
  [[nodiscard]] const AcceptCounters& accept_counters() const noexcept { return accept_counters_; }

 private:
  /// All sockets of one ListenOptions: one, or with reuseport one per worker.
  struct ListenerGroup {
    std::vector<std::unique_ptr<Listener>> sockets;
  };

  TcpServer(EventLoop& loop, TcpServerOptions options, ProtocolFactory factory,
            std::unique_ptr<Admission> admission, std::uint64_t file_limit);

  Result<void> bind_group(NetStack& stack, const ListenOptions& options);
  Result<void> create_workers();
  void open(Worker& worker, Worker::HandOver socket);
  void give_back_place(unsigned worker, const SocketAddress& peer, bool is_counted) noexcept;
  [[nodiscard]] Acceptor::Options acceptor_options(std::uint32_t listener, bool exclusive) const;
  [[nodiscard]] std::unique_ptr<Acceptor> make_handing_acceptor(std::uint32_t listener);
  [[nodiscard]] std::unique_ptr<Acceptor> make_worker_acceptor(Worker& worker,
                                                               std::uint32_t listener);
  void hand_to(unsigned worker, Accepted accepted, std::uint32_t listener);
  void wake_workers();
  Result<void> start_watchdog();
  Result<void> start_own_acceptors(Worker& worker);
  void shed_load();
  void save_memory();
  void refuse_newcomers();
  void stop_accepting();
  void stop_accepting_everywhere();
  void look_at_drain();
  void give_up_draining();
  void finish_drain();
  [[nodiscard]] std::optional<unsigned> core_of(unsigned position) const noexcept;

  EventLoop& loop_;
  const TcpServerOptions options_;
  const ProtocolFactory factory_;
  const std::unique_ptr<Admission> admission_;
  Overload overload_;
  MemoryWatch memory_watch_;
  ConnectionLimits limits_;
  std::function<void(Worker&)> on_memory_stop_;
  std::function<void(Worker&)> on_worker_drain_;
  std::vector<ListenerGroup> listeners_;
  std::vector<SocketAddress> addresses_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;  ///< on the main loop (AcceptMode::kThread)
  std::unique_ptr<StallWatchdog> watchdog_;           ///< when LoopOptions::stall_kill is set
  AcceptCounters accept_counters_;
  unsigned reserved_worker_ = 0;
  std::vector<bool> touched_;  ///< workers that were handed sockets in this wake-up
  TimerId shed_timer_;
  TimerId save_timer_;
  TimerId accept_end_;  ///< of a drain: the last handshakes are through
  TimerId drain_timer_;
  TimerId drain_poll_;
  std::atomic<std::size_t> accepting_workers_ = 0;  ///< while draining: those that still do
  UniqueFunction<void()> on_drained_;
  bool started_ = false;
  bool draining_ = false;
  bool drained_in_time_ = true;
  bool stopped_ = false;
};

}  // namespace ssx::net

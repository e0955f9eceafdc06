// A thread with a loop and its connections.
//
// Thread: stop(), hand_over(), wake(), counters(): as their comments say; the rest loop-only
// Owner:  TcpServer
// Life:   start() .. stop() .. join()
// Bounds: kHandOverMax sockets wait between the accept thread and the worker, kTakenPerTurn of them
//         are opened in one turn, and kAnsweredPerTurn of those who have spoken, who are read at
//         once
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ssxrver/base/spsc_ring.h"
#include "ssxrver/base/thread.h"
#include "ssxrver/net/acceptor.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::net {

class Worker {
 public:
  static constexpr std::size_t kHandOverMax = 4096;
  static constexpr std::size_t kTakenPerTurn = 256;
  static constexpr std::size_t kAnsweredPerTurn = 32;  ///< of those, who have spoken

  /// A socket for this worker, and which listener it came from.
  struct HandOver {
    Accepted accepted;
    std::uint32_t listener = 0;
  };
  using OpenFunction = UniqueFunction<void(Worker&, HandOver)>;

  /// `open` makes a connection of an accepted socket; it is called on the loop.
  static Result<std::unique_ptr<Worker>> create(std::uint32_t index, const LoopOptions& loop,
                                                const ConnectionOptions& connection,
                                                OpenFunction open);
  ~Worker();

  /// Starts the thread; `on_start` is the first thing that its loop runs.
  Result<void> start(std::optional<unsigned> core, UniqueFunction<void()> on_start);
  /// Any thread. The loop ends at the end of its turn.
  void stop() noexcept { loop_->stop(); }
  void join() { thread_.join(); }

  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] EventLoop& loop() const noexcept { return *loop_; }
  [[nodiscard]] Connections& connections() noexcept { return connections_; }
  /// Readable from any thread.
  [[nodiscard]] const Counters& counters() noexcept { return connections_.counters(); }
  AcceptCounters& accept_counters() noexcept { return accept_counters_; }

  /// Accept thread only. False when the ring is full; nothing is lost then, `socket` is untouched.
  bool hand_over(HandOver&& socket) { return ring_.push(std::move(socket)); }
  /// Accept thread only: tells the worker of what was handed over since the last wake(). Costs a
  /// system call only when the worker may not know yet. True when it did.
  bool wake();
  /// When the loop has ended: what was handed over and not opened goes to `visit`, and is closed.
  void discard_handed_over(const std::function<void(const Accepted&)>& visit);

  /// Loop-only: acceptors of this worker's own (reuseport, exclusive).
  std::vector<std::unique_ptr<Acceptor>>& acceptors() noexcept { return acceptors_; }
  void open(HandOver socket) { open_(*this, std::move(socket)); }

 private:
  class Inbox final : public Channel {
   public:
    Inbox(Worker& worker, sys::UniqueFd eventfd) noexcept
        : Channel(eventfd.get()), worker_(worker), eventfd_(std::move(eventfd)) {}
    void on_ready(Readiness) override;
    [[nodiscard]] const char* label() const noexcept override { return "accepted sockets"; }

   private:
    Worker& worker_;
    sys::UniqueFd eventfd_;
  };

  Worker(std::uint32_t index, std::unique_ptr<EventLoop> loop, const ConnectionOptions& connection,
         sys::UniqueFd eventfd, OpenFunction open);
  void take_in();

  const std::uint32_t index_;
  const std::unique_ptr<EventLoop> loop_;
  OpenFunction open_;
  SpscRing<HandOver> ring_{kHandOverMax};
  std::atomic<bool> told_{false};  ///< the worker has been woken and has not looked yet
  AcceptCounters accept_counters_;
  Connections connections_;
  Inbox inbox_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  Thread thread_;
};

}  // namespace ssx::net

// The connections of one loop: owns them, finds them by id, lends them the memory they share.
//
// Thread: loop-only
// Owner:  Worker (or a test, or a client program)
// Life:   must be destroyed before its loop, on the loop's thread or after the loop has ended
// Bounds: one batch of receive buffers, however many connections; kSpareMax spare buffers;
//         kSpareShrunkMax queues that have shrunk, for what is published to that many at once
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ssxrver/base/in_buffer.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/base/slot_map.h"
#include "ssxrver/net/batch.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/counters.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/transport.h"

namespace ssx::net {

class Connections final : private TurnEnd {
 public:
  static constexpr std::size_t kReadMin = 32 << 10;  ///< room for one read, at least
  static constexpr std::size_t kSpareMax = 64;
  static constexpr std::size_t kSpareShrunkMax = 4096;
  static constexpr std::size_t kSpareBytesMax = 256 << 10;  ///< of one spare buffer
  static constexpr Duration kDrainLook = std::chrono::milliseconds(100);

  Connections(EventLoop& loop, const ConnectionOptions& options, std::uint32_t worker = 0);
  ~Connections();

  /// Takes over a socket and opens its protocol. Null, and the socket closed, when the poller
  /// refuses it.
  /// Who has spoken (Accepted::has_spoken) is read at once, and the poller hears of it when it has
  /// been answered: who is gone by then has cost nothing there. Such a one must not be adopted
  /// within a callback of a connection, and ends with the poller's error when that refuses it.
  Connection* adopt(Accepted accepted, std::unique_ptr<Protocol> protocol);
  /// Null when it has ended.
  [[nodiscard]] Connection* find(SlotId slot) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] bool empty() const noexcept { return slots_.empty(); }

  /// Calls visit(Connection&) for each that is not closed.
  template <class Visit>
  void for_each(Visit&& visit) {
    slots_.for_each([&visit](SlotId, std::unique_ptr<Connection>& connection) {
      if (connection->state() != Connection::State::kClosed) visit(*connection);
    });
  }

  /// Closes up to `count` idle connections, those that were quiet longest first, but none that was
  /// active in the last `min_idle`. How many were closed.
  std::size_t close_idle(std::size_t count, Duration min_idle);
  /// Asks protocols to end: is_draining() is true from now on, and idle connections are closed
  /// after `idle_grace`, those that become idle later within kDrainLook.
  void drain(Duration idle_grace);
  [[nodiscard]] bool is_draining() const noexcept { return draining_; }
  /// A drain took too long: ends what is left, with RST where something was under way.
  void cut_off(const Error& reason);
  void close_all(const Error& reason, bool reset);

  /// Called when a connection has left the table, before it is deleted.
  void on_removed(UniqueFunction<void(const Connection&)> callback) {
    on_removed_ = std::move(callback);
  }

  [[nodiscard]] EventLoop& loop() const noexcept { return loop_; }
  [[nodiscard]] const ConnectionOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  [[nodiscard]] Counters& counters() noexcept { return counters_; }

 private:
  friend class Connection;

  struct Ended {
    SlotId slot;
    Error reason;
  };

  void on_turn_end() override;
  [[nodiscard]] Connection& insert(std::unique_ptr<Connection> made);
  void mark_dirty(Connection& connection) noexcept;
  void retire(Connection& connection, const Error& reason);
  void retire(std::unique_ptr<Protocol> protocol);
  void delete_ended();
  void close_drained();

  [[nodiscard]] std::unique_ptr<InBuffer> take_in_buffer();
  [[nodiscard]] std::unique_ptr<OutQueue> take_out_queue();
  void give_back(std::unique_ptr<InBuffer> buffer) noexcept;
  void give_back(std::unique_ptr<OutQueue> queue) noexcept;

  // Constant after construction.
  EventLoop& loop_;
  const ConnectionOptions options_;
  const std::uint32_t worker_;

  // Loop-only.
  SlotMap<std::unique_ptr<Connection>> slots_;
  std::vector<SlotId> dirty_;  ///< something to do at the end of the turn; some have ended since
  std::vector<SlotId> turn_;   ///< those of the turn that ends, in its place
  std::vector<Ended> ended_;
  std::vector<std::unique_ptr<Protocol>> retired_protocols_;
  Batch batch_;
  std::array<ByteView, Transport::kPartsMax> parts_;  ///< for one write; here it is cleared once
  std::vector<std::unique_ptr<InBuffer>> spare_in_;
  std::vector<std::unique_ptr<OutQueue>> spare_out_;  ///< the next to be taken, with their blocks
  std::vector<std::unique_ptr<OutQueue>> spare_shrunk_;  ///< when those are used up
  UniqueFunction<void(const Connection&)> on_removed_;
  TimerId drain_timer_;
  bool draining_ = false;
  Counters counters_;
};

}  // namespace ssx::net

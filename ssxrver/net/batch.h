// Connections that were ready together: all are read, then all are answered, then all is sent. (i)
//
// Thread: loop-only
// Owner:  Connections
// Life:   a seat is taken by a connection that is read, or whose protocol is to be called now, and
//         given back by serve(): when all are taken, when the ready channels have been heard, and
//         after timers, posted functions and the work for the end of the turn
// Bounds: kSeats connections; each receives into a buffer of kReceiveRoom. Those that have received
//         kReceivedMax bytes wait for no more to come. When the answers come to more than
//         kStagedMax bytes of memory they are sent before the next one is made
//
// Each of the three ways, into the kernel, through a handler and out again, fills the caches of a
// CPU. So each is gone many times in a row (docs/adr/0009).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/in_buffer.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::net {

class Connection;

class Batch final : private TurnEnd {
 public:
  static constexpr std::size_t kSeats = 16;
  // Not a power of two: what is read of sixteen buffers is their beginning, and a cache has few
  // places for lines of equal low addresses.
  static constexpr std::size_t kReceiveRoom = (64 << 10) + 320;

  static constexpr std::size_t kStagedMax = 512 << 10;
  // With what is made of it, what a CPU has close by: longer messages are best answered at once.
  static constexpr std::size_t kReceivedMax = 64 << 10;

  struct Seat {
    Connection* connection = nullptr;
    InBuffer in{kReceiveRoom};  ///< received, not yet handed to the protocol
    OutQueue out;               ///< written by callbacks, not yet sent
  };

  explicit Batch(EventLoop& loop) noexcept : loop_(loop) {}

  [[nodiscard]] bool is_full() const noexcept {
    return taken_ == kSeats || received_ >= kReceivedMax;
  }
  void note_received(std::size_t bytes) noexcept { received_ += bytes; }
  /// The seat of this connection; a free one when it has none, so there must be one.
  [[nodiscard]] Seat& seat_of(Connection& connection) noexcept;
  /// What its callbacks have written and what is not sent yet; null when it has no seat.
  [[nodiscard]] const OutQueue* staged(const Connection& connection) const noexcept;

  /// Of the connection whose callback runs: `bytes` are of what it has received, and stay where
  /// they are until what it writes has been sent.
  [[nodiscard]] bool has_received(const Connection& connection, ByteView bytes) const noexcept {
    return current_ != nullptr && current_->connection == &connection && current_->in.has(bytes);
  }

  /// Answers and sends. Runs callbacks, which may end any connection; all seats are free then.
  void serve();
  void make_room() {
    if (is_full()) serve();
  }

  /// Runs a callback of the connection in this seat; not inside another one.
  template <class Callback>
  void run(Seat& seat, Callback&& callback) {
    SSX_ASSERT(current_ == nullptr);
    current_ = &seat;
    callback();
    current_ = nullptr;
    loop_.callback_ended("connection");
  }

 private:
  void on_turn_end() override { serve(); }
  void send(std::size_t first, std::size_t last);
  [[nodiscard]] std::span<Seat> taken() noexcept { return std::span(seats_).first(taken_); }

  EventLoop& loop_;
  std::array<Seat, kSeats> seats_;
  std::size_t taken_ = 0;
  std::size_t received_ = 0;  ///< bytes, by those who have a seat
  Seat* current_ = nullptr;
};

}  // namespace ssx::net

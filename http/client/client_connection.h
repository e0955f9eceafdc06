// A connection as the client sees it: what has arrived, and when more comes; what waits to be sent,
// and when there is room.
//
// Thread: loop-only
// Owner:  shared between the net::Connection's protocol and whoever uses it (a Lease, the pool)
// Life:   outlives the net::Connection: then it tells the reason why that has ended
// Bounds: kUnreadPause unread bytes, what one read of the system gave on top; ConnectionOptions::
//         output_high unsent bytes, above which room() waits; one that reads and one that writes
//
// A TcpStream with three differences: what has arrived is handed out by the buffer, waiting has a
// patience that does not end the connection, and while it rests in a pool somebody hears of its
// end.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/in_buffer.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/net/protocol.h"

namespace ssx::http {

class ClientConnection final : public LocalShared, private net::TurnEnd {
 public:
  class Arrival;
  class Room;
  /// How it ended while it rested.
  enum class RestEnd : std::uint8_t {
    kTimedOut,  ///< it rested too long
    kByServer,  ///< the server ended it, or sent what nobody had asked for
  };
  using OnRestEnd = UniqueFunction<void(RestEnd)>;

  static constexpr std::size_t kUnreadPause = 64 << 10;

  /// The user's half, and the protocol for the net::Connection.
  static std::pair<LocalRef<ClientConnection>, std::unique_ptr<net::Protocol>> create();

  // ---- reading

  /// What has arrived and was not taken.
  [[nodiscard]] bool has_arrived() const noexcept { return !unread_.empty(); }
  /// Moves it behind what `into` holds.
  void take(InBuffer& into);
  /// co_await gives a Result<void>: something has arrived, or interrupt() was called. kEof: the
  /// server sends nothing more. kTimedOut: nothing came, and the connection stands. Anything else:
  /// why it has ended.
  [[nodiscard]] Arrival arrival(Duration patience);
  /// Resumes who waits for arrival(), if anybody does.
  void interrupt();

  // ---- writing

  /// What to append to; null when nothing can be sent any more.
  [[nodiscard]] OutQueue* out();
  /// co_await gives a Result<void>: at most output_high bytes wait to be sent.
  [[nodiscard]] Room room();
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept;
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept;

  // ---- the connection

  [[nodiscard]] bool is_open() const noexcept { return !closed_ && !reason_; }
  /// Open, and the server has neither ended its side nor sent what was not taken.
  [[nodiscard]] bool is_reusable() const noexcept;
  /// The server that this loop belongs to is stopping.
  [[nodiscard]] bool is_draining() const noexcept;
  /// Ends it now. Who waits is resumed at the end of the turn.
  void close();
  /// Until wake(): `told` hears, once, that it has ended meanwhile; is_reusable().
  void rest(Duration most, OnRestEnd told);
  void wake();

 private:
  class Half;

  // The protocol's half.
  void open(net::Connection& connection);
  void arrive(InBuffer& in);
  void server_ended();
  void drained() { push_on(); }
  void patience_over();
  void ended(const Error& reason);

  void on_turn_end() override { push_on(); }
  void push_on();
  void look_again();
  void end_rest(RestEnd how);
  void finish_arrival(Result<void> result);
  void finish_room(Result<void> result);
  bool try_arrival(Arrival& waiter) const;
  bool try_room(Room& waiter);

  net::Connection* connection_ = nullptr;  ///< null before it is opened and after it has ended
  InBuffer unread_;
  bool paused_ = false;
  bool server_ended_ = false;
  bool closed_ = false;          ///< by this side
  std::optional<Error> reason_;  ///< set once the connection has ended
  Arrival* reader_ = nullptr;
  Room* writer_ = nullptr;
  OnRestEnd told_;  ///< set while it rests
};

class ClientConnection::Arrival final : private net::LoopContinuation {
 public:
  Arrival(ClientConnection& connection, Duration patience) noexcept
      : connection_(connection), patience_(patience) {}
  ~Arrival();
  bool await_ready() { return connection_.try_arrival(*this); }
  void await_suspend(std::coroutine_handle<> handle) noexcept;
  Result<void> await_resume() const noexcept { return result_; }

 private:
  friend class ClientConnection;
  ClientConnection& connection_;
  Duration patience_;
  Result<void> result_;
  bool waiting_ = false;
};

class ClientConnection::Room final : private net::LoopContinuation {
 public:
  explicit Room(ClientConnection& connection) noexcept : connection_(connection) {}
  ~Room();
  bool await_ready() { return connection_.try_room(*this); }
  void await_suspend(std::coroutine_handle<> handle) noexcept;
  Result<void> await_resume() const noexcept { return result_; }

 private:
  friend class ClientConnection;
  ClientConnection& connection_;
  Result<void> result_;
  bool waiting_ = false;
};

}  // namespace ssx::http

// One WebSocket, once the handshake is over (RFC 6455 5 to 7): reads messages, answers pings, keeps
// the times, ends as the RFC says.
//
// Thread: loop-only
// Owner:  Connection
// Life:   on_open .. on_close; the handlers hear of one end for one beginning
// Bounds: Options: of frames and messages, control_rate, the times, backpressure
//
//   open ── close(), or the times ──► closing ── the peer's close frame ──► done
//     └──── the peer's close frame, an error, the end of the connection ──────┘
//
// A message that one read has brought is handled where it lies; others are put together in a block
// of the worker's. While a coroutine handles one, nothing further is read, so the order is kept; of
// a compressed piece nothing further is inflated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/protocol.h"
#include "ssxrver/pubsub/topic_table.h"
#include "websocket/deflate.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/frame.h"
#include "websocket/frame_parser.h"
#include "websocket/frame_writer.h"
#include "websocket/outbox.h"
#include "websocket/prepared.h"
#include "websocket/route.h"
#include "websocket/shared_message.h"
#include "websocket/socket.h"
#include "websocket/worker_state.h"

namespace ssx::websocket {

/// What the handshake has agreed on.
struct Agreed {
  Agreed() = default;
  Agreed(std::string_view its_subprotocol, const std::optional<DeflateParams>& its_deflate) noexcept
      : subprotocol(its_subprotocol),
        deflate(its_deflate),
        make_deflate(&WorkerState::make_deflate) {}

  std::string_view subprotocol;  ///< lives as long as the route
  std::optional<DeflateParams> deflate;
  /// A program that never agrees on it has no code of it.
  decltype(&WorkerState::make_deflate) make_deflate = nullptr;
};

class Session : public net::Protocol, public pubsub::Subscriber, public ListHook<Session> {
 public:
  ~Session() override;

  void on_open(net::Connection& connection) override;
  void on_data(net::Connection& connection, InBuffer& in) override;
  void on_end(net::Connection& connection) override;
  void on_drain(net::Connection& connection) override;
  [[nodiscard]] std::uint64_t drain_mark() const override;
  [[nodiscard]] bool rests_above_high() const override;
  void on_deadline(net::Connection& connection) override;
  void on_close(net::Connection& connection, const Error& reason) override;

  // What a WebSocketBase does.
  Sent send(Opcode opcode, ByteView payload);
  Sent send(const PreparedMessage& message);
  Sent send_file(FileSlice file);
  Sent send_control(Opcode opcode, ByteView payload);
  [[nodiscard]] bool send_fragment(Opcode opcode, ByteView payload, bool is_last);
  [[nodiscard]] bool subscribe(std::string_view topic, std::uint8_t note);
  bool unsubscribe(std::string_view topic);
  [[nodiscard]] bool is_subscribed(std::string_view topic) const noexcept;
  void close(CloseCode code, std::string_view reason);
  void reset();
  [[nodiscard]] bool is_open() const noexcept { return phase_ == Phase::kOpen; }
  [[nodiscard]] Duration idle_for() const noexcept {
    return connection_.loop().now() - quiet_since_;
  }
  void touch() noexcept { quiet_since_ = connection_.loop().now(); }
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept;
  [[nodiscard]] net::Connection& connection() const noexcept { return connection_; }
  [[nodiscard]] std::string_view subprotocol() const noexcept { return subprotocol_; }
  [[nodiscard]] WebSocketBase& socket() const noexcept { return socket_; }
  [[nodiscard]] WorkerState& state() const noexcept { return state_; }

  /// What another thread has posted (WebSocketHandle).
  void run(UniqueFunction<void(WebSocketBase&)>& function);

  // What its WorkerState does.
  static constexpr std::uint8_t kPolicyOfRoute = 0xFF;
  /// What was published; `note`: a BackpressurePolicy, or kPolicyOfRoute.
  void deliver(const LocalRef<SharedMessage>& message, std::uint8_t note, std::size_t topic);
  [[nodiscard]] std::size_t unsent_memory() const noexcept;

 protected:
  Session(net::Connection& connection, const Route& route, WorkerState& state, const Agreed& agreed,
          WebSocketBase& socket);

 private:
  using Parsed = FrameParser::Parsed;

  enum class Phase : std::uint8_t {
    kOpen,
    kClosing,  ///< our close frame is sent; the peer's has not come
    kDone,     ///< the handlers have heard the end; what is queued leaves
  };

  // Reading.
  void take_piece(const Parsed& piece);
  void hand_on(const Parsed& piece);
  void assemble(const Parsed& piece);
  void inflate(const Piece& coded);
  void inflate_held();
  void hold(const Piece& coded);
  [[nodiscard]] bool holds_coded() const noexcept {
    return assembled_ != nullptr && assembled_->holds;
  }
  void begin_block();
  [[nodiscard]] bool is_good_text(Opcode opcode, ByteView payload, bool ends);
  void take_control(const Parsed& control);
  void take_ping(std::string_view payload);
  void take_pong(std::string_view payload);
  void take_close(ByteView payload);

  // Handlers.
  void handle(const Message& message, std::unique_ptr<MessageBlock> block);
  void give(const Piece& piece);
  void start(const Callbacks::OnMessageAsync& handler, const Message& message,
             std::unique_ptr<MessageBlock> block);
  void start(const Callbacks::OnPieceAsync& handler, const Piece& piece);
  template <class Make>
  void run_handler(std::unique_ptr<MessageBlock> block, Make&& make);
  void recycle(std::unique_ptr<MessageBlock> block);
  void handler_done();
  void go_on_reading();
  [[gnu::cold]] void handler_failed();
  /// In a catch block.
  [[gnu::cold]] void log_thrown(const char* callback) const;
  template <class Call>
  void call(Call&& call);
  [[nodiscard]] bool is_handling() const noexcept { return handled_ != nullptr; }
  /// Nothing more is taken of what is read: a coroutine is at work, and messages still matter.
  [[nodiscard]] bool rests() const noexcept { return is_handling() && is_open(); }
  /// Nothing is read.
  [[nodiscard]] bool is_held_up() const {
    return rests() || (connection_.is_blocked() && rests_above_high());
  }

  // Sending.
  enum class Admission : std::uint8_t { kNow, kLater, kRefused };

  [[nodiscard]] bool is_fragmenting() const noexcept {
    return fragmented_ != Opcode::kContinuation;
  }
  [[nodiscard]] std::uint64_t bytes_ahead() const noexcept;
  /// Beside `unsent` bytes.
  [[nodiscard]] bool has_room_for(std::size_t bytes, std::size_t unsent);
  [[nodiscard]] Admission admit(std::size_t bytes, BackpressurePolicy policy, std::size_t topic);
  void refuse(BackpressurePolicy policy);
  Sent send_shared(const LocalRef<SharedMessage>& message, BackpressurePolicy policy,
                   std::size_t topic);
  Sent keep(WaitingMessage message);
  Sent write_message(Opcode opcode, ByteView payload);
  Sent write_shared(const LocalRef<SharedMessage>& shared);
  void append_to(OutQueue& out, Opcode opcode, ByteView payload, FrameBits bits);
  void append(Opcode opcode, ByteView payload, FrameBits bits = {});
  [[nodiscard]] OutQueue& message_queue();
  Sent note_message(std::uint64_t bytes);
  [[nodiscard]] Sent note_sent(std::uint64_t bytes);
  void delay_flush();
  void flush_delayed();
  void stop_flush_timer() noexcept;
  void tell_backpressure();
  void look_later();
  void look_at_drain();
  [[nodiscard]] bool send_waiting(bool all);
  [[nodiscard]] Outbox& outbox();
  [[nodiscard]] bool has_subscribed() const noexcept;

  // The debug log.
  enum class Way : std::uint8_t { kIn, kOut };

  void trace(Way way, const FrameHeader& header, ByteView payload) const;  // session_trace.h
  [[gnu::cold]] void log_frame(Way way, const FrameHeader& header, ByteView payload) const;

  // Ends.
  void append_close(CloseCode code, std::string_view reason);
  [[gnu::cold]] void fail(Errc error);
  void finish(CloseCode code, std::string_view reason);
  void lose_waiting() noexcept;

  // Times.
  [[nodiscard]] TimePoint assembly_began(TimePoint now) const noexcept;
  void look_at_close();
  void look_at_times(TimePoint now);
  [[nodiscard]] bool look_at_peer(TimePoint now);
  [[nodiscard]] bool look_for_pong(TimePoint now, bool takes);
  void set_next_look(TimePoint now);
  /// Bytes, or the end of a coroutine: nobody was read before that.
  [[nodiscard]] TimePoint latest_life() const noexcept {
    return std::max(connection_.last_active(), quiet_since_);
  }

  net::Connection& connection_;
  const Route& route_;
  WorkerState& state_;
  WebSocketBase& socket_;
  FrameParser parser_;
  std::string_view subprotocol_;
  std::unique_ptr<MessageBlock> assembled_;  ///< a message that has come in part
  std::unique_ptr<MessageBlock> handled_;    ///< the one, or the piece, that a coroutine handles
  std::unique_ptr<Deflate> deflate_;         ///< null: not agreed on
  std::unique_ptr<Outbox> outbox_;           ///< null: nothing had to wait yet
  TimePoint opened_;
  TimePoint quiet_since_;                ///< the latest piece of a message, or touch()
  TimePoint pinged_ = TimePoint::min();  ///< when the ping was sent that nobody has answered
  TimePoint controls_full_at_ = TimePoint::min();
  TimePoint waiting_since_ = TimePoint::min();  ///< min: at the latest look nothing waited
  std::uint64_t taken_ = 0;                     ///< bytes the peer had taken at the latest look
  Phase phase_ = Phase::kOpen;
  bool ping_waits_ = false;                    ///< behind what the peer has not taken yet
  std::uint16_t unanswered_pings_ = 0;         ///< of ours: so many pongs are answers
  bool telling_ = false;                       ///< on_backpressure is being called
  bool above_high_ = false;                    ///< on_backpressure was called, and on_drain not yet
  Opcode fragmented_ = Opcode::kContinuation;  ///< the message that is being sent in fragments
};

template <class Call>
void Session::call(Call&& call) {
  connection_.loop().set_label(route_.label);
  try {
    call();
  } catch (...) {
    handler_failed();
  }
}

static_assert(sizeof(net::Connection) + sizeof(Session) <= 480, "ten thousand idle ones must fit");

namespace internal {

/// A base that is destroyed last: a session needs its route to the end.
class KeepsRoute {
 protected:
  explicit KeepsRoute(std::shared_ptr<const Route> route) noexcept : route_(std::move(route)) {}
  ~KeepsRoute() = default;

  [[nodiscard]] const Route& kept_route() const noexcept { return *route_; }

 private:
  const std::shared_ptr<const Route> route_;
};

}  // namespace internal

/// With the socket of a route whose data is a T.
template <class T>
class SessionOf final : private internal::KeepsRoute, public Session {
 public:
  SessionOf(net::Connection& connection, std::shared_ptr<const Route> route, WorkerState& state,
            const Agreed& agreed, T data)
      : KeepsRoute(std::move(route)),
        Session(connection, kept_route(), state, agreed, socket_),
        socket_(*this, std::move(data)) {}

 private:
  WebSocket<T> socket_;
};

}  // namespace ssx::websocket

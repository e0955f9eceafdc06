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
//
// A session that rests is small, as there may be very many: what it has to remember of what is not
// finished is Underway, which it then has not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/base/coarse_time.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/protocol.h"
#include "websocket/deflate.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/frame.h"
#include "websocket/frame_parser.h"
#include "websocket/frame_writer.h"
#include "websocket/outbox.h"
#include "websocket/prepared.h"
#include "websocket/route.h"
#include "websocket/route_here.h"
#include "websocket/shared_message.h"
#include "websocket/socket.h"
#include "websocket/underway.h"
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

class Session : public net::Protocol {
 public:
  ~Session() override;

  [[nodiscard]] const void* owner() const noexcept override { return &state(); }
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
    return connection_.loop().now() - quiet_since();
  }
  void touch() noexcept { quiet_ = CoarseTime(connection_.loop().now()); }
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept;
  [[nodiscard]] net::Connection& connection() const noexcept { return connection_; }
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  [[nodiscard]] virtual WebSocketBase& socket() noexcept = 0;
  [[nodiscard]] WorkerState& state() const noexcept { return here_->state(); }

  /// What another thread has posted (WebSocketHandle).
  void run(UniqueFunction<void(WebSocketBase&)>& function);

  [[nodiscard]] bool rests_for_test() const noexcept { return underway_ == nullptr; }

  // What its WorkerState does.
  static constexpr std::uint8_t kPolicyOfRoute = 0xFF;
  /// What was published; `note`: a BackpressurePolicy, or kPolicyOfRoute.
  void deliver(const LocalRef<SharedMessage>& message, std::uint8_t note, std::size_t topic);
  [[nodiscard]] std::size_t unsent_memory() const noexcept;

 protected:
  Session(net::Connection& connection, LocalRef<RouteHere> here, const Agreed& agreed);

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
    return assembled() != nullptr && assembled()->holds;
  }
  [[nodiscard]] FrameParser resumed_parser() const noexcept;
  void keep(const FrameParser& parser);
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
  [[nodiscard]] bool is_handling() const noexcept {
    return underway_ != nullptr && underway_->handled != nullptr;
  }
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
  [[nodiscard]] OutQueue* unasked_queue(std::size_t bytes);
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
  void count_message() noexcept;
  void count_sent(std::uint64_t bytes) noexcept;
  [[nodiscard]] Sent note_sent(std::uint64_t bytes);
  void delay_flush();
  void flush_delayed();
  void stop_flush_timer() noexcept;
  void tell_backpressure();
  void look_later();
  void look_at_drain();
  [[nodiscard]] bool send_waiting(bool all);
  [[nodiscard]] Outbox& outbox();
  [[nodiscard]] Membership& membership();
  [[nodiscard]] std::size_t subscription_count() const noexcept;

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
  void let_rest();
  [[nodiscard]] TimePoint quiet_since() const noexcept {
    return quiet_.at(connection_.loop().now());
  }
  /// Bytes, or the end of a coroutine: nobody was read before that.
  [[nodiscard]] TimePoint latest_life() const noexcept {
    return std::max(connection_.last_active(), quiet_since());
  }

  // What is there, or null.
  [[nodiscard]] const Route& route() const noexcept { return here_->route(); }
  [[nodiscard]] MessageBlock* assembled() const noexcept {
    return underway_ == nullptr ? nullptr : underway_->assembled.get();
  }
  [[nodiscard]] Deflate* deflate() const noexcept {
    return underway_ == nullptr ? nullptr : underway_->deflate.get();
  }
  [[nodiscard]] Outbox* outbox_if_made() const noexcept {
    return underway_ == nullptr ? nullptr : underway_->outbox.get();
  }
  [[nodiscard]] bool has_waiting_messages() const noexcept {
    return outbox_if_made() != nullptr && outbox_if_made()->has_messages();
  }
  /// Makes it.
  [[nodiscard]] Underway& underway();

  const LocalRef<RouteHere> here_;
  net::Connection& connection_;
  std::unique_ptr<Underway> underway_;  ///< null: it rests
  CoarseTime quiet_;                    ///< the latest piece of a message, or touch()
  std::uint16_t subprotocol_;           ///< of those of the route, the first is 1; 0 = none
  Phase phase_ : 2 = Phase::kOpen;
  bool telling_ : 1 = false;                   ///< on_backpressure is being called
  bool above_high_ : 1 = false;                ///< on_backpressure was called, and on_drain not yet
  Opcode fragmented_ = Opcode::kContinuation;  ///< the message that is sent in fragments
};

template <class Call>
void Session::call(Call&& call) {
  connection_.loop().set_label(route().label);
  try {
    call();
  } catch (...) {
    handler_failed();
  }
}

static_assert(sizeof(Session) <= 40, "there may be very many that rest");

/// With the socket of a route whose data is a T.
template <class T>
class SessionOf final : public Session {
 public:
  SessionOf(net::Connection& connection, LocalRef<RouteHere> here, const Agreed& agreed, T data)
      : Session(connection, std::move(here), agreed), socket_(*this, std::move(data)) {}

  [[nodiscard]] WebSocketBase& socket() noexcept override { return socket_; }

 private:
  WebSocket<T> socket_;
};

}  // namespace ssx::websocket

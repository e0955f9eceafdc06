#include "websocket/session.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/net/connections.h"
#include "websocket/close_frame.h"
#include "websocket/session_trace.h"

namespace ssx::websocket {
namespace {

using net::Connection;

constexpr std::size_t kPromiseMax = 64 << 10;  // a header alone shall not cost more memory
constexpr std::size_t kInflateStep = 16 << 10;

Errc to_errc(const Error& error) noexcept {
  return error.code().category() == websocket_category() ? static_cast<Errc>(error.code().value())
                                                         : Errc::kBadDeflate;
}

}  // namespace

Session::Session(Connection& connection, const Route& route, WorkerState& state,
                 const Agreed& agreed, WebSocketBase& socket)
    : connection_(connection),
      route_(route),
      state_(state),
      socket_(socket),
      parser_(route.frames, route.role, agreed.deflate.has_value()),
      subprotocol_(agreed.subprotocol),
      opened_(connection.loop().now()),
      quiet_since_(opened_) {
  if (agreed.deflate)
    deflate_ = (state.*agreed.make_deflate)(*agreed.deflate, route.options, route.role);
}

Session::~Session() {
  if (assembled_ != nullptr) state_.give_back(std::move(assembled_));
  if (handled_ != nullptr) state_.give_back(std::move(handled_));
}

void Session::on_open(Connection& connection) {
  state_.sessions.push_back(*this);
  state_.counters.opened.add();
  state_.counters.open.add();
  set_next_look(connection.loop().now());
  if (route_.callbacks.on_open) {
    call([this] { route_.callbacks.on_open(socket_); });
  }
  if (connection.table().is_draining()) close(CloseCode::kGoingAway, {});
}

Outbox& Session::outbox() {
  if (outbox_ == nullptr) outbox_ = std::make_unique<Outbox>();
  return *outbox_;
}

// ---- reading

void Session::on_data(Connection& connection, InBuffer& in) {
  if (is_held_up()) return connection.pause_reading();
  const MutableBytes bytes = in.mutable_readable();
  std::size_t taken = 0;
  while (phase_ != Phase::kDone && !rests()) {
    const Parsed parsed = parser_.next(bytes.subspan(taken));
    taken += parsed.consumed;
    if (parsed.found == FrameParser::Found::kNeedMore) break;
    if (parsed.found == FrameParser::Found::kFailed) {
      fail(parsed.error);
    } else if (parsed.found == FrameParser::Found::kControl) {
      take_control(parsed);
    } else {
      take_piece(parsed);
    }
    // What is answered shall leave before more is made of it.
    if (taken < bytes.size() &&
        connection.unsent_bytes() > connection.table().options().output_high) {
      connection.deliver_again();
      break;
    }
  }
  in.consume(phase_ == Phase::kDone ? bytes.size() : taken);
  // Reading goes on where nothing is left: only the peer's end tells that it has gone.
  if (rests() && (!in.empty() || holds_coded())) connection.pause_reading();
}

void Session::take_piece(const Parsed& piece) {
  state_.counters.bytes_in.add(piece.payload.size());
  if (piece.ends) state_.counters.messages_in.add();
  touch();
  if (phase_ != Phase::kOpen) return;  // nobody wants it any more
  if (piece.compressed) {
    if (piece.begins) begin_block();
    return inflate({as_text(piece.payload), piece.opcode, piece.begins, piece.ends});
  }
  if (route_.callbacks.takes_pieces()) return hand_on(piece);
  if (!piece.begins || !piece.ends) return assemble(piece);
  if (piece.opcode == Opcode::kText && route_.options.utf8_check && !is_utf8(piece.payload))
    return fail(Errc::kBadUtf8);
  handle({as_text(piece.payload), piece.opcode}, nullptr);
}

void Session::begin_block() {
  assembled_ = state_.take_block();
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() - kInflateStep;
  assembled_->buffer.bound(std::min(route_.options.message_max, kMost) + kInflateStep);
  assembled_->began = connection_.loop().now();
  set_next_look(assembled_->began);
}

// A route that takes pieces keeps of a message nothing but where in a character it is.
void Session::hand_on(const Parsed& piece) {
  if (piece.begins) begin_block();
  if (!is_good_text(piece.opcode, piece.payload, piece.ends)) return fail(Errc::kBadUtf8);
  if (piece.ends) state_.give_back(std::move(assembled_));
  give({as_text(piece.payload), piece.opcode, piece.begins, piece.ends});
}

void Session::assemble(const Parsed& piece) {
  if (piece.begins) begin_block();
  if (!is_good_text(piece.opcode, piece.payload, piece.ends)) return fail(Errc::kBadUtf8);
  MessageBuffer& buffer = assembled_->buffer;
  const std::size_t promised = piece.payload.size() + piece.frame_rest;
  if (buffer.empty())
    buffer.reserve(std::max(std::min(promised, kPromiseMax), route_.options.read_buffer));
  state_.prepare(buffer, buffer.size() + piece.payload.size());
  buffer.append(piece.payload);
  if (!piece.ends) return;
  auto block = std::move(assembled_);
  const Message message{block->buffer.text(), piece.opcode};
  handle(message, std::move(block));
}

// Into the block: all of the message, or for a route that takes pieces one step after the other.
void Session::inflate(const Piece& coded) {
  const bool streams = route_.callbacks.takes_pieces();
  const auto last = coded.ends ? compress::Piece::kLast : compress::Piece::kMore;
  const Opcode opcode = coded.opcode;
  const bool ends = coded.ends;
  ByteView in = coded.bytes();
  bool begins = coded.begins;
  for (bool done = false; !done;) {
    MessageBuffer& buffer = assembled_->buffer;
    if (streams) buffer.clear();
    const std::size_t before = buffer.size();
    state_.prepare(buffer, before + kInflateStep);
    const MutableBytes room = buffer.room(kInflateStep);
    const auto step = deflate_->inflate(in, room, last);
    if (!step) return fail(to_errc(step.error()));
    in = in.subspan(step->consumed);
    done = step->done;
    buffer.commit(step->produced);
    const ByteView made = as_bytes(buffer.text()).subspan(before);
    if (!is_good_text(opcode, made, ends && done)) return fail(Errc::kBadUtf8);
    if (!streams) continue;
    give({as_text(made), opcode, std::exchange(begins, false), ends && done});
    if (phase_ != Phase::kOpen) return;
    if (is_handling() && !done) return hold({as_text(in), opcode, begins, ends});
  }
  if (!ends) return;
  auto block = std::move(assembled_);
  if (streams) return state_.give_back(std::move(block));
  const Message message{block->buffer.text(), opcode};
  handle(message, std::move(block));
}

// What is held may be the end of what was held before.
void Session::hold(const Piece& coded) {
  assembled_->coded.assign(coded.payload);
  assembled_->piece = coded;
  assembled_->piece.payload = assembled_->coded;
  assembled_->holds = true;
}

void Session::inflate_held() {
  if (!holds_coded() || phase_ != Phase::kOpen) return;
  assembled_->holds = false;
  inflate(assembled_->piece);
}

bool Session::is_good_text(Opcode opcode, ByteView payload, bool ends) {
  if (opcode != Opcode::kText || !route_.options.utf8_check) return true;
  return assembled_->utf8.feed(payload) && (!ends || assembled_->utf8.is_complete());
}

void Session::take_control(const Parsed& control) {
  const net::TokenBucket& rate = route_.control_rate;
  if (rate.is_limited() && !rate.take(controls_full_at_, connection_.loop().now()))
    return fail(Errc::kControlRate);
  trace(Way::kIn, {.opcode = control.opcode, .payload_size = control.payload.size()},
        control.payload);
  if (control.opcode == Opcode::kClose) return take_close(control.payload);
  if (phase_ != Phase::kOpen) return;
  if (control.opcode == Opcode::kPing) return take_ping(as_text(control.payload));
  take_pong(as_text(control.payload));
}

// A peer that reads nothing gets one pong at the end, for the newest ping (5.5.3).
void Session::take_ping(std::string_view payload) {
  state_.counters.pings_in.add();
  if (route_.options.reply_ping) {
    if (connection_.unsent_bytes() > route_.options.backpressure.high) {
      if (!outbox().pong) look_later();
      outbox().pong.emplace(payload);
    } else {
      append(Opcode::kPong, as_bytes(payload));
    }
  }
  if (route_.callbacks.on_ping) {
    call([this, payload] { route_.callbacks.on_ping(socket_, payload); });
  }
}

// Who answers only the newest of some pings (5.5.3) has as many answers left.
void Session::take_pong(std::string_view payload) {
  pinged_ = TimePoint::min();
  const bool is_answer = unanswered_pings_ > 0;
  if (is_answer) --unanswered_pings_;
  if (!is_answer && route_.options.ignore_pong) return;
  if (route_.callbacks.on_pong) {
    call([this, payload] { route_.callbacks.on_pong(socket_, payload); });
  }
}

void Session::take_close(ByteView payload) {
  const ParsedClose said = parse_close(payload);
  if (said.error != Errc::kOk) return fail(said.error);
  if (phase_ == Phase::kOpen) append_close(said.code, {});
  finish(said.code, said.reason);
  // The server ends the connection first: its end of it shall be the one that has to wait (7.1.1).
  if (route_.role == Role::kServer) connection_.close_after_flush(Connection::Linger::kNo);
}

// ---- handlers

void Session::handle(const Message& message, std::unique_ptr<MessageBlock> block) {
  trace(Way::kIn, {.opcode = message.opcode, .payload_size = message.payload.size()},
        message.bytes());
  const auto& on_message = route_.callbacks.on_message;
  if (const auto* later = std::get_if<Callbacks::OnMessageAsync>(&on_message))
    return start(*later, message, std::move(block));
  if (const auto& now = std::get<Callbacks::OnMessage>(on_message)) {
    call([this, &now, &message] { now(socket_, message); });
  }
  if (block != nullptr) recycle(std::move(block));
}

void Session::recycle(std::unique_ptr<MessageBlock> block) {
  state_.keep_if_large(block->buffer, connection_.loop());
  state_.give_back(std::move(block));
}

void Session::give(const Piece& piece) {
  trace(Way::kIn,
        {.opcode = piece.begins ? piece.opcode : Opcode::kContinuation,
         .fin = piece.ends,
         .payload_size = piece.payload.size()},
        piece.bytes());
  const auto& on_piece = route_.callbacks.on_piece;
  if (const auto* later = std::get_if<Callbacks::OnPieceAsync>(&on_piece))
    return start(*later, piece);
  call([this, &now = std::get<Callbacks::OnPiece>(on_piece), &piece] { now(socket_, piece); });
}

void Session::run(UniqueFunction<void(WebSocketBase&)>& function) {
  if (phase_ != Phase::kOpen) return state_.counters.posted_late.add();
  call([this, &function] { function(socket_); });
}

// What it sees must stay where it is, however much is read meanwhile.
void Session::start(const Callbacks::OnMessageAsync& handler, const Message& message,
                    std::unique_ptr<MessageBlock> block) {
  if (block == nullptr) {
    block = state_.take_block();
    block->buffer.assign(message.payload);
  }
  block->message = {block->buffer.text(), message.opcode};
  run_handler(std::move(block), [this, &handler] { return handler(socket_, handled_->message); });
}

void Session::start(const Callbacks::OnPieceAsync& handler, const Piece& piece) {
  auto block = state_.take_block();
  block->buffer.assign(piece.payload);
  block->piece = {block->buffer.text(), piece.opcode, piece.begins, piece.ends};
  block->began = connection_.loop().now();
  run_handler(std::move(block), [this, &handler] { return handler(socket_, handled_->piece); });
}

template <class Make>
void Session::run_handler(std::unique_ptr<MessageBlock> block, Make&& make) {
  handled_ = std::move(block);
  handled_->done.set(*this, &Session::handler_done);
  Task<> made;
  call([&made, &make] { made = make(); });
  if (!made) return state_.give_back(std::move(handled_));  // it threw before it was a coroutine
  handled_->handler = std::move(made);
  if (handled_->handler.start(handled_->done)) handler_done();
}

void Session::handler_done() {
  if (assembled_ != nullptr) assembled_->began = assembly_began(connection_.loop().now());
  auto block = std::move(handled_);
  touch();
  try {
    block->handler.result();
  } catch (...) {
    handler_failed();
  }
  recycle(std::move(block));
  inflate_held();
  go_on_reading();
}

void Session::go_on_reading() {
  if (connection_.is_open() && !is_held_up()) connection_.resume_reading();
}

void Session::handler_failed() {
  log_thrown("the handler");
  fail(Errc::kHandlerFailed);
}

void Session::log_thrown(const char* callback) const {
  std::string what = "an exception that is no std::exception";
  try {
    throw;
  } catch (const std::exception& thrown) {
    what = thrown.what();
  } catch (...) {
  }
  SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: {} threw: {}", route_.name, callback, what);
}

}  // namespace ssx::websocket

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

// Of the one that was agreed on, among those that the route knows.
std::uint16_t place_of(std::string_view subprotocol, const std::vector<std::string>& known) {
  if (subprotocol.empty()) return 0;
  const auto place = std::ranges::find(known, subprotocol) - known.begin() + 1;
  return static_cast<std::uint16_t>(place);
}

}  // namespace

Session::Session(Connection& connection, LocalRef<RouteHere> here, const Agreed& agreed)
    : here_(std::move(here)),
      connection_(connection),
      quiet_(connection.loop().now()),
      subprotocol_(place_of(agreed.subprotocol, route().options.subprotocols)) {
  state().serves(connection.table());
  if (agreed.deflate)
    underway().deflate =
        (state().*agreed.make_deflate)(*agreed.deflate, route().options, route().role);
  if (route().options.max_lifetime.count() > 0) underway().opened = connection.loop().now();
}

Session::~Session() {
  if (underway_ == nullptr) return;
  if (underway_->assembled != nullptr) state().give_back(std::move(underway_->assembled));
  if (underway_->handled != nullptr) state().give_back(std::move(underway_->handled));
  state().give_back(std::move(underway_));
}

Underway& Session::underway() {
  if (underway_ == nullptr) underway_ = state().take_underway();
  return *underway_;
}

// Not while somebody looks at what it has. One that closes has to know what its peer has taken.
void Session::let_rest() {
  if (underway_ == nullptr || phase_ != Phase::kOpen) return;
  const TimePoint now = connection_.loop().now();
  if (underway_->is_over(now)) return state().give_back(std::move(underway_));
  if (underway_->controls_full_at > now) set_next_look(now);
}

std::string_view Session::subprotocol() const noexcept {
  if (subprotocol_ == 0) return {};
  return route().options.subprotocols[subprotocol_ - 1U];
}

void Session::on_open(Connection& connection) {
  state().counters.opened.add();
  state().counters.open.add();
  set_next_look(connection.loop().now());
  if (route().callbacks.on_open) {
    call([this] { route().callbacks.on_open(socket()); });
  }
  if (connection.table().is_draining()) close(CloseCode::kGoingAway, {});
}

Outbox& Session::outbox() {
  auto& made = underway().outbox;
  if (made == nullptr) made = std::make_unique<Outbox>();
  return *made;
}

// ---- reading

void Session::on_data(Connection& connection, InBuffer& in) {
  if (is_held_up()) return connection.pause_reading();
  const MutableBytes bytes = in.mutable_readable();
  std::size_t taken = 0;
  FrameParser parser = resumed_parser();
  while (phase_ != Phase::kDone && !rests()) {
    const Parsed parsed = parser.next(bytes.subspan(taken));
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
  keep(parser);
  in.consume(phase_ == Phase::kDone ? bytes.size() : taken);
  // Reading goes on where nothing is left: only the peer's end tells that it has gone.
  if (rests() && (!in.empty() || holds_coded())) connection.pause_reading();
  let_rest();
}

FrameParser Session::resumed_parser() const noexcept {
  if (underway_ != nullptr && underway_->parser) return *underway_->parser;
  return {route().frames, route().role, deflate() != nullptr};
}

// Between two messages a new one is as good.
void Session::keep(const FrameParser& parser) {
  if (!parser.between_messages()) {
    underway().parser = parser;
  } else if (underway_ != nullptr) {
    underway_->parser.reset();
  }
}

void Session::take_piece(const Parsed& piece) {
  state().counters.bytes_in.add(piece.payload.size());
  if (piece.ends) state().counters.messages_in.add();
  touch();
  if (phase_ != Phase::kOpen) return;  // nobody wants it any more
  if (piece.compressed) {
    if (piece.begins) begin_block();
    return inflate({as_text(piece.payload), piece.opcode, piece.begins, piece.ends});
  }
  if (route().callbacks.takes_pieces()) return hand_on(piece);
  if (!piece.begins || !piece.ends) return assemble(piece);
  if (piece.opcode == Opcode::kText && route().options.utf8_check && !is_utf8(piece.payload))
    return fail(Errc::kBadUtf8);
  handle({as_text(piece.payload), piece.opcode}, nullptr);
}

void Session::begin_block() {
  auto& block = underway().assembled;
  block = state().take_block();
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() - kInflateStep;
  block->buffer.bound(std::min(route().options.message_max, kMost) + kInflateStep);
  block->began = connection_.loop().now();
  set_next_look(block->began);
}

// A route that takes pieces keeps of a message nothing but where in a character it is.
void Session::hand_on(const Parsed& piece) {
  if (piece.begins) begin_block();
  if (!is_good_text(piece.opcode, piece.payload, piece.ends)) return fail(Errc::kBadUtf8);
  if (piece.ends) state().give_back(std::move(underway_->assembled));
  give({as_text(piece.payload), piece.opcode, piece.begins, piece.ends});
}

void Session::assemble(const Parsed& piece) {
  if (piece.begins) begin_block();
  if (!is_good_text(piece.opcode, piece.payload, piece.ends)) return fail(Errc::kBadUtf8);
  MessageBuffer& buffer = assembled()->buffer;
  const std::size_t promised = piece.payload.size() + piece.frame_rest;
  if (buffer.empty())
    buffer.reserve(std::max(std::min(promised, kPromiseMax), route().options.read_buffer));
  state().prepare(buffer, buffer.size() + piece.payload.size());
  buffer.append(piece.payload);
  if (!piece.ends) return;
  auto block = std::move(underway_->assembled);
  const Message message{block->buffer.text(), piece.opcode};
  handle(message, std::move(block));
}

// Into the block: all of the message, or for a route that takes pieces one step after the other.
void Session::inflate(const Piece& coded) {
  const bool streams = route().callbacks.takes_pieces();
  const auto last = coded.ends ? compress::Piece::kLast : compress::Piece::kMore;
  const Opcode opcode = coded.opcode;
  const bool ends = coded.ends;
  ByteView in = coded.bytes();
  bool begins = coded.begins;
  for (bool done = false; !done;) {
    MessageBuffer& buffer = assembled()->buffer;
    if (streams) buffer.clear();
    const std::size_t before = buffer.size();
    state().prepare(buffer, before + kInflateStep);
    const MutableBytes room = buffer.room(kInflateStep);
    const auto step = deflate()->inflate(in, room, last);
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
  auto block = std::move(underway_->assembled);
  if (streams) return state().give_back(std::move(block));
  const Message message{block->buffer.text(), opcode};
  handle(message, std::move(block));
}

// What is held may be the end of what was held before.
void Session::hold(const Piece& coded) {
  assembled()->coded.assign(coded.payload);
  assembled()->piece = coded;
  assembled()->piece.payload = assembled()->coded;
  assembled()->holds = true;
}

void Session::inflate_held() {
  if (!holds_coded() || phase_ != Phase::kOpen) return;
  assembled()->holds = false;
  inflate(assembled()->piece);
}

bool Session::is_good_text(Opcode opcode, ByteView payload, bool ends) {
  if (opcode != Opcode::kText || !route().options.utf8_check) return true;
  return assembled()->utf8.feed(payload) && (!ends || assembled()->utf8.is_complete());
}

void Session::take_control(const Parsed& control) {
  const net::TokenBucket& rate = route().control_rate;
  if (rate.is_limited() && !rate.take(underway().controls_full_at, connection_.loop().now()))
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
  state().counters.pings_in.add();
  if (route().options.reply_ping) {
    if (connection_.unsent_bytes() > route().options.backpressure.high) {
      if (!outbox().pong) look_later();
      outbox().pong.emplace(payload);
    } else {
      append(Opcode::kPong, as_bytes(payload));
    }
  }
  if (route().callbacks.on_ping) {
    call([this, payload] { route().callbacks.on_ping(socket(), payload); });
  }
}

// Who answers only the newest of some pings (5.5.3) has as many answers left.
void Session::take_pong(std::string_view payload) {
  bool is_answer = false;
  if (underway_ != nullptr) {
    underway_->pinged = TimePoint::min();
    is_answer = underway_->unanswered_pings > 0;
    if (is_answer) --underway_->unanswered_pings;
  }
  if (!is_answer && route().options.ignore_pong) return;
  if (route().callbacks.on_pong) {
    call([this, payload] { route().callbacks.on_pong(socket(), payload); });
  }
}

void Session::take_close(ByteView payload) {
  const ParsedClose said = parse_close(payload);
  if (said.error != Errc::kOk) return fail(said.error);
  if (phase_ == Phase::kOpen) append_close(said.code, {});
  finish(said.code, said.reason);
  // The server ends the connection first: its end of it shall be the one that has to wait (7.1.1).
  if (route().role == Role::kServer) connection_.close_after_flush(Connection::Linger::kNo);
}

// ---- handlers

void Session::handle(const Message& message, std::unique_ptr<MessageBlock> block) {
  trace(Way::kIn, {.opcode = message.opcode, .payload_size = message.payload.size()},
        message.bytes());
  const auto& on_message = route().callbacks.on_message;
  if (const auto* later = std::get_if<Callbacks::OnMessageAsync>(&on_message))
    return start(*later, message, std::move(block));
  if (const auto& now = std::get<Callbacks::OnMessage>(on_message)) {
    call([this, &now, &message] { now(socket(), message); });
  }
  if (block != nullptr) recycle(std::move(block));
}

void Session::recycle(std::unique_ptr<MessageBlock> block) {
  state().keep_if_large(block->buffer, connection_.loop());
  state().give_back(std::move(block));
}

void Session::give(const Piece& piece) {
  trace(Way::kIn,
        {.opcode = piece.begins ? piece.opcode : Opcode::kContinuation,
         .fin = piece.ends,
         .payload_size = piece.payload.size()},
        piece.bytes());
  const auto& on_piece = route().callbacks.on_piece;
  if (const auto* later = std::get_if<Callbacks::OnPieceAsync>(&on_piece))
    return start(*later, piece);
  call([this, &now = std::get<Callbacks::OnPiece>(on_piece), &piece] { now(socket(), piece); });
}

void Session::run(UniqueFunction<void(WebSocketBase&)>& function) {
  if (phase_ != Phase::kOpen) return state().counters.posted_late.add();
  call([this, &function] { function(socket()); });
}

// What it sees must stay where it is, however much is read meanwhile.
void Session::start(const Callbacks::OnMessageAsync& handler, const Message& message,
                    std::unique_ptr<MessageBlock> block) {
  if (block == nullptr) {
    block = state().take_block();
    block->buffer.assign(message.payload);
  }
  block->message = {block->buffer.text(), message.opcode};
  run_handler(std::move(block),
              [this, &handler] { return handler(socket(), underway_->handled->message); });
}

void Session::start(const Callbacks::OnPieceAsync& handler, const Piece& piece) {
  auto block = state().take_block();
  block->buffer.assign(piece.payload);
  block->piece = {block->buffer.text(), piece.opcode, piece.begins, piece.ends};
  block->began = connection_.loop().now();
  run_handler(std::move(block),
              [this, &handler] { return handler(socket(), underway_->handled->piece); });
}

template <class Make>
void Session::run_handler(std::unique_ptr<MessageBlock> block, Make&& make) {
  auto& handled = underway().handled;
  handled = std::move(block);
  handled->done.set(*this, &Session::handler_done);
  Task<> made;
  call([&made, &make] { made = make(); });
  if (!made) return state().give_back(std::move(handled));  // it threw before it was a coroutine
  handled->handler = std::move(made);
  if (handled->handler.start(handled->done)) handler_done();
}

void Session::handler_done() {
  if (assembled() != nullptr) assembled()->began = assembly_began(connection_.loop().now());
  auto block = std::move(underway_->handled);
  touch();
  try {
    block->handler.result();
  } catch (...) {
    handler_failed();
  }
  recycle(std::move(block));
  inflate_held();
  go_on_reading();
  let_rest();
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
  SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: {} threw: {}", route().name, callback, what);
}

}  // namespace ssx::websocket

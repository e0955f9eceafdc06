#include "websocket/client/client_socket.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/connections.h"
#include "websocket/client/client_socket_core.h"
#include "websocket/error.h"
#include "websocket/frame.h"
#include "websocket/handlers.h"

namespace ssx::websocket {
namespace {

Unexpected not_open() { return fail(Errc::kNotOpen, "send"); }

}  // namespace

// ---- the session's side

Callbacks ClientSocket::Core::callbacks_of(Core& self, bool in_pieces) {
  using Socket = WebSocket<NoData>;
  Handlers<NoData> handlers;
  handlers.on_open = [&self](Socket& socket) {
    self.socket_ = &socket;
    self.subprotocol_ = socket.subprotocol();
  };
  if (in_pieces) {
    handlers.on_piece = [&self](Socket&, const Piece& piece) { return self.hand_over(piece); };
  } else {
    handlers.on_message = [&self](Socket&, const Message& message) {
      return self.hand_over({message.payload, message.opcode, true, true});
    };
  }
  handlers.on_error = [&self](Socket&, const Error& error) { self.error_ = error; };
  handlers.on_close = [&self](Socket&, CloseCode code, std::string_view reason) {
    self.closed(code, reason);
  };
  return std::move(handlers).take_callbacks();
}

ClientSocket::Core::Core(LocalRef<Dialer> dialer, ClientTarget target, bool in_pieces)
    : ClientCore(std::move(dialer), std::move(target), callbacks_of(*this, in_pieces),
                 WhenBlocked::kReadsOn) {}

// While it waits, the session reads nothing further. It is the session's, which keeps us.
Task<> ClientSocket::Core::hand_over(Piece piece) {
  const bool is_nothing = piece.payload.empty() && !piece.begins && !piece.ends;
  if (drops_ || is_nothing) co_return;
  if (next_.capacity() > WorkerState::kSpareBytesMax) next_ = std::string();
  next_.assign(piece.payload);
  next_piece_ = piece;
  has_next_ = true;
  arrived_.wake_all();
  if (has_next_ && !drops_) dialer().counters().rested.add();
  while (has_next_ && !drops_) co_await taken_.wait();
}

void ClientSocket::Core::closed(CloseCode code, std::string_view reason) {
  const LocalRef<Core> self(this);
  socket_ = nullptr;
  close_code_ = code;
  close_reason_ = reason;
  arrived_.wake_all();
  forget_senders();
  ended_.wake_all();
}

void ClientSocket::Core::forget_senders() {
  room_for_rest_.wake_all();
  room_.wake_all();
}

Unexpected ClientSocket::Core::not_taken() const {
  return is_open() ? fail(Errc::kSendQueueFull, "send") : not_open();
}

Error ClientSocket::Core::why_not() const {
  if (error_) return *error_;
  const bool lost = close_code_ == CloseCode::kAbnormal;
  return {make_error_code(lost ? Errc::kConnectionLost : Errc::kNotOpen), "receive"};
}

// What is taken at once is not told by on_drain: the queue is looked at after it has been sent.
void ClientSocket::Core::note_sent() {
  if (!is_open() || socket_->unsent_bytes() <= route().options.backpressure.high) return;
  above_ = true;
  connection_->loop().at_turn_end(*this);
}

// Above output_low a connection that has not been sent to yet is not blocked, and one that has is.
void ClientSocket::Core::look_for_room() {
  if (socket_ == nullptr || !above_) return;
  const std::size_t enough =
      std::max(route().options.backpressure.low, connection_->table().options().output_low);
  if (socket_->unsent_bytes() > enough) {
    if (!connection_->is_blocked()) connection_->loop().at_turn_end(*this);
    return;
  }
  const LocalRef<Core> self(this);
  above_ = false;
  wake_senders();
}

// One message after the other, the rest of one first.
void ClientSocket::Core::wake_senders() {
  room_for_rest_.wake_while([this] { return !above_; });
  room_.wake_while([this] { return !is_busy(); });
}

// ---- the coroutine's side

// The session may hand over another one before it returns.
Piece ClientSocket::Core::take() {
  std::swap(current_, next_);
  Piece piece = next_piece_;
  piece.payload = current_;
  has_next_ = false;
  taken_.wake_all();
  return piece;
}

Task<Result<Piece>> ClientSocket::Core::receive_piece(LocalRef<Core> core) {
  SSX_ASSERT(!core->arrived_.is_waited_for());  // one that receives
  while (!core->has_next_) {
    if (core->close_code_) co_return fail(core->why_not());
    co_await core->arrived_.wait();
  }
  core->begun_.clear();
  co_return core->take();
}

Task<Result<Message>> ClientSocket::Core::receive(LocalRef<Core> core) {
  SSX_ASSERT(!core->arrived_.is_waited_for());  // one that receives
  for (;;) {
    while (!core->has_next_) {
      if (core->close_code_) co_return fail(core->why_not());
      co_await core->arrived_.wait();
    }
    const Piece piece = core->take();
    if (piece.ends && core->begun_.empty()) co_return Message{piece.payload, piece.opcode};
    core->begun_.append(piece.payload);
    if (!piece.ends) continue;
    core->current_ = std::exchange(core->begun_, {});
    co_return Message{core->current_, piece.opcode};
  }
}

// Behind the `high` bytes that nobody waits for.
bool ClientSocket::Core::may_ever_fit(std::size_t bytes) {
  const BackpressureOptions& limits = route().options.backpressure;
  if (bytes + kHeaderMax <= limits.max - std::min(limits.high, limits.max)) return true;
  dialer().counters().send_max_hit.add();
  return false;
}

// What else has been sent, pings or by others, takes room as well.
bool ClientSocket::Core::must_queue() {
  note_sent();
  return is_open() && (is_busy() || room_.is_waited_for());
}

Task<Result<void>> ClientSocket::Core::send(LocalRef<Core> core, Opcode kind, ByteView payload) {
  if (!core->may_ever_fit(payload.size())) co_return fail(Errc::kSendQueueFull, "send");
  if (core->must_queue()) co_await core->room_.wait();
  if (!core->is_open()) co_return not_open();
  const Sent sent = core->socket_->send(Message{as_text(payload), kind});
  core->note_sent();
  if (sent == Sent::kOk || sent == Sent::kAbove) co_return Result<void>();
  co_return fail(sent == Sent::kDropped ? Errc::kSendQueueFull : Errc::kNotOpen, "send");
}

Task<Result<void>> ClientSocket::Core::begin(LocalRef<Core> core, Opcode kind, ByteView first) {
  if (!core->may_ever_fit(first.size())) co_return fail(Errc::kSendQueueFull, "send");
  if (core->must_queue()) co_await core->room_.wait();
  if (!core->is_open()) co_return not_open();
  if (!core->socket_->begin_message(kind, first)) co_return core->not_taken();
  core->fragmented_ = true;
  core->note_sent();
  co_return Result<void>();
}

Task<Result<void>> ClientSocket::Core::go_on(LocalRef<Core> core, ByteView fragment, bool is_last) {
  if (!core->may_ever_fit(fragment.size())) co_return fail(Errc::kSendQueueFull, "send");
  core->note_sent();
  if (core->is_open() && core->above_) co_await core->room_for_rest_.wait();
  if (!core->is_open()) co_return not_open();
  if (!core->socket_->continue_message(fragment, is_last)) co_return core->not_taken();
  core->note_sent();
  if (!is_last) co_return Result<void>();
  core->fragmented_ = false;
  core->wake_senders();
  co_return Result<void>();
}

// What nobody takes would keep the session from hearing the peer's close frame.
Task<> ClientSocket::Core::close(LocalRef<Core> core, CloseCode code, std::string reason) {
  if (core->socket_ != nullptr) core->socket_->close(code, reason);
  core->drops_ = true;
  core->forget_senders();
  core->taken_.wake_all();
  while (!core->close_code_) co_await core->ended_.wait();
}

void ClientSocket::Core::abandon() {
  const LocalRef<Core> self(this);
  drops_ = true;
  if (socket_ != nullptr) socket_->close(CloseCode::kGoingAway);
  taken_.wake_all();
  forget_senders();
}

// ---- the handle

ClientSocket::ClientSocket(LocalRef<Core> core) noexcept : core_(std::move(core)) {}
ClientSocket::ClientSocket(ClientSocket&& other) noexcept : core_(std::move(other.core_)) {}
ClientSocket& ClientSocket::operator=(ClientSocket&& other) noexcept {
  if (this != &other) {
    abandon();
    core_ = std::move(other.core_);
  }
  return *this;
}
ClientSocket::~ClientSocket() { abandon(); }

void ClientSocket::abandon() noexcept {
  if (core_) std::exchange(core_, {})->abandon();
}

Task<Result<Message>> ClientSocket::receive() { return Core::receive(core_); }
Task<Result<Piece>> ClientSocket::receive_piece() { return Core::receive_piece(core_); }
Task<Result<void>> ClientSocket::send(std::string_view text) {
  return Core::send(core_, Opcode::kText, as_bytes(text));
}
Task<Result<void>> ClientSocket::send_binary(ByteView bytes) {
  return Core::send(core_, Opcode::kBinary, bytes);
}
Task<Result<void>> ClientSocket::send(Message message) {
  return Core::send(core_, message.opcode, message.bytes());
}
Task<Result<void>> ClientSocket::begin_message(Opcode kind, ByteView first) {
  return Core::begin(core_, kind, first);
}
Task<Result<void>> ClientSocket::continue_message(ByteView fragment, bool is_last) {
  return Core::go_on(core_, fragment, is_last);
}
Task<> ClientSocket::close(CloseCode code, std::string reason) {
  return Core::close(core_, code, std::move(reason));
}

bool ClientSocket::ping(std::string_view payload) {
  return is_open() && core_->socket()->ping(payload) == Sent::kOk;
}
bool ClientSocket::is_open() const noexcept {
  return core_->socket() != nullptr && core_->socket()->is_open();
}
std::optional<CloseCode> ClientSocket::close_code() const noexcept { return core_->close_code(); }
const std::string& ClientSocket::close_reason() const noexcept { return core_->close_reason(); }
const ClientAnswer& ClientSocket::answer() const noexcept { return core_->answer(); }
std::string_view ClientSocket::subprotocol() const noexcept { return core_->subprotocol(); }
std::uint64_t ClientSocket::unsent_bytes() const noexcept {
  return core_->socket() == nullptr ? 0 : core_->socket()->unsent_bytes();
}

}  // namespace ssx::websocket

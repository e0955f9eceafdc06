#include "ssxrver/load/peer.h"

#include <cerrno>
#include <span>
#include <utility>

#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"

namespace ssx::load {

Peer::~Peer() { close(); }

void Peer::open(const net::SocketAddress* source) {
  if (!connect(source)) fail(Failure::kConnect);
}

void Peer::begin(TimePoint since, TimePoint now, const net::SocketAddress* source) {
  since_ = since;
  begun_ = now;
  outstanding_ = plan_.depth;
  if (state_ == State::kClosed) return open(source);
  if (state_ != State::kOpen) return;
  out_ = batch();
  send();
}

void Peer::close() noexcept {
  if (is_registered()) loop_.remove(*this);
  socket_.reset();
  state_ = State::kClosed;
  outstanding_ = 0;
  out_ = {};
  also_.clear();
}

Result<void> Peer::connect(const net::SocketAddress* source) {
  const sys::RawAddress target = plan_.target.to_raw();
  SSX_TRY(socket_, sys::socket(target.get()->sa_family, SOCK_STREAM));
  if (source != nullptr) {
    SSX_TRY_VOID(sys::set_option(socket_.get(), sys::SocketOption::kPortAtConnect, 1));
    SSX_TRY_VOID(sys::bind(socket_.get(), source->to_raw()));
  }
  SSX_TRY_VOID(sys::set_option(socket_.get(), sys::SocketOption::kNoDelay, 1));
  set_fd(socket_.get());
  const auto connected = sys::connect(socket_.get(), target);
  if (!connected && !connected.error().is_errno(EINPROGRESS)) return ssx::fail(connected.error());
  state_ = State::kConnecting;
  return loop_.add(*this, net::kWritable);
}

void Peer::on_ready(net::Readiness ready) {
  if (state_ == State::kConnecting) return on_connected();
  if ((ready & net::kWritable) != 0) send();
  const bool has_more = (ready & (net::kReadable | net::kHangup)) != 0;
  if (has_more && state_ != State::kClosed) receive();
}

void Peer::on_connected() {
  const auto error = sys::take_socket_error(socket_.get());
  if (!error || *error != 0) return fail(Failure::kConnect);
  if (!loop_.set_interest(*this, net::kReadable)) return fail(Failure::kConnect);
  state_ = State::kGreeting;
  out_ = greeting();
  if (out_.empty()) return opened();
  send();
}

void Peer::opened() {
  state_ = State::kOpen;
  events_.on_open(*this);
  if (state_ != State::kOpen || outstanding_ == 0) return;
  out_ = batch();
  send();
}

void Peer::send_also(std::string_view bytes) {
  also_.append(bytes);
  if (out_.empty()) send();
}

void Peer::send() {
  while (has_unsent()) {
    if (out_.empty()) {
      sending_ = std::exchange(also_, {});
      out_ = sending_;
    }
    const auto sent = sys::send(socket_.get(), as_bytes(out_));
    if (!sent && sent.error().is_errno(EAGAIN)) break;
    if (!sent) return fail(Failure::kReset);
    out_.remove_prefix(*sent);
  }
  const auto wanted =
      static_cast<net::Readiness>(has_unsent() ? net::kReadable | net::kWritable : net::kReadable);
  if (interest() != wanted && !loop_.set_interest(*this, wanted)) return fail(Failure::kReset);
  if (!has_unsent() && outstanding_ > 0) on_sent(loop_.clock().now());
}

void Peer::receive() {
  const auto got = sys::receive(socket_.get(), std::as_writable_bytes(std::span(room_)));
  if (!got && got.error().is_errno(EAGAIN)) return;
  const TimePoint now = loop_.clock().now();
  if (!got) return fail(Failure::kReset);
  if (*got == 0) return on_end(now);
  events_.on_bytes(*got);
  take(std::string_view(room_).substr(0, *got), now);
}

bool Peer::end_answer(bool is_good, bool stays, TimePoint now) {
  --outstanding_;
  events_.on_answer(*this, is_good, now);
  // Who answers before he has read all has another idea of where the next request begins.
  stays = stays && !has_unsent() && plan_.keeps_connections;
  if (!stays && outstanding_ > 0) {
    fail(Failure::kClosed);
    return false;
  }
  if (!stays) close();
  if (outstanding_ == 0) events_.on_free(*this, now);
  return stays;
}

void Peer::fail(Failure failure) {
  const std::uint32_t lost = outstanding_;
  close();
  events_.on_failed(*this, failure, lost);
}

}  // namespace ssx::load

#include "ssxrver/load/stream_peer.h"

#include <cerrno>
#include <span>
#include <utility>

#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"

namespace ssx::load {

StreamPeer::~StreamPeer() { close(); }

void StreamPeer::open(const net::SocketAddress* source) {
  if (const auto connected = connect(source); !connected) {
    refuse(connected.error().code().value());
  }
}

void StreamPeer::begin(TimePoint since, TimePoint now, const net::SocketAddress* source) {
  expect(plan_.depth, since, now);
  if (state_ == State::kClosed) return open(source);
  if (state_ == State::kOpen) send_batch();
}

void StreamPeer::close() noexcept {
  if (is_registered()) loop_.remove(*this);
  socket_.reset();
  state_ = State::kClosed;
  forget_requests();
  drop_unsent();
  is_broken_ = false;
}

void StreamPeer::drop_unsent() noexcept {
  out_ = {};
  parts_ = {};
  also_.clear();
}

Result<void> StreamPeer::connect(const net::SocketAddress* source) {
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

void StreamPeer::on_ready(net::Readiness ready) {
  if (state_ == State::kConnecting) return on_connected();
  // First what has come: who has answered and closed takes no more bytes.
  if ((ready & (net::kReadable | net::kHangup)) != 0) (void)receive();
  if ((ready & net::kWritable) != 0 && (ready & net::kHangup) == 0 && has_unsent()) send();
}

void StreamPeer::on_connected() {
  const auto error = sys::take_socket_error(socket_.get());
  if (!error) return refuse(error.error().code().value());
  if (*error != 0) return refuse(*error);
  if (const auto set = loop_.set_interest(*this, net::kReadable); !set) {
    return refuse(set.error().code().value());
  }
  state_ = State::kGreeting;
  parts_ = greeting();
  if (parts_.empty()) return opened();
  send();
}

void StreamPeer::opened() {
  state_ = State::kOpen;
  events().on_open(*this);
  if (state_ == State::kOpen && outstanding() > 0) send_batch();
}

void StreamPeer::send_batch() {
  parts_ = batch();
  send();
}

bool StreamPeer::half_close() {
  if (sys::shutdown_write(socket_.get())) return true;
  fail(Failure::kReset);
  return false;
}

void StreamPeer::send_also(std::string_view bytes) {
  also_.append(bytes);
  if (out_.empty()) send();
}

void StreamPeer::take_next_part() {
  if (!also_.empty()) {
    sending_ = std::exchange(also_, {});
    out_ = sending_;
    return;
  }
  out_ = parts_.front();
  parts_ = parts_.subspan(1);
}

void StreamPeer::send() {
  while (has_unsent()) {
    if (out_.empty()) take_next_part();
    const auto sent = sys::send(socket_.get(), as_bytes(out_), !parts_.empty());
    if (!sent && sent.error().is_errno(EAGAIN)) break;
    if (!sent) return end_broken();
    events().on_bytes_out(*sent);
    out_.remove_prefix(*sent);
  }
  const auto wanted =
      static_cast<net::Readiness>(has_unsent() ? net::kReadable | net::kWritable : net::kReadable);
  if (interest() != wanted && !loop_.set_interest(*this, wanted)) return fail(Failure::kReset);
  if (!has_unsent() && outstanding() > 0) on_sent(loop_.clock().now());
}

// The server takes no more. What it has said before may still be there.
void StreamPeer::end_broken() {
  if (!is_taking_) {
    drop_unsent();
    is_broken_ = true;
    while (is_broken_ && receive()) {
    }
    if (!is_broken_) return;
  }
  fail(Failure::kReset);
}

bool StreamPeer::receive() {
  const auto got = sys::receive(socket_.get(), std::as_writable_bytes(std::span(room_)));
  if (!got && got.error().is_errno(EAGAIN)) return false;
  const TimePoint now = loop_.clock().now();
  if (!got || (*got == 0 && is_broken_)) return fail(Failure::kReset), false;
  is_taking_ = true;
  if (*got == 0) {
    on_end(now);
  } else {
    events().on_bytes_in(*got);
    take(std::string_view(room_).substr(0, *got), now);
  }
  is_taking_ = false;
  if (std::exchange(became_free_, false)) events().on_free(*this, now);
  return true;
}

bool StreamPeer::end_answer(bool is_good, bool stays, TimePoint now) {
  count_answer(is_good, now);
  // Who answers the last before he has read all has another idea of where the next one begins.
  stays = stays && (outstanding() > 0 || !has_unsent()) && plan_.keeps_connections;
  if (!stays && outstanding() > 0) {
    fail(Failure::kClosed);
    return false;
  }
  if (!stays) close();
  if (outstanding() > 0) return stays;
  // What is left of a read would else be an answer to a request that it came before.
  if (is_taking_)
    became_free_ = true;
  else
    events().on_free(*this, now);
  return stays;
}

void StreamPeer::fail_unasked(TimePoint now) {
  if (std::exchange(became_free_, false)) events().on_free(*this, now);
  fail(Failure::kMalformed);
}

}  // namespace ssx::load

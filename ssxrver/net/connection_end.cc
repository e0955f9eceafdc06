// How a connection ends: at once, or when everything is sent, and what becomes of it then.
#include <cerrno>
#include <utility>

#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {

void Connection::shutdown_write() {
  if (state_ != State::kOpen || write_shut_) return;
  shut_after_flush_ = true;
  if (!seated_) table_.mark_dirty(*this);
}

void Connection::close_after_flush(Linger linger) {
  if (state_ != State::kOpen) return;
  state_ = State::kFlushing;
  linger_ = linger == Linger::kYes && !peer_ended_;
  if (!seated_) table_.mark_dirty(*this);
}

// Does what was asked for "when everything is sent", if everything is.
void Connection::finish_flushing() {
  if (state_ == State::kClosed || state_ == State::kLingering) return;
  if (seated_ || out_ != nullptr) return;
  if (shut_after_flush_ && !write_shut_) {
    write_shut_ = true;
    tell_end_of_output();
  }
  if (state_ != State::kFlushing) return;
  if (!linger_) return end(Error(make_error_code(Errc::kClosed), "flushed"), false);
  if (!write_shut_) tell_end_of_output();
  write_shut_ = true;
  set_deadline(table_.options().linger_timeout);
  state_ = State::kLingering;
  update_interest();
}

// It fails only when the peer is gone, which the next read tells.
void Connection::tell_end_of_output() {
  (void)(transport_ ? transport_->shutdown_write() : sys::shutdown_write(fd()));
}

void Connection::close_transport(bool reset) noexcept {
  if (transport_) transport_->close(reset);
  close_socket(socket_, reset);
}

void Connection::end(const Error& reason, bool reset) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  clear_deadline();
  if (reason.is_errno(ECONNRESET)) table_.counters_.resets.add();
  if (reason.is_errno(ETIMEDOUT)) table_.counters_.tcp_timeouts.add();
  loop().forget(*this);
  close_transport(reset);
  table_.retire(*this, reason);
}

void Connection::turn_end() {
  if (state_ == State::kClosed) return;
  if (redeliver_) deliver_kept();
  if (out_ != nullptr) choked_ ? settle() : flush();
  finish_flushing();
}

void Connection::give_back_buffers() noexcept {
  if (kept_ != nullptr) table_.give_back(std::move(kept_));
  if (out_ != nullptr) table_.give_back(std::move(out_));
}

}  // namespace ssx::net

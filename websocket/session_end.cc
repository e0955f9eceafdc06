// The half of Session that ends it, by what is said or by the times; session.cc reads and sends.
#include <algorithm>
#include <string_view>
#include <utility>

#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "websocket/close_frame.h"
#include "websocket/session.h"

namespace ssx::websocket {
namespace {

using net::Connection;

Error error_of(Errc code) { return {make_error_code(code), "websocket"}; }

/// Not later than the end of a `period` that began at `since`; 0 has no end.
void bring_forward(Duration& next, TimePoint now, TimePoint since, milliseconds period) noexcept {
  if (period.count() > 0)
    next = std::min(next, std::max(Duration(period) - (now - since), Duration(1)));
}

bool has_passed(TimePoint now, TimePoint since, milliseconds period) noexcept {
  return period.count() > 0 && now - since >= Duration(period);
}

}  // namespace

// ---- ends

void Session::append_close(CloseCode code, std::string_view reason) {
  std::byte payload[kControlPayloadMax];
  const std::size_t size = write_close(code, reason, payload);
  flush_delayed();
  append(Opcode::kClose, ByteView(payload, size));
}

void Session::close(CloseCode code, std::string_view reason) {
  if (phase_ != Phase::kOpen) return;
  (void)send_waiting(true);            // send() has said that it leaves
  if (phase_ != Phase::kOpen) return;  // a handler was told of that, and closed
  append_close(may_be_sent(code) ? code : CloseCode::kNormal, reason);
  phase_ = Phase::kClosing;
  connection_.set_deadline(route().options.close_timeout);
  go_on_reading();  // a coroutine may have held that up; the peer's close frame is to be heard
}

void Session::reset() {
  if (phase_ == Phase::kDone) return;
  finish(CloseCode::kAbnormal, {});
  connection_.reset(error_of(Errc::kNotOpen));
}

void Session::fail(Errc error) {
  if (phase_ == Phase::kDone) return;
  state().counters.of(error).add();
  const CloseCode code = close_code_of(error);
  const bool says_so = phase_ == Phase::kOpen && code != CloseCode::kAbnormal;
  if (says_so) append_close(code, to_string(error));
  phase_ = Phase::kClosing;  // on_error cannot send any more
  if (route().callbacks.on_error) {
    try {
      route().callbacks.on_error(socket(), error_of(error));
    } catch (...) {
      log_thrown("on_error");
    }
  }
  finish(code, to_string(error));
  if (code == CloseCode::kAbnormal) return connection_.reset(error_of(error));
  // Whoever is still sending shall get to read the code: what he sends is read, and goes nowhere,
  // until he ends it or close_timeout does.
  connection_.shutdown_write();
  connection_.resume_reading();
}

// Once. From here on nothing is read, and what is queued has a time to leave.
void Session::finish(CloseCode code, std::string_view reason) {
  if (phase_ == Phase::kDone) return;
  phase_ = Phase::kDone;
  state().counters.open.sub();
  connection_.set_deadline(route().options.close_timeout);
  if (route().callbacks.on_close) {
    try {
      route().callbacks.on_close(socket(), code, reason);
    } catch (...) {
      state().counters.of(Errc::kHandlerFailed).add();  // whatever it is that ends
      log_thrown("on_close");
    }
  }
  if (underway_ != nullptr) underway_->membership.leave_all();
  lose_waiting();
}

void Session::lose_waiting() noexcept {
  if (outbox_if_made() == nullptr) return;
  stop_flush_timer();
  state().counters.lost.add(outbox_if_made()->clear());
}

// Without a close frame (7.1.5).
void Session::on_end(Connection& connection) {
  if (phase_ != Phase::kDone) {
    state().counters.of(Errc::kConnectionLost).add();
    finish(CloseCode::kAbnormal, {});
  }
  connection.close_after_flush(Connection::Linger::kNo);
}

void Session::on_close(Connection&, const Error&) {
  if (phase_ != Phase::kDone) {
    state().counters.of(Errc::kConnectionLost).add();
    finish(CloseCode::kAbnormal, {});
  }
  if (is_handling()) state().give_back(std::move(underway_->handled));  // cancels the coroutine
}

// ---- times

void Session::on_deadline(Connection& connection) {
  const TimePoint now = connection.loop().now();
  if (phase_ != Phase::kOpen) return look_at_close();
  look_at_times(now);
  if (phase_ != Phase::kOpen) return;
  set_next_look(now);
  let_rest();
}

// What was sent before our close() leaves before it, however slowly: the time begins when nothing
// of that is taken any more. Whoever has failed, or has closed by himself, is not waited for.
void Session::look_at_close() {
  if (phase_ == Phase::kDone) {
    state().counters.of(Errc::kCloseTimedOut).add();
    return connection_.reset(error_of(Errc::kCloseTimedOut));
  }
  const std::uint64_t taken = connection_.taken_bytes();
  const bool takes = std::exchange(underway().taken, taken) != taken;
  const bool waits = connection_.unsent_bytes() > 0 || taken != connection_.sent_bytes();
  if (!takes || !waits) return fail(Errc::kCloseTimedOut);
  connection_.set_deadline(route().options.close_timeout);
}

// The time that a coroutine takes for a piece is not the peer's.
TimePoint Session::assembly_began(TimePoint now) const noexcept {
  const TimePoint began = assembled()->began;
  return is_handling() ? began + (now - underway_->handled->began) : began;
}

void Session::look_at_times(TimePoint now) {
  const Options& options = route().options;
  if (!look_at_peer(now)) return;
  if (assembled() != nullptr && has_passed(now, assembly_began(now), options.assembly_timeout))
    return fail(Errc::kAssemblyTimedOut);
  if (!is_handling() && has_passed(now, latest_life(), options.read_timeout))
    return fail(Errc::kReadTimedOut);
  if (!is_handling() && has_passed(now, quiet_since(), options.idle_timeout))
    return fail(Errc::kIdleTimedOut);
  if (underway_ == nullptr || !has_passed(now, underway_->opened, options.max_lifetime)) return;
  state().counters.of(Errc::kLifetimeOver).add();
  close(CloseCode::kGoingAway, to_string(Errc::kLifetimeOver));
}

// Whether it is there, and takes what it is sent. What the system holds for it counts as not taken:
// a slow peer may be seconds away from our ping, and is there all the same.
bool Session::look_at_peer(TimePoint now) {
  const std::uint64_t taken = connection_.taken_bytes();
  const bool takes = std::exchange(underway().taken, taken) != taken;
  TimePoint& waiting_since = underway_->waiting_since;
  if (connection_.unsent_bytes() == 0) {
    waiting_since = TimePoint::min();
  } else if (takes || waiting_since == TimePoint::min()) {
    waiting_since = now;
  } else if (has_passed(now, waiting_since, route().options.send_stall_timeout)) {
    return fail(Errc::kSendStalled), false;
  }
  return look_for_pong(now, takes);
}

// A coroutine may keep us from hearing it.
bool Session::look_for_pong(TimePoint now, bool takes) {
  const Options& options = route().options;
  const TimePoint heard = connection_.last_active();
  TimePoint& pinged = underway_->pinged;
  if (heard > pinged || is_handling()) pinged = TimePoint::min();
  if (is_handling()) return true;
  const bool waits = underway_->taken != connection_.sent_bytes();
  if (pinged == TimePoint::min()) {
    if (!has_passed(now, heard, options.ping_interval)) return true;
    if (send_control(Opcode::kPing, {}) != Sent::kOk) return true;  // he has enough to take
    pinged = now;
    underway_->ping_waits = waits;
  } else if ((underway_->ping_waits || waits) && takes) {
    pinged = now;
    underway_->ping_waits = waits;
  } else if (has_passed(now, pinged, options.pong_timeout)) {
    return fail(Errc::kPongTimedOut), false;
  }
  return true;
}

void Session::set_next_look(TimePoint now) {
  const Options& options = route().options;
  Duration next = std::chrono::hours(24);
  if (assembled() != nullptr)
    bring_forward(next, now, assembly_began(now), options.assembly_timeout);
  // While a coroutine works nobody may be reading: these times begin again with the next look.
  const TimePoint heard = is_handling() ? now : connection_.last_active();
  const TimePoint pinged = underway_ == nullptr ? TimePoint::min() : underway_->pinged;
  if (pinged != TimePoint::min()) {
    bring_forward(next, now, pinged, options.pong_timeout);
  } else {
    bring_forward(next, now, heard, options.ping_interval);
  }
  bring_forward(next, now, is_handling() ? now : latest_life(), options.read_timeout);
  bring_forward(next, now, is_handling() ? now : quiet_since(), options.idle_timeout);
  TimePoint waiting_since = now;
  if (underway_ != nullptr) {
    if (underway_->opened != TimePoint::max())
      bring_forward(next, now, underway_->opened, options.max_lifetime);
    if (underway_->controls_full_at > now) next = std::min(next, underway_->controls_full_at - now);
    if (underway_->waiting_since != TimePoint::min()) waiting_since = underway_->waiting_since;
  }
  bring_forward(next, now, waiting_since, options.send_stall_timeout);
  connection_.set_deadline(next);
}

}  // namespace ssx::websocket

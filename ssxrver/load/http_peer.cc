#include "ssxrver/load/http_peer.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/socket_option.h"

namespace ssx::load {

void HttpPeer::open(const net::SocketAddress* source) {
  if (!connect(source)) fail(Failure::kConnect);
}

void HttpPeer::begin(TimePoint since, TimePoint now, const net::SocketAddress* source) {
  since_ = since;
  begun_ = now;
  outstanding_ = plan_.depth;
  out_ = scratch_.batch;
  if (state_ == State::kClosed) return open(source);
  if (state_ == State::kOpen) send();
}

void HttpPeer::close() noexcept {
  if (is_registered()) loop_.remove(*this);
  socket_.reset();
  state_ = State::kClosed;
  outstanding_ = 0;
  out_ = {};
  held_.clear();
}

Result<void> HttpPeer::connect(const net::SocketAddress* source) {
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

void HttpPeer::on_ready(net::Readiness ready) {
  if (state_ == State::kConnecting) return on_connected();
  if ((ready & net::kWritable) != 0) send();
  const bool has_more = (ready & (net::kReadable | net::kHangup)) != 0;
  if (has_more && state_ == State::kOpen) receive();
}

void HttpPeer::on_connected() {
  const auto error = sys::take_socket_error(socket_.get());
  if (!error || *error != 0) return fail(Failure::kConnect);
  state_ = State::kOpen;
  part_ = Part::kHead;
  if (!loop_.set_interest(*this, net::kReadable)) return fail(Failure::kConnect);
  events_.on_open(*this);
  if (state_ == State::kOpen) send();
}

void HttpPeer::send() {
  while (!out_.empty()) {
    const auto sent = sys::send(socket_.get(), as_bytes(out_));
    if (!sent && sent.error().is_errno(EAGAIN)) break;
    if (!sent) return fail(Failure::kReset);
    out_.remove_prefix(*sent);
  }
  const net::Readiness wanted = out_.empty() ? net::kReadable : net::kReadable | net::kWritable;
  if (interest() != wanted && !loop_.set_interest(*this, wanted)) return fail(Failure::kReset);
  const bool is_over =
      out_.empty() && outstanding_ > 0 && plan_.use == HttpPlan::Use::kWithoutAnswer;
  if (is_over) end_answer(loop_.clock().now());
}

void HttpPeer::receive() {
  const auto got = sys::receive(socket_.get(), std::as_writable_bytes(std::span(scratch_.room)));
  if (!got && got.error().is_errno(EAGAIN)) return;
  const TimePoint now = loop_.clock().now();
  if (!got) return fail(Failure::kReset);
  if (*got == 0) return on_end(now);
  events_.on_bytes(*got);
  take(std::string_view(scratch_.room).substr(0, *got), now);
}

void HttpPeer::on_end(TimePoint now) {
  const bool is_answer = outstanding_ > 0 && held_.empty() &&
                         (part_ == Part::kToEnd || plan_.use == HttpPlan::Use::kUntilClosed);
  if (is_answer) {
    keeps_alive_ = false;
    end_answer(now);
  } else if (outstanding_ > 0) {
    fail(Failure::kClosed);
  } else {
    close();  // it was idle
  }
}

bool HttpPeer::take(std::string_view bytes, TimePoint now) {
  if (plan_.use == HttpPlan::Use::kUntilClosed) return true;
  while (!bytes.empty()) {
    if (outstanding_ == 0) return fail(Failure::kMalformed), false;
    const bool goes_on = part_ == Part::kHead     ? take_head(bytes, now)
                         : part_ == Part::kBody   ? take_body(bytes, now)
                         : part_ == Part::kChunks ? take_chunks(bytes, now)
                                                  : (bytes = {}, true);
    if (!goes_on) return false;
  }
  return true;
}

// Heads that come in two reads are rare: such a one is put together, and read from its beginning.
bool HttpPeer::take_head(std::string_view& bytes, TimePoint now) {
  const std::size_t held = held_.size();
  if (held > 0) held_.append(bytes);
  const std::string_view whole = held > 0 ? std::string_view(held_) : bytes;
  scratch_.parser.reset(plan_.method);
  const auto parsed = scratch_.parser.parse(whole, scratch_.head);
  if (parsed.progress == http::Progress::kFailed) return fail(Failure::kMalformed), false;
  if (parsed.progress == http::Progress::kNeedMore) {
    if (held == 0) held_ = bytes;
    bytes = {};
    return true;
  }
  bytes.remove_prefix(scratch_.head.size - held);
  held_.clear();
  const http::ResponseHead& head = scratch_.head;
  if (head.is_interim()) return true;
  status_ = head.status;
  keeps_alive_ = head.keep_alive && plan_.use == HttpPlan::Use::kKeepAlive;
  switch (head.framing) {
    case http::BodyFraming::kNone:
      return end_answer(now);
    case http::BodyFraming::kLength:
      part_ = Part::kBody;
      body_left_ = *head.content_length;
      return true;
    case http::BodyFraming::kChunked:
      part_ = Part::kChunks;
      chunks_.reset();
      return true;
    case http::BodyFraming::kToClose:
      part_ = Part::kToEnd;
      return true;
  }
  return true;
}

bool HttpPeer::take_body(std::string_view& bytes, TimePoint now) {
  const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size()));
  bytes.remove_prefix(here);
  body_left_ -= here;
  return body_left_ > 0 || end_answer(now);
}

bool HttpPeer::take_chunks(std::string_view& bytes, TimePoint now) {
  const auto step = chunks_.next(bytes);
  if (step.progress == http::Progress::kFailed) return fail(Failure::kMalformed), false;
  bytes.remove_prefix(step.consumed);
  return step.progress != http::Progress::kDone || end_answer(now);
}

bool HttpPeer::end_answer(TimePoint now) {
  part_ = Part::kHead;
  --outstanding_;
  events_.on_answer(*this, status_, now);
  // Who answers before he has read all has another idea of where the next request begins.
  const bool stays = keeps_alive_ && out_.empty() && plan_.use == HttpPlan::Use::kKeepAlive;
  if (!stays && outstanding_ > 0) return fail(Failure::kClosed), false;
  if (!stays) close();
  if (outstanding_ == 0) events_.on_free(*this, now);
  return stays;
}

void HttpPeer::fail(Failure failure) {
  const std::uint32_t lost = outstanding_;
  close();
  events_.on_failed(*this, failure, lost);
}

}  // namespace ssx::load

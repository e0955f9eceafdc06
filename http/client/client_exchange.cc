#include "http/client/client_exchange.h"

#include <algorithm>

#include "http/client/request_writer.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/error.h"

namespace ssx::http {
namespace {

constexpr std::size_t kReserveMax = 1 << 20;  // a length that is announced is not yet a body

bool is_timeout(const Error& error) noexcept {
  return error == make_error_code(net::Errc::kTimedOut);
}

}  // namespace

ClientExchange::ClientExchange(LocalRef<ConnectionPool> pool, Asked asked, TimePoint until)
    : pool_(std::move(pool)),
      asked_(std::move(asked)),
      until_(until),
      parser_(pool_->options().parser),
      chunks_(pool_->options().parser) {
  parser_.reset(parse_method(asked_.method));
}

// ---- the request

void ClientExchange::send_head() {
  OutQueue* const out = connection().out();
  if (out == nullptr) return;  // it has just ended: arrival() says why
  std::string head;
  append_request_head({.url = asked_.url,
                       .method = asked_.method,
                       .fields = asked_.fields,
                       .body = asked_.body,
                       .expect_continue = asked_.expect_continue,
                       .to_proxy = asked_.to_proxy},
                      options(), head);
  out->append_copy(as_bytes(head));
}

void ClientExchange::start_upload() {
  expecting_ = body_due_ = false;
  body_started_ = true;
  progress_at_ = now();
  seen_sent_ = connection().sent_bytes();
  upload_ = std::make_unique<Upload>(connection(), asked_.body);
  upload_->start();
}

Task<Result<void>> ClientExchange::perform(ConnectionPool::Lease lease) {
  lease_ = std::move(lease);
  progress_at_ = now();
  send_head();
  body_due_ = asked_.body.is_streamed() || !asked_.body.is_empty();
  expecting_ = body_due_ && asked_.expect_continue;
  if (body_due_ && !expecting_) start_upload();
  for (;;) {
    if (const auto done = take_heads()) co_return *done;
    if (upload_ && upload_->error()) co_return give_up(*upload_->error());
    const Duration phase = expecting_     ? options().timeouts.expect
                           : is_sending() ? options().timeouts.idle
                                          : options().timeouts.head;
    const Result<void> came = co_await connection().arrival(patience(phase));
    if (came) {
      connection().take(in_);
    } else if (!is_timeout(came.error())) {
      co_return give_up(connection_ended(came.error()));
    } else if (expecting_ && now() - progress_at_ >= phase && now() < until_) {
      start_upload();
    } else if (const Errc late = judge_time(
                   is_sending() ? Errc::kUploadTimedOut : Errc::kResponseHeadTimedOut, phase);
               late != Errc::kOk) {
      co_return give_up({late, "request"});
    }
  }
}

// ---- time

// Something of the request still has to go. A short one counts as sent: it goes with this turn.
bool ClientExchange::is_sending() const noexcept {
  if (!upload_ || asked_.body.is_empty()) return false;
  return !upload_->is_done() || connection().unsent_bytes() > 0;
}

// How long to wait until the next look.
Duration ClientExchange::patience(Duration phase) const noexcept {
  Duration wait = std::min(progress_at_ + phase, until_) - now();
  if (is_sending()) wait = std::min(wait, kLook);
  return std::max(wait, Duration::zero());
}

// Nothing came until the next look: is that too long? What is sent meanwhile counts as progress,
// and who writes a streamed body may take the time that `until_` leaves.
Errc ClientExchange::judge_time(Errc standing_still, Duration phase) {
  if (now() >= until_) return Errc::kExchangeTimedOut;
  const std::uint64_t sent = connection().sent_bytes();
  const bool writer_is_slow = upload_ && !upload_->is_done() && connection().unsent_bytes() == 0;
  if (is_sending() && (sent != seen_sent_ || writer_is_slow)) {
    seen_sent_ = sent;
    progress_at_ = now();
  }
  return now() - progress_at_ >= phase ? standing_still : Errc::kOk;
}

// ---- the head of the response

// Nothing: more of it must come.
std::optional<Result<void>> ClientExchange::take_heads() {
  while (!in_.empty()) {
    something_came_ = true;
    const auto parsed = parser_.parse(in_.text(), head_);
    if (parsed.progress == Progress::kFailed) return give_up({parsed.error, "response"});
    if (parsed.progress == Progress::kNeedMore) return std::nullopt;
    if (head_.status == 101) return give_up({Errc::kUnexpectedUpgrade, "response"});
    if (head_.is_interim()) {
      if (auto failed = take_interim()) return failed;
      continue;
    }
    head_text_ = in_.text().substr(0, parsed.head_size);
    head_.rebase(head_text_.data());
    in_.consume(parsed.head_size);
    begin_body();
    return Result<void>();
  }
  return std::nullopt;
}

std::optional<Result<void>> ClientExchange::take_interim() {
  pool_->counters().interim.add();
  if (++interim_ > options().interim_max) return give_up({Errc::kTooManyInterim, "response"});
  const bool go_on = head_.status == 100 && expecting_;
  const bool framing_in_doubt = !head_.keep_alive;
  in_.consume(head_.size);
  parser_.reset(parse_method(asked_.method));
  progress_at_ = now();
  if (framing_in_doubt) return give_up({Errc::kTransferEncodingAndLength, "response"});
  if (go_on) start_upload();
  return std::nullopt;
}

// A server that answers before it has read the request may want the rest when it is content
// (RFC 9112 9.3), and does not when it redirects or refuses.
void ClientExchange::begin_body() {
  expecting_ = false;
  progress_at_ = now();
  if (upload_ && !upload_->is_done() && head_.status >= 300) {
    upload_.reset();
    body_due_ = true;
  }
  left_ = head_.content_length.value_or(0);
  if (head_.framing == BodyFraming::kNone) finish_body();
}

// ---- the body of the response

Errc ClientExchange::next_piece() {
  piece_ = {};
  switch (head_.framing) {
    case BodyFraming::kNone:
      break;
    case BodyFraming::kChunked:
      return next_chunk();
    case BodyFraming::kToClose:
      piece_ = in_.text();
      given_ = piece_.size();
      break;
    case BodyFraming::kLength:
      given_ = static_cast<std::size_t>(std::min<std::uint64_t>(left_, in_.size()));
      piece_ = in_.text().substr(0, given_);
      left_ -= given_;
      if (left_ == 0) finish_body();
      break;
  }
  return Errc::kOk;
}

Errc ClientExchange::next_chunk() {
  while (piece_.empty() && !in_.empty() && !complete_) {
    const auto step = chunks_.next(in_.text());
    if (step.progress == Progress::kFailed) return step.error;
    trailer_text_ += step.trailers;
    piece_ = step.data;
    given_ = piece_.size();
    in_.consume(step.consumed - given_);  // the framing, which is in front
    if (step.progress == Progress::kDone) {
      collect_trailers();
      finish_body();
    }
  }
  return Errc::kOk;
}

// The decoder has checked every line.
void ClientExchange::collect_trailers() {
  for (std::string_view rest = trailer_text_; rest.size() > 2;) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    const std::size_t colon = line.find(':');
    trailers_.push_back({.name = std::string(line.substr(0, colon)),
                         .value = std::string(trim(line.substr(colon + 1)))});
    rest.remove_prefix(end + 2);
  }
}

// The connection is free for another request when both messages have come to their ends.
void ClientExchange::finish_body() {
  complete_ = true;
  const bool sent = !body_due_ && (!upload_ || upload_->is_done());
  upload_.reset();
  const bool nothing_behind = in_.size() == given_;
  if (sent && nothing_behind && head_.keep_alive && connection().is_reusable() &&
      connection().unsent_bytes() == 0) {
    lease_.give_back();
  } else {
    lease_.close();
  }
}

Task<Result<std::string_view>> ClientExchange::read() {
  in_.consume(std::exchange(given_, 0));
  progress_at_ = now();
  for (;;) {
    if (error_) co_return fail(*error_);
    if (complete_) co_return std::string_view();
    if (const Errc error = next_piece(); error != Errc::kOk) co_return give_up({error, "response"});
    if (!piece_.empty()) co_return piece_;
    if (complete_) continue;
    if (upload_ && upload_->error()) co_return give_up(*upload_->error());
    const Duration idle = options().timeouts.idle;
    const Result<void> came = co_await connection().arrival(patience(idle));
    if (came) {
      connection().take(in_);
    } else if (is_timeout(came.error())) {
      const Errc late = judge_time(Errc::kResponseBodyTimedOut, idle);
      if (late != Errc::kOk) co_return give_up({late, "response"});
    } else if (head_.framing == BodyFraming::kToClose &&
               came.error() == make_error_code(net::Errc::kEof)) {
      finish_body();
    } else {
      co_return give_up(connection_ended(came.error()));
    }
  }
}

Task<Result<void>> ClientExchange::read_whole(std::uint64_t most) {
  if (!complete_ && head_.framing == BodyFraming::kLength) {
    if (left_ > most) co_return give_up({Errc::kResponseTooLarge, "response"});
    body_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kReserveMax)));
  }
  for (;;) {
    const Result<std::string_view> piece = co_await read();
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return Result<void>();
    if (piece->size() > most - body_.size()) {
      co_return give_up({Errc::kResponseTooLarge, "response"});
    }
    body_ += *piece;
  }
}

Task<> ClientExchange::discard(std::size_t most) {
  while (!complete_ && !error_) {
    if (head_.framing == BodyFraming::kToClose ||
        (head_.framing == BodyFraming::kLength && left_ > most)) {
      break;
    }
    const Result<std::string_view> piece = co_await read();
    if (!piece || piece->size() > most) break;
    most -= piece->size();
  }
  if (complete_) co_return;
  pool_->counters().redirect_body_max_hit.add();
  lease_.close();
}

// ---- the end

Error ClientExchange::connection_ended(const Error& how) {
  ended_silently_ = !something_came_;
  if (!(how == make_error_code(net::Errc::kEof))) return how;
  return {something_came_ ? Errc::kResponseCutShort : Errc::kNoResponse, "response"};
}

Unexpected ClientExchange::give_up(const Error& error) {
  const Error kept = error;  // it may be the upload's
  error_ = kept;
  upload_.reset();
  lease_.close();
  return fail(kept);
}

}  // namespace ssx::http

#include "http/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "http/service.h"
#include "http/session_times.h"
#include "http/target.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/connections.h"

namespace ssx::http {
namespace {

using net::Connection;

Error timed_out(const char* where) { return {net::make_error_code(net::Errc::kTimedOut), where}; }

Errc to_errc(const Error& error) noexcept {
  return error.code().category() == http_category() ? static_cast<Errc>(error.code().value())
                                                    : Errc::kBadTarget;
}

}  // namespace

Session::~Session() { give_back_exchange(); }

void Session::on_open(Connection& connection) {
  connection.set_idle(true);
  set_deadline(connection, state_.service.options().timeouts.first_byte);
}

// ---- reading

void Session::on_data(Connection& connection, InBuffer& in) {
  if (connection.is_blocked()) return connection.pause_reading();  // until on_drain
  std::size_t budget = state_.service.options().pipeline_limit;
  while (!in.empty() && connection.is_open()) {
    if (!take(connection, in)) return;
    if (phase_ != Phase::kWaiting || in.empty()) continue;
    const bool is_full = connection.unsent_bytes() > connection.table().options().output_high;
    if (--budget == 0 || is_full) {
      // What is answered shall leave, and other connections shall have their turn.
      if (!is_full) state_.counters.pipeline_limit_hit.add();
      connection.set_idle(false);
      return connection.deliver_again();
    }
  }
}

bool Session::take(Connection& connection, InBuffer& in) {
  switch (phase_) {
    case Phase::kFirstByte:
    case Phase::kWaiting:
    case Phase::kHead:
      return read_head(connection, in);
    case Phase::kBody:
      return read_body(connection, in);
    case Phase::kHandling:
      return feed_handler(connection, in);
    case Phase::kSending:
    case Phase::kClosing:
      connection.pause_reading();
      return false;
    case Phase::kSwitched:
      return false;
  }
  return false;
}

bool Session::read_head(Connection& connection, InBuffer& in) {
  Exchange& reading = exchange();
  const bool may_be_known = exchange_ == nullptr && answered_ > 0;
  if (may_be_known && state_.known_heads.recall(connection.id().slot, in.text(), reading.head)) {
    return start_request(connection, in, reading.head.size);
  }
  if (exchange_ == nullptr) reading.parser.reset();
  const auto parsed = reading.parser.parse(in.text(), reading.head);
  switch (parsed.progress) {
    case Progress::kDone:
      if (may_be_known) state_.known_heads.note(connection.id().slot, reading.head);
      return start_request(connection, in, parsed.head_size);
    case Progress::kNeedMore:
      put_head_aside(connection);
      return false;
    case Progress::kFailed:
      break;
  }
  reading.set_path({});
  if (state_.access_log != nullptr) state_.access_log->note_bad_line(in.text());
  refuse(connection, parsed.error);
  return false;
}

// Empty lines are no request yet: nobody is told 408 about them.
void Session::put_head_aside(Connection& connection) {
  if (keep_exchange().parser.idle()) return connection.set_idle(true);
  if (phase_ == Phase::kHead) return;
  phase_ = Phase::kHead;
  exchange_->began = connection.loop().now();
  connection.set_idle(false);
  set_deadline(connection, state_.service.options().timeouts.header);  // absolute: not set again
}

bool Session::start_request(Connection& connection, InBuffer& in, std::size_t head_size) {
  state_.counters.requests.add();
  const Router& router = state_.router();
  Exchange& current = exchange();
  const Head& head = current.head;
  const bool is_asterisk = head.form == TargetForm::kAsterisk;
  std::string_view path = head.path;
  if (!is_asterisk && !head.path_is_normal) {
    const auto normal = normalise_path(path, state_.path_scratch);
    if (!normal) {
      current.set_path({});
      refuse(connection, to_errc(normal.error()));
      return false;
    }
    path = *normal;
  }
  current.set_path(path);
  if (RequestGuard* const guard = state_.service.guard()) {
    const net::SocketAddress& peer = connection.peer();
    const bool is_named = guard->trusts_anybody();
    if (is_named) current.client = guard->client_of(peer, head.fields);
    const auto verdict = guard->judge(peer, is_named ? current.client : peer,
                                      is_asterisk ? "/" : path, connection.loop().now());
    if (verdict.error != Errc::kOk) {
      turn_away(connection, verdict, in.size() > head_size);
      if (head.has_body()) return false;  // nobody wants it: the end
      in.consume(head_size);
      give_back_exchange();
      return true;
    }
  }
  auto match = is_asterisk ? router.match_server()
                           : router.match(head.host, head.method, path, current.params);
  if (match.route != nullptr && match.route->rewrite != nullptr) {
    const Errc error = current.follow_rewrites(router, match);
    if (error != Errc::kOk) {
      refuse(connection, error);
      return false;
    }
  }
  const bool is_found = match.route != nullptr;
  current.set_allowed(match.allowed);
  const Route& route = is_found                    ? *match.route
                       : match.fallback != nullptr ? *match.fallback
                                                   : state_.service.fallback();
  if (head.has_body()) return start_body(connection, in, head_size, route, is_found);
  dispatch(connection, route, in.text().substr(0, head_size), in.size() > head_size);
  in.consume(head_size);
  if (!runs_coroutine()) give_back_exchange();
  return true;
}

bool Session::start_body(Connection& connection, InBuffer& in, std::size_t head_size,
                         const Route& route, bool is_wanted) {
  const Head& head = exchange().head;
  const std::string_view head_bytes = in.text().substr(0, head_size);
  if (!is_wanted) {  // however much of the body is here: it is not read, and that is the end
    exchange().receiver.begin(head, route.limits, connection.loop().now(), nullptr);
    dispatch(connection, route, head_bytes, false);
    in.consume(head_size);
    if (runs_coroutine()) return true;
    give_back_exchange();
    return false;
  }
  const std::uint64_t length = head.content_length.value_or(0);
  if (!head.chunked && length > route.limits.body_max) {
    refuse(connection, Errc::kBodyTooLarge);
    return false;
  }
  const BodyCoding coding = route.limits.decodes_body ? BodyCoding::of(head.fields) : BodyCoding();
  if (coding.error != Errc::kOk) {
    refuse(connection, coding.error);
    return false;
  }
  const bool streams = route.body_mode == BodyMode::kStream && route.handler.is_async();
  // All here: no need to keep anything. What is longer goes to a file however it arrives.
  const std::size_t here = in.size() - head_size;
  const std::uint64_t view_max =
      std::min<std::uint64_t>(here, state_.service.options().body_spool_threshold);
  if (!streams && !head.chunked && !coding.format && length <= view_max) {
    const auto size = static_cast<std::size_t>(length);
    exchange().body = {in.text().substr(head_size, size), -1, length};
    dispatch(connection, route, head_bytes, here > size);
    in.consume(head_size + size);
    if (!runs_coroutine()) give_back_exchange();
    return true;
  }
  Exchange& kept = keep_exchange();
  kept.keep(head_bytes, connection.loop().now());
  kept.set_route(route, state_.routes());
  kept.receiver.begin(kept.head, route.limits, connection.loop().now(),
                      streams ? &kept.stream : nullptr);
  if (coding.format && !decode_body(connection, *coding.format)) return false;
  connection.set_idle(false);
  if (streams) {
    start_handler(connection, route, head_bytes, false);
    in.consume(head_size);
    return true;
  }
  in.consume(head_size);
  phase_ = Phase::kBody;
  set_deadline(connection, route.limits.body_timeout);
  if (kept.head.expect_continue && in.empty()) ResponseWriter::write_continue(connection.out());
  return true;
}

// Who handles it sees the body as if it had never been coded.
bool Session::decode_body(Connection& connection, compress::InflateFormat format) {
  Exchange& kept = *exchange_;
  if (const Errc error = kept.receiver.decode(format); error != Errc::kOk) {
    refuse(connection, error);
    return false;
  }
  kept.head.fields.remove(FieldName::kContentEncoding);
  kept.head.fields.remove(FieldName::kContentLength);
  state_.counters.bodies_decoded.add();
  return true;
}

bool Session::read_body(Connection& connection, InBuffer& in) {
  Exchange& kept = *exchange_;
  const auto taken = kept.receiver.take(in.text());
  in.consume(taken.consumed);
  Errc error = taken.error;
  if (error == Errc::kOk && !taken.done) error = kept.receiver.check_rate(connection.loop().now());
  if (error != Errc::kOk) {
    refuse(connection, error);
    return false;
  }
  if (!taken.done) {
    set_deadline(connection, kept.route->limits.body_timeout);
    return false;
  }
  kept.body = kept.receiver.body();
  if (kept.body.is_spooled()) state_.counters.bodies_spooled.add();
  dispatch(connection, *kept.route, {}, !in.empty());
  if (!runs_coroutine()) give_back_exchange();
  return true;
}

// What arrives while a coroutine makes the answer: a part of the body that it reads, or further
// requests, which have to wait.
bool Session::feed_handler(Connection& connection, InBuffer& in) {
  Exchange& kept = *exchange_;
  const TimePoint now = connection.loop().now();
  if (!kept.stream.is_arriving() || !kept.stream.has_room()) {
    if (kept.stream.is_arriving()) kept.receiver.pause_rate(now);
    connection.pause_reading();
    return false;
  }
  const auto taken = kept.receiver.take(in.text());
  const bool moved = taken.consumed > 0;
  in.consume(taken.consumed);
  kept.body.size = kept.receiver.size();
  Errc error = taken.error;
  if (error == Errc::kOk && !taken.done) error = kept.receiver.check_rate(now);
  if (error != Errc::kOk) {
    refuse(connection, error);
    return false;
  }
  if (taken.done) kept.stream.end();
  if (!kept.stream.is_wanted()) return moved;
  connection.loop().set_label(kept.route->label);
  kept.stream.wake();  // which may end the exchange
  if (phase_ == Phase::kHandling) {
    const bool waits = exchange_->stream.is_wanted();
    const RouteLimits& limits = exchange_->route->limits;
    set_deadline(connection, waits ? limits.body_timeout : limits.handler_timeout);
  }
  return moved;
}

// The coroutine has looked at everything that came, and waits.
void Session::body_wanted(Connection& connection) {
  Exchange& kept = *exchange_;
  kept.receiver.resume_rate(connection.loop().now());
  if (kept.head.expect_continue && kept.receiver.received() == 0) {
    kept.head.expect_continue = false;
    ResponseWriter::write_continue(connection.out());
  }
  set_deadline(connection, kept.route->limits.body_timeout);
  if (!connection.is_blocked()) connection.resume_reading();
}

// ---- times and ends

void Session::on_drain(Connection& connection) {
  if (phase_ == Phase::kSending) return exchange_->writer.drained();
  if (connection.is_reading_paused()) connection.set_idle(false);
  // While it was blocked nobody was here to read: those times begin again.
  if (phase_ == Phase::kHead) {
    set_deadline(connection, state_.service.options().timeouts.header);
  } else if (phase_ == Phase::kBody) {
    exchange_->receiver.restart_rate(connection.loop().now());
    set_deadline(connection, exchange_->route->limits.body_timeout);
  } else if (phase_ == Phase::kHandling) {
    if (exchange_->stream.is_wanted()) body_wanted(connection);
    return;
  }
  if (phase_ != Phase::kClosing) connection.resume_reading();
}

void Session::on_deadline(Connection& connection) {
  switch (phase_) {
    case Phase::kFirstByte:
      state_.counters.first_byte_timeouts.add();
      return connection.close(timed_out("first byte"));
    case Phase::kHead:
      if (connection.is_blocked()) return check_sending(connection);
      exchange_->forget_head();
      return refuse(connection, Errc::kHeadTimedOut);
    case Phase::kBody:
      if (connection.is_blocked()) return check_sending(connection);
      return refuse(connection, Errc::kBodyTimedOut);
    case Phase::kHandling:
      return check_handler(connection);
    case Phase::kWaiting:
      return connection.unsent_bytes() > 0 ? check_sending(connection) : check_idle(connection);
    case Phase::kSending:
      if (connection.unsent_bytes() > 0) check_sending(connection);
      return;
    case Phase::kClosing:
      return check_sending(connection);
    case Phase::kSwitched:
      return;
  }
}

void Session::check_handler(Connection& connection) {
  const bool waits_for_body = exchange_->stream.is_wanted();
  if (waits_for_body && connection.is_blocked()) return check_sending(connection);
  if (!waits_for_body) {
    SSX_LOG_RATED(WARN, std::chrono::seconds(1), "{}: no answer in time, the handler is cancelled",
                  exchange_->route->name);
  }
  refuse(connection, waits_for_body ? Errc::kBodyTimedOut : Errc::kHandlerTimedOut);
}

milliseconds Session::until_look(const Connection& connection) const noexcept {
  return watch_.until_look(connection.loop().now(), state_.limits(watch_.limits()));
}

// Before something is written.
void Session::watch_sending(Connection& connection) {
  if (connection.unsent_bytes() == 0)
    watch_.begin(connection.loop().now(), connection.sent_bytes());
}

void Session::check_sending(Connection& connection) {
  milliseconds next;
  const auto verdict = watch_.look(connection.loop().now(), state_.limits(watch_.limits()), next,
                                   [&connection] { return connection.taken_bytes(); });
  switch (verdict) {
    case SendWatch::Verdict::kGoOn:
      return set_deadline(connection,
                          next.count() > 0 ? next : state_.service.options().timeouts.idle);
    case SendWatch::Verdict::kTimedOut:
      state_.counters.write_timeouts.add();
      return connection.reset(timed_out("write"));
    case SendWatch::Verdict::kTooSlow:
      state_.counters.write_min_rate_hit.add();
      return connection.reset(timed_out("write rate"));
  }
}

void Session::check_idle(Connection& connection) {
  const Duration idle = state_.service.options().timeouts.idle;
  if (idle.count() == 0) return;
  const Duration quiet = connection.loop().now() - connection.last_active();
  if (quiet < idle) return connection.set_deadline(idle - quiet);
  state_.counters.idle_timeouts.add();
  connection.close(timed_out("idle"));
}

// Whoever sends nothing more may still read. Yet most of those who end while an answer is being
// made have gone, and only their end tells.
void Session::on_end(Connection& connection) {
  const bool is_whole = exchange_ != nullptr && exchange_->receiver.is_complete();
  if (runs_coroutine() && is_whole && state_.service.options().ignore_client_abort) return;
  abandon(connection);
  phase_ = Phase::kClosing;
  set_deadline(connection, until_look(connection));
  connection.close_after_flush(Linger::kNo);
}

void Session::on_close(Connection& connection, const Error&) { abandon(connection); }

void Session::abandon(Connection& connection) noexcept {
  const bool is_cut = exchange_ != nullptr && !exchange_->receiver.is_complete();
  if (phase_ == Phase::kHead || is_cut) state_.counters.cut_requests.add();
  if (runs_coroutine()) state_.counters.cancelled.add();
  if (state_.access_log != nullptr) log_unfinished(connection);
  give_back_exchange();
}

Exchange& Session::keep_exchange() {
  if (exchange_ == nullptr) exchange_ = state_.take_exchange();
  return *exchange_;
}

void Session::give_back_exchange() noexcept {
  if (exchange_ == nullptr) return state_.exchange().clear_request();
  state_.give_back(std::move(exchange_));
}

}  // namespace ssx::http

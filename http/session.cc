#include "http/session.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "http/service.h"
#include "http/target.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connections.h"

namespace ssx::http {
namespace {

using net::Connection;

Error timed_out(const char* where) { return {net::make_error_code(net::Errc::kTimedOut), where}; }

Errc to_errc(const Error& error) noexcept {
  return error.code().category() == http_category() ? static_cast<Errc>(error.code().value())
                                                    : Errc::kBadTarget;
}

// Times of a year can be compared by their difference.
constexpr int kTickShift = 24;
constexpr Duration kTick{std::int64_t{1} << kTickShift};

std::uint32_t tick_of(TimePoint time) noexcept {
  return static_cast<std::uint32_t>(time.time_since_epoch().count() >> kTickShift);
}

constexpr milliseconds kAgeMax = std::chrono::hours(24 * 365);

// Connections that were opened together shall not all end together.
Duration age_with_jitter(milliseconds age, std::uint32_t slot) noexcept {
  const std::uint32_t scattered = slot * 2654435761U;  // Knuth's multiplicative hash
  const auto tenth = Duration(age) / 10;
  return Duration(age) - tenth + tenth * 2 / 1024 * (scattered >> 22);
}

// 0 = never.
milliseconds sooner(milliseconds a, milliseconds b) noexcept {
  if (a.count() == 0 || b.count() == 0) return a + b;
  return std::min(a, b);
}

constexpr milliseconds kLookMin{125};  // the wheel of deadlines is not much finer

// How often to look whether what was written is leaving.
milliseconds look_period(const RouteLimits& limits) noexcept {
  const auto grace = limits.write_min_rate > 0 ? limits.write_min_rate_grace : milliseconds(0);
  const auto period = sooner(limits.write_timeout, grace);
  return period.count() == 0 ? period : std::max(period, kLookMin);
}

// Session::looks_ counts up to 255, and has to reach the end of the grace.
milliseconds longer_look(milliseconds look, const RouteLimits& limits) noexcept {
  return limits.write_min_rate > 0 ? std::max(look, limits.write_min_rate_grace / 250) : look;
}

bool may_be_sent(const Response& response) noexcept {
  const int status = to_int(response.status());
  return response.bad_field().empty() && status >= 200 && status <= 599;
}

void set_deadline(Connection& connection, milliseconds timeout) {
  if (timeout.count() > 0) {
    connection.set_deadline(timeout);
  } else {
    connection.clear_deadline();
  }
}

[[gnu::cold]] void give_error_page(Response& response) {
  const Status status = response.status();
  const std::string title =
      std::to_string(to_int(status)) + ' ' + std::string(reason_phrase(status));
  response.content() = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                       title + "</title></head>\n<body><h1>" + title + "</h1></body></html>\n";
  response.content_type(Response::kHtml);
}

// What may not be sent (may_be_sent) is not sent.
[[gnu::cold]] void replace(Response& response) {
  SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "an answer that may not be sent: status {}, {}",
                to_int(response.status()), response.bad_field());
  response = Status::kInternalServerError;
}

}  // namespace

Session::~Session() { give_back_exchange(); }

void Session::on_open(Connection& connection) {
  const HttpOptions& options = state_.service.options();
  const auto age =
      age_with_jitter(std::min(options.max_connection_age, kAgeMax), connection.id().slot.slot);
  if (age.count() > 0) expires_ = std::max(tick_of(connection.loop().now() + age), 1U);
  connection.set_idle(true);
  set_deadline(connection, options.timeouts.first_byte);
}

// ---- reading

void Session::on_data(Connection& connection, InBuffer& in) {
  if (connection.is_blocked()) return connection.pause_reading();  // until on_drain
  std::size_t budget = state_.service.options().pipeline_limit;
  while (!in.empty() && connection.is_open()) {
    const bool more =
        phase_ == Phase::kBody ? read_body(connection, in) : read_head(connection, in);
    if (!more) return;
    if (phase_ == Phase::kWaiting && --budget == 0 && !in.empty()) {
      // What is answered shall leave, and other connections shall have their turn.
      state_.counters.pipeline_limit_hit.add();
      connection.set_idle(false);
      return connection.deliver_again();
    }
  }
}

bool Session::read_head(Connection& connection, InBuffer& in) {
  RequestParser& parser = exchange_ ? exchange_->parser : state_.parser;
  Head& head = exchange_ ? exchange_->head : state_.head;
  if (exchange_ == nullptr) parser.reset();
  const auto parsed = parser.parse(in.text(), head);
  switch (parsed.progress) {
    case Progress::kDone:
      return start_request(connection, in, head, parsed.head_size);
    case Progress::kNeedMore:
      put_head_aside(connection);
      return false;
    case Progress::kFailed:
      break;
  }
  refuse(connection, parsed.error, head);
  return false;
}

// Empty lines are no request yet: nobody is told 408 about them.
void Session::put_head_aside(Connection& connection) {
  if (exchange_ == nullptr) {
    exchange_ = state_.take_exchange();
    exchange_->parser = state_.parser;
    exchange_->head = state_.head;
  }
  if (exchange_->parser.idle()) return connection.set_idle(true);
  if (phase_ == Phase::kHead) return;
  phase_ = Phase::kHead;
  connection.set_idle(false);
  set_deadline(connection, state_.service.options().timeouts.header);  // absolute: not set again
}

bool Session::start_request(Connection& connection, InBuffer& in, const Head& head,
                            std::size_t head_size) {
  state_.counters.requests.add();
  const Router& router = state_.service.router();
  const bool is_asterisk = head.form == TargetForm::kAsterisk;
  const auto path = is_asterisk || head.path_is_normal
                        ? Result<std::string_view>(head.path)
                        : normalise_path(head.path, state_.path_scratch);
  if (!path) {
    refuse(connection, to_errc(path.error()), head);
    return false;
  }
  const auto match = is_asterisk ? router.match_server()
                                 : router.match(head.host, head.method, *path, state_.params);
  if (head.has_body()) return start_body(connection, in, head, head_size, *path, match);
  dispatch(connection, head, *path, match, {}, in.size() > head_size);
  give_back_exchange();
  in.consume(head_size);
  return true;
}

bool Session::start_body(Connection& connection, InBuffer& in, const Head& head,
                         std::size_t head_size, std::string_view path, const Router::Match& match) {
  if (match.route == nullptr) {  // nobody wants the body, and however much of it is here: the end
    respond(connection, answer_without_route(match, head.method),
            {head.version, false, head.method == Method::kHead}, 0, Linger::kYes);
    return false;
  }
  const HttpOptions& options = state_.service.options();
  const std::uint64_t length = head.content_length.value_or(0);
  if (!head.chunked && length > match.route->limits.body_max) {
    refuse(connection, Errc::kBodyTooLarge, head);
    return false;
  }
  // All here: no need to keep anything. What is longer goes to a file however it arrives.
  const std::size_t here = in.size() - head_size;
  if (!head.chunked && length <= std::min<std::uint64_t>(here, options.body_spool_threshold)) {
    const auto size = static_cast<std::size_t>(length);
    dispatch(connection, head, path, match, {in.text().substr(head_size, size), -1, length},
             here > size);
    give_back_exchange();
    in.consume(head_size + size);
    return true;
  }
  if (exchange_ == nullptr) exchange_ = state_.take_exchange();
  exchange_->keep_head(head, in.text().substr(0, head_size), path);
  exchange_->begin_body(match.route->limits, connection.loop().now());
  in.consume(head_size);
  phase_ = Phase::kBody;
  connection.set_idle(false);
  set_deadline(connection, match.route->limits.body_timeout);
  if (exchange_->head.expect_continue && in.empty())
    ResponseWriter::write_continue(connection.out());
  return true;
}

bool Session::read_body(Connection& connection, InBuffer& in) {
  const auto taken = exchange_->take_body(in.text());
  in.consume(taken.consumed);
  Errc error = taken.error;
  if (error == Errc::kOk && !taken.done) error = exchange_->check_rate(connection.loop().now());
  if (error != Errc::kOk) {
    refuse(connection, error, exchange_->head);
    return false;
  }
  if (!taken.done) {
    set_deadline(connection, exchange_->limits.body_timeout);
    return false;
  }
  const Head& head = exchange_->head;
  const auto match =
      state_.service.router().match(head.host, head.method, exchange_->path, state_.params);
  const Body& body = exchange_->body();
  if (body.is_spooled()) state_.counters.bodies_spooled.add();
  dispatch(connection, head, exchange_->path, match, body, !in.empty());
  give_back_exchange();
  return true;
}

// ---- answering

// A client that did not ask for the end may have sent more by the time it learns of it.
void Session::dispatch(Connection& connection, const Head& head, std::string_view path,
                       const Router::Match& match, const Body& body, bool more_came) {
  const ResponseWriter::Context context{head.version, may_keep_alive(connection, head, more_came),
                                        head.method == Method::kHead};
  const Linger linger = head.keep_alive ? Linger::kYes : Linger::kNo;
  if (match.route == nullptr) {
    return respond(connection, answer_without_route(match, head.method), context, 0, linger);
  }
  connection.loop().set_label(match.route->name.c_str());
  const Request request(head, path, state_.params, body, connection.peer(), state_.index);
  respond(connection, run_handler(*match.route, request), context, match.route->limits_id, linger);
}

// The one place where exceptions of handlers end.
Response Session::run_handler(const Route& route, const Request& request) {
  try {
    return route.handler(request);
  } catch (const std::exception& error) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: the handler threw: {}", route.name,
                  error.what());
  } catch (...) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: the handler threw", route.name);
  }
  state_.counters.handler_errors.add();
  return Status::kInternalServerError;
}

Response Session::answer_without_route(const Router::Match& match, Method method) {
  if (match.found == Router::Found::kNothing) return Status::kNotFound;
  Response response(method == Method::kOptions ? Status::kNoContent : Status::kMethodNotAllowed);
  response.set("Allow", to_allow(match.allowed));
  return response;
}

void Session::respond(Connection& connection, Response response,
                      const ResponseWriter::Context& wanted, LimitsId limits, Linger linger) {
  if (!may_be_sent(response)) replace(response);
  ResponseWriter::Context context = wanted;
  context.keep_alive = wanted.keep_alive && !response.wants_close();
  const Status status = response.status();
  state_.counters.answers[static_cast<std::size_t>(to_int(status) / 100 - 1)].add();
  state_.update_time(connection.loop());
  if (connection.unsent_bytes() == 0) {
    taken_mark_ = connection.sent_bytes();
    look_start_ = tick_of(connection.loop().now());
    looks_ = 0;
  }
  // Not where the handler says what the content is, and then gives none.
  if (to_int(status) >= 400 && !response.has_body() && !response.content_type().empty())
    give_error_page(response);
  state_.writer.write(connection.out(), response, context);
  ++answered_;
  limits_ = limits;
  const milliseconds sending = until_look(connection);
  if (context.keep_alive) {
    phase_ = Phase::kWaiting;
    connection.set_idle(true);
    // One timer for the answer that is leaving and the request that may come.
    set_deadline(connection, sooner(sending, state_.service.options().timeouts.idle));
  } else {
    phase_ = Phase::kClosing;
    set_deadline(connection, sending);
    connection.close_after_flush(linger);
  }
}

// After an error of framing nothing that follows can be trusted, so the connection ends.
void Session::refuse(Connection& connection, Errc error, const Head& head) {
  SSX_LOG_DEBUG("{}: {}", connection.peer().to_string(), to_string(error));
  state_.counters.of(error).add();
  respond(connection, Response(status_of(error)),
          {Version::kHttp11, false, head.method == Method::kHead}, 0, Linger::kYes);
}

// `more_came`: there is a part of a further request already. Those are answered before a connection
// ends for no fault of the client's.
bool Session::may_keep_alive(const Connection& connection, const Head& head, bool more_came) {
  const HttpOptions& options = state_.service.options();
  if (!head.keep_alive || !options.keepalive) return false;
  if (answered_ + 1 >= options.keepalive_requests) {
    state_.counters.keepalive_requests_hit.add();
    return false;
  }
  if (more_came) return true;
  if (connection.table().is_draining()) return false;
  const auto overdue = static_cast<std::int32_t>(tick_of(connection.loop().now()) - expires_);
  if (expires_ != 0 && overdue >= 0) {
    state_.counters.connection_age_hit.add();
    return false;
  }
  return true;
}

// ---- times and ends

void Session::on_drain(Connection& connection) {
  if (connection.is_reading_paused()) connection.set_idle(false);
  // While it was blocked nobody was here to read: those times begin again.
  if (phase_ == Phase::kHead) {
    set_deadline(connection, state_.service.options().timeouts.header);
  } else if (phase_ == Phase::kBody) {
    exchange_->restart_rate(connection.loop().now());
    set_deadline(connection, exchange_->limits.body_timeout);
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
      return refuse(connection, Errc::kHeadTimedOut, exchange_->head);
    case Phase::kBody:
      if (connection.is_blocked()) return check_sending(connection);
      return refuse(connection, Errc::kBodyTimedOut, exchange_->head);
    case Phase::kWaiting:
      return connection.unsent_bytes() > 0 ? check_sending(connection) : check_idle(connection);
    case Phase::kClosing:
      return check_sending(connection);
  }
}

milliseconds Session::since_look(const Connection& connection) const noexcept {
  const std::uint32_t now = tick_of(connection.loop().now());
  return std::chrono::ceil<milliseconds>(kTick * (now - look_start_));
}

// What is written behind other answers must not put their look off: a peer that goes on asking and
// takes nothing would never be looked at.
milliseconds Session::until_look(const Connection& connection) const noexcept {
  const milliseconds look = look_period(state_.service.limits(limits_));
  if (look.count() == 0) return look;
  return std::max(look - since_look(connection), milliseconds(1));
}

// Has the peer taken anything since the last look, and enough? An answer that was written while
// earlier ones were on their way is given one look more.
void Session::check_sending(Connection& connection) {
  const RouteLimits& limits = state_.service.limits(limits_);
  const milliseconds soonest = look_period(limits);
  if (soonest.count() == 0) return set_deadline(connection, state_.service.options().timeouts.idle);
  const milliseconds look = longer_look(soonest, limits);
  const milliseconds elapsed = since_look(connection);
  if (elapsed < look) return set_deadline(connection, look - elapsed);

  const std::uint64_t taken = connection.taken_bytes();
  if (taken == taken_mark_ && limits.write_timeout.count() > 0 && elapsed >= limits.write_timeout) {
    state_.counters.write_timeouts.add();
    return connection.reset(timed_out("write"));
  }
  const bool had_its_grace = look * (looks_ + 1) >= limits.write_min_rate_grace;
  const auto needed = limits.write_min_rate * static_cast<std::uint64_t>(look.count());
  if (taken >= taken_mark_ && had_its_grace && (taken - taken_mark_) * 1000 < needed) {
    state_.counters.write_min_rate_hit.add();
    return connection.reset(timed_out("write rate"));
  }
  taken_mark_ = taken;
  look_start_ = tick_of(connection.loop().now());
  looks_ = static_cast<std::uint8_t>(std::min(looks_ + 1, 255));
  set_deadline(connection, look);
}

void Session::check_idle(Connection& connection) {
  const Duration idle = state_.service.options().timeouts.idle;
  if (idle.count() == 0) return;
  const Duration quiet = connection.loop().now() - connection.last_active();
  if (quiet < idle) return connection.set_deadline(idle - quiet);
  state_.counters.idle_timeouts.add();
  connection.close(timed_out("idle"));
}

void Session::on_end(Connection& connection) {
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) state_.counters.cut_requests.add();
  phase_ = Phase::kClosing;
  set_deadline(connection, until_look(connection));
  connection.close_after_flush(Linger::kNo);
}

void Session::on_close(Connection&, const Error&) {
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) state_.counters.cut_requests.add();
  give_back_exchange();
}

void Session::give_back_exchange() noexcept {
  if (exchange_ != nullptr) state_.give_back(std::move(exchange_));
}

}  // namespace ssx::http

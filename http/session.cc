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

// Connections that were opened together shall not all end together.
Duration age_with_jitter(milliseconds age, std::uint32_t slot) noexcept {
  const std::uint32_t scattered = slot * 2654435761U;  // Knuth's multiplicative hash
  const auto tenth = Duration(age) / 10;
  return Duration(age) - tenth + tenth * 2 / 1024 * (scattered >> 22);
}

// The deadline while an answer may still be leaving and the next request may come: the shorter one,
// so that one timer serves both; 0 = neither.
milliseconds rest_timeout(const Timeouts& timeouts) noexcept {
  if (timeouts.write.count() == 0) return timeouts.idle;
  if (timeouts.idle.count() == 0) return timeouts.write;
  return std::min(timeouts.write, timeouts.idle);
}

void set_deadline(Connection& connection, milliseconds timeout) {
  if (timeout.count() > 0) {
    connection.set_deadline(timeout);
  } else {
    connection.clear_deadline();
  }
}

Response error_page(Status status) {
  const std::string title =
      std::to_string(to_int(status)) + ' ' + std::string(reason_phrase(status));
  Response page =
      Response::html("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     title + "</title></head>\n<body><h1>" + title + "</h1></body></html>\n");
  page.status(status);
  return page;
}

}  // namespace

Session::~Session() { give_back_exchange(); }

void Session::on_open(Connection& connection) {
  const HttpOptions& options = state_.service.options();
  const Duration age = age_with_jitter(options.max_connection_age, connection.id().slot.slot);
  expires_ = age.count() > 0 ? connection.loop().now() + age : TimePoint::max();
  connection.set_idle(true);
  set_deadline(connection, options.timeouts.first_byte);
}

// ---- reading

void Session::on_data(Connection& connection, InBuffer& in) {
  if (connection.is_blocked()) return connection.pause_reading();  // until on_drain
  state_.update_time(connection.loop());
  std::size_t budget = state_.service.options().pipeline_limit;
  while (!in.empty() && connection.is_open()) {
    const bool more =
        phase_ == Phase::kBody ? read_body(connection, in) : read_head(connection, in);
    if (!more) return;
    if (phase_ == Phase::kWaiting && --budget == 0 && !in.empty()) {
      // What is answered shall leave, and other connections shall have their turn.
      state_.counters.pipeline_limit_hit.add();
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
  refuse(connection, parsed.error);
  return false;
}

void Session::put_head_aside(Connection& connection) {
  if (exchange_ != nullptr) return;
  exchange_ = state_.take_exchange();
  exchange_->parser = state_.parser;
  exchange_->head = state_.head;
  phase_ = Phase::kHead;
  connection.set_idle(false);
  set_deadline(connection, state_.service.options().timeouts.header);  // absolute: not set again
}

bool Session::start_request(Connection& connection, InBuffer& in, const Head& head,
                            std::size_t head_size) {
  state_.counters.requests.add();
  const auto path = head.form == TargetForm::kAsterisk
                        ? Result<std::string_view>(head.path)
                        : normalise_path(head.path, state_.path_scratch);
  if (!path) {
    refuse(connection, to_errc(path.error()));
    return false;
  }
  const auto match = state_.service.router().match(head.host, head.method, *path, state_.params);
  if (!head.has_body()) {
    dispatch(connection, head, *path, match, {});
    give_back_exchange();
    in.consume(head_size);
    return true;
  }
  if (match.route == nullptr) {  // nobody wants the body
    Response response = answer_without_route(match, head.method);
    respond(connection, std::move(response), {head.version, false, head.method == Method::kHead},
            true);
    return false;
  }
  return start_body(connection, in, head, head_size, *path, match.route->limits);
}

bool Session::start_body(Connection& connection, InBuffer& in, const Head& head,
                         std::size_t head_size, std::string_view path, const RouteLimits& limits) {
  const std::uint64_t length = head.content_length.value_or(0);
  if (!head.chunked && length > limits.body_max) {
    refuse(connection, Errc::kBodyTooLarge);
    return false;
  }
  if (!head.chunked &&
      length <= in.size() - head_size) {  // it is all here: no need to keep anything
    const auto size = static_cast<std::size_t>(length);
    const auto match = state_.service.router().match(head.host, head.method, path, state_.params);
    dispatch(connection, head, path, match, {in.text().substr(head_size, size), -1, length});
    give_back_exchange();
    in.consume(head_size + size);
    return true;
  }
  if (exchange_ == nullptr) exchange_ = state_.take_exchange();
  exchange_->keep_head(head, in.text().substr(0, head_size), path);
  exchange_->begin_body(limits, connection.loop().now());
  in.consume(head_size);
  phase_ = Phase::kBody;
  connection.set_idle(false);
  set_deadline(connection, limits.body_timeout);
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
    refuse(connection, error);
    return false;
  }
  if (!taken.done) {
    set_deadline(connection, exchange_->limits.body_timeout);
    return false;
  }
  const Head& head = exchange_->head;
  const auto match =
      state_.service.router().match(head.host, head.method, exchange_->path, state_.params);
  dispatch(connection, head, exchange_->path, match, exchange_->body());
  give_back_exchange();
  return true;
}

// ---- answering

void Session::dispatch(Connection& connection, const Head& head, std::string_view path,
                       const Router::Match& match, const Body& body) {
  const ResponseWriter::Context context{head.version, may_keep_alive(connection, head),
                                        head.method == Method::kHead};
  if (match.route == nullptr) {
    return respond(connection, answer_without_route(match, head.method), context, false);
  }
  connection.loop().set_label(match.route->name.c_str());
  const Request request(head, path, state_.params, body, connection.peer(), state_.index);
  respond(connection, run_handler(*match.route, request), context, false);
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
  if (match.found == Router::Found::kNothing) {
    return method == Method::kOptions ? Status::kNoContent : Status::kNotFound;
  }
  Response response(method == Method::kOptions ? Status::kNoContent : Status::kMethodNotAllowed);
  response.set("Allow", to_allow(match.allowed));
  return response;
}

void Session::respond(Connection& connection, Response response,
                      const ResponseWriter::Context& wanted, bool body_unread) {
  if (!response.bad_field().empty()) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "a handler set a field that may not be sent: {}",
                  response.bad_field());
    response = Status::kInternalServerError;
  }
  ResponseWriter::Context context = wanted;
  context.keep_alive = wanted.keep_alive && !response.wants_close();
  const Status status = response.status();
  state_.counters.answers[static_cast<std::size_t>(to_int(status) / 100 - 1)].add();
  if (to_int(status) >= 400 && !response.has_body()) {
    Response page = error_page(status);
    page.prepared_fields(response.fields());
    state_.writer.write(connection.out(), page, context);
  } else {
    state_.writer.write(connection.out(), response, context);
  }
  const Timeouts& timeouts = state_.service.options().timeouts;
  ++answered_;
  sent_mark_ = connection.sent_bytes();
  if (context.keep_alive) {
    phase_ = Phase::kWaiting;
    connection.set_idle(true);
    set_deadline(connection, rest_timeout(timeouts));
  } else {
    phase_ = Phase::kClosing;
    set_deadline(connection, timeouts.write);
    connection.close_after_flush(body_unread ? Connection::Linger::kYes : Connection::Linger::kNo);
  }
}

// After an error of framing nothing that follows can be trusted, so the connection ends.
void Session::refuse(Connection& connection, Errc error) {
  SSX_LOG_DEBUG("{}: {}", connection.peer().to_string(), to_string(error));
  state_.counters.of(error).add();
  const bool is_head = exchange_ == nullptr ? false : exchange_->head.method == Method::kHead;
  respond(connection, Response(status_of(error)), {Version::kHttp11, false, is_head}, true);
}

bool Session::may_keep_alive(const Connection& connection, const Head& head) {
  const HttpOptions& options = state_.service.options();
  if (!head.keep_alive || !options.keepalive || connection.table().is_draining()) return false;
  if (answered_ + 1 >= options.keepalive_requests) {
    state_.counters.keepalive_requests_hit.add();
    return false;
  }
  if (connection.loop().now() >= expires_) {
    state_.counters.connection_age_hit.add();
    return false;
  }
  return true;
}

// ---- times and ends

void Session::on_drain(Connection& connection) {
  if (phase_ != Phase::kClosing) connection.resume_reading();
}

void Session::on_deadline(Connection& connection) {
  switch (phase_) {
    case Phase::kFirstByte:
      state_.counters.first_byte_timeouts.add();
      return connection.close(timed_out("first byte"));
    case Phase::kHead:
      return refuse(connection, Errc::kHeadTimedOut);
    case Phase::kBody:
      return refuse(connection, Errc::kBodyTimedOut);
    case Phase::kWaiting:
      return connection.unsent_bytes() > 0 ? check_writing(connection) : check_idle(connection);
    case Phase::kClosing:
      return check_writing(connection);
  }
}

void Session::check_writing(Connection& connection) {
  const Timeouts& timeouts = state_.service.options().timeouts;
  const milliseconds interval = phase_ == Phase::kClosing ? timeouts.write : rest_timeout(timeouts);
  const std::uint64_t sent =
      connection.sent_bytes() - std::exchange(sent_mark_, connection.sent_bytes());
  if (sent == 0) {
    state_.counters.write_timeouts.add();
    return connection.reset(timed_out("write"));
  }
  if (sent * 1000 < timeouts.write_min_rate * static_cast<std::uint64_t>(interval.count())) {
    state_.counters.write_min_rate_hit.add();
    return connection.reset(timed_out("write rate"));
  }
  set_deadline(connection, interval);
}

void Session::check_idle(Connection& connection) {
  const Duration quiet = connection.loop().now() - connection.last_active();
  const Duration idle = state_.service.options().timeouts.idle;
  if (idle.count() == 0) return;
  if (quiet < idle) return connection.set_deadline(idle - quiet);
  state_.counters.idle_timeouts.add();
  connection.close(timed_out("idle"));
}

void Session::on_end(Connection& connection) {
  if (phase_ == Phase::kHead || phase_ == Phase::kBody) state_.counters.cut_requests.add();
  phase_ = Phase::kClosing;
  connection.close_after_flush(Connection::Linger::kNo);
}

void Session::on_close(Connection&, const Error&) { give_back_exchange(); }

void Session::give_back_exchange() noexcept {
  if (exchange_ != nullptr) state_.give_back(std::move(exchange_));
}

}  // namespace ssx::http

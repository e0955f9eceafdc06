// The half of Session that has requests answered; session.cc reads them and keeps the times.
#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "http/fault.h"
#include "http/service.h"
#include "http/session.h"
#include "http/session_times.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/connections.h"

namespace ssx::http {
namespace {

using net::Connection;

constexpr milliseconds kAgeMax = std::chrono::hours(24 * 365);

// Connections that were opened together shall not all end together.
Duration age_with_jitter(milliseconds age, const Connection& connection) noexcept {
  const Duration least = Duration(std::min(age, kAgeMax)) / 10 * 9;
  const std::uint32_t scattered =
      connection.id().slot.slot * 2654435761U;  // Knuth's multiplicative hash
  return least + least / 9 * 2 / 1024 * (scattered >> 22);
}

bool may_be_sent(const Response& response, const Head& head) noexcept {
  if (!response.bad_field().empty()) return false;
  const int status = to_int(response.status());
  if (response.next_protocol() == nullptr) return status >= 200 && status <= 599;
  return status == to_int(Status::kSwitchingProtocols) && head.upgrade && !head.has_body();
}

[[gnu::cold]] void give_error_page(Response& response, ErrorPages& pages, TimePoint now) {
  if (pages.give(response, now)) return;
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

BodyWriter::Framing framing_of(const Response::Stream& body, Version version) noexcept {
  if (body.length) return BodyWriter::Framing::kLength;
  return version == Version::kHttp11 ? BodyWriter::Framing::kChunked
                                     : BodyWriter::Framing::kConnection;
}

bool sends_stream(const Response& response, const ResponseWriter::Context& context) noexcept {
  return std::holds_alternative<Response::Stream>(response.content()) && !context.is_head &&
         !forbids_content(response.status());
}

}  // namespace

// `head_bytes`: those of the receive area, unless the exchange has its own. A client that did not
// ask for the end may have sent more by the time it learns of it.
void Session::dispatch(Connection& connection, const Route& route, std::string_view head_bytes,
                       bool more_came) {
  Exchange& current = exchange();
  const Head& head = current.head;
  if (route.handler.is_async()) return start_handler(connection, route, head_bytes, more_came);
  const bool is_read = current.receiver.is_complete();
  const ResponseWriter::Context context{head.version,
                                        is_read && may_keep_alive(connection, head, more_came),
                                        head.method == Method::kHead};
  connection.loop().set_label(route.label);
  const Request& request =
      current.make_request(connection.peer(), state_.index, route.name, state_.counters);
  Response response = run_handler(route, request);
  if (sends_stream(response, context)) {  // the request has to live as long
    keep_exchange().keep(head_bytes, connection.loop().now());
    exchange_->set_route(route, state_.routes());
  }
  respond(connection, std::move(response), context, route.limits_id,
          head.keep_alive || !is_read ? Linger::kYes : Linger::kNo);
}

Response Session::run_handler(const Route& route, const Request& request) {
  try {
    return route.handler(request);
  } catch (...) {
    return answer_to_exception(request);
  }
}

void Session::start_handler(Connection& connection, const Route& route, std::string_view head_bytes,
                            bool more_came) {
  Exchange& kept = keep_exchange();
  kept.keep(head_bytes, connection.loop().now());
  kept.set_route(route, state_.routes());
  kept.more_came = more_came;
  if (kept.receiver.is_complete()) {
    kept.stream.open_whole(kept.body.text, kept.body.file, kept.body.size);
  } else {
    kept.stream.open_arriving([this, &connection] { body_wanted(connection); });
  }
  kept.body.stream = &kept.stream;
  const Request& request =
      kept.make_request(connection.peer(), state_.index, route.name, state_.counters);
  phase_ = Phase::kHandling;
  connection.set_idle(false);
  connection.loop().set_label(route.label);
  set_deadline(connection, route.limits.handler_timeout);
  kept.done.set(*this, connection, &Session::handler_done);
  try {
    kept.handler = route.handler.start(request);
  } catch (...) {  // before there was a coroutine
    kept.handler = [](Response answer) -> Task<Response> {
      co_return answer;
    }(answer_to_exception(request));
  }
  if (kept.handler.start(kept.done)) handler_done(connection);
}

void Session::handler_done(Connection& connection) {
  Exchange& kept = *exchange_;
  Response response;
  try {
    response = kept.handler.result();
  } catch (...) {
    response = answer_to_exception(*kept.request);
  }
  const Head& head = kept.head;
  const bool more_came = kept.more_came || connection.is_reading_paused();
  // What is left of a body that the handler did not read cannot be told from the next request.
  const bool is_read = kept.receiver.is_complete();
  const bool keep_alive =
      may_keep_alive(connection, head, more_came) && is_read && !connection.peer_has_ended();
  respond(connection, std::move(response), {head.version, keep_alive, head.method == Method::kHead},
          kept.route->limits_id, head.keep_alive || !is_read ? Linger::kYes : Linger::kNo);
  if (phase_ == Phase::kSending) return;
  response = {};  // what it holds may be of the route, which the exchange lets go
  give_back_exchange();
  if (phase_ != Phase::kSwitched) go_on_reading(connection);
}

void Session::respond(Connection& connection, Response&& response,
                      const ResponseWriter::Context& wanted, LimitsId limits, Linger linger) {
  if (!may_be_sent(response, exchange().head)) replace(response);
  ResponseWriter::Context context = wanted;
  const bool streams = sends_stream(response, context);
  context.keep_alive = wanted.keep_alive && !response.wants_close() &&
                       !(streams && framing_of(*response.stream(), wanted.version) ==
                                        BodyWriter::Framing::kConnection);
  const Status status = response.status();
  state_.counters.answers[static_cast<std::size_t>(to_int(status) / 100 - 1)].add();
  state_.update_time(connection.loop());
  watch_sending(connection);
  // Not where the handler says what the content is, and then gives none.
  if (to_int(status) >= 400 && !response.has_body() && !response.content_type().empty())
    give_error_page(response, state_.error_pages, connection.loop().now());
  ++answered_;
  if (state_.access_log != nullptr) {
    write_logged(connection, response, context, streams);
  } else {
    state_.writer.write(connection.out(), response, context);
  }
  watch_.set_limits(limits);
  if (streams) return start_sending(connection, response, context);
  if (Response::Switch* const next = response.next_protocol())
    return switch_protocol(connection, *next);
  conclude(connection, context.keep_alive, linger);
}

// The head is written.
void Session::start_sending(Connection& connection, Response& response,
                            const ResponseWriter::Context& context) {
  Exchange& kept = *exchange_;
  Response::Stream& body = *response.stream();
  kept.keep_alive = context.keep_alive;
  kept.maker = std::move(body.make);
  kept.writer.open(connection, kept.route->label, framing_of(body, context.version),
                   body.length.value_or(0), [this, &connection] {
                     watch_sending(connection);
                     set_deadline(connection, until_look(connection));
                   });
  phase_ = Phase::kSending;
  connection.set_idle(false);
  set_deadline(connection, until_look(connection));
  kept.done.set(*this, connection, &Session::sender_done);
  try {
    kept.sender = kept.maker(kept.writer);
  } catch (...) {  // before there was a coroutine
    report_exception(*kept.request);
    state_.counters.cut_answers.add();
    return connection.reset(Error(make_error_code(Errc::kHandlerFailed), "body"));
  }
  if (kept.sender.start(kept.done)) sender_done(connection);
}

// A body that broke off must not look complete: the connection is reset.
void Session::sender_done(Connection& connection) {
  Exchange& kept = *exchange_;
  bool is_whole = false;
  try {
    kept.sender.result();
    is_whole = kept.writer.finish();
    if (!is_whole) {
      SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: the body is shorter than was promised",
                    kept.request->route());
    }
  } catch (...) {
    report_exception(*kept.request);
  }
  if (!is_whole) {
    state_.counters.cut_answers.add();
    return connection.reset(Error(make_error_code(Errc::kHandlerFailed), "body"));
  }
  const bool keep_alive = kept.keep_alive && !connection.peer_has_ended();
  const Linger linger = kept.head.keep_alive ? Linger::kYes : Linger::kNo;
  if (state_.access_log != nullptr) log_streamed(connection, true);
  give_back_exchange();
  conclude(connection, keep_alive, linger);
  go_on_reading(connection);
}

// The 101 is written. This object lives to the end of the turn.
void Session::switch_protocol(Connection& connection, Response::Switch& next) {
  phase_ = Phase::kSwitched;
  connection.set_idle(false);
  connection.clear_deadline();
  connection.resume_reading();
  connection.set_protocol(next.make(connection));
}

// The answer is written.
void Session::conclude(Connection& connection, bool keep_alive, Linger linger) {
  const milliseconds sending = until_look(connection);
  if (keep_alive) {
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

void Session::go_on_reading(Connection& connection) {
  if (connection.is_open() && !connection.is_blocked()) connection.resume_reading();
}

// After an error of framing nothing that follows can be trusted, so the connection ends.
void Session::refuse(Connection& connection, Errc error) {
  Exchange& current = exchange();
  current.cancel();
  SSX_LOG_DEBUG("{}: {}", connection.peer().to_string(), to_string(error));
  state_.counters.of(error).add();
  Response answer(status_of(error));
  if (error == Errc::kUnknownContentCoding) answer.set("Accept-Encoding", BodyCoding::kAccepted);
  respond(connection, std::move(answer),
          {Version::kHttp11, false, current.head.method == Method::kHead}, 0, Linger::kYes);
  give_back_exchange();
}

// Its framing is good, so the connection lives on, unless a body would have to be read for nothing.
void Session::turn_away(Connection& connection, const RequestGuard::Verdict& verdict,
                        bool more_came) {
  const Head& head = exchange().head;
  state_.counters.of(verdict.error).add();
  Response response(status_of(verdict.error));
  if (verdict.retry_after.count() > 0) {
    response.set("Retry-After", std::to_string(verdict.retry_after.count()));
  }
  const bool keep_alive = !head.has_body() && may_keep_alive(connection, head, more_came);
  respond(connection, std::move(response), {head.version, keep_alive, head.method == Method::kHead},
          0, head.keep_alive || head.has_body() ? Linger::kYes : Linger::kNo);
}

bool Session::is_overloaded() const noexcept {
  const RequestGuard* const guard = state_.service.guard();
  return guard != nullptr && guard->ends_connections();
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
  if (is_overloaded()) {
    state_.counters.overload_not_kept.add();
    return false;
  }
  if (options.max_connection_age.count() > 0 &&
      connection.age() >= age_with_jitter(options.max_connection_age, connection)) {
    state_.counters.connection_age_hit.add();
    return false;
  }
  return true;
}

}  // namespace ssx::http

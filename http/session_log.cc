// What Session tells the access log; none of it runs when there is none.
#include <algorithm>

#include "http/access_log.h"
#include "http/session.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::http {
namespace {

using net::Connection;

constexpr int kClientClosedRequest =
    499;  // no status of HTTP: nginx's, for answers nobody waits for

std::uint64_t written_bytes(const Connection& connection) noexcept {
  return connection.sent_bytes() + connection.unsent_bytes();
}

}  // namespace

void Session::write_logged(Connection& connection, Response& response,
                           const ResponseWriter::Context& context, bool streams) {
  const bool has_content = !context.is_head && !forbids_content(response.status());
  const std::uint64_t body = has_content && !streams ? response.body_size() : 0;
  AccessLog::Answer& answer = streams ? exchange_->answer : state_.access_log->answer();
  answer.status = to_int(response.status());
  answer.start = written_bytes(connection);
  state_.writer.write(connection.out(), response, context);
  const std::uint64_t end = written_bytes(connection);
  answer.body_start = end - std::min(body, end - answer.start);
  if (state_.access_log->format().wants_sent_fields()) answer.take_fields(response);
  if (!streams) log_exchange(connection, answer, end);
}

// What the system has taken is certain; the rest will be sent if the answer is whole.
void Session::log_streamed(Connection& connection, bool is_whole) noexcept {
  log_exchange(connection, exchange_->answer,
               is_whole ? written_bytes(connection) : connection.sent_bytes());
}

// The client has gone, or nothing came of it in time.
void Session::log_unfinished(Connection& connection) noexcept {
  switch (phase_) {
    case Phase::kSending:
      return log_streamed(connection, false);
    case Phase::kHead:
      exchange_->forget_head();
      [[fallthrough]];
    case Phase::kBody:
    case Phase::kHandling: {
      AccessLog::Answer& answer = state_.access_log->answer();
      answer.clear();
      answer.status = kClientClosedRequest;
      ++answered_;
      return log_exchange(connection, answer, 0);
    }
    case Phase::kFirstByte:
    case Phase::kWaiting:
    case Phase::kClosing:
    case Phase::kSwitched:
      return;
  }
}

void Session::log_exchange(Connection& connection, const AccessLog::Answer& answer,
                           std::uint64_t end) noexcept {
  AccessLog& log = *state_.access_log;
  Exchange& current = exchange();
  const std::string_view bad_line = log.take_bad_line();
  if (!log.wants(current.path())) return;
  const net::EventLoop& loop = connection.loop();
  state_.update_time(loop);
  const TimePoint now = log.format().wants_clock() ? loop.clock().now() : loop.now();
  const Request* const request = current.request ? &*current.request : nullptr;
  std::string_view route;
  if (current.route != nullptr) route = current.route->name;
  const std::uint64_t sent = std::max(end, answer.start);
  log.write({.head = current.head,
             .peer = connection.peer(),
             .client = request != nullptr ? request->client() : connection.peer(),
             .request = request,
             .bad_line = bad_line,
             .path = current.path(),
             .route = request != nullptr ? request->route() : route,
             .status = answer.status,
             .bytes_sent = sent - answer.start,
             .body_bytes_sent = sent - std::min(sent, answer.body_start),
             .bytes_received = current.received_bytes(),
             .took = now - std::min(current.began, loop.now()),
             .when = state_.wall_time(now),
             .connection = connection.id(),
             .connection_requests = answered_,
             .worker = state_.index,
             .sent_type = answer.type,
             .sent_prepared = answer.prepared,
             .sent_fields = answer.fields});
}

}  // namespace ssx::http

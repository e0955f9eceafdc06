#include "ssxrver/net/proxy_protocol.h"

#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/proxy_header.h"

namespace ssx::net {

ProxyProtocol::ProxyProtocol(std::unique_ptr<Protocol> inner, ProxyMode mode, Duration timeout,
                             Admission& admission, AcceptCounters& counters) noexcept
    : inner_(std::move(inner)),
      mode_(mode),
      timeout_(timeout),
      admission_(admission),
      counters_(counters) {}

// Absolute: further bytes do not move it.
void ProxyProtocol::on_open(Connection& connection) { connection.set_deadline(timeout_); }

void ProxyProtocol::on_data(Connection& connection, InBuffer& in) {
  const ProxyHeader header = parse_proxy_header(in.readable());
  switch (header.progress) {
    case ProxyHeader::Progress::kNeedMore:
      return;
    case ProxyHeader::Progress::kAbsent:
      if (mode_ == ProxyMode::kOptional) break;
      [[fallthrough]];
    case ProxyHeader::Progress::kFailed:
      counters_.proxy_malformed.add();
      SSX_LOG_RATED(WARN, std::chrono::seconds(1), "{}: not a header of the PROXY protocol",
                    connection.peer().to_string());
      return connection.reset(Error(make_error_code(Errc::kBadProxyHeader), "proxy header"));
    case ProxyHeader::Progress::kDone:
      in.consume(header.size);
      if (header.client && !take_client(connection, *header.client)) return;
      break;
  }
  connection.clear_deadline();
  connection.set_protocol(std::move(inner_));  // this object lives to the end of the turn
}

// The proxy has no place of its own address; the client takes one of his.
bool ProxyProtocol::take_client(Connection& connection, const SocketAddress& client) {
  const auto verdict = admission_.judge_client(client, connection.loop().now());
  if (is_welcome(verdict)) {
    connection.set_peer(client, verdict == Admission::Verdict::kWelcomeCounted);
    return true;
  }
  note_refusal(counters_, verdict, client);
  connection.reset(Error(make_error_code(Errc::kRefused), "proxy header"));
  return false;
}

void ProxyProtocol::on_deadline(Connection& connection) {
  counters_.proxy_timeouts.add();
  connection.reset(Error(make_error_code(Errc::kTimedOut), "proxy header"));
}

}  // namespace ssx::net

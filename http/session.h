// One HTTP/1 connection: reads requests, has them answered in order, keeps the times.
//
// Thread: loop-only
// Owner:  Connection
// Life:   on_open .. on_close
// Bounds: HttpOptions: limits of the parser, body_max, pipeline_limit, keepalive_requests, timeouts
//
//   waiting ─► reading a head ─► reading a body ─► answer ───────────► waiting
//      │              │                 │       └► handling ─► sending ┘ └───► closing
//      └── silence    └── 408, 4xx      └── 408, 413 ─┴── 503 ── reset ──────► closing
//
// or, after a 101, what Response::switch_protocols() made has the connection.
//
// Handling and sending: a coroutine makes the answer, or its body. Meanwhile no further request is
// looked at, so answers keep the order of requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "http/error.h"
#include "http/exchange.h"
#include "http/request_guard.h"
#include "http/router.h"
#include "http/send_watch.h"
#include "http/worker_state.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/protocol.h"

namespace ssx::http {

class Session final : public net::Protocol {
 public:
  explicit Session(WorkerState& state) noexcept : state_(state) {}
  ~Session() override;

  void on_open(net::Connection& connection) override;
  void on_data(net::Connection& connection, InBuffer& in) override;
  void on_end(net::Connection& connection) override;
  void on_drain(net::Connection& connection) override;
  void on_deadline(net::Connection& connection) override;
  void on_close(net::Connection& connection, const Error& reason) override;

 private:
  using Linger = net::Connection::Linger;

  enum class Phase : std::uint8_t {
    kFirstByte,  ///< nothing has arrived on this connection
    kWaiting,    ///< between two requests
    kHead,       ///< a head is incomplete; exchange_ holds it
    kBody,       ///< a body is incomplete; exchange_ holds it
    kHandling,   ///< a coroutine makes the answer, perhaps of a body that is still arriving
    kSending,    ///< the head of the answer is written; a coroutine makes its body
    kClosing,    ///< the last answer is written
    kSwitched,   ///< it is written, and another protocol has the connection
  };

  // Reading. Each takes bytes from the front of `in`; false when there is nothing more to do with
  // them now.
  bool take(net::Connection& connection, InBuffer& in);
  bool read_head(net::Connection& connection, InBuffer& in);
  bool start_request(net::Connection& connection, InBuffer& in, std::size_t head_size);
  [[gnu::noinline]] bool start_body(net::Connection& connection, InBuffer& in,
                                    std::size_t head_size, const Route& route, bool is_wanted);
  [[gnu::cold]] bool decode_body(net::Connection& connection, compress::InflateFormat format);
  [[gnu::noinline]] bool read_body(net::Connection& connection, InBuffer& in);
  [[gnu::noinline]] bool feed_handler(net::Connection& connection, InBuffer& in);
  [[gnu::cold]] void put_head_aside(net::Connection& connection);
  void body_wanted(net::Connection& connection);

  // Answering.
  void dispatch(net::Connection& connection, const Route& route, std::string_view head_bytes,
                bool more_came);
  [[nodiscard]] Response run_handler(const Route& route, const Request& request);
  [[gnu::noinline]] void start_handler(net::Connection& connection, const Route& route,
                                       std::string_view head_bytes, bool more_came);
  void handler_done(net::Connection& connection);
  void respond(net::Connection& connection, Response&& response,
               const ResponseWriter::Context& context, LimitsId limits, Linger linger);
  void start_sending(net::Connection& connection, Response& response,
                     const ResponseWriter::Context& context);
  void sender_done(net::Connection& connection);
  [[gnu::cold]] void switch_protocol(net::Connection& connection, Response::Switch& next);
  void conclude(net::Connection& connection, bool keep_alive, Linger linger);
  void go_on_reading(net::Connection& connection);
  [[gnu::cold]] void refuse(net::Connection& connection, Errc error);
  [[gnu::cold]] void turn_away(net::Connection& connection, const RequestGuard::Verdict& verdict,
                               bool more_came);
  [[nodiscard]] bool is_overloaded() const noexcept;
  [[nodiscard]] bool may_keep_alive(const net::Connection& connection, const Head& head,
                                    bool more_came);

  // Times and ends.
  [[nodiscard]] milliseconds until_look(const net::Connection& connection) const noexcept;
  void watch_sending(net::Connection& connection);
  void check_sending(net::Connection& connection);
  void check_handler(net::Connection& connection);
  void check_idle(net::Connection& connection);
  [[nodiscard]] bool runs_coroutine() const noexcept {
    return phase_ == Phase::kHandling || phase_ == Phase::kSending;
  }
  void abandon(net::Connection& connection) noexcept;

  // For the access log; only when there is one.
  [[gnu::noinline]] void write_logged(net::Connection& connection, Response& response,
                                      const ResponseWriter::Context& context, bool streams);
  [[gnu::noinline]] void log_streamed(net::Connection& connection, bool is_whole) noexcept;
  [[gnu::cold]] void log_unfinished(net::Connection& connection) noexcept;
  void log_exchange(net::Connection& connection, const AccessLog::Answer& answer,
                    std::uint64_t end) noexcept;

  [[nodiscard]] Exchange& exchange() noexcept {
    return exchange_ != nullptr ? *exchange_ : state_.exchange();
  }
  Exchange& keep_exchange();
  void give_back_exchange() noexcept;

  // Small, because there is one for every idle connection.
  WorkerState& state_;
  std::unique_ptr<Exchange> exchange_;  ///< null but when something of a request has to wait
  [[no_unique_address]] SendWatch watch_;
  Phase phase_ = Phase::kFirstByte;
  std::uint32_t answered_ = 0;
};

static_assert(sizeof(net::Connection) <= 152 && sizeof(Session) <= 40,
              "what malloc(3) makes of a byte more is 16, for each idle connection");

}  // namespace ssx::http

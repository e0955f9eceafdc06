// One HTTP/1 connection: reads requests, has them answered in order, keeps the times.
//
// Thread: loop-only
// Owner:  Connection
// Life:   on_open .. on_close
// Bounds: HttpOptions: limits of the parser, body_max, pipeline_limit, keepalive_requests, timeouts
//
//   waiting ─► reading a head ─► reading a body ─► answer ─► waiting
//      │              │                 │             └────► closing
//      └── silence    └── 408, 4xx      └── 408, 413 ──────► closing
#pragma once

#include <cstdint>
#include <memory>

#include "http/error.h"
#include "http/exchange.h"
#include "http/router.h"
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
  enum class Phase : std::uint8_t {
    kFirstByte,  ///< nothing has arrived on this connection
    kWaiting,    ///< between two requests
    kHead,       ///< a head is incomplete; exchange_ holds it
    kBody,       ///< a body is incomplete; exchange_ holds it
    kClosing,    ///< the last answer is written
  };

  // Each takes bytes from the front of `in`; false when there is nothing more to do with them now.
  bool read_head(net::Connection& connection, InBuffer& in);
  bool start_request(net::Connection& connection, InBuffer& in, const Head& head,
                     std::size_t head_size);
  [[gnu::noinline]] bool start_body(net::Connection& connection, InBuffer& in, const Head& head,
                                    std::size_t head_size, std::string_view path,
                                    const Router::Match& match);
  [[gnu::noinline]] bool read_body(net::Connection& connection, InBuffer& in);

  [[gnu::cold]] void put_head_aside(net::Connection& connection);
  void dispatch(net::Connection& connection, const Head& head, std::string_view path,
                const Router::Match& match, const Body& body, bool more_came);
  [[nodiscard]] Response run_handler(const Route& route, const Request& request);
  [[gnu::cold, nodiscard]] static Response answer_without_route(const Router::Match& match,
                                                                Method method);
  using Linger = net::Connection::Linger;
  void respond(net::Connection& connection, Response response,
               const ResponseWriter::Context& context, LimitsId limits, Linger linger);
  [[gnu::cold]] void refuse(net::Connection& connection, Errc error, const Head& head);
  [[nodiscard]] bool may_keep_alive(const net::Connection& connection, const Head& head,
                                    bool more_came);
  [[nodiscard]] milliseconds since_look(const net::Connection& connection) const noexcept;
  [[nodiscard]] milliseconds until_look(const net::Connection& connection) const noexcept;
  void check_sending(net::Connection& connection);
  void check_idle(net::Connection& connection);
  void give_back_exchange() noexcept;

  // Small, because there is one for every idle connection: times are ticks of 17 ms, and limits_ is
  // an index.
  WorkerState& state_;
  std::unique_ptr<Exchange> exchange_;  ///< null but when something of a request waits for the rest
  std::uint64_t taken_mark_ = 0;        ///< bytes the peer had taken at the last look
  std::uint32_t look_start_ = 0;        ///< when that was
  std::uint32_t expires_ = 0;           ///< max_connection_age; 0 = never
  std::uint32_t answered_ = 0;
  LimitsId limits_ = 0;     ///< of the latest answer: how fast it must leave
  std::uint8_t looks_ = 0;  ///< at what is leaving
  Phase phase_ = Phase::kFirstByte;
};

static_assert(sizeof(net::Connection) + sizeof(Session) <= 224, "ten thousand idle ones must fit");

}  // namespace ssx::http

#include "websocket/client/dialer.h"

#include <coroutine>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/net/error.h"
#include "ssxrver/net/loop_continuation.h"

namespace ssx::websocket {
namespace {

UnexpectedOf<ConnectFailure> failed(const Error& error) {
  return UnexpectedOf<ConnectFailure>(ConnectFailure{error});
}

Error timed_out(const char* where) { return {make_error_code(Errc::kConnectTimedOut), where}; }

bool is_timeout(const Error& error) { return error == make_error_code(net::Errc::kTimedOut); }

}  // namespace

/// One address, from connect() to the 101.
class Dialer::Attempt final : private net::LoopContinuation {
 public:
  struct Plan {
    const ClientTarget& target;
    const Options& options;
    MakeSession& make;
    net::SocketAddress to;
    Duration patience;
  };

  Attempt(Dialer& dialer, const Plan& plan) noexcept : dialer_(dialer), plan_(plan) {}
  ~Attempt() {
    if (waiting_) opening_->abandon();
  }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    set_handle(handle);
    waiting_ = true;
    auto [opening, protocol] =
        Opening::create(plan_.target, plan_.options, plan_.make, [this](Connected<void> result) {
          waiting_ = false;
          result_ = std::move(result);
          run();
        });
    opening_ = std::move(opening);
    dialer_.tcp_.connect(plan_.to, std::move(protocol), plan_.patience,
                         [opening = opening_](Result<net::Connection*> done) {
                           if (!done) opening->finish(failed(done.error()));
                         });
  }
  Connected<void> await_resume() { return std::move(result_); }

  [[nodiscard]] bool has_connected() const noexcept { return opening_->has_connected(); }

 private:
  Dialer& dialer_;
  const Plan plan_;
  LocalRef<Opening> opening_;
  Connected<void> result_;
  bool waiting_ = false;
};

Dialer::Dialer(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
               const ServiceOptions& options, const net::TcpOptions& tcp)
    : connections_(connections), resolver_(resolver), tcp_(connections, stack, tcp) {
  service_.open(1, options);
}

Task<Connected<void>> Dialer::dial(const ClientTarget& target, const Options& options,
                                   MakeSession make) {
  const LocalRef<Dialer> self(this);
  counters_.dialed.add();
  auto result = co_await try_all(target, options, make);
  if (!result) {
    const Error& error = result.error().error;
    if (error.code().category() == websocket_category()) {
      state().counters.of(static_cast<Errc>(error.code().value())).add();
    } else if (error.code().category() == http::http_category()) {
      counters_.of(static_cast<http::Errc>(error.code().value())).add();
    } else {
      counters_.failed_otherwise.add();
    }
  }
  co_return result;
}

Task<Connected<void>> Dialer::try_all(const ClientTarget& target, const Options& options,
                                      MakeSession& make) {
  const TimePoint until = after(loop().now(), target.options.dial_timeout);
  const auto addresses =
      co_await resolver_.resolve(std::string(target.host()), target.port(), until - loop().now());
  if (!addresses) {
    co_return failed(is_timeout(addresses.error()) ? timed_out("resolve") : addresses.error());
  }
  // In their order; one that does not answer leaves its share of the time to the others.
  Error error = timed_out("connect");
  for (std::size_t i = 0; i < addresses->size(); ++i) {
    const Duration left = until - loop().now();
    if (left <= Duration::zero()) break;
    const Attempt::Plan plan{target, options, make, (*addresses)[i],
                             left / static_cast<Duration::rep>(addresses->size() - i)};
    Attempt attempt(*this, plan);
    auto result = co_await attempt;
    if (result || attempt.has_connected()) co_return result;
    error = is_timeout(result.error().error) ? timed_out("connect") : result.error().error;
  }
  co_return failed(error);
}

}  // namespace ssx::websocket

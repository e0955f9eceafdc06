#include "ssxrver/net/tcp_client.h"

#include <utility>

#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {

/// A socket on its way: it is writable when it stands, or when it has failed.
class TcpClient::Attempt final : public Channel, public ListHook<TcpClient> {
 public:
  Attempt(TcpClient& client, Accepted socket, std::unique_ptr<Protocol> protocol, Done done)
      : Channel(socket.fd.get()),
        client_(client),
        loop_(client.connections_.loop()),
        socket_(std::move(socket)),
        protocol_(std::move(protocol)),
        done_(std::move(done)) {}
  ~Attempt() {
    loop_.assert_in_loop_thread();
    loop_.cancel(timer_);
    loop_.remove(*this);
  }

  Result<void> start(Duration timeout) {
    loop_.assert_in_loop_thread();
    SSX_TRY_VOID(loop_.add(*this, kWritable));
    timer_ = loop_.run_after(timeout, [this] {
      client_.finish(*this, fail(make_error_code(Errc::kTimedOut), "connect"));
    });
    return {};
  }

  void on_ready(Readiness) override { client_.finish(*this, establish()); }
  [[nodiscard]] const char* label() const noexcept override { return "connect"; }
  [[nodiscard]] Done take_done() noexcept { return std::move(done_); }

 private:
  Result<Connection*> establish() {
    SSX_TRY(const int number, sys::take_socket_error(socket_.fd.get()));
    if (number != 0) return fail_errno(number, "connect");
    loop_.remove(*this);  // the connection registers the descriptor for itself
    Connection* const opened = client_.connections_.adopt(std::move(socket_), std::move(protocol_));
    if (opened == nullptr) return fail(make_error_code(Errc::kClosed), "connect");
    return opened;
  }

  TcpClient& client_;  ///< may have gone when an attempt is deleted that has ended
  EventLoop& loop_;
  Accepted socket_;
  std::unique_ptr<Protocol> protocol_;
  Done done_;
  TimerId timer_;
};

TcpClient::TcpClient(Connections& connections, NetStack& stack, const TcpOptions& tcp)
    : connections_(connections), stack_(stack), tcp_(tcp) {}

TcpClient::~TcpClient() {
  while (Attempt* attempt = attempts_.pop_front()) delete attempt;
}

void TcpClient::connect(const SocketAddress& to, std::unique_ptr<Protocol> protocol,
                        Duration timeout, Done done) {
  auto socket = stack_.connect(to, tcp_);
  if (!socket) {
    connections_.loop().post(
        [done = std::move(done), error = socket.error()]() mutable { done(fail(error)); });
    return;
  }
  auto attempt =
      std::make_unique<Attempt>(*this, *std::move(socket), std::move(protocol), std::move(done));
  if (const auto started = attempt->start(timeout); !started) {
    connections_.loop().post(
        [done = attempt->take_done(), error = started.error()]() mutable { done(fail(error)); });
    return;
  }
  ++pending_count_;
  attempts_.push_back(*attempt.release());
}

void TcpClient::finish(Attempt& attempt, Result<Connection*> result) {
  Done done = attempt.take_done();
  // The poller may still hold an event of this turn for it, and the timer's function is running.
  static_cast<ListHook<TcpClient>&>(attempt).unlink();
  connections_.loop().remove(attempt);
  connections_.loop().post([owned = std::unique_ptr<Attempt>(&attempt)] {});
  --pending_count_;
  done(std::move(result));
}

}  // namespace ssx::net

#include "websocket/client/kept_socket.h"

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/sys/process.h"
#include "websocket/client/backoff.h"

namespace ssx::websocket {
namespace {

std::uint32_t random_number() {
  std::uint32_t number = 0;
  const auto filled = sys::random_bytes(std::as_writable_bytes(std::span(&number, 1)));
  SSX_ASSERT(filled, "no random bytes");
  return number;
}

// A handler must not end the loop.
template <class Call>
void guarded(const Route& route, Call&& call) {
  try {
    call();
  } catch (...) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}: a handler of the client has thrown",
                  route.name);
  }
}

}  // namespace

// on_open gets the answer, on_error and on_close are looked at by both.
Callbacks KeptSocket::callbacks_of(KeptSocket& self, ClientHandlers& handlers) {
  using Socket = WebSocket<NoData>;
  Handlers<NoData> plain;
  plain.on_open = [&self](Socket& socket) { self.opened(socket); };
  plain.on_message = std::exchange(handlers.on_message, {});
  plain.on_piece = std::exchange(handlers.on_piece, {});
  plain.on_ping = std::exchange(handlers.on_ping, {});
  plain.on_pong = std::exchange(handlers.on_pong, {});
  plain.on_drain = std::exchange(handlers.on_drain, {});
  plain.on_backpressure = std::exchange(handlers.on_backpressure, {});
  plain.on_error = [&self](Socket& socket, const Error& error) {
    self.error_ = error;
    if (!self.silent_ && self.handlers_.on_error) self.handlers_.on_error(socket, error);
  };
  plain.on_close = [&self](Socket& socket, CloseCode code, std::string_view reason) {
    self.closed(socket, code, reason);
  };
  return std::move(plain).take_callbacks();
}

// The route takes what is its own out of `handlers` before the rest is moved.
KeptSocket::KeptSocket(LocalRef<Dialer> dialer, ClientTarget target, ClientHandlers handlers)
    : ClientCore(std::move(dialer), std::move(target), callbacks_of(*this, handlers),
                 WhenBlocked::kRests),
      handlers_(std::move(handlers)) {}

void KeptSocket::start() {
  net::EventLoop& loop = dialer().loop();
  loop.assert_in_loop_thread();
  timer_ = loop.run_after(Duration::zero(), [this] { attempt(); });
}

void KeptSocket::stop(CloseCode code, std::string_view reason) {
  const LocalRef<KeptSocket> self(this);
  stopped_ = true;
  net::EventLoop& loop = dialer().loop();
  loop.assert_in_loop_thread();
  loop.cancel(timer_);
  if (socket_ != nullptr) return socket_->close(code, reason);
  task_.reset();
}

void KeptSocket::abandon() {
  const LocalRef<KeptSocket> self(this);
  silent_ = stopped_ = true;
  if (socket_ != nullptr) socket_->reset();
  stop(CloseCode::kGoingAway, {});
}

void KeptSocket::attempt() {
  const LocalRef<KeptSocket> self(this);
  task_ = dial();
  if (task_.start(done_)) attempt_ended();
}

// An attempt that has succeeded has called opened() before.
void KeptSocket::attempt_ended() {
  const LocalRef<KeptSocket> self(this);
  Connected<void> result = task_.result();
  task_.reset();
  if (!result) try_again(std::move(result).error());
}

void KeptSocket::opened(WebSocketBase& socket) {
  socket_ = &static_cast<WebSocket<NoData>&>(socket);
  opened_at_ = dialer().loop().now();
  error_.reset();
  const ClientAnswer answer = std::move(answer_);
  if (handlers_.on_open) handlers_.on_open(*socket_, answer);
}

void KeptSocket::closed(WebSocketBase& socket, CloseCode code, std::string_view reason) {
  const LocalRef<KeptSocket> self(this);
  socket_ = nullptr;
  if (dialer().loop().now() - opened_at_ >= target().options.reconnect.stable_after) failures_ = 0;
  if (!silent_ && handlers_.on_close) {
    guarded(route(),
            [&] { handlers_.on_close(static_cast<WebSocket<NoData>&>(socket), code, reason); });
  }
  if (stopped_ || !target().options.reconnect.enabled) return;
  const Errc what = code == CloseCode::kAbnormal ? Errc::kConnectionLost : Errc::kNotOpen;
  try_again({error_.value_or(Error(make_error_code(what), "websocket"))});
}

void KeptSocket::try_again(ConnectFailure failure) {
  if (stopped_) return;
  const ReconnectOptions& options = target().options.reconnect;
  const bool is_over = options.attempts_max > 0 && failures_ + 1 >= options.attempts_max;
  if (is_over) dialer().counters().gave_up.add();
  if (is_over || !options.enabled) {
    stopped_ = true;
    if (handlers_.on_failed) guarded(route(), [&] { handlers_.on_failed(failure); });
    return;
  }
  const milliseconds delay = backoff_delay(options, failures_++, random_number());
  net::EventLoop& loop = dialer().loop();
  loop.assert_in_loop_thread();
  timer_ = loop.run_after(delay, [this] {
    dialer().counters().retried.add();
    attempt();
  });
  if (handlers_.on_retry) guarded(route(), [&] { handlers_.on_retry(failure, delay); });
}

}  // namespace ssx::websocket

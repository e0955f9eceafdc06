#include "websocket/client/opening.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "http/client/redirect.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/net/error.h"
#include "ssxrver/sys/process.h"
#include "websocket/client_handshake.h"

namespace ssx::websocket {
namespace {

HandshakeKey random_key() {
  std::array<std::byte, kNonceSize> nonce{};
  const auto filled = sys::random_bytes(nonce);
  SSX_ASSERT(filled, "no random bytes");
  return make_key(nonce);
}

/// The address of a redirection, which is http's, as open() takes it.
std::string websocket_url(std::string_view url) {
  constexpr std::string_view kHttp = "http";  // and "https", which becomes "wss"
  if (!url.starts_with(kHttp)) return std::string(url);
  return "ws" + std::string(url.substr(kHttp.size()));
}

Error error_of(Errc code) { return {make_error_code(code), "handshake"}; }
Error error_of(http::Errc code) { return {make_error_code(code), "handshake"}; }

}  // namespace

class Opening::Half final : public net::Protocol {
 public:
  explicit Half(LocalRef<Opening> core) noexcept : core_(std::move(core)) {}

  void on_open(net::Connection& connection) override { core_->open(connection); }
  void on_data(net::Connection&, InBuffer& in) override { core_->arrive(in); }
  void on_end(net::Connection&) override {
    core_->end_with(
        error_of(core_->has_answer_ ? http::Errc::kResponseCutShort : http::Errc::kNoResponse));
  }
  void on_deadline(net::Connection&) override {
    core_->end_with(error_of(Errc::kHandshakeTimedOut));
  }
  void on_close(net::Connection&, const Error& reason) override {
    core_->connection_ = nullptr;
    core_->end_with(reason);
  }

 private:
  const LocalRef<Opening> core_;
};

std::pair<LocalRef<Opening>, std::unique_ptr<net::Protocol>> Opening::create(
    const ClientTarget& target, const Options& options, MakeSession& make, Told told) {
  LocalRef<Opening> core(new Opening(target, options, make, std::move(told)));
  auto protocol = std::make_unique<Half>(core);
  return {std::move(core), std::move(protocol)};
}

Opening::Opening(const ClientTarget& target, const Options& options, MakeSession& make, Told told)
    : target_(target),
      options_(options),
      make_(make),
      told_(std::move(told)),
      tunnel_(*target.make_tunnel()),  // create() has made one already
      parser_(target.options.parser) {}

void Opening::finish(Connected<void> result) {
  Told told = std::exchange(told_, nullptr);
  if (told) told(std::move(result));
}

void Opening::abandon() {
  told_ = nullptr;
  if (connection_ != nullptr) connection_->close(Error(net::Errc::kClosed, "handshake"));
}

void Opening::end_with(ConnectFailure failure) {
  net::Connection* const connection = std::exchange(connection_, nullptr);
  if (connection != nullptr) connection->close(failure.error);
  finish(UnexpectedOf<ConnectFailure>(std::move(failure)));
}

void Opening::open(net::Connection& connection) {
  if (!told_) return connection.close(Error(net::Errc::kClosed, "handshake"));
  connection_ = &connection;
  has_connected_ = true;
  connection.set_deadline(target_.options.handshake_timeout);
  if (std::holds_alternative<std::monostate>(tunnel_)) return ask();
  std::string hello;
  if (auto* const socks = std::get_if<net::Socks5>(&tunnel_)) socks->begin(hello);
  if (auto* const http = std::get_if<http::HttpConnect>(&tunnel_)) http->begin(hello);
  connection.out().append_copy(as_bytes(hello));
}

// True once what follows is the server's.
bool Opening::get_through(InBuffer& in) {
  if (std::holds_alternative<std::monostate>(tunnel_)) return true;
  auto* const socks = std::get_if<net::Socks5>(&tunnel_);
  auto* const http = std::get_if<http::HttpConnect>(&tunnel_);
  std::string reply;
  const net::TunnelStep step =
      socks != nullptr ? socks->feed(in.text(), reply) : http->feed(in.text(), reply);
  if (step.progress == net::TunnelStep::Progress::kFailed) {
    end_with({step.error, http != nullptr ? http->status() : std::uint16_t{0}});
    return false;
  }
  in.consume(step.consumed);
  if (!reply.empty()) connection_->out().append_copy(as_bytes(reply));
  if (step.progress == net::TunnelStep::Progress::kNeedMore) return false;
  tunnel_ = std::monostate();
  ask();
  return true;
}

void Opening::ask() {
  key_ = random_key();
  parser_.reset(http::Method::kGet);
  connection_->out().append_copy(as_bytes(handshake_request(target_, key_)));
}

void Opening::arrive(InBuffer& in) {
  if (told_ && !get_through(in)) return;
  while (told_ && !in.empty()) {
    has_answer_ = true;
    const auto parsed = parser_.parse(in.text(), head_);
    if (parsed.progress == http::Progress::kNeedMore) return;
    if (parsed.progress == http::Progress::kFailed) return end_with(error_of(parsed.error));
    if (!head_.is_interim()) return judge(in, parsed.head_size);
    if (++interim_ > target_.options.interim_max)
      return end_with(error_of(http::Errc::kTooManyInterim));
    in.consume(parsed.head_size);
    parser_.reset(http::Method::kGet);
  }
  if (!told_) in.consume(in.size());  // nobody waits any more
}

void Opening::judge(InBuffer& in, std::size_t head_size) {
  if (http::is_redirect(head_)) {
    const auto to = http::redirect_target(target_.url, head_);
    return end_with(
        {error_of(Errc::kRedirected), head_.status,
         to ? websocket_url(to->text()) : std::string(head_.fields.find("location").value_or(""))});
  }
  const ClientHandshake handshake =
      check_answer(static_cast<http::Status>(head_.status), head_.fields, key_, options_);
  if (handshake.error != Errc::kOk) {
    const bool said_no = handshake.error == Errc::kNotSwitched;
    return end_with({error_of(handshake.error), said_no ? head_.status : std::uint16_t{0}});
  }
  ClientAnswer answer(in.text().substr(0, head_size), head_);
  in.consume(head_size);
  net::Connection& connection = *std::exchange(connection_, nullptr);
  connection.clear_deadline();
  connection.set_protocol(
      make_(connection, Agreed{handshake.subprotocol, handshake.deflate}, std::move(answer)));
  finish({});
}

}  // namespace ssx::websocket

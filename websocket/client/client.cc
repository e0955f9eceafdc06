#include "websocket/client/client.h"

#include <utility>

#include "websocket/client/client_socket_core.h"

namespace ssx::websocket {

Client::Client(net::Connections& connections, net::NetStack& stack, const net::Resolver& resolver,
               ClientOptions options, const ServiceOptions& service)
    : options_(std::move(options)),
      dialer_(new Dialer(connections, stack, resolver, service, options_.tcp)) {}

Client::~Client() {
  if (kept_) kept_->abandon();
}

Task<Connected<ClientSocket>> Client::open() {
  auto target = ClientTarget::create(options_);
  if (!target) co_return UnexpectedOf<ConnectFailure>(ConnectFailure{target.error()});
  const bool in_pieces = options_.receive_pieces;
  const LocalRef<ClientSocket::Core> core(
      new ClientSocket::Core(dialer_, *std::move(target), in_pieces));
  auto connected = co_await core->dial();
  if (!connected) co_return UnexpectedOf<ConnectFailure>(std::move(connected).error());
  co_return ClientSocket(core);
}

Result<void> Client::connect(ClientHandlers handlers) {
  SSX_TRY(auto target, ClientTarget::create(options_));
  if (kept_) kept_->abandon();
  kept_ = LocalRef<KeptSocket>(new KeptSocket(dialer_, std::move(target), std::move(handlers)));
  kept_->start();
  return {};
}

void Client::stop(CloseCode code, std::string_view reason) {
  if (kept_) kept_->stop(code, reason);
}

}  // namespace ssx::websocket

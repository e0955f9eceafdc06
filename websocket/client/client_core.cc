#include "websocket/client/client_core.h"

namespace ssx::websocket {

ClientCore::ClientCore(LocalRef<Dialer> dialer, ClientTarget target, Callbacks callbacks,
                       WhenBlocked when_blocked)
    : dialer_(std::move(dialer)),
      target_(std::move(target)),
      route_(target_.name(), target_.options.limits, std::move(callbacks), Role::kClient,
             when_blocked) {}

Task<Connected<void>> ClientCore::dial() {
  MakeSession make = [this](net::Connection& connection, const Agreed& agreed,
                            ClientAnswer answer) -> std::unique_ptr<net::Protocol> {
    on_answer(connection, std::move(answer));
    return std::make_unique<ClientSession>(connection, agreed, LocalRef<ClientCore>(this));
  };
  return dialer_->dial(target_, route_.options, std::move(make));
}

}  // namespace ssx::websocket

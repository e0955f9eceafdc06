// A network where every connect() succeeds at once, unless told otherwise: the test has the far
// end.
//
//   struct MyStack final : net::DialledStack {
//     void arrived(sys::UniqueFd far_end) override { peers.emplace_back(std::move(far_end)); }
//     std::deque<net::Peer> peers;
//   };
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/net_stack.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

class DialledStack : public NetStack {
 public:
  Result<std::unique_ptr<Listener>> listen(const ListenOptions&, const TcpOptions&) final {
    return fail(ssx::Errc::kUnsupported, "listen");
  }
  Result<Accepted> connect(const SocketAddress& to, const TcpOptions&) final {
    asked.push_back(to.to_string());
    if (!errors.empty()) {
      const int error = errors.front();
      errors.pop_front();
      if (error != 0) return fail_errno(error, "connect");
    }
    SSX_TRY(auto pair, sys::socket_pair(SOCK_STREAM));
    if (silent) {  // never writable: a connection that is never answered
      const std::string filler(65536, 'x');
      while (sys::send(pair.first.get(), as_bytes(filler))) {
      }
    }
    arrived(std::move(pair.second));
    return Accepted{std::move(pair.first), to, nullptr};
  }

  std::vector<std::string> asked;  ///< addresses
  std::deque<int> errors;          ///< of the next connects; 0: it succeeds
  bool silent = false;

 private:
  virtual void arrived(sys::UniqueFd far_end) = 0;
};

}  // namespace ssx::net

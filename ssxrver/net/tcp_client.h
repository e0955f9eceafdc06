// Connects to somebody else's server, within a time.
//
// Thread: loop-only (the loop of its table of connections)
// Owner:  whoever connects
// Life:   destroyed on its loop, or after the loop has ended; attempts under way are given up then,
//         without a word to whoever waits
// Bounds: one timer and one descriptor per attempt
#pragma once

#include <memory>

#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/options.h"

namespace ssx::net {

class TcpClient {
 public:
  /// The connection, open, or why there is none: kTimedOut, what the system says, what the table
  /// says.
  using Done = UniqueFunction<void(Result<Connection*>)>;

  /// `connections` and `stack` must outlive the client.
  TcpClient(Connections& connections, NetStack& stack, const TcpOptions& tcp = {});
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;
  ~TcpClient();

  /// `done` is called once, always later. The protocol is opened just before, when it stands.
  void connect(const SocketAddress& to, std::unique_ptr<Protocol> protocol, Duration timeout,
               Done done);

  /// Attempts under way.
  [[nodiscard]] std::size_t pending() const noexcept { return pending_count_; }

 private:
  class Attempt;

  void finish(Attempt& attempt, Result<Connection*> result);

  Connections& connections_;
  NetStack& stack_;
  const TcpOptions tcp_;
  IntrusiveList<Attempt, TcpClient> attempts_;  ///< owned
  std::size_t pending_count_ = 0;
};

}  // namespace ssx::net

// A connection on its way to a WebSocket: finds a way through the proxy, asks, judges the answer,
// and hands the connection over.
//
// Thread: loop-only
// Owner:  shared between the net::Connection's protocol and whoever waits
// Life:   from connect() to the 101, or to the failure; told once, and not any more after abandon()
// Bounds: handshake_timeout, the limits of the answer's head, interim_max; those of the tunnel
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "http/client/response_head.h"
#include "http/client/response_parser.h"
#include "ssxrver/base/in_buffer.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/protocol.h"
#include "websocket/client/answer.h"
#include "websocket/client/failure.h"
#include "websocket/client/target.h"
#include "websocket/handshake_key.h"
#include "websocket/session.h"

namespace ssx::websocket {

/// What the connection becomes.
using MakeSession =
    UniqueFunction<std::unique_ptr<net::Protocol>(net::Connection&, const Agreed&, ClientAnswer)>;

class Opening final : public LocalShared {
 public:
  /// How it has ended. May destroy whoever it captures; nothing is touched afterwards.
  using Told = UniqueFunction<void(Connected<void>)>;

  /// The one who waits, and the protocol for the connection. `target`, `options` and `make` must
  /// live until it has told, or has been abandoned. `options`: those of the route, into which what
  /// is agreed on looks.
  static std::pair<LocalRef<Opening>, std::unique_ptr<net::Protocol>> create(
      const ClientTarget& target, const Options& options, MakeSession& make, Told told);

  /// It was given up, or there is no connection.
  void finish(Connected<void> result);
  /// Nobody waits any more: the connection ends, now or as soon as it is there.
  void abandon();
  /// Somebody was there: another address will not do better.
  [[nodiscard]] bool has_connected() const noexcept { return has_connected_; }

 private:
  class Half;

  Opening(const ClientTarget& target, const Options& options, MakeSession& make, Told told);

  void open(net::Connection& connection);
  [[nodiscard]] bool get_through(InBuffer& in);
  void ask();
  void arrive(InBuffer& in);
  void judge(InBuffer& in, std::size_t head_size);
  void end_with(ConnectFailure failure);
  void end_with(const Error& error) { end_with(ConnectFailure{error}); }

  const ClientTarget& target_;
  const Options& options_;
  MakeSession& make_;
  Told told_;                              ///< empty: it has told, or was abandoned
  net::Connection* connection_ = nullptr;  ///< null before it is opened and when it is not ours
  ClientTunnel tunnel_;                    ///< empty once it is through
  http::ResponseParser parser_;
  http::ResponseHead head_;
  HandshakeKey key_{};
  std::size_t interim_ = 0;
  bool has_connected_ = false;
  bool has_answer_ = false;  ///< a byte of one
};

}  // namespace ssx::websocket

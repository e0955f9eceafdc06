// A client's WebSocket as a coroutine sees it: receive, send, close.
//
//   auto socket = co_await client.open();
//   if (!socket) co_return show(socket.error().message());
//   co_await socket->send("hello");
//   while (auto message = co_await socket->receive()) show(message->payload);
//
// With ClientOptions::receive_pieces, a message of any length:
//
//   while (auto piece = co_await socket->receive_piece()) {
//     file.write(piece->payload);
//     if (piece->ends) break;
//   }
//
// Thread: loop-only
// Owner:  the coroutine; one that is destroyed says 1001 and ends
// Life:   outlives the connection: then every call gives the reason why it has ended
// Bounds: one message, or piece, that nobody has taken, behind which reading rests;
//         BackpressureOptions::high unsent bytes, above which send() waits; one that receives, any
//         number that send
//
// Destroying a Task takes the wait back: a message that has arrived is still there, and what was to
// be sent has not been.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/socket_address.h"
#include "websocket/client/answer.h"
#include "websocket/client/client_core.h"
#include "websocket/close_code.h"
#include "websocket/message.h"

namespace ssx::websocket {

class ClientSocket {
 public:
  class Core;

  explicit ClientSocket(LocalRef<Core> core) noexcept;
  ClientSocket(ClientSocket&& other) noexcept;
  ClientSocket& operator=(ClientSocket&& other) noexcept;
  ~ClientSocket();

  /// The next message; it is there until the next call, or until the socket is destroyed. An error
  /// when none comes any more: what on_error would be told, kConnectionLost, or kNotOpen after a
  /// close in good order. With ClientOptions::receive_pieces it puts the message together: of one
  /// that receive_piece() has begun, what is left.
  [[nodiscard]] Task<Result<Message>> receive();

  /// What has come of a message, in order, as long as receive() gives it; `ends` is set in its last
  /// piece. The same errors; a message that has begun does not end then. Without
  /// ClientOptions::receive_pieces, a message is one piece.
  [[nodiscard]] Task<Result<Piece>> receive_piece();

  /// Waits for room, then sends; what is sent must live until then. An error: it was not sent.
  /// kNotOpen; kSendQueueFull: longer than BackpressureOptions::max less `high`, send it in
  /// fragments.
  [[nodiscard]] Task<Result<void>> send(std::string_view text);
  [[nodiscard]] Task<Result<void>> send_binary(ByteView bytes);
  [[nodiscard]] Task<Result<void>> send(Message message);

  /// A message in fragments (RFC 6455 5.4), of any length, each of which waits for room. Other
  /// messages wait until the last one has been sent. kSendQueueFull: this fragment is too long for
  /// one, as in send(); what has been sent stands.
  [[nodiscard]] Task<Result<void>> begin_message(Opcode kind, ByteView first);
  [[nodiscard]] Task<Result<void>> continue_message(ByteView fragment, bool is_last);

  /// At most 125 bytes; what is longer is cut. False when it is not open.
  bool ping(std::string_view payload = {});

  /// Ends when it has closed. A message that nobody has taken can still be received.
  [[nodiscard]] Task<> close(CloseCode code = CloseCode::kNormal, std::string reason = {});

  [[nodiscard]] bool is_open() const noexcept;
  /// The peer's, or what it was told that it did wrong; kAbnormal when nothing was said. Nothing
  /// while it is open.
  [[nodiscard]] std::optional<CloseCode> close_code() const noexcept;
  [[nodiscard]] const std::string& close_reason() const noexcept;
  /// With which the server has answered.
  [[nodiscard]] const ClientAnswer& answer() const noexcept;
  /// That was agreed on; empty = none.
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept;

 private:
  void abandon() noexcept;

  LocalRef<Core> core_;  ///< shared with the session; empty once moved from
};

}  // namespace ssx::websocket

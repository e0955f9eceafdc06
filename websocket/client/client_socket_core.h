// The half of a ClientSocket that its session knows: takes messages over, and says when there is
// room.
//
// Thread: loop-only
// Owner:  shared between the ClientSocket, the Tasks of it that wait, and the session
// Life:   until the last of them goes
// Bounds: two messages, or pieces of one: what is being looked at, and the next
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ssxrver/net/event_loop.h"
#include "websocket/client/client_core.h"
#include "websocket/client/client_socket.h"
#include "websocket/client/wait_list.h"

namespace ssx::websocket {

class ClientSocket::Core final : public ClientCore, private net::TurnEnd {
 public:
  /// `in_pieces`: ClientOptions::receive_pieces.
  Core(LocalRef<Dialer> dialer, ClientTarget target, bool in_pieces);

  using ClientCore::dial;

  static Task<Result<Message>> receive(LocalRef<Core> core);
  static Task<Result<Piece>> receive_piece(LocalRef<Core> core);
  static Task<Result<void>> send(LocalRef<Core> core, Opcode kind, ByteView payload);
  static Task<Result<void>> begin(LocalRef<Core> core, Opcode kind, ByteView first);
  static Task<Result<void>> go_on(LocalRef<Core> core, ByteView fragment, bool is_last);
  static Task<> close(LocalRef<Core> core, CloseCode code, std::string reason);
  void abandon();

  [[nodiscard]] WebSocketBase* socket() const noexcept { return socket_; }
  [[nodiscard]] const ClientAnswer& answer() const noexcept { return answer_; }
  [[nodiscard]] std::string_view subprotocol() const noexcept { return subprotocol_; }
  [[nodiscard]] std::optional<CloseCode> close_code() const noexcept { return close_code_; }
  [[nodiscard]] const std::string& close_reason() const noexcept { return close_reason_; }

 private:
  static Callbacks callbacks_of(Core& self, bool in_pieces);

  void on_answer(net::Connection& connection, ClientAnswer answer) override {
    connection_ = &connection;
    answer_ = std::move(answer);
  }
  void drained() override { look_for_room(); }
  void on_turn_end() override { look_for_room(); }
  Task<> hand_over(Piece piece);
  [[nodiscard]] Piece take();
  void note_sent();
  [[nodiscard]] bool may_ever_fit(std::size_t bytes);
  void look_for_room();
  void wake_senders();
  void forget_senders();
  [[nodiscard]] bool must_queue();
  [[nodiscard]] bool is_busy() const noexcept { return above_ || fragmented_; }
  [[nodiscard]] Unexpected not_taken() const;
  void closed(CloseCode code, std::string_view reason);
  [[nodiscard]] bool is_open() const noexcept { return socket_ != nullptr && socket_->is_open(); }
  [[nodiscard]] Error why_not() const;

  WebSocketBase* socket_ = nullptr;        ///< null before it is open and after it has closed
  net::Connection* connection_ = nullptr;  ///< there while socket_ is
  ClientAnswer answer_;
  std::string subprotocol_;

  // Receiving.
  std::string current_;  ///< what receive() has given
  std::string next_;
  Piece next_piece_;   ///< of which `next_` is the payload
  std::string begun_;  ///< what receive() has of a message that comes in pieces
  bool has_next_ = false;
  bool drops_ = false;  ///< nobody receives any more
  WaitList arrived_;
  WaitList taken_;

  // Sending.
  bool above_ = false;       ///< more than BackpressureOptions::high waits
  bool fragmented_ = false;  ///< a message is being sent in fragments
  WaitList room_;            ///< for a message
  WaitList room_for_rest_;   ///< of one in fragments

  // Its end.
  std::optional<CloseCode> close_code_;
  std::string close_reason_;
  std::optional<Error> error_;
  WaitList ended_;
};

}  // namespace ssx::websocket

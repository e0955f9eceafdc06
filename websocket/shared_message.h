// A prepared message as the sockets of one worker share it: no count that other threads touch.
//
// Thread: loop-only
// Owner:  the references of the queues it waits in
// Life:   until the last of them has sent it
// Bounds: the message, and one compressed form for each kind of sockets: those of an App differ in
//         their window alone
#pragma once

#include <map>
#include <string>
#include <utility>

#include "ssxrver/base/local_ref.h"
#include "websocket/prepared.h"

namespace ssx::websocket {

class SharedMessage final : public LocalShared {
 public:
  explicit SharedMessage(PreparedMessage message) noexcept : message_(std::move(message)) {}

  [[nodiscard]] const PreparedMessage& message() const noexcept { return message_; }

  /// The frame for sockets of this `kind` (Deflate::shared_kind()), which make_frame() gives once:
  /// empty when the message is sent as it is.
  template <class MakeFrame>
  [[nodiscard]] const std::string& coded(unsigned kind, MakeFrame&& make_frame) {
    const auto [form, is_new] = coded_.try_emplace(kind);
    if (is_new) form->second = make_frame();
    return form->second;
  }

 private:
  const PreparedMessage message_;
  std::map<unsigned, std::string> coded_;  ///< by kind; queues look into it, so nothing moves
};

}  // namespace ssx::websocket

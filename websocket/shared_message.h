// A prepared message as the sockets of one worker share it: no count that other threads touch.
//
// Thread: loop-only
// Owner:  the references of the queues it waits in
// Life:   until the last of them has sent it
// Bounds: the message, and one compressed form of it
#pragma once

#include <optional>
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
    if (kind_ != kind) {
      kind_ = kind;
      coded_ = make_frame();
    }
    return coded_;
  }

 private:
  const PreparedMessage message_;
  std::optional<unsigned> kind_;  ///< of the sockets that coded_ was made for
  std::string coded_;
};

}  // namespace ssx::websocket

// What a session does not hand to its connection yet: messages that wait for a slow peer, those
// that are collected (DelayWriteOptions), a pong.
//
// Thread: loop-only
// Owner:  Session, from the first time that something has to wait
// Life:   that of its session
// Bounds: BackpressureOptions::max, which its user looks at; messages wait as they were sent, so
//         that leaving one out does no harm to a compression context
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/out_queue.h"
#include "websocket/frame.h"
#include "websocket/shared_message.h"

namespace ssx::websocket {

struct WaitingMessage {
  /// Of what has come by no topic.
  static constexpr std::size_t kNoTopic = 0;

  Opcode opcode = Opcode::kText;
  std::size_t topic = kNoTopic;  ///< its hash
  std::string own = {};          ///< the payload, unless it is shared
  LocalRef<SharedMessage> shared = {};

  [[nodiscard]] ByteView payload() const noexcept {
    return shared ? shared->message().payload() : as_bytes(own);
  }
};

class Outbox {
 public:
  [[nodiscard]] bool has_messages() const noexcept { return !messages_.empty(); }
  /// Of the payloads that wait and the frames that are collected.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_ + delayed.memory_bytes(); }

  void push(WaitingMessage message) {
    bytes_ += message.payload().size();
    messages_.push_back(std::move(message));
  }
  /// The one that has waited longest. There is one.
  WaitingMessage pop() {
    WaitingMessage message = std::move(messages_.front());
    messages_.pop_front();
    bytes_ -= message.payload().size();
    return message;
  }
  /// Takes out what waits of this topic. How many.
  std::size_t drop_all_of(std::size_t topic) {
    return std::erase_if(messages_, [this, topic](const WaitingMessage& message) {
      if (message.topic != topic) return false;
      bytes_ -= message.payload().size();
      return true;
    });
  }

  OutQueue delayed;  ///< whole frames
  std::uint32_t delayed_messages = 0;
  std::optional<std::string> pong;  ///< for the newest ping that backpressure held up

 private:
  std::deque<WaitingMessage> messages_;
  std::size_t bytes_ = 0;
};

}  // namespace ssx::websocket

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
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/net/event_loop.h"
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
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() { (void)clear(); }

  [[nodiscard]] bool has_messages() const noexcept { return !entries_.empty(); }
  [[nodiscard]] bool empty() const noexcept { return !has_messages() && delayed.empty() && !pong; }
  /// Of the messages that wait, with what it takes to keep them, and the frames that are collected.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_ + delayed.memory_bytes(); }

  void push(WaitingMessage message) {
    auto entry = std::make_unique<Entry>(std::move(message));
    bytes_ += entry->bytes();
    entries_.push_back(*entry.release());
  }
  /// The one that has waited longest. There is one.
  WaitingMessage pop() noexcept { return take(*entries_.front()); }
  /// What waits of this topic, with what it takes to keep it.
  [[nodiscard]] std::size_t bytes_of(std::size_t topic) noexcept {
    std::size_t bytes = 0;
    for (Entry* entry = entries_.front(); entry != nullptr; entry = entries_.next(*entry))
      if (entry->message.topic == topic) bytes += entry->bytes();
    return bytes;
  }
  /// Takes out what waits of this topic. How many.
  std::size_t drop_all_of(std::size_t topic) noexcept {
    std::size_t dropped = 0;
    for (Entry* entry = entries_.front(); entry != nullptr;) {
      Entry& here = *entry;
      entry = entries_.next(here);
      if (here.message.topic != topic) continue;
      (void)take(here);
      ++dropped;
    }
    return dropped;
  }

  /// Takes out all that waits or is collected. How many messages.
  std::size_t clear() noexcept {
    std::size_t count = std::exchange(delayed_messages, 0U);
    delayed.clear();
    for (; has_messages(); ++count) (void)pop();
    return count;
  }

  OutQueue delayed;  ///< whole frames
  std::uint32_t delayed_messages = 0;
  net::TimerId flush_timer;
  std::optional<std::string> pong;  ///< for the newest ping that backpressure held up

 private:
  struct Entry : ListHook<> {
    explicit Entry(WaitingMessage its_message) noexcept : message(std::move(its_message)) {}
    [[nodiscard]] std::size_t bytes() const noexcept {
      return sizeof(Entry) + message.payload().size();
    }
    WaitingMessage message;
  };

  WaitingMessage take(Entry& entry) noexcept {
    const std::unique_ptr<Entry> taken(&entry);
    bytes_ -= entry.bytes();
    return std::move(entry.message);
  }

  IntrusiveList<Entry> entries_;  ///< it owns them
  std::size_t bytes_ = 0;
};

}  // namespace ssx::websocket

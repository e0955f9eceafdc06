// The memory of the latest large message, kept a while for the next: the first touch of its pages
// is most of what such a message costs.
//
// Thread: loop-only
// Owner:  WorkerState, and the timer that ends it
// Life:   as long as messages come; the timer may outlive the WorkerState
// Bounds: one buffer, as large as the largest message, until kKeptFor after its latest use
#pragma once

#include <chrono>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/net/event_loop.h"
#include "websocket/message_buffer.h"

namespace ssx::websocket {

class LargeSpare final : public LocalShared {
 public:
  static constexpr Duration kKeptFor = std::chrono::seconds(10);

  explicit LargeSpare(net::EventLoop& loop) noexcept : loop_(loop) {}

  /// Keeps the memory of `used`, and leaves it what was kept before, when that was less.
  void keep(MessageBuffer& used);
  /// `buffer` goes on in the memory that is kept, if that is more than it has.
  void lend(MessageBuffer& buffer);
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.capacity(); }

 private:
  void look_after(Duration delay);
  void look();

  net::EventLoop& loop_;
  MessageBuffer kept_;
  TimePoint until_{};
  bool will_look_ = false;
};

}  // namespace ssx::websocket

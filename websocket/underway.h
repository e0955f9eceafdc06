// What a session has only while something is under way: a message that has come in part, a handler
// at work, output that waits, a ping without an answer. One that rests is 40 bytes without it.
//
// Thread: loop-only
// Owner:  Session, lent by its WorkerState
// Life:   from the first thing that has to be remembered until nothing has
// Bounds: one for each session; WorkerState::kSpareMax of them wait for reuse
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ssxrver/base/clock.h"
#include "ssxrver/pubsub/topic_table.h"
#include "websocket/deflate.h"
#include "websocket/frame_parser.h"
#include "websocket/outbox.h"

namespace ssx::websocket {

struct MessageBlock;
class Session;

/// A session among the subscribers of topics.
struct Membership final : pubsub::Subscriber {
  Session* session = nullptr;
};

struct Underway {
  Underway();
  ~Underway();

  [[nodiscard]] bool is_over(TimePoint now) const noexcept;

  std::optional<FrameParser> parser;        ///< it stands within a message
  std::unique_ptr<MessageBlock> assembled;  ///< a message that has come in part
  std::unique_ptr<MessageBlock> handled;    ///< the one, or the piece, that a coroutine handles
  std::unique_ptr<Deflate> deflate;         ///< null: not agreed on
  std::unique_ptr<Outbox> outbox;           ///< null: nothing had to wait yet
  Membership membership;
  TimePoint opened = TimePoint::max();  ///< max: nobody asks
  TimePoint pinged = TimePoint::min();  ///< when the ping was sent that nobody has answered
  TimePoint controls_full_at = TimePoint::min();
  TimePoint waiting_since = TimePoint::min();  ///< min: at the latest look nothing waited
  std::uint64_t taken = 0;                     ///< bytes the peer had taken at the latest look
  std::uint16_t unanswered_pings = 0;          ///< of ours: so many pongs are answers
  bool ping_waits = false;                     ///< behind what the peer has not taken yet
};

}  // namespace ssx::websocket

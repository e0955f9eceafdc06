#include "websocket/underway.h"

#include "websocket/worker_state.h"

namespace ssx::websocket {

Underway::Underway() = default;
Underway::~Underway() = default;

bool Underway::is_over(TimePoint now) const noexcept {
  const bool in_message = parser || assembled != nullptr || handled != nullptr;
  const bool waits = waiting_since != TimePoint::min() || (outbox != nullptr && !outbox->empty());
  const bool pings = pinged != TimePoint::min() || unanswered_pings > 0 || controls_full_at > now;
  const bool lasts = deflate != nullptr || opened != TimePoint::max() ||
                     pubsub::TopicTable::subscriptions_of(membership) > 0;
  return !in_message && !waits && !pings && !lasts;
}

}  // namespace ssx::websocket

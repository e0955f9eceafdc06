#include "websocket/large_spare.h"

namespace ssx::websocket {

void LargeSpare::keep(MessageBuffer& used) {
  if (used.capacity() > kept_.capacity()) kept_.swap(used);
  until_ = loop_.now() + kKeptFor;
  if (!will_look_) look_after(kKeptFor);
}

void LargeSpare::lend(MessageBuffer& buffer) {
  if (kept_.capacity() <= buffer.capacity()) return;
  kept_.assign(buffer.text());
  kept_.swap(buffer);
}

void LargeSpare::look_after(Duration delay) {
  will_look_ = true;
  loop_.assert_in_loop_thread();
  loop_.run_after(delay, [self = LocalRef<LargeSpare>(this)] { self->look(); });
}

void LargeSpare::look() {
  will_look_ = false;
  const TimePoint now = loop_.now();
  if (now < until_) return look_after(until_ - now);
  MessageBuffer().swap(kept_);
}

}  // namespace ssx::websocket

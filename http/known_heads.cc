#include "http/known_heads.h"

#include <algorithm>
#include <cstring>

namespace ssx::http {

// A head ends with the first empty line, so bytes that begin with a whole one begin with that one.
bool KnownHeads::Known::recall(std::string_view text, Head& head) const noexcept {
  if (text.size() < facts.size || std::memcmp(text.data(), bytes.data(), facts.size) != 0) {
    return false;
  }
  static_cast<HeadFacts&>(head) = facts;
  head.fields.restore({fields.data(), field_count}, present);
  head.fields.bind(bytes.data());
  head.rebase(text.data());
  return true;
}

void KnownHeads::Known::note(const Head& head) noexcept {
  const char* const base = head.fields.base();
  facts = head;
  facts.rebase(base, bytes.data());
  present = head.fields.present();
  field_count = static_cast<std::uint32_t>(head.fields.size());
  std::ranges::copy(head.fields.entries(), fields.begin());
  std::memcpy(bytes.data(), base, head.size);
}

bool KnownHeads::recall(SlotId of, std::string_view bytes, Head& head) noexcept {
  Place& place = place_of(of);
  if (place.known == nullptr || place.owner != of || !place.known->recall(bytes, head)) {
    return false;
  }
  place.passed = 0;
  return true;
}

// One that never says the same twice shall not pay for it each time, and of more connections than
// there are places some shall have theirs for a while.
void KnownHeads::note(SlotId of, const Head& head) {
  if (head.size > kSizeMax || head.fields.size() > kFieldsMax) return;
  Place& place = place_of(of);
  const bool is_owner = place.known != nullptr && place.owner == of;
  if (place.known == nullptr) {
    place.known = std::make_unique_for_overwrite<Known>();
  } else if (place.passed < kPatience && !(is_owner && place.passed == 0)) {
    ++place.passed;
    return;
  }
  place.passed = is_owner ? 1 : 0;
  place.owner = of;
  place.known->note(head);
}

}  // namespace ssx::http

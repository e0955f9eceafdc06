#include "ssxrver/net/stall_judge.h"

#include <algorithm>
#include <utility>

#include "ssxrver/net/turn_mark.h"

namespace ssx::net {

std::optional<Duration> StallJudge::look(TimePoint began, TimePoint now) noexcept {
  const Duration since_last = now - std::exchange(last_look_, now);
  if (std::exchange(turn_, began) != began) {
    lasted_ = Duration::zero();
    if (began != TurnMark::kNone) lasted_ = std::min(now - began, credit_max_);
  } else if (began != TurnMark::kNone) {
    lasted_ += std::min(since_last, credit_max_);
  }
  if (began == TurnMark::kNone || lasted_ < limit_) return std::nullopt;
  return lasted_;
}

}  // namespace ssx::net

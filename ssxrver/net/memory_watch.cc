#include "ssxrver/net/memory_watch.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/net/memory_meter.h"

namespace ssx::net {
namespace {

constexpr std::uint64_t kMega = 1 << 20;

// Without overflow.
std::uint64_t percent_of(std::uint64_t value, unsigned percent) noexcept {
  return value / 100 * percent + value % 100 * percent / 100;
}

const char* to_text(OverloadLevel level) noexcept {
  switch (level) {
    case OverloadLevel::kNone:
      return "all is served again";
    case OverloadLevel::kSave:
      return "connections are not kept";
    case OverloadLevel::kRefuse:
      return "new requests are refused";
    case OverloadLevel::kStop:
      break;
  }
  return "nobody is accepted";
}

}  // namespace

MemoryWatch::MemoryWatch(EventLoop& loop, const MemoryOptions& options, std::uint64_t max,
                         MemoryMeter meter, Overload& overload)
    : loop_(loop), options_(options), max_(max), meter_(std::move(meter)), overload_(overload) {}

MemoryWatch::~MemoryWatch() { stop(); }

void MemoryWatch::start() {
  if (max_ == 0) return;
  look();
  loop_.assert_in_loop_thread();
  timer_ = loop_.run_every(kPeriod, [this] { look(); });
}

void MemoryWatch::stop() {
  loop_.assert_in_loop_thread();
  loop_.cancel(timer_);
}

void MemoryWatch::look() {
  const auto used = meter_();
  if (!used) {
    SSX_LOG_RATED(WARN, std::chrono::minutes(1), "memory in use: {}", used.error().message());
    return;
  }
  const OverloadLevel before = overload_.level();
  const OverloadLevel level = level_of(*used);
  if (level == before) return;
  overload_.set(level);
  SSX_LOG_RATED(WARN, std::chrono::seconds(1), "memory: {} of {} MiB: {}", *used / kMega,
                max_ / kMega, to_text(level));
}

// What is above its watermark; of the present level, what is not well below it.
OverloadLevel MemoryWatch::level_of(std::uint64_t used) const noexcept {
  const OverloadLevel now = overload_.level();
  const auto reached = [this, used, now](OverloadLevel level, unsigned percent) {
    const unsigned slack = level <= now ? std::min(kSlack, percent) : 0;
    return used >= percent_of(max_, percent - slack);
  };
  if (reached(OverloadLevel::kStop, options_.stop_percent)) return OverloadLevel::kStop;
  if (reached(OverloadLevel::kRefuse, options_.refuse_percent)) return OverloadLevel::kRefuse;
  if (reached(OverloadLevel::kSave, options_.save_percent)) return OverloadLevel::kSave;
  return OverloadLevel::kNone;
}

std::uint64_t resolve_memory_max(const MemoryOptions& options) {
  if (options.max > 0) return static_cast<std::uint64_t>(options.max);
  return options.max == 0 ? control_group_memory().value_or(0) : 0;
}

}  // namespace ssx::net

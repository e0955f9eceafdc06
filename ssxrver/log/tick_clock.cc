#include "ssxrver/log/tick_clock.h"

#include <array>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ssxrver/base/bytes.h"
#include "ssxrver/sys/file.h"

namespace ssx::log {
namespace {

constexpr std::int64_t kRateSpan = 1'000'000'000;  // of one measurement of the rate, in nanoseconds

template <class Clock>
std::int64_t nanoseconds_now() {
  const auto now = Clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// The counter runs at one speed in every sleep state (CPUID 8000_0007h, EDX bit 8).
bool has_invariant_ticks() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1U) != 0;
#else
  return false;
#endif
}

/// The kernel watches the counters of all cores, and leaves them when they drift apart.
bool kernel_trusts_ticks() {
  constexpr const char* kSource =
      "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  const auto file = sys::open(kSource, O_RDONLY);
  if (!file) return false;
  std::array<std::byte, 16> name{};
  const auto size = sys::read(file->get(), name);
  return size && as_text({name.data(), *size}) == "tsc\n";
}

}  // namespace

bool TickClock::choose_source() noexcept {
  const bool ticks = has_invariant_ticks() && kernel_trusts_ticks();
  ticks_.store(ticks, std::memory_order_relaxed);
  return ticks;
}

std::uint64_t TickClock::wall_stamp() noexcept {
  return static_cast<std::uint64_t>(nanoseconds_now<std::chrono::system_clock>());
}

// The three readings belong to one moment only if nothing came between them, so the closest of a
// few tries is kept.
TickClock::Anchor TickClock::look() noexcept {
  Anchor best{};
  std::uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = stamp();
    const auto monotonic = nanoseconds_now<std::chrono::steady_clock>();
    const auto wall = nanoseconds_now<std::chrono::system_clock>();
    const std::uint64_t width = stamp() - before;
    if (width < best_width) {
      best_width = width;
      best = {before + width / 2, monotonic, wall};
    }
  }
  return best;
}

TickClock::TickClock() noexcept : latest_(look()), base_(latest_) {}

void TickClock::synchronise() noexcept {
  latest_ = look();
  const std::uint64_t ticks = latest_.ticks - base_.ticks;
  const std::int64_t span = latest_.monotonic - base_.monotonic;
  if (ticks == 0 || span <= 0) return;
  // Until the first second is over the span still grows; after that one measurement is as good as
  // the next, and a fresh one follows the machine.
  if (nanoseconds_per_tick_ == 0 || span >= kRateSpan || rate_is_young_) {
    nanoseconds_per_tick_ = static_cast<double>(span) / static_cast<double>(ticks);
  }
  if (span >= kRateSpan) {
    base_ = latest_;
    rate_is_young_ = false;
  }
}

// From the latest reading backwards: when somebody has set the clock of the machine, lines that
// were made before and are formatted after get the new time.
WallTime TickClock::wall(std::uint64_t stamp) const noexcept {
  if (!ticks_.load(std::memory_order_relaxed)) {
    return WallTime(std::chrono::nanoseconds(static_cast<std::int64_t>(stamp)));
  }
  const auto behind = static_cast<double>(static_cast<std::int64_t>(latest_.ticks - stamp));
  const auto nanoseconds = static_cast<std::int64_t>(behind * nanoseconds_per_tick_);
  return WallTime(std::chrono::nanoseconds(latest_.wall - nanoseconds));
}

}  // namespace ssx::log

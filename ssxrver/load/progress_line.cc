#include "ssxrver/load/progress_line.h"

#include <fmt/format.h>

#include <cstdio>

#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

constexpr int kStandardError = 2;

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

ProgressLine::ProgressLine(bool is_quiet) noexcept
    : is_shown_(!is_quiet && sys::is_terminal(kStandardError)) {}

void ProgressLine::show(std::uint64_t connected, std::uint64_t wanted) const {
  if (!is_shown_) return;
  fmt::print(stderr, "\r\033[K{} of {} connections stand", connected, wanted);
  std::fflush(stderr);
}

void ProgressLine::show(const Progress& now) const {
  if (!is_shown_) return;
  fmt::print(stderr, "\r\033[K{:.0f} of {:.0f} s, {} answered, {:.0f}/s", seconds(now.passed),
             seconds(now.time), now.answered, now.per_second);
  std::fflush(stderr);
}

void ProgressLine::clear() const {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
}

}  // namespace ssx::load

#include "http/access_time.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "http/date.h"

namespace ssx::http {
namespace {

constexpr const char* kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// Seconds east of Greenwich. Takes a lock and half a microsecond.
std::int64_t zone_offset(std::int64_t second) noexcept {
  const std::time_t time = second;
  std::tm broken_down{};
  return ::localtime_r(&time, &broken_down) == nullptr ? 0 : broken_down.tm_gmtoff;
}

char* put_two(char* at, unsigned number) noexcept {
  *at++ = static_cast<char>('0' + number / 10 % 10);
  *at++ = static_cast<char>('0' + number % 10);
  return at;
}
char* put_year(char* at, unsigned year) noexcept { return put_two(put_two(at, year / 100), year); }

char* put_clock(char* at, unsigned second_of_day) noexcept {
  at = put_two(at, second_of_day / 3600);
  *at++ = ':';
  at = put_two(at, second_of_day / 60 % 60);
  *at++ = ':';
  return put_two(at, second_of_day % 60);
}

}  // namespace

std::string_view AccessTime::local(WallTime when) noexcept {
  tell(std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count());
  return {local_, kLocalSize};
}

std::string_view AccessTime::iso(WallTime when) noexcept {
  tell(std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count());
  return {iso_, kIsoSize};
}

void AccessTime::tell(std::int64_t second) noexcept {
  if (second == second_) return;
  second_ = second;
  const std::int64_t offset = is_utc_ ? 0 : zone_offset(second);
  const std::int64_t shown = std::clamp(second + offset, kDateMin, kDateMax);
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::seconds(shown));
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const auto year = static_cast<unsigned>(int{date.year()});
  const auto month = unsigned{date.month()};
  const auto clock = static_cast<unsigned>(shown - std::chrono::seconds(day).count());
  const auto minutes = static_cast<unsigned>((offset < 0 ? -offset : offset) / 60);
  const char sign = offset < 0 ? '-' : '+';

  char* at = put_two(local_, unsigned{date.day()});
  *at++ = '/';
  at = std::copy_n(kMonths + (month - 1) * 3, 3, at);
  *at++ = '/';
  at = put_year(at, year);
  *at++ = ':';
  at = put_clock(at, clock);
  *at++ = ' ';
  *at++ = sign;
  put_two(put_two(at, minutes / 60), minutes % 60);

  at = put_year(iso_, year);
  *at++ = '-';
  at = put_two(at, month);
  *at++ = '-';
  at = put_two(at, unsigned{date.day()});
  *at++ = 'T';
  at = put_clock(at, clock);
  *at++ = sign;
  at = put_two(at, minutes / 60);
  *at++ = ':';
  put_two(at, minutes % 60);
}

}  // namespace ssx::http

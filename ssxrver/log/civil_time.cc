#include "ssxrver/log/civil_time.h"

#include <fmt/format.h>

#include <ctime>

namespace ssx::log {
namespace {

constexpr std::int64_t kSecondsPerDay = 86400;

struct Fields {
  int year;
  unsigned month;
  unsigned day;
  unsigned hour;
  unsigned minute;
  unsigned second;
};

std::int64_t floor_seconds(WallTime when) {
  return std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count();
}

Fields split(std::int64_t second) {
  using std::chrono::days;
  const auto day = std::chrono::floor<days>(std::chrono::seconds(second));
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  const auto rest = static_cast<unsigned>(second - day.count() * kSecondsPerDay);
  return {.year = int{date.year()},
          .month = unsigned{date.month()},
          .day = unsigned{date.day()},
          .hour = rest / 3600,
          .minute = rest / 60 % 60,
          .second = rest % 60};
}

}  // namespace

// localtime_r takes a lock and costs half a microsecond, so it is asked once per second at the
// most.
std::int64_t CivilTime::second_of(WallTime when) {
  const std::int64_t utc = floor_seconds(when);
  if (zone_ == TimeZone::kUtc) return utc;
  if (utc != cached_second_) {
    const std::time_t time = utc;
    std::tm broken_down{};
    offset_ = ::localtime_r(&time, &broken_down) == nullptr ? 0 : broken_down.tm_gmtoff;
    cached_second_ = utc;
  }
  return utc + offset_;
}

std::int64_t CivilTime::day(WallTime when) {
  const std::int64_t second = second_of(when);
  return (second - (second < 0 ? kSecondsPerDay - 1 : 0)) / kSecondsPerDay;
}

void CivilTime::append(WallTime when, char separator, std::string& out) {
  const std::int64_t second = second_of(when);
  if (second != formatted_second_) {
    const Fields at = split(second);
    const auto end =
        fmt::format_to_n(formatted_, sizeof formatted_ - 1, "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
                         at.year, at.month, at.day, at.hour, at.minute, at.second);
    *end.out = '\0';
    formatted_second_ = second;
  }
  const std::size_t start = out.size();
  out.append(formatted_, sizeof formatted_ - 1);
  out[start + 10] = separator;
  const auto nanoseconds = (when - std::chrono::floor<std::chrono::seconds>(when)).count();
  char fraction[] = ".000000";
  auto microseconds = static_cast<unsigned>(nanoseconds / 1000);
  for (int at = 6; at > 0; --at, microseconds /= 10) {
    fraction[at] = static_cast<char>('0' + microseconds % 10);
  }
  out.append(fraction, 7);
}

void CivilTime::append_offset(WallTime when, std::string& out) {
  if (zone_ == TimeZone::kUtc) {
    out += 'Z';
    return;
  }
  static_cast<void>(second_of(when));
  const std::int64_t minutes = (offset_ < 0 ? -offset_ : offset_) / 60;
  fmt::format_to(std::back_inserter(out), "{}{:02}:{:02}", offset_ < 0 ? '-' : '+', minutes / 60,
                 minutes % 60);
}

std::string file_stamp(WallTime when) {
  const Fields at = split(floor_seconds(when));
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}", at.year, at.month, at.day, at.hour,
                     at.minute, at.second);
}

}  // namespace ssx::log

#include "http/date.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "http/error.h"

namespace ssx::http {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kSecondsPerDay = 86400;

class Out {
 public:
  explicit Out(char* to) noexcept : to_(to) {}
  Out& text(std::string_view text) noexcept {
    to_ = std::ranges::copy(text, to_).out;
    return *this;
  }
  Out& number(std::int64_t value, int digits) noexcept {
    for (int i = digits; i-- > 0; value /= 10) to_[i] = static_cast<char>('0' + value % 10);
    to_ += digits;
    return *this;
  }

 private:
  char* to_;
};

// Takes a date apart from the left. After the first mismatch everything is a mismatch.
class In {
 public:
  explicit In(std::string_view text) noexcept : text_(text) {}

  void text(std::string_view expected) noexcept {
    good_ = good_ && text_.starts_with(expected);
    if (good_) text_.remove_prefix(expected.size());
  }

  template <std::size_t kSize>
  int name(const std::array<std::string_view, kSize>& names) noexcept {
    for (std::size_t i = 0; good_ && i < kSize; ++i) {
      if (!text_.starts_with(names[i])) continue;
      text_.remove_prefix(names[i].size());
      return static_cast<int>(i);
    }
    good_ = false;
    return 0;
  }

  int number(std::size_t digits) noexcept {
    int value = 0;
    good_ = good_ && text_.size() >= digits;
    for (std::size_t i = 0; good_ && i < digits; ++i) {
      good_ = text_[i] >= '0' && text_[i] <= '9';
      value = value * 10 + (text_[i] - '0');
    }
    if (good_) text_.remove_prefix(digits);
    return good_ ? value : 0;
  }

  [[nodiscard]] bool next_is(char byte) const noexcept {
    return !text_.empty() && text_.front() == byte;
  }
  [[nodiscard]] bool complete() const noexcept { return good_ && text_.empty(); }

 private:
  std::string_view text_;
  bool good_ = true;
};

struct Parts {
  int year = 0, month = 0, day = 0;
  int hour = 0, minute = 0, second = 0;

  void read_time(In& in) noexcept {
    hour = in.number(2);
    in.text(":");
    minute = in.number(2);
    in.text(":");
    second = in.number(2);
  }
};

// A leap second is written as :60; it is the first second of the next minute to us.
std::optional<std::int64_t> to_seconds(const Parts& parts) noexcept {
  if (parts.hour > 23 || parts.minute > 59 || parts.second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(parts.year),
                                         std::chrono::month(static_cast<unsigned>(parts.month)),
                                         std::chrono::day(static_cast<unsigned>(parts.day))};
  if (!date.ok() || parts.year < 1970) return std::nullopt;
  const std::int64_t midnight = sys_days(date).time_since_epoch().count() * kSecondsPerDay;
  return midnight + std::int64_t{parts.hour} * 3600 + std::int64_t{parts.minute} * 60 +
         parts.second;
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<std::int64_t> read_imf_fixdate(std::string_view text) noexcept {
  In in(text);
  Parts parts;
  in.name(kDays);
  in.text(", ");
  parts.day = in.number(2);
  in.text(" ");
  parts.month = in.name(kMonths) + 1;
  in.text(" ");
  parts.year = in.number(4);
  in.text(" ");
  parts.read_time(in);
  in.text(" GMT");
  return in.complete() ? to_seconds(parts) : std::nullopt;
}

// "Sunday, 06-Nov-94 08:49:37 GMT"
std::optional<std::int64_t> read_rfc850(std::string_view text, std::int64_t now) noexcept {
  In in(text);
  Parts parts;
  in.name(kLongDays);
  in.text(", ");
  parts.day = in.number(2);
  in.text("-");
  parts.month = in.name(kMonths) + 1;
  in.text("-");
  const int short_year = in.number(2);
  in.text(" ");
  parts.read_time(in);
  in.text(" GMT");
  if (!in.complete()) return std::nullopt;

  const auto today = sys_days(days(now / kSecondsPerDay));
  const int this_year = static_cast<int>(std::chrono::year_month_day(today).year());
  parts.year = this_year - this_year % 100 + short_year;
  // The latest such year that is not more than 50 years ahead (RFC 9110 5.6.7).
  while (parts.year > this_year + 50) parts.year -= 100;
  while (parts.year + 100 <= this_year + 50) parts.year += 100;
  return to_seconds(parts);
}

// "Sun Nov  6 08:49:37 1994"
std::optional<std::int64_t> read_asctime(std::string_view text) noexcept {
  In in(text);
  Parts parts;
  in.name(kDays);
  in.text(" ");
  parts.month = in.name(kMonths) + 1;
  in.text(" ");
  if (in.next_is(' ')) {
    in.text(" ");
    parts.day = in.number(1);
  } else {
    parts.day = in.number(2);
  }
  in.text(" ");
  parts.read_time(in);
  in.text(" ");
  parts.year = in.number(4);
  return in.complete() ? to_seconds(parts) : std::nullopt;
}

}  // namespace

DateText format_date(std::int64_t seconds) noexcept {
  seconds = std::clamp(seconds, kDateMin, kDateMax);
  const auto day = sys_days(days(seconds / kSecondsPerDay));
  const std::int64_t second = seconds % kSecondsPerDay;
  const std::chrono::year_month_day date(day);
  DateText text;
  Out(text.data())
      .text(kDays[std::chrono::weekday(day).c_encoding()])
      .text(", ")
      .number(static_cast<unsigned>(date.day()), 2)
      .text(" ")
      .text(kMonths[static_cast<unsigned>(date.month()) - 1])
      .text(" ")
      .number(static_cast<int>(date.year()), 4)
      .text(" ")
      .number(second / 3600, 2)
      .text(":")
      .number(second / 60 % 60, 2)
      .text(":")
      .number(second % 60, 2)
      .text(" GMT");
  return text;
}

Result<std::int64_t> parse_date(std::string_view text, std::int64_t now) noexcept {
  if (const auto seconds = read_imf_fixdate(text)) return *seconds;
  if (const auto seconds = read_rfc850(text, now)) return *seconds;
  if (const auto seconds = read_asctime(text)) return *seconds;
  return fail(Errc::kNotADate, "parse_date");
}

}  // namespace ssx::http

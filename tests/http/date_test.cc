#include "http/date.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "http/error.h"

namespace ssx::http {
namespace {

constexpr std::int64_t kSample = 784111777;  // RFC 9110's own: 1994-11-06 08:49:37
constexpr std::int64_t kNow = 1800000000;    // in 2027

std::string formatted(std::int64_t seconds) { return std::string(view(format_date(seconds))); }

TEST(Date, ReadsAllThreeFormsOfTheRfc) {
  EXPECT_EQ(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow).value(), kSample);
  EXPECT_EQ(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow).value(), kSample);
  EXPECT_EQ(parse_date("Sun Nov  6 08:49:37 1994", kNow).value(), kSample);
  EXPECT_EQ(parse_date("Wed Nov 16 08:49:37 1994", kNow).value(), kSample + 10 * 86400);
}

TEST(Date, WritesTheFixedForm) {
  EXPECT_EQ(formatted(kSample), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(formatted(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(formatted(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(formatted(kDateMax), "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST(Date, KeepsToTheTimesThatCanBeWritten) {
  EXPECT_EQ(formatted(-1), formatted(0));
  EXPECT_EQ(formatted(std::numeric_limits<std::int64_t>::min()), formatted(0));
  EXPECT_EQ(formatted(kDateMax + 1), formatted(kDateMax));
  EXPECT_EQ(formatted(std::numeric_limits<std::int64_t>::max()), formatted(kDateMax));
}

// The C library is the oracle.
TEST(Date, AgreesWithTheCLibrary) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> any(kDateMin, kDateMax);
  for (int round = 0; round < 20000; ++round) {
    const std::time_t seconds = any(random);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char expected[64];
    const std::size_t size =
        std::strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    ASSERT_EQ(formatted(seconds), std::string_view(expected, size));
    ASSERT_EQ(parse_date(formatted(seconds), kNow).value(), seconds);
  }
}

TEST(Date, PutsATwoDigitYearAtMostFiftyYearsAhead) {
  const auto year_of = [](std::string_view short_year, std::int64_t now) {
    const auto seconds =
        parse_date("Sunday, 06-Nov-" + std::string(short_year) + " 08:49:37 GMT", now);
    return seconds ? formatted(*seconds).substr(12, 4) : "none";
  };
  EXPECT_EQ(year_of("94", kNow), "1994");
  EXPECT_EQ(year_of("27", kNow), "2027");
  EXPECT_EQ(year_of("77", kNow), "2077");
  EXPECT_EQ(year_of("78", kNow), "1978");
  EXPECT_EQ(year_of("00", kNow), "2000");
  EXPECT_EQ(year_of("99", 0), "1999");
  EXPECT_EQ(year_of("70", 0), "1970");
  constexpr std::int64_t kLateCentury = 3786912000;  // 2090
  EXPECT_EQ(year_of("10", kLateCentury), "2110");
  EXPECT_EQ(year_of("89", kLateCentury), "2089");
  EXPECT_EQ(year_of("69", 0), "none");  // 1969, before all times
}

TEST(Date, TakesALeapSecondAndALeapDay) {
  EXPECT_EQ(parse_date("Sat, 31 Dec 2016 23:59:60 GMT", kNow).value(), 1483228800);
  EXPECT_EQ(parse_date("Thu, 29 Feb 2024 00:00:00 GMT", kNow).value(), 1709164800);
}

TEST(Date, DoesNotCheckWhichDayOfTheWeekItWas) {
  EXPECT_EQ(parse_date("Mon, 06 Nov 1994 08:49:37 GMT", kNow).value(), kSample);
}

TEST(Date, RefusesEverythingElse) {
  for (const std::string_view text : {"",
                                      "0",
                                      "784111777",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      " Sun, 06 Nov 1994 08:49:37 GMT",
                                      "sun, 06 nov 1994 08:49:37 gmt",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 94 08:49:37 GMT",
                                      "Sun,06 Nov 1994 08:49:37 GMT",
                                      "Sun, 31 Apr 1994 08:49:37 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 29 Feb 2023 00:00:00 GMT",
                                      "Sun, 06 Nov 1994 24:00:00 GMT",
                                      "Sun, 06 Nov 1994 08:60:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 06 Xyz 1994 08:49:37 GMT",
                                      "Xyz, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1969 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:3a GMT",
                                      "Sunday, 06 Nov 1994 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "Sun Nov 6 08:49:37 1994",
                                      "Sun Nov 06 08:49:37 1994 GMT",
                                      "Sun Nov  6 08:49:37 94",
                                      "Sun, 06 Nov -994 08:49:37 GMT",
                                      "Sun, +6 Nov 1994 08:49:37 GMT",
                                      "1994-11-06T08:49:37Z"}) {
    const auto parsed = parse_date(text, kNow);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error(), make_error_code(Errc::kNotADate));
  }
}

TEST(Date, RefusesEveryPrefix) {
  for (const std::string_view text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994"}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      EXPECT_FALSE(parse_date(text.substr(0, size), kNow)) << text.substr(0, size);
    }
  }
}

}  // namespace
}  // namespace ssx::http

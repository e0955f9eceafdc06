#include "ssxrver/log/civil_time.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <optional>
#include <string>

namespace ssx::log {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

WallTime at(std::int64_t second, int microsecond = 0) {
  return WallTime(seconds(second) + microseconds(microsecond));
}

std::string shown(CivilTime& civil, WallTime when) {
  std::string out;
  civil.append(when, ' ', out);
  civil.append_offset(when, out);
  return out;
}

/// Another zone for this scope.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = ::getenv("TZ")) before_ = before;
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    if (before_) {
      ::setenv("TZ", before_->c_str(), 1);
    } else {
      ::unsetenv("TZ");
    }
    ::tzset();
  }

 private:
  std::optional<std::string> before_;
};

TEST(CivilTime, ShowsMicrosecondsInUtc) {
  CivilTime civil(TimeZone::kUtc);
  EXPECT_EQ(shown(civil, at(784111777, 123456)), "1994-11-06 08:49:37.123456Z");
  EXPECT_EQ(shown(civil, at(784111777, 7)), "1994-11-06 08:49:37.000007Z");
  EXPECT_EQ(shown(civil, at(0)), "1970-01-01 00:00:00.000000Z");
  EXPECT_EQ(shown(civil, at(951782400)), "2000-02-29 00:00:00.000000Z");
}

TEST(CivilTime, FollowsTheZoneOverItsChanges) {
  const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  CivilTime civil(TimeZone::kLocal);
  EXPECT_EQ(shown(civil, at(1774745999)), "2026-03-29 01:59:59.000000+01:00");
  EXPECT_EQ(shown(civil, at(1774746000)), "2026-03-29 03:00:00.000000+02:00");
}

TEST(CivilTime, KnowsZonesWestAndHalfHours) {
  {
    const Zone zone("NST3:30");
    CivilTime civil(TimeZone::kLocal);
    EXPECT_EQ(shown(civil, at(784111777)), "1994-11-06 05:19:37.000000-03:30");
  }
  const Zone zone("IST-5:30");
  CivilTime civil(TimeZone::kLocal);
  EXPECT_EQ(shown(civil, at(784111777)), "1994-11-06 14:19:37.000000+05:30");
}

TEST(CivilTime, DaysChangeAtMidnightOfTheZone) {
  const Zone zone("IST-5:30");
  CivilTime local(TimeZone::kLocal);
  CivilTime utc(TimeZone::kUtc);
  const auto midnight = at(86400 * 100 - 5 * 3600 - 1800);
  EXPECT_EQ(local.day(midnight - microseconds(1)), 99);
  EXPECT_EQ(local.day(midnight), 100);
  EXPECT_EQ(utc.day(midnight), 99);
  EXPECT_EQ(utc.day(at(-1)), -1);
  EXPECT_EQ(utc.day(at(0)), 0);
}

TEST(CivilTime, StampsOfFilesAreUtc) {
  const Zone zone("IST-5:30");
  EXPECT_EQ(file_stamp(at(784111777)), "19941106-084937");
}

}  // namespace
}  // namespace ssx::log

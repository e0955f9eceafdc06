#include "http/access_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "tests/support/scoped_variable.h"

namespace ssx::http {
namespace {

WallTime at(std::int64_t seconds, int milliseconds = 0) {
  return WallTime(std::chrono::seconds(seconds) + std::chrono::milliseconds(milliseconds));
}

TEST(AccessTime, SpellsUtc) {
  AccessTime time(true);
  EXPECT_EQ(time.local(at(1767366245, 999)), "02/Jan/2026:15:04:05 +0000");
  EXPECT_EQ(time.iso(at(1767366245, 999)), "2026-01-02T15:04:05+00:00");
  EXPECT_EQ(time.iso(at(0)), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(time.local(at(951782400)), "29/Feb/2000:00:00:00 +0000");
  EXPECT_EQ(time.iso(at(4102444799)), "2099-12-31T23:59:59+00:00");
}

TEST(AccessTime, IsMadeAnewWithEachSecond) {
  AccessTime time(true);
  EXPECT_EQ(time.iso(at(59, 999)), "1970-01-01T00:00:59+00:00");
  EXPECT_EQ(time.iso(at(60)), "1970-01-01T00:01:00+00:00");
  EXPECT_EQ(time.iso(at(59)), "1970-01-01T00:00:59+00:00");  // the clock was set back
}

TEST(AccessTime, SpellsTheZoneOfTheMachine) {
  const struct {
    const char* zone;
    const char* local;
    const char* iso;
  } cases[] = {
      {"ABC-5:30", "02/Jan/2026:20:34:05 +0530", "2026-01-02T20:34:05+05:30"},
      {"ABC+9:30", "02/Jan/2026:05:34:05 -0930", "2026-01-02T05:34:05-09:30"},
  };
  for (const auto& one : cases) {
    const test::ScopedVariable zone("TZ", one.zone);
    ::tzset();
    AccessTime time(false);
    EXPECT_EQ(time.local(at(1767366245)), one.local);
    EXPECT_EQ(time.iso(at(1767366245)), one.iso);
  }
  ::tzset();
}

}  // namespace
}  // namespace ssx::http

#include "http/route.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(RouteLimitsTest, AreThoseOfTheOptionsUnlessARouteHasItsOwn) {
  HttpOptions options;
  options.body_max = 5;
  options.timeouts.body = milliseconds(1);
  options.timeouts.body_min_rate = 2;
  options.timeouts.body_min_rate_grace = milliseconds(3);
  options.timeouts.write = milliseconds(4);
  options.timeouts.write_min_rate = 6;
  options.timeouts.write_min_rate_grace = milliseconds(7);
  const RouteLimits expected{5, milliseconds(1), 2, milliseconds(3), milliseconds(4),
                             6, milliseconds(7)};
  EXPECT_EQ(RouteLimits::from(options), expected);
}

}  // namespace
}  // namespace ssx::http

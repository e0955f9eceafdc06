#include "ssxrver/app/route_settings.h"

#include <gtest/gtest.h>

namespace ssx {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

TEST(RouteSettings, LeaveToTheOptionsWhatTheyDoNotSay) {
  http::HttpOptions options;
  options.body_max = 7;
  options.timeouts.handler = 3s;
  EXPECT_EQ(RouteSettings().limits(options), http::RouteLimits::from(options));
  const RouteSettings settings{.body_max = 8,
                               .body_timeout = 1s,
                               .body_min_rate = 2,
                               .body_min_rate_grace = 3s,
                               .write_timeout = 4s,
                               .write_min_rate = 5,
                               .write_min_rate_grace = 6s,
                               .handler_timeout = 0s,
                               .decodes_body = true};
  const http::RouteLimits all{8, 1s, 2, 3s, 4s, 5, 6s, 0s, true};
  EXPECT_EQ(settings.limits(options), all);
}

TEST(RouteSettings, OfARouteWinOverThoseOfItsGroup) {
  const RouteSettings group{.run_on = RunOn::kTasks,
                            .host = "group.example",
                            .body_max = 1,
                            .handler_timeout = 1s,
                            .middleware = {http::Middleware::hooks(nullptr, nullptr)}};
  const RouteSettings both =
      group.with({.host = "own.example",
                  .body_max = 2,
                  .middleware = {http::Middleware::hooks(nullptr, nullptr)}});
  EXPECT_EQ(both.run_on, RunOn::kTasks);
  EXPECT_EQ(both.host, "own.example");
  EXPECT_EQ(both.body_max, 2u);
  EXPECT_EQ(both.handler_timeout, 1s);
  EXPECT_EQ(both.middleware.size(), 2u);
  EXPECT_EQ(group.with({}).host, "group.example");
  EXPECT_EQ(group.with({}).body, http::BodyMode::kWhole);
  EXPECT_EQ(RouteSettings{.body = http::BodyMode::kStream}.with({}).body, http::BodyMode::kStream);
}

}  // namespace
}  // namespace ssx

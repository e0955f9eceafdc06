#include "http/service.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::http {
namespace {

Router router_with(const RouteLimits& limits) {
  Router router;
  EXPECT_TRUE(router.add("", {Method::kGet}, "/", {nullptr, limits, "/"}));
  return router;
}

TEST(Service, HasAStateForEachWorker) {
  Service service(Router(), {}, 3);
  EXPECT_EQ(service.worker_count(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(service.worker(i).index, i);
}

TEST(Service, MakesSessions) {
  Service service(Router(), {}, 1);
  const auto first = service.make_session(0);
  const auto second = service.make_session(0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
}

TEST(Service, KeepsItsOwnCopyOfTheOptions) {
  HttpOptions options;
  options.server_header = "first";
  const Service service(Router(), options, 1);
  options.server_header = "second";
  EXPECT_EQ(service.options().server_header, "first");
}

TEST(Service, FindsTheLimitsOfARouteByTheirNumber) {
  HttpOptions options;
  options.body_max = 1;
  RouteLimits limits;
  limits.body_max = 2;
  Service service(router_with(limits), options, 1);
  Params params;
  const auto match = service.worker(0).router().match("", Method::kGet, "/", params);
  EXPECT_EQ(service.worker(0).limits(0).body_max, 1u);
  EXPECT_EQ(service.worker(0).limits(match.route->limits_id).body_max, 2u);
}

TEST(Service, LendsTheSpoolUpToItsTotal) {
  HttpOptions options;
  options.upload_tmp_total = 100;
  Service service(Router(), options, 2);
  EXPECT_TRUE(service.reserve_spool(99));
  EXPECT_FALSE(service.reserve_spool(2));
  EXPECT_TRUE(service.reserve_spool(1));
  EXPECT_FALSE(service.reserve_spool(1));
  EXPECT_TRUE(service.reserve_spool(0));
  service.release_spool(50);
  EXPECT_TRUE(service.reserve_spool(50));
  EXPECT_FALSE(service.reserve_spool(1));
}

}  // namespace
}  // namespace ssx::http

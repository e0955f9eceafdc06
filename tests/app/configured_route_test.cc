#include "ssxrver/app/configured_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <string>

#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ConfiguredRoute, SaysEveryLimit) {
  RouteOptions route;
  route.host = "a.example";
  route.body_max = 1;
  route.run_on_tasks = true;
  using std::chrono::seconds;
  route.timeouts = {seconds(2), 3, seconds(4), seconds(5), 6, seconds(7), seconds(8)};
  const RouteSettings settings = settings_of(route);
  EXPECT_EQ(settings.host, "a.example");
  EXPECT_EQ(settings.run_on, RunOn::kTasks);
  EXPECT_EQ(settings.body_max, 1U);
  EXPECT_EQ(settings.body_timeout, seconds(2));
  EXPECT_EQ(settings.body_min_rate, 3U);
  EXPECT_EQ(settings.body_min_rate_grace, seconds(4));
  EXPECT_EQ(settings.write_timeout, seconds(5));
  EXPECT_EQ(settings.write_min_rate, 6U);
  EXPECT_EQ(settings.write_min_rate_grace, seconds(7));
  EXPECT_EQ(settings.handler_timeout, seconds(8));
  EXPECT_THAT(settings.middleware, IsEmpty());
}

class Surrounded : public ::testing::Test {
 protected:
  std::string refusal() {
    const auto made = surround(app, route);
    return made ? "it was taken" : made.error().text();
  }
  App app;
  RouteOptions route;
};

TEST_F(Surrounded, ByNothingUnlessItIsAskedFor) { EXPECT_THAT(*surround(app, route), IsEmpty()); }

TEST_F(Surrounded, ByAllThatIsAskedFor) {
  const test::TempDir folder;
  route.around.auth = "basic:" + folder.write("users", "ada:secret\n");
  ASSERT_EQ(::chmod(folder.file("users").c_str(), 0600), 0);
  route.around.middleware = {"request_id", "security_headers"};
  route.around.rate_limit = {1, std::chrono::seconds(1), 1};
  const auto made = surround(app, route);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(*made, SizeIs(4));
}

TEST_F(Surrounded, ByNothingThatIsNotThere) {
  route.match = "/x";
  route.around.middleware = {"magic"};
  EXPECT_EQ(refusal(), "route \"/x\": no middleware is called \"magic\"");
  route.around.middleware = {};
  route.around.auth = "basic:/nowhere";
  EXPECT_THAT(refusal(), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace ssx

#include "ssxrver/app/route_set.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using http::Request;

class RouteSets : public test::AppTest {
 protected:
  static RouteSet one(std::string_view pattern, const char* says = "x") {
    RouteSet set;
    set.get(pattern, [says](const Request&) { return says; });
    return set;
  }
  std::string why_not() {
    app->listen(0);
    const auto started = app->start();
    EXPECT_FALSE(started.has_value());
    return started ? "" : started.error().text();
  }
};

TEST_F(RouteSets, AreMountedBesideTheRoutesOfTheApp) {
  RouteSet set;
  set.get("/a", [](const Request&) { return "a"; });
  auto group = set.group("/group");
  group.get("/b", [](const Request& r) { return std::string(r.route()); });
  group.group("/deep").post("/c", [](const Request&) { return "c"; });
  set.rewrite({}, "/old", "/a");
  RouteSet moved = std::move(set);
  app->get("/", [](const Request&) { return "app"; }).mount("set", std::move(moved)).listen(0);
  const auto port = start();
  EXPECT_EQ(ask(port, "/").body, "app");
  EXPECT_EQ(ask(port, "/a").body, "a");
  EXPECT_EQ(ask(port, "/old").body, "a");
  EXPECT_EQ(ask(port, "/group/b").body, "GET /group/b");
  EXPECT_EQ(ask(port, "/group/deep/c").status, 405);
}

TEST_F(RouteSets, AreNamedWhenTheyStandInEachOthersWay) {
  app->get("/mine", [](const Request&) { return "app"; });
  app->mount("first", one("/{a}/b")).mount("second", one("/{c}/b")).mount("third", one("/mine"));
  EXPECT_EQ(why_not(),
            "route \"/{c}/b\" of \"second\": route names: invalid argument, by route \"/{a}/b\" "
            "of \"first\"\n"
            "route \"/mine\" of \"third\": route defined twice: invalid argument, by route "
            "\"/mine\"");
}

TEST_F(RouteSets, AreNamedWhenTheyCannotWork) {
  RouteSet set = one("no-slash");
  set.files("/files/*", "/does/not/exist").rewrite({}, "/old", "no-slash");
  app->mount("bad", std::move(set));
  const std::string said = why_not();
  EXPECT_NE(said.find("route \"no-slash\" of \"bad\": "), std::string::npos) << said;
  EXPECT_NE(said.find("files \"/does/not/exist\": "), std::string::npos) << said;
  EXPECT_NE(said.find("rewrite \"/old\" to \"no-slash\": "), std::string::npos) << said;
}

TEST_F(RouteSets, AreMountedOnceByAName) {
  app->mount("twice", one("/a")).mount("twice", one("/b"));
  EXPECT_EQ(why_not(), "\"twice\" is mounted twice");
}

TEST(RouteSet, KnowsThatItIsEmpty) {
  RouteSet set;
  EXPECT_TRUE(set.empty());
  set.any("/", [](const Request&) { return "x"; });
  EXPECT_FALSE(set.empty());
  RouteSet problem;
  problem.files("/*", "/does/not/exist");
  EXPECT_FALSE(problem.empty());  // an App shall say what is wrong with it
}

}  // namespace
}  // namespace ssx

#include "http/path_routes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ssx::http {
namespace {

std::shared_ptr<const Route> route(std::string name) {
  return std::make_shared<const Route>(Route{nullptr, {}, std::move(name)});
}

std::string name_of(const Route* found) { return found == nullptr ? "none" : found->name; }

TEST(PathRoutes, ChooseByMethod) {
  PathRoutes routes({});
  EXPECT_EQ(name_of(routes.find(Method::kGet)), "none");
  EXPECT_TRUE(routes.add({Method::kGet, Method::kPut}, route("read")));
  EXPECT_TRUE(routes.add({Method::kPost}, route("write")));
  EXPECT_EQ(name_of(routes.find(Method::kGet)), "read");
  EXPECT_EQ(name_of(routes.find(Method::kPut)), "read");
  EXPECT_EQ(name_of(routes.find(Method::kPost)), "write");
  EXPECT_EQ(name_of(routes.find(Method::kDelete)), "none");
  EXPECT_EQ(to_allow(routes.allowed()), "GET, HEAD, POST, PUT, OPTIONS");
}

TEST(PathRoutes, ServeHeadWithGetUnlessItHasARouteOfItsOwn) {
  PathRoutes routes({});
  EXPECT_TRUE(routes.add({}, route("any")));
  EXPECT_EQ(name_of(routes.find(Method::kHead)), "any");
  EXPECT_TRUE(routes.add({Method::kGet}, route("get")));
  EXPECT_EQ(name_of(routes.find(Method::kHead)), "get");
  EXPECT_TRUE(routes.add({Method::kHead}, route("head")));
  EXPECT_EQ(name_of(routes.find(Method::kHead)), "head");
  EXPECT_EQ(name_of(routes.find(Method::kPatch)), "any");
}

TEST(PathRoutes, RefuseWhatIsThereAlready) {
  PathRoutes routes({});
  EXPECT_TRUE(routes.add({Method::kGet}, route("first")));
  EXPECT_FALSE(routes.add({Method::kPost, Method::kGet}, route("second")));
  EXPECT_EQ(name_of(routes.find(Method::kGet)), "first");
  EXPECT_TRUE(routes.add({}, route("any")));
  EXPECT_FALSE(routes.add({}, route("any again")));
}

TEST(PathRoutes, KeepTheFirstFallback) {
  PathRoutes routes({});
  EXPECT_EQ(routes.fallback(), nullptr);
  Route with = *route("first");
  with.fallback = [](const Request&) { return Status::kMethodNotAllowed; };
  EXPECT_TRUE(routes.add({Method::kGet}, std::make_shared<const Route>(with)));
  with.name = "second";
  EXPECT_TRUE(routes.add({Method::kPost}, std::make_shared<const Route>(with)));
  EXPECT_EQ(name_of(routes.fallback()), "first");
}

}  // namespace
}  // namespace ssx::http

#include "ssxrver/app/route_book.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/task_pool.h"
#include "websocket/service.h"

namespace ssx {
namespace {

using http::Method;
using http::Request;

class RouteBookTest : public testing::Test {
 protected:
  static RouteSet of(const std::vector<std::string>& patterns) {
    RouteSet set;
    for (const std::string& pattern : patterns) set.get(pattern, [](const Request&) { return ""; });
    return set;
  }
  void begin() {
    std::vector<std::pair<std::string, RouteSet>> sets;
    sets.emplace_back("", of({"/"}));
    sets.emplace_back("a", of({"/a", "/{x}"}));
    sets.emplace_back("b", of({"/b"}));
    const auto begun = book.begin(std::move(sets));
    ASSERT_TRUE(begun);
    table = *begun;
  }
  /// "" or what is wrong; `table` is the new one then.
  std::string replace(std::string_view name, RouteSet set) {
    auto next = book.replace(name, std::move(set));
    if (!next) return next.error().text();
    table = *std::move(next);
    return "";
  }
  const http::Route* find(std::string_view path) {
    return table->match("", Method::kGet, path, params).route;
  }

  std::vector<http::Middleware> middleware;
  http::HttpOptions options;
  net::Disposal disposal;
  websocket::Service websockets{&disposal};
  std::unique_ptr<net::TaskPool> tasks;
  net::TaskOptions task_options;
  RouteBook book{{middleware, options, task_options, websockets, tasks, disposal}};
  std::shared_ptr<const http::Router> table;
  http::Params params;
};

TEST_F(RouteBookTest, MakesATableOfAllSets) {
  begin();
  EXPECT_EQ(find("/")->name, "GET /");
  EXPECT_EQ(find("/a")->name, "GET /a");
  EXPECT_EQ(find("/b")->name, "GET /b");
  EXPECT_EQ(find("/c")->name, "GET /{x}");
}

TEST_F(RouteBookTest, MakesTheNextTableOfTheSameRoutesButForOneSet) {
  begin();
  const http::Route* const a = find("/a");
  const http::Route* const b = find("/b");
  const auto before = table;
  EXPECT_EQ(replace("b", of({"/b", "/more"})), "");
  EXPECT_NE(table, before);
  EXPECT_EQ(find("/a"), a);
  EXPECT_NE(find("/b"), b);
  EXPECT_EQ(find("/more")->name, "GET /more");
  EXPECT_EQ(before->match("", Method::kGet, "/more", params).route->name, "GET /{x}");
}

TEST_F(RouteBookTest, TakesASetAwayThatIsReplacedByNothing) {
  begin();
  EXPECT_EQ(replace("a", {}), "");
  EXPECT_EQ(find("/a"), nullptr);
  EXPECT_EQ(replace("a", {}), "");
  EXPECT_EQ(replace("a", of({"/a"})), "");
  EXPECT_EQ(find("/a")->name, "GET /a");
}

TEST_F(RouteBookTest, ChangesNothingWhenARouteIsThereAlready) {
  begin();
  const http::Route* const b = find("/b");
  for (int i = 0; i < 2; ++i) {
    const std::string said = replace("b", of({"/new", "/a", "/{y}"}));
    EXPECT_NE(said.find("route \"/a\" of \"b\": "), std::string::npos) << said;
    EXPECT_NE(said.find(", by route \"/a\" of \"a\"\n"), std::string::npos) << said;
    EXPECT_NE(said.find(", by route \"/{x}\" of \"a\""), std::string::npos) << said;
    EXPECT_EQ(find("/b"), b);
  }
  EXPECT_EQ(replace("c", of({"/c"})), "");
  EXPECT_EQ(find("/b"), b);
  EXPECT_EQ(find("/new")->name, "GET /{x}");
}

TEST_F(RouteBookTest, SaysWhenASetStandsInItsOwnWay) {
  begin();
  const std::string said = replace("b", of({"/b", "/b"}));
  EXPECT_NE(said.find(", by route \"/b\" of \"b\""), std::string::npos) << said;
}

TEST_F(RouteBookTest, SaysTwentyProblemsAndHowManyMoreThereAre) {
  begin();
  for (const std::size_t wrong : {19u, 20u, 21u, 120u}) {
    auto refused = book.replace("b", of(std::vector<std::string>(wrong, "/a")));
    ASSERT_FALSE(refused);
    auto& sentences = refused.error().sentences;
    EXPECT_EQ(sentences.size(), std::min<std::size_t>(wrong, 21)) << wrong;
    EXPECT_NE(sentences.front().find(", by route \"/a\" of \"a\""), std::string::npos);
    const std::string last =
        wrong > 20 ? fmt::format("and {} more", wrong - 20) : sentences.front();
    EXPECT_EQ(sentences.back(), last);
  }
}

TEST_F(RouteBookTest, TakesBackTheNumbersOfLimitsOfWhatItRefuses) {
  begin();
  const auto limited = [](std::uint64_t body_max, const char* also) {
    RouteSet set;
    set.post("/limited", [](const Request&) { return ""; }, {.body_max = body_max});
    set.get(also, [](const Request&) { return ""; });
    return set;
  };
  const auto number = [this] {
    return table->match("", Method::kPost, "/limited", params).route->limits_id;
  };
  ASSERT_EQ(replace("b", limited(1, "/b")), "");
  const auto first = number();
  for (std::uint64_t i = 2; i < 100; ++i) EXPECT_NE(replace("b", limited(i, "/a")), "");
  EXPECT_EQ(number(), first);
  ASSERT_EQ(replace("b", limited(1000, "/b")), "");
  EXPECT_EQ(number(), first + 1);
  EXPECT_EQ(table->limits(number()).body_max, 1000u);
}

// 1,000 replacements with other limits each time: their numbers are used up only once they differ.
TEST_F(RouteBookTest, GivesNumbersToDifferentLimitsOnly) {
  begin();
  const auto with = [](std::uint64_t body_max) {
    RouteSet set;
    set.post("/limited", [](const Request&) { return ""; }, {.body_max = body_max});
    return set;
  };
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(replace("b", with(i % 10)), "");
  const auto* const route = table->match("", Method::kPost, "/limited", params).route;
  EXPECT_EQ(route->limits.body_max, 9u);
  EXPECT_LE(route->limits_id, 11);
  EXPECT_EQ(table->limits(route->limits_id).body_max, 9u);
}

}  // namespace
}  // namespace ssx

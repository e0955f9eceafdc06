#include "http/router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::http {
namespace {

class Routes : public testing::Test {
 protected:
  /// A route whose handler answers with its own pattern.
  Result<void> try_add(std::string_view pattern,
                       const std::vector<Method>& methods = {Method::kGet},
                       std::string_view host = "") {
    return router.add(host, methods, pattern,
                      {nullptr, {}, std::string(host) + std::string(pattern)});
  }
  void add(std::string_view pattern, const std::vector<Method>& methods = {Method::kGet},
           std::string_view host = "") {
    EXPECT_TRUE(try_add(pattern, methods, host)) << pattern;
  }
  /// Which route answers: its name, "404", or "405 " and the methods.
  std::string find(std::string_view path, Method method = Method::kGet,
                   std::string_view host = "a.example") {
    held = path;  // the params are views of it
    const Router::Match match = router.match(host, method, held, params);
    switch (match.found) {
      case Router::Found::kRoute:
        return match.route->name;
      case Router::Found::kOtherMethods:
        EXPECT_EQ(match.route, nullptr);
        return "405 " + to_allow(match.allowed);
      case Router::Found::kNothing:
        break;
    }
    return "404";
  }

  Router router;
  Params params;
  std::string held;
};

TEST_F(Routes, MatchLiteralPaths) {
  EXPECT_TRUE(router.empty());
  add("/");
  add("/a");
  add("/a/b");
  add("/slash/");
  EXPECT_FALSE(router.empty());
  EXPECT_EQ(find("/"), "/");
  EXPECT_EQ(find("/a"), "/a");
  EXPECT_EQ(find("/a/b"), "/a/b");
  EXPECT_EQ(find("/slash/"), "/slash/");
  for (const char* path : {"/A", "/a/", "/a/b/c", "/b", "/slash", "/a/c", "/aa"}) {
    EXPECT_EQ(find(path), "404") << path;
  }
}

TEST_F(Routes, MatchNothingWithoutRoutes) {
  EXPECT_EQ(find("/"), "404");
  EXPECT_EQ(find(""), "404");
}

TEST_F(Routes, GivePlaceholdersTheirSegments) {
  add("/users/{id}/posts/{post}");
  EXPECT_EQ(find("/users/7/posts/nine"), "/users/{id}/posts/{post}");
  EXPECT_EQ(params.size(), 2u);
  EXPECT_EQ(params.find("id"), "7");
  EXPECT_EQ(params.find("post"), "nine");
  EXPECT_EQ(params.find("none"), "");
  EXPECT_EQ(find("/users//posts/x"), "404");  // never an empty one
  EXPECT_EQ(find("/users/7/posts/"), "404");
  EXPECT_EQ(find("/users/7/posts"), "404");
}

TEST_F(Routes, GiveAStarTheRest) {
  add("/files/*");
  add("/named/{path...}");
  for (const char* rest : {"", "a", "a/b", "a/b/", "a b/ü"}) {
    EXPECT_EQ(find("/files/" + std::string(rest)), "/files/*");
    EXPECT_EQ(params.find("rest"), rest);
    EXPECT_EQ(find("/named/" + std::string(rest)), "/named/{path...}");
    EXPECT_EQ(params.find("path"), rest);
  }
  EXPECT_EQ(find("/files"), "404");
}

TEST_F(Routes, PreferTheMoreSpecificPatternInWhateverOrderTheyCame) {
  std::vector<std::string> patterns{"/*",     "/{a}", "/x",     "/{a}/*",
                                    "/{a}/y", "/x/*", "/x/{b}", "/x/y"};
  std::sort(patterns.begin(), patterns.end());
  int orders = 0;
  do {
    router = Router();
    for (const std::string& pattern : patterns) add(pattern);
    EXPECT_EQ(find("/x"), "/x");
    EXPECT_EQ(find("/z"), "/{a}");
    EXPECT_EQ(find("/"), "/*");
    EXPECT_EQ(find("/x/y"), "/x/y");
    EXPECT_EQ(find("/x/z"), "/x/{b}");
    EXPECT_EQ(find("/x/y/z"), "/x/*");
    EXPECT_EQ(find("/z/y"), "/{a}/y");
    EXPECT_EQ(find("/z/z"), "/{a}/*");
  } while (!HasFailure() && ++orders < 300 &&
           std::next_permutation(patterns.begin(), patterns.end()));
}

TEST_F(Routes, GoBackWhenAMoreSpecificBranchLeadsNowhere) {
  add("/a/b/c");
  add("/{x}/b/d");
  add("/a/{y}/e");
  add("/{x}/{y}/{z}");
  add("/*");
  EXPECT_EQ(find("/a/b/c"), "/a/b/c");
  EXPECT_EQ(find("/a/b/d"), "/{x}/b/d");
  EXPECT_EQ(params.find("x"), "a");
  EXPECT_EQ(params.size(), 1u);
  EXPECT_EQ(find("/a/b/e"), "/a/{y}/e");
  EXPECT_EQ(params.find("y"), "b");
  EXPECT_EQ(params.size(), 1u);
  EXPECT_EQ(find("/a/b/f"), "/{x}/{y}/{z}");
  EXPECT_EQ(params.size(), 3u);
  EXPECT_EQ(find("/a/b"), "/*");
  EXPECT_EQ(params.size(), 1u);
  EXPECT_EQ(params.find("rest"), "a/b");
}

TEST_F(Routes, ServeHeadWithGet) {
  add("/get");
  add("/both", {Method::kGet});
  EXPECT_TRUE(router.add("", {Method::kHead}, "/both", {nullptr, {}, "own head"}));
  EXPECT_EQ(find("/get", Method::kHead), "/get");
  EXPECT_EQ(find("/both", Method::kHead), "own head");
  EXPECT_EQ(find("/both", Method::kGet), "/both");
}

TEST_F(Routes, TellWhichMethodsThereAre) {
  add("/a", {Method::kGet, Method::kPost});
  add("/a", {Method::kDelete});
  add("/b", {Method::kPut});
  EXPECT_EQ(find("/a", Method::kPut), "405 GET, HEAD, POST, DELETE, OPTIONS");
  EXPECT_EQ(find("/a", Method::kOptions), "405 GET, HEAD, POST, DELETE, OPTIONS");
  EXPECT_EQ(find("/b", Method::kHead), "405 PUT, OPTIONS");
  EXPECT_EQ(to_allow(router.match_server().allowed), "GET, HEAD, POST, PUT, DELETE, OPTIONS");
  EXPECT_EQ(router.match_server().found, Router::Found::kOtherMethods);
}

TEST_F(Routes, LetAPathDecideBeforeTheMethod) {
  add("/a/{x}");
  add("/a/b", {Method::kPost});
  EXPECT_EQ(find("/a/b"), "405 POST, OPTIONS");
}

TEST_F(Routes, MayServeEveryMethod) {
  add("/any", {});
  add("/any", {Method::kPost});
  for (const Method method : {Method::kGet, Method::kHead, Method::kPut, Method::kOptions,
                              Method::kTrace, Method::kPatch, Method::kDelete}) {
    EXPECT_EQ(find("/any", method), "/any");
  }
  EXPECT_EQ(to_allow(router.match_server().allowed),
            "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH");
}

TEST_F(Routes, OfAHostWinOverThoseOfEveryHost) {
  add("/");
  add("/shared");
  add("/", {Method::kGet}, "B.Example");
  add("/own", {Method::kGet}, "b.example:8080");  // the port does not count
  add("/six", {Method::kGet}, "[::1]");
  for (const char* host :
       {"b.example", "B.EXAMPLE", "b.example:1", "b.example.", "b.example.:80"}) {
    EXPECT_EQ(find("/", Method::kGet, host), "B.Example/") << host;
    EXPECT_EQ(find("/own", Method::kGet, host), "b.example:8080/own") << host;
    EXPECT_EQ(find("/shared", Method::kGet, host), "/shared") << host;
  }
  for (const char* host : {"a.example", "", ".", "b.example.org", "xb.example", "[::2]"}) {
    EXPECT_EQ(find("/", Method::kGet, host), "/") << host;
    EXPECT_EQ(find("/own", Method::kGet, host), "404") << host;
  }
  EXPECT_EQ(find("/six", Method::kGet, "[::1]"), "[::1]/six");
  EXPECT_EQ(find("/six", Method::kGet, "[::1]:80"), "[::1]/six");
}

TEST_F(Routes, ForgetThePlaceholdersOfAHostThatHasNoRoute) {
  add("/{a}/{b}/x", {Method::kGet}, "b.example");
  add("/{only}/*");
  EXPECT_EQ(find("/1/2/3", Method::kGet, "b.example"), "/{only}/*");
  EXPECT_EQ(params.size(), 2u);
  EXPECT_EQ(params.find("only"), "1");
  EXPECT_EQ(params.find("rest"), "2/3");
}

TEST_F(Routes, RefusePatternsThatAreNone) {
  for (const char* pattern :
       {"", "a", "*", "{a}", "/a*", "/*a", "/*/a", "/{a...}/b", "/{a", "/a}", "/{}", "/{a b}",
        "/{a}{b}", "/x{a}", "/{a}x", "/{...}", "/**", "/{a-b}"}) {
    const auto added = try_add(pattern);
    ASSERT_FALSE(added) << pattern;
    EXPECT_EQ(added.error(), ssx::Errc::kInvalidArgument);
  }
  EXPECT_TRUE(router.empty());
}

TEST_F(Routes, RefusePatternsThatNoPathCanMatch) {
  for (const char* pattern : {"//", "//a", "/a//b", "/a//", "/.", "/..", "/a/../b", "/a/./b"}) {
    EXPECT_FALSE(try_add(pattern)) << pattern;
  }
}

TEST_F(Routes, RefuseAPlaceholderThatIsThereTwice) {
  EXPECT_FALSE(try_add("/{a}/{a}"));
  EXPECT_FALSE(try_add("/{a}/b/{a...}"));
  EXPECT_FALSE(try_add("/{rest}/*"));  // the name of what a star matches
  EXPECT_TRUE(try_add("/a/{a}"));
}

TEST_F(Routes, RefuseARouteThatIsThereAlready) {
  add("/a", {Method::kGet});
  EXPECT_FALSE(try_add("/a", {Method::kGet}));
  EXPECT_FALSE(try_add("/a", {Method::kPost, Method::kGet}));
  add("/b", {});
  EXPECT_FALSE(try_add("/b", {}));
  add("/users/{id}", {Method::kGet});
  EXPECT_FALSE(try_add("/users/{name}", {Method::kPost}));  // one pattern, two names
  EXPECT_TRUE(try_add("/users/{id}", {Method::kPost}));
  add("/a", {Method::kGet}, "b.example");
  EXPECT_FALSE(try_add("/a", {Method::kGet}, "B.EXAMPLE."));
}

TEST_F(Routes, RefuseMethodsThatNobodyCanSend) {
  EXPECT_FALSE(try_add("/a", {Method::kUnknown}));
  EXPECT_FALSE(try_add("/a", {Method::kConnect}));
}

TEST_F(Routes, TakeAsManyPlaceholdersAsThereIsRoomFor) {
  const auto pattern_of = [](std::size_t count) {
    std::string pattern;
    for (std::size_t i = 0; i < count; ++i) pattern += "/{p" + std::to_string(i) + "}";
    return pattern;
  };
  EXPECT_TRUE(try_add(pattern_of(Params::kMax - 1)));
  EXPECT_TRUE(try_add(pattern_of(Params::kMax)));
  const auto added = try_add(pattern_of(Params::kMax + 1));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error(), ssx::Errc::kOverflow);
  std::string path;
  for (std::size_t i = 0; i < Params::kMax; ++i) path += "/" + std::to_string(i);
  EXPECT_EQ(find(path), pattern_of(Params::kMax));
  EXPECT_EQ(params.size(), Params::kMax);
  EXPECT_EQ(params.find("p15"), "15");
}

TEST_F(Routes, NumberTheirLimitsAndShareEqualOnes) {
  RouteLimits small;
  small.body_max = 1;
  const auto id_of = [this](std::string_view path) {
    return router.match("", Method::kGet, path, params).route->limits_id;
  };
  ASSERT_TRUE(router.add("", {Method::kGet}, "/a", {nullptr, {}, "a"}));
  ASSERT_TRUE(router.add("", {Method::kGet, Method::kPost}, "/b", {nullptr, small, "b"}));
  ASSERT_TRUE(router.add("", {}, "/c", {nullptr, {}, "c"}));
  EXPECT_EQ(id_of("/a"), id_of("/c"));
  EXPECT_NE(id_of("/a"), id_of("/b"));
  EXPECT_EQ(router.limits(id_of("/b")).body_max, 1u);
  EXPECT_GT(id_of("/a"), 0);  // 0 is that of the options
}

TEST_F(Routes, StandManyBranchesWithoutLosingTheirWay) {
  // Every path goes wrong at the last segment only: the worst case of going back.
  std::string literal, mixed;
  for (int i = 0; i < 12; ++i) {
    literal += "/a";
    add(literal + "/end");
    mixed = literal.substr(0, literal.size() - 1) + "{x}/stop";
    add(mixed);
  }
  EXPECT_EQ(find("/a/a/a/a/a/a/a/a/a/a/a/a/nowhere"), "404");
  EXPECT_EQ(find("/a/a/a/stop"), "/a/a/{x}/stop");
  EXPECT_EQ(find("/a/a/a/end"), "/a/a/a/end");
}

}  // namespace
}  // namespace ssx::http

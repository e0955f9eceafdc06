#include "http/files/path_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::http {
namespace {

TEST(PathPattern, WithoutASlashIsHeldAgainstTheName) {
  EXPECT_TRUE(matches_path("*.css", "/style.css"));
  EXPECT_TRUE(matches_path("*.css", "/a/b/style.css"));
  EXPECT_TRUE(matches_path("*.css", "/.css"));
  EXPECT_TRUE(matches_path("index.html", "/a/index.html"));
  EXPECT_TRUE(matches_path("*", "/a/b"));
  EXPECT_TRUE(matches_path("*", "/"));
  EXPECT_FALSE(matches_path("*.css", "/style.css/x"));
  EXPECT_FALSE(matches_path("*.css", "/style.CSS"));
  EXPECT_FALSE(matches_path("*.css", "/style.css2"));
  EXPECT_FALSE(matches_path("a", "/a/index.html"));
  EXPECT_FALSE(matches_path("", "/a"));
}

TEST(PathPattern, WithASlashIsHeldAgainstThePath) {
  EXPECT_TRUE(matches_path("/assets/*", "/assets/a.js"));
  EXPECT_TRUE(matches_path("/assets/*", "/assets/deep/a.js"));
  EXPECT_TRUE(matches_path("/assets/*", "/assets/"));
  EXPECT_TRUE(matches_path("/assets/*.js", "/assets/deep/a.js"));
  EXPECT_TRUE(matches_path("*/img/*", "/a/img/b"));
  EXPECT_TRUE(matches_path("/a", "/a"));
  EXPECT_FALSE(matches_path("/assets/*", "/assets"));
  EXPECT_FALSE(matches_path("/assets/*", "/other/assets/a"));
  EXPECT_FALSE(matches_path("/assets/*.js", "/assets/a.css"));
}

TEST(PathPattern, MayHaveManyStars) {
  EXPECT_TRUE(matches_path("*a*b*c*", "/xxaxxbxxcxx"));
  EXPECT_TRUE(matches_path("a**b", "/ab"));
  EXPECT_TRUE(matches_path("*ab", "/aab"));
  EXPECT_TRUE(matches_path("*.min.*", "/jquery.min.min.js"));
  EXPECT_FALSE(matches_path("*a*b*c*", "/xxcxxbxxaxx"));
  const std::string text = "/" + std::string(4000, 'a');  // no more than its length times itself
  EXPECT_FALSE(matches_path("*a*a*a*a*a*a*a*a*b", text));
}

TEST(PathPattern, FindsTheFirstRule) {
  const std::vector<CacheRule> rules = {{"*.html", "no-cache"},
                                        {"/assets/*", "max-age=31536000, immutable"},
                                        {"*.txt", ""},
                                        {"*", "x"}};
  EXPECT_EQ(find_cache_control(rules, "/assets/a.html"), "no-cache");
  EXPECT_EQ(find_cache_control(rules, "/assets/a.js"), "max-age=31536000, immutable");
  EXPECT_EQ(find_cache_control(rules, "/a.txt"), "");
  EXPECT_EQ(find_cache_control(rules, "/a"), "x");
  EXPECT_EQ(find_cache_control({}, "/a"), "");
}

}  // namespace
}  // namespace ssx::http

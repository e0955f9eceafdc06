#include "http/pattern_cover.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/router.h"

namespace ssx::http {
namespace {

TEST(PatternCover, OfLiterals) {
  EXPECT_TRUE(covers("/", "/"));
  EXPECT_TRUE(covers("/a/b", "/a/b"));
  EXPECT_FALSE(covers("/a", "/a/"));
  EXPECT_FALSE(covers("/a/", "/a"));
  EXPECT_FALSE(covers("/a", "/a/b"));
  EXPECT_FALSE(covers("/a/b", "/a"));
  EXPECT_FALSE(covers("/A", "/a"));
}

TEST(PatternCover, APlaceholderIsOneSegmentThatIsNotEmpty) {
  EXPECT_TRUE(covers("/{x}", "/a"));
  EXPECT_TRUE(covers("/{x}", "/{other}"));
  EXPECT_FALSE(covers("/{x}", "/"));
  EXPECT_FALSE(covers("/{x}", "/a/b"));
  EXPECT_FALSE(covers("/{x}", "/*"));
  EXPECT_FALSE(covers("/a", "/{x}"));
}

TEST(PatternCover, ARestIsWhateverFollowsItsSlash) {
  EXPECT_TRUE(covers("/*", "/"));
  EXPECT_TRUE(covers("/*", "/a/{x}/*"));
  EXPECT_TRUE(covers("/api/*", "/api/"));
  EXPECT_TRUE(covers("/api/{path...}", "/api/*"));
  EXPECT_FALSE(covers("/api/*", "/api"));
  EXPECT_FALSE(covers("/api/*", "/*"));
  EXPECT_FALSE(covers("/api/*", "/apis/a"));
}

TEST(PatternCover, OverlapIsWhatOneAlsoHas) {
  EXPECT_TRUE(overlaps("/api/admin", "/api/*"));
  EXPECT_TRUE(overlaps("/{x}/b", "/a/{y}"));
  EXPECT_TRUE(overlaps("/a/*", "/{x}/b"));
  EXPECT_FALSE(overlaps("/a/*", "/a"));
  EXPECT_FALSE(overlaps("/{x}", "/"));
  EXPECT_FALSE(overlaps("/a/{x}", "/b/{x}"));
}

TEST(PatternCover, WhatTwoShareIsAPattern) {
  EXPECT_EQ(meet("/a", "/a"), "/a");
  EXPECT_EQ(meet("/{x}/b", "/a/{y}"), "/a/b");
  EXPECT_EQ(meet("/a/*", "/{x}/{y}/c"), "/a/{y}/c");
  EXPECT_EQ(meet("/{x}/{y}/c", "/a/*"), "/a/{y}/c");
  EXPECT_EQ(meet("/*", "/a/*"), "/a/*");
  EXPECT_EQ(meet("/*", "/"), "/");
}

TEST(PatternCover, WhatSaysMoreSoonerIsMoreSpecific) {
  EXPECT_TRUE(is_more_specific("/a/{y}", "/{x}/b"));
  EXPECT_FALSE(is_more_specific("/{x}/b", "/a/{y}"));
  EXPECT_TRUE(is_more_specific("/{x}", "/*"));
  EXPECT_TRUE(is_more_specific("/a/b", "/a/*"));
  EXPECT_FALSE(is_more_specific("/{x}", "/{y}"));
}

// ---- against the Router, which decides for each path

/// Every way to put up to `depth` of these segments together.
std::vector<std::string> combine(const std::vector<std::string>& segments, std::size_t depth) {
  std::vector<std::string> all;
  std::vector<std::string> last{""};
  for (std::size_t i = 0; i < depth; ++i) {
    std::vector<std::string> longer;
    for (const std::string& before : last) {
      const bool is_open = !before.ends_with('/') && !before.ends_with('*');
      for (const std::string& segment : segments) {
        if (is_open) longer.push_back(before + "/" + segment);
      }
    }
    all.insert(all.end(), longer.begin(), longer.end());
    last = std::move(longer);
  }
  return all;
}

/// With a name of its own for each placeholder.
std::string with_names(const std::string& pattern) {
  std::string named;
  for (const char c : pattern) {
    named += c;
    if (c == '{') named += "p" + std::to_string(named.size());
  }
  return named;
}

struct Known {
  std::string pattern;
  std::vector<bool> has;  ///< of each path
};

class AgainstTheRouter : public testing::Test {
 protected:
  AgainstTheRouter() {
    for (const std::string& pattern : combine({"a", "b", "{}", "*", ""}, 3)) {
      Known known{with_names(pattern), {}};
      const auto chosen = choices({known.pattern});
      for (const std::string& choice : chosen) known.has.push_back(!choice.empty());
      all.push_back(std::move(known));
    }
  }

  /// For each path the pattern that a Router of these chooses. Nothing when it does not take them.
  [[nodiscard]] std::vector<std::string> choices(const std::vector<std::string>& patterns) const {
    Router router;
    for (const std::string& pattern : patterns) {
      if (!router.add("", {}, pattern, {nullptr, {}, pattern})) return {};
    }
    std::vector<std::string> chosen;
    for (const std::string& path : paths) {
      Params params;
      const Router::Match match = router.match("", Method::kGet, path, params);
      chosen.push_back(match.route == nullptr ? "" : match.route->name);
    }
    return chosen;
  }

  const std::vector<std::string> paths = combine({"a", "b", ""}, 4);
  std::vector<Known> all;
};

TEST_F(AgainstTheRouter, CoversAndOverlaps) {
  for (const Known& a : all) {
    for (const Known& b : all) {
      bool has_all = true;
      bool has_some = false;
      for (std::size_t i = 0; i < paths.size(); ++i) {
        has_all = has_all && (a.has[i] || !b.has[i]);
        has_some = has_some || (a.has[i] && b.has[i]);
      }
      EXPECT_EQ(covers(a.pattern, b.pattern), has_all) << a.pattern << " and " << b.pattern;
      EXPECT_EQ(overlaps(a.pattern, b.pattern), has_some) << a.pattern << " and " << b.pattern;
    }
  }
}

TEST_F(AgainstTheRouter, Meet) {
  for (const Known& a : all) {
    for (const Known& b : all) {
      if (!overlaps(a.pattern, b.pattern)) continue;
      // Names do not matter here, but two placeholders may have come to the same.
      std::string shared = meet(a.pattern, b.pattern);
      std::erase_if(shared, [](char c) { return c == 'p' || (c >= '0' && c <= '9'); });
      const auto chosen = choices({with_names(shared)});
      ASSERT_FALSE(chosen.empty()) << shared;
      for (std::size_t i = 0; i < paths.size(); ++i) {
        EXPECT_EQ(!chosen[i].empty(), a.has[i] && b.has[i]) << a.pattern << " and " << b.pattern;
      }
    }
  }
}

TEST_F(AgainstTheRouter, IsMoreSpecific) {
  for (const Known& a : all) {
    for (const Known& b : all) {
      if (!is_more_specific(a.pattern, b.pattern)) continue;
      const auto chosen = choices({b.pattern, a.pattern});
      ASSERT_FALSE(chosen.empty());
      for (std::size_t i = 0; i < paths.size(); ++i) {
        if (a.has[i] && b.has[i]) EXPECT_EQ(chosen[i], a.pattern) << b.pattern << ": " << paths[i];
      }
    }
  }
}

}  // namespace
}  // namespace ssx::http

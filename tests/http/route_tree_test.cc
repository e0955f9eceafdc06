#include "http/route_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

class Tree : public testing::Test {
 protected:
  void add(const std::string& text) {
    auto routes = tree.insert(*RoutePattern::parse(text));
    ASSERT_TRUE(routes) << text;
    names_of[*routes] = text;
  }
  /// "/a/{b} b=x", or "none".
  std::string find(std::string_view path) {
    Params params;
    const PathRoutes* const found = tree.find(path.substr(1), params);
    if (found == nullptr) return "none";
    std::string shown = names_of.at(found);
    for (std::size_t i = 0; i < params.size(); ++i)
      shown.append(" ").append(params[i].name).append("=").append(params[i].value);
    return shown;
  }

  RouteTree tree;
  std::map<const PathRoutes*, std::string> names_of;
};

TEST_F(Tree, CutsPrefixesInTwo) {
  for (const char* path : {"/users", "/user", "/u", "/users/new", "/uses", "/x", "/us"}) add(path);
  for (const char* path : {"/users", "/user", "/u", "/users/new", "/uses", "/x", "/us"})
    EXPECT_EQ(find(path), path);
  for (const char* path : {"/", "/use", "/usersx", "/users/", "/users/ne", "/y"})
    EXPECT_EQ(find(path), "none") << path;
}

TEST_F(Tree, KeepsWhatHangsOnANodeThatIsCut) {
  add("/users/{id}");
  add("/users/*");
  add("/users/");
  add("/us");
  add("/users/new");
  EXPECT_EQ(find("/users/7"), "/users/{id} id=7");
  EXPECT_EQ(find("/users/7/8"), "/users/* rest=7/8");
  EXPECT_EQ(find("/users/"), "/users/");
  EXPECT_EQ(find("/users/new"), "/users/new");
  EXPECT_EQ(find("/us"), "/us");
}

TEST_F(Tree, GoesBackFromALiteralThatOnlyBeginsAlike) {
  add("/user");
  add("/{name}");
  add("/user/settings");
  add("/{name}/photos");
  EXPECT_EQ(find("/username"), "/{name} name=username");
  EXPECT_EQ(find("/us"), "/{name} name=us");
  EXPECT_EQ(find("/user/photos"), "/{name}/photos name=user");
  EXPECT_EQ(find("/user/settings"), "/user/settings");
  EXPECT_EQ(find("/user/settings/photos"), "none");
}

TEST_F(Tree, RefusesOtherNamesForTheSamePlaces) {
  add("/a/{b}/*");
  EXPECT_TRUE(tree.insert(*RoutePattern::parse("/a/{b}/{rest...}")));
  EXPECT_FALSE(tree.insert(*RoutePattern::parse("/a/{c}/*")));
  EXPECT_FALSE(tree.insert(*RoutePattern::parse("/a/{b}/{other...}")));
}

// --- against the definition -------------------------------------------------------------------

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> segments;
  for_each_part(path.substr(1), '/',
                [&](std::string_view segment) { segments.emplace_back(segment); });
  return segments;
}

bool is_rest(const std::string& segment) { return segment == "*"; }
bool is_placeholder(const std::string& segment) { return segment.starts_with('{'); }

/// How specific each segment is, as a text that sorts the most specific first; nothing: no match.
std::optional<std::string> rank(const std::vector<std::string>& pattern,
                                const std::vector<std::string>& path) {
  std::string rank;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (i >= path.size()) return std::nullopt;
    if (is_rest(pattern[i])) return rank + 'c';
    if (is_placeholder(pattern[i])) {
      if (path[i].empty()) return std::nullopt;
      rank += 'b';
    } else {
      if (pattern[i] != path[i]) return std::nullopt;
      rank += 'a';
    }
  }
  return pattern.size() == path.size() ? std::optional(rank) : std::nullopt;
}

std::string best_of(const std::vector<std::string>& patterns, const std::string& path) {
  std::string best = "none";
  std::string best_rank;
  for (const std::string& pattern : patterns) {
    const auto its = rank(split(pattern), split(path));
    if (its && (best == "none" || *its < best_rank)) {
      best = pattern;
      best_rank = *its;
    }
  }
  return best;
}

std::string pick(std::mt19937& lot, const std::vector<std::string>& from) {
  return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(lot)];
}

TEST(RouteTreeDefinition, HoldsForAnyPatternsAndPaths) {
  const std::vector<std::string> literals{"a", "ab", "abc", "b", "ba", "abd"};
  std::mt19937 lot(20261122);  // NOLINT: the same each time
  for (int round = 0; round < 300; ++round) {
    RouteTree tree;
    std::vector<std::string> patterns;
    std::map<const PathRoutes*, std::string> names_of;
    for (int i = 0; i < 12; ++i) {
      std::string text;
      const int length = 1 + static_cast<int>(lot() % 4);
      for (int k = 0; k < length; ++k) {
        const bool is_last = k + 1 == length;
        const auto kind = lot() % 8;
        if (kind < 2)
          text.append("/{p").append(std::to_string(k)).append("}");
        else if (kind == 2 && is_last)
          text += "/*";
        else if (kind == 3 && is_last)
          text += '/';
        else
          text.append("/").append(pick(lot, literals));
      }
      if (std::find(patterns.begin(), patterns.end(), text) != patterns.end()) continue;
      const auto routes = tree.insert(*RoutePattern::parse(text));
      ASSERT_TRUE(routes) << text;
      patterns.push_back(text);
      names_of[*routes] = text;
    }
    for (int i = 0; i < 100; ++i) {
      std::string path;
      for (auto left = 1 + lot() % 5; left > 0; --left)
        path.append("/").append(left == 1 && lot() % 6 == 0 ? "" : pick(lot, literals));
      Params params;
      const PathRoutes* const found = tree.find(std::string_view(path).substr(1), params);
      const std::string expected = best_of(patterns, path);
      ASSERT_EQ(found == nullptr ? "none" : names_of.at(found), expected) << path;
    }
  }
}

}  // namespace
}  // namespace ssx::http

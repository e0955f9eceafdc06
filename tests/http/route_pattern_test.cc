#include "http/route_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/params.h"

namespace ssx::http {
namespace {

using Kind = PatternPart::Kind;
using Names = std::vector<std::string>;

/// The parts as text: "users/" <id> "/" <rest...>
std::string show(std::string_view text) {
  const auto pattern = RoutePattern::parse(text);
  if (!pattern)
    return pattern.error() == make_error_code(ssx::Errc::kOverflow) ? "too many" : "none";
  std::string shown;
  for (const PatternPart& part : pattern->parts()) {
    const std::string name(part.text);
    if (!shown.empty()) shown += ' ';
    shown += part.kind == Kind::kLiteral       ? '"' + name + '"'
             : part.kind == Kind::kPlaceholder ? '<' + name + '>'
                                               : '<' + name + "...>";
  }
  return shown;
}

TEST(RoutePattern, JoinsLiteralsWithTheirSlashes) {
  EXPECT_EQ(show("/"), "");
  EXPECT_EQ(show("/a"), R"("a")");
  EXPECT_EQ(show("/a/b/c"), R"("a/b/c")");
  EXPECT_EQ(show("/a/b/"), R"("a/b/")");
}

TEST(RoutePattern, TakesPlaceholdersOutOfThem) {
  EXPECT_EQ(show("/{id}"), "<id>");
  EXPECT_EQ(show("/{id}/"), R"(<id> "/")");
  EXPECT_EQ(show("/users/{id}"), R"("users/" <id>)");
  EXPECT_EQ(show("/users/{id}/posts/{post}"), R"("users/" <id> "/posts/" <post>)");
  EXPECT_EQ(show("/{a}/{b}"), R"(<a> "/" <b>)");
  EXPECT_EQ(show("/{a}/{b}/c/d/"), R"(<a> "/" <b> "/c/d/")");
}

TEST(RoutePattern, EndsWithTheRest) {
  EXPECT_EQ(show("/*"), "<rest...>");
  EXPECT_EQ(show("/files/*"), R"("files/" <rest...>)");
  EXPECT_EQ(show("/{user}/{path...}"), R"(<user> "/" <path...>)");
}

TEST(RoutePattern, NamesWhatItTakes) {
  EXPECT_EQ(RoutePattern::parse("/a/{b}/c/{d}/{e...}")->names(), (Names{"b", "d", "e"}));
  EXPECT_EQ(RoutePattern::parse("/a/*")->names(), Names{"rest"});
  EXPECT_EQ(RoutePattern::parse("/a")->names(), Names{});
}

TEST(RoutePattern, IsRefusedWhenItIsNone) {
  for (const char* text :
       {"",       "a",       "/{",   "/}",    "/{}",      "/a{b}",    "/{b}a",
        "/{a-b}", "/{a}{b}", "/a*",  "/**",   "/{...}",   "/*/a",     "/{a...}/b",
        "/a//b",  "//",      "/./a", "/a/..", "/{a}/{a}", "/{rest}/*"})
    EXPECT_EQ(show(text), "none") << text;
}

TEST(RoutePattern, TakesAsManyPlaceholdersAsThereIsRoomFor) {
  std::string text;
  for (std::size_t i = 0; i + 1 < Params::kMax; ++i) text += "/{p" + std::to_string(i) + "}";
  EXPECT_EQ(RoutePattern::parse(text)->names().size(), Params::kMax - 1);
  text += "/{last}";
  EXPECT_EQ(RoutePattern::parse(text)->names().size(), Params::kMax);
  EXPECT_EQ(show(text + "/*"), "too many");
}

}  // namespace
}  // namespace ssx::http

#include "http/target_template.h"

#include <gtest/gtest.h>

#include <map>

#include "http/target.h"

namespace ssx::http {
namespace {

using Kind = TargetTemplate::Kind;
using What = TargetTemplate::Mistake::What;
using Values = std::map<std::string, std::string, std::less<>>;

std::string expand(std::string_view text, const Values& values, std::string_view query = "") {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  const auto made = TargetTemplate::parse(text, names, Kind::kUrl);
  EXPECT_TRUE(made) << text;
  if (!made) return "";
  std::string out;
  made->expand(
      out, [&values](std::string_view name) { return values.find(name)->second; }, query);
  return out;
}

/// "what name" of what is wrong with it; "" when nothing is.
std::string mistake(std::string_view text, Kind kind = Kind::kUrl) {
  const auto made = TargetTemplate::parse(text, {"id", "rest"}, kind);
  if (made) return "";
  return std::to_string(static_cast<int>(made.error().what)) + " " + made.error().name;
}
std::string of(What what, const std::string& name = "") {
  return std::to_string(static_cast<int>(what)) + " " + name;
}

TEST(TargetTemplate, PutsValuesIn) {
  const Values values{{"id", "7"}, {"rest", "a/b.html"}};
  EXPECT_EQ(expand("/", values), "/");
  EXPECT_EQ(expand("/new", values), "/new");
  EXPECT_EQ(expand("/new/{id}", values), "/new/7");
  EXPECT_EQ(expand("/{rest}", values), "/a/b.html");
  EXPECT_EQ(expand("/x-{id}-{id}.html", values), "/x-7-7.html");
  EXPECT_EQ(expand("https://b.example:8443/{rest}?id={id}&x=1", values),
            "https://b.example:8443/a/b.html?id=7&x=1");
  EXPECT_EQ(expand("http://b.example", values), "http://b.example");
}

TEST(TargetTemplate, KeepsTheQueryUnlessItHasOne) {
  const Values values{{"id", "7"}};
  EXPECT_EQ(expand("/new", values, "a=b&c"), "/new?a=b&c");
  EXPECT_EQ(expand("https://b.example", values, "a=b"), "https://b.example?a=b");
  EXPECT_EQ(expand("/new?x={id}", values, "a=b"), "/new?x=7");
  EXPECT_EQ(expand("/new?", values, "a=b"), "/new");
  EXPECT_EQ(expand("https://b.example?", values, "a=b"), "https://b.example");
}

TEST(TargetTemplate, NoValueBreaksOut) {
  const Values values{{"id", "a?b#c%2f\r\nX: 1 \\\"<>&=+\xc3\xa9"}, {"rest", "/evil.example"}};
  EXPECT_EQ(expand("/x/{id}", values), "/x/a%3Fb%23c%252f%0D%0AX:%201%20%5C%22%3C%3E&=+%C3%A9");
  EXPECT_EQ(expand("/x?q={id}", values),
            "/x?q=a%3Fb%23c%252f%0D%0AX%3A%201%20%5C%22%3C%3E%26%3D%2B%C3%A9");
  EXPECT_EQ(expand("/{rest}", values), "/evil.example");
  EXPECT_EQ(expand("/{empty}/evil.example", {{"empty", ""}}), "/evil.example");
  EXPECT_EQ(expand("https://b.example/{rest}", values), "https://b.example/evil.example");
  EXPECT_EQ(expand("/x?to={rest}", values), "/x?to=%2Fevil.example");
  Target target;
  EXPECT_EQ(split_target(expand("/x/{id}?{id}", values), Method::kGet, target), Errc::kOk);
}

TEST(TargetTemplate, IsAPathOrAUrl) {
  for (const char* text : {"",
                           "new",
                           "{id}",
                           "//b.example/",
                           "?a",
                           "ftp://b.example/",
                           "*",
                           "https://",
                           "https:///x",
                           "https://u@b.example/",
                           "https://b.example:0/",
                           "/a b",
                           "/a#b",
                           "/\xc3\xa9",
                           "/%zz",
                           "/a?%",
                           "/..",
                           "/a/../../b",
                           "/%2F",
                           "HTTPS://b.example/"}) {
    EXPECT_EQ(mistake(text), of(What::kNotATarget)) << text;
  }
  EXPECT_EQ(mistake("https://b.example/x", Kind::kPath), of(What::kNotATarget));
  EXPECT_EQ(mistake("https://b.example/x"), "");
  EXPECT_EQ(mistake("/x?y=%20", Kind::kPath), "");
}

TEST(TargetTemplate, NamesWhatTheRouteHas) {
  EXPECT_EQ(mistake("/{id}/{rest}"), "");
  EXPECT_EQ(mistake("/{ID}"), of(What::kUnknownName, "ID"));
  EXPECT_EQ(mistake("/x?{nme}"), of(What::kUnknownName, "nme"));
  for (const char* text : {"/{", "/}", "/{}", "/{id", "/{{id}}", "/{id}}"})
    EXPECT_EQ(mistake(text), of(What::kBadBrace)) << text;
}

TEST(TargetTemplate, LetsNoValueNameAHost) {
  EXPECT_EQ(mistake("https://{id}.example/"), of(What::kInAuthority, "id"));
  EXPECT_EQ(mistake("https://b.example{rest}"), of(What::kInAuthority, "rest"));
  EXPECT_EQ(mistake("https://b.example/{rest}"), "");
  EXPECT_EQ(mistake("https://b.example?{rest}"), "");
}

TEST(TargetTemplate, SaysWhatIsWrong) {
  const auto text = [](std::string_view to) {
    const auto made = TargetTemplate::parse(to, {"id"}, Kind::kUrl);
    return made ? "" : made.error().text();
  };
  EXPECT_EQ(text("new"),
            "expected a path such as \"/new/{id}\", for redirects also \"https://host/path\"");
  EXPECT_EQ(text("/" + std::string(TargetTemplate::kSizeMax, 'a')), "expected at most 4096 bytes");
  EXPECT_EQ(text("/{"), "expected \"{\" and \"}\" around names only");
  EXPECT_EQ(text("/{x}"), "{x} is no part of \"match\"");
  EXPECT_EQ(text("http://{id}/"), "{id} would choose the host: it may stand behind its \"/\" only");
}

TEST(TargetTemplate, HasABound) {
  const auto long_one = [](std::size_t size) { return "/" + std::string(size - 1, 'a'); };
  EXPECT_EQ(mistake(long_one(TargetTemplate::kSizeMax - 1)), "");
  EXPECT_EQ(mistake(long_one(TargetTemplate::kSizeMax)), "");
  EXPECT_EQ(mistake(long_one(TargetTemplate::kSizeMax + 1)), of(What::kTooLong));
}

}  // namespace
}  // namespace ssx::http

#include "http/files/listing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ssx::http {
namespace {

using Entry = RootDirectory::Entry;
using Listing = RootDirectory::Listing;

constexpr std::int64_t kThen = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT

std::vector<std::string> tidied(const std::vector<Entry>& entries, bool with_dotfiles = false) {
  Listing listing{entries, false};
  tidy_listing(listing, with_dotfiles);
  std::vector<std::string> names;
  names.reserve(listing.entries.size());
  for (const Entry& entry : listing.entries) names.push_back(entry.name);
  return names;
}
using Names = std::vector<std::string>;

std::string page(const std::vector<Entry>& entries, bool has_parent = true) {
  return make_html_listing({"/a/", has_parent}, {entries, false});
}
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Listing, ShowsFoldersFirstAndThenByName) {
  EXPECT_EQ(tidied({{"b", false}, {"a", false}, {"z", true}, {"y", true}}),
            (Names{"y", "z", "a", "b"}));
  EXPECT_EQ(tidied({{"b"}, {"B"}, {"a"}, {"C"}, {"A"}}), (Names{"A", "a", "B", "b", "C"}));
  EXPECT_EQ(tidied({{"ü"}, {"z"}, {"zz"}}), (Names{"z", "zz", "ü"}));
}

TEST(Listing, LeavesOutDotfiles) {
  const std::vector<Entry> entries = {{".git", true}, {".htpasswd"}, {".well-known", true}, {"a"}};
  EXPECT_EQ(tidied(entries), (Names{".well-known", "a"}));
  EXPECT_EQ(tidied(entries, true), (Names{".git", ".well-known", ".htpasswd", "a"}));
}

// This server refuses their URLs, so links to them would lead nowhere.
TEST(Listing, LeavesOutWhatNobodyCanAskFor) {
  EXPECT_EQ(tidied({{"a\r\nX: y"}, {"tab\there"}, {"back\\slash"}, {"\x7f"}, {"\xff\xfe"}, {"ok"}}),
            Names{"ok"});
  EXPECT_EQ(tidied({{"100%"}, {"a b"}, {"ü€😀"}, {"?"}, {"#"}}).size(), 5u);
}

TEST(Listing, HasARowForEach) {
  const std::string text = page({{"music", true, 0, kThen}, {"a.txt", false, 1536, kThen}});
  EXPECT_TRUE(text.starts_with("<!doctype html>\n"));
  EXPECT_TRUE(has(text, "<title>/a/</title>"));
  EXPECT_TRUE(has(text, "<h1>/a/</h1>"));
  EXPECT_TRUE(has(text, "<a href=\"./music/\">music/</a></td><td>&ndash;</td>"));
  EXPECT_TRUE(has(text,
                  "<a href=\"./a.txt\">a.txt</a></td><td title=\"1536 bytes\">1.5 KiB</td>"
                  "<td>1994-11-06 08:49</td>"));
  EXPECT_TRUE(text.ends_with("</html>\n"));
}

TEST(Listing, SaysSizesShortly) {
  struct Size {
    std::uint64_t bytes;
    const char* text;
  };
  for (const auto& [bytes, text] : {Size{0, ">0 B<"},
                                    {1023, ">1023 B<"},
                                    {1024, ">1.0 KiB<"},
                                    {10240, ">10 KiB<"},
                                    {5'000'000'000, ">4.7 GiB<"},
                                    {std::uint64_t{1} << 62, ">4.0 EiB<"}}) {
    EXPECT_TRUE(has(page({{"a", false, bytes, 0}}), text)) << bytes;
  }
}

TEST(Listing, LeadsUpWhereSomethingIs) {
  EXPECT_TRUE(has(page({}, true), "<a href=\"../\">../</a>"));
  EXPECT_FALSE(has(page({}, false), "../"));
}

TEST(Listing, SaysThatItIsCut) {
  const Listing cut{{{"a"}}, true};
  EXPECT_TRUE(has(make_html_listing({"/", false}, cut), "There are more files"));
  EXPECT_FALSE(has(page({{"a"}}), "There are more files"));
  EXPECT_TRUE(has(make_json_listing({"/", false}, cut), "\"truncated\": true"));
  EXPECT_TRUE(has(make_json_listing({"/", false}, {}), "\"truncated\": false"));
}

TEST(Listing, IsJson) {
  const Listing listing{{{"music", true, 0, kThen}, {"a \"b\".txt", false, 3, kThen}}, false};
  EXPECT_EQ(make_json_listing({"/a/", true}, listing),
            "{\"path\": \"/a/\", \"truncated\": false, \"entries\": [\n"
            "{\"name\": \"music\", \"type\": \"directory\", \"mtime\": \"1994-11-06T08:49:37Z\"},\n"
            "{\"name\": \"a \\\"b\\\".txt\", \"type\": \"file\", \"size\": 3, "
            "\"mtime\": \"1994-11-06T08:49:37Z\"}]}\n");
  EXPECT_EQ(make_json_listing({"/", false}, {}),
            "{\"path\": \"/\", \"truncated\": false, \"entries\": []}\n");
}

// H07 of the abuse tests: names of files are somebody else's text.
TEST(AbuseH07Page, IsNotBrokenByAnyName) {
  const Names evil = {"<script>alert(1)</script>",
                      "\"><img src=x onerror=alert(1)>",
                      "' onmouseover='alert(1)",
                      "javascript:alert(1)",
                      "&lt;b&gt;",
                      "</title><script>",
                      "//evil.example",
                      "http:evil",
                      "a?b#c"};
  std::vector<Entry> entries;
  for (const std::string& name : evil) entries.push_back({name, false, 1, 0});
  const std::string html = make_html_listing({"/<script>&\"'/", true}, {entries, true});
  const std::string json = make_json_listing({"/<script>&\"'/", true}, {entries, true});
  for (const std::string& text : {html, json}) {
    EXPECT_FALSE(has(text, "<script"));
    EXPECT_FALSE(has(text, "<img"));
  }
  EXPECT_FALSE(has(html, "'"));
  EXPECT_FALSE(has(html, "href=\"javascript"));
  EXPECT_TRUE(has(html, "href=\"./javascript%3Aalert%281%29\""));
  EXPECT_TRUE(has(html, "href=\"./%2F%2Fevil.example\""));
  EXPECT_TRUE(has(html, "href=\"./a%3Fb%23c\""));
  EXPECT_TRUE(has(html, "&amp;lt;b&amp;gt;"));
}

TEST(Listing, KnowsHiddenNames) {
  for (const char* name : {".", "..", ".a", ".well-known2", "..."})
    EXPECT_TRUE(is_hidden_name(name)) << name;
  for (const char* name : {"", "a", "a.b", ".well-known"}) EXPECT_FALSE(is_hidden_name(name));
}

}  // namespace
}  // namespace ssx::http

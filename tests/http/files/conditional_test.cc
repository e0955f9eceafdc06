#include "http/files/conditional.h"

#include <gtest/gtest.h>

#include <string>

#include "http/request_parser.h"

namespace ssx::http {
namespace {

constexpr std::int64_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT

bool not_modified(const std::string& lines, std::string_view etag = "\"tag\"",
                  std::int64_t modified = kModified) {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  EXPECT_EQ(parser.parse(bytes, head).progress, Progress::kDone);
  const Params params;
  const Body body;
  const net::SocketAddress peer;
  return is_not_modified(Request(head, "/", params, body, peer, 0), etag, modified);
}
std::string since(const std::string& date) { return "If-Modified-Since: " + date + "\r\n"; }
std::string none_match(const std::string& list) { return "If-None-Match: " + list + "\r\n"; }

TEST(Conditional, ChangesNothingForAnOrdinaryRequest) { EXPECT_FALSE(not_modified("")); }

TEST(Conditional, ComparesTheTimeOfChange) {
  EXPECT_TRUE(not_modified(since("Sun, 06 Nov 1994 08:49:37 GMT")));
  EXPECT_TRUE(not_modified(since("Sun, 06 Nov 1994 08:49:38 GMT")));
  EXPECT_TRUE(not_modified(since("Fri, 01 Jan 2100 00:00:00 GMT")));
  EXPECT_FALSE(not_modified(since("Sun, 06 Nov 1994 08:49:36 GMT")));
  EXPECT_FALSE(not_modified(since("Thu, 01 Jan 1970 00:00:00 GMT")));
}

TEST(Conditional, ReadsTheOldDateFormats) {
  EXPECT_TRUE(not_modified(since("Sunday, 06-Nov-94 08:49:37 GMT")));
  EXPECT_TRUE(not_modified(since("Sun Nov  6 08:49:37 1994")));
  EXPECT_FALSE(not_modified(since("Sun Nov  6 08:49:36 1994")));
}

TEST(Conditional, IgnoresDatesThatAreNone) {
  for (const char* bad : {"", "yesterday", "784111777", "Sun, 06 Nov 1994 08:49:37",
                          "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT"}) {
    EXPECT_FALSE(not_modified(since(bad))) << bad;
  }
}

TEST(Conditional, ComparesEntityTagsWeakly) {
  EXPECT_TRUE(not_modified(none_match("\"tag\"")));
  EXPECT_TRUE(not_modified(none_match("W/\"tag\"")));
  EXPECT_TRUE(not_modified(none_match("\"tag\""), "W/\"tag\""));
  EXPECT_TRUE(not_modified(none_match("W/\"tag\""), "W/\"tag\""));
  EXPECT_TRUE(not_modified(none_match("*")));
  EXPECT_FALSE(not_modified(none_match("\"other\"")));
  EXPECT_FALSE(not_modified(none_match("\"TAG\"")));
  EXPECT_FALSE(not_modified(none_match("w/\"tag\"")));  // the W is upper case
  EXPECT_FALSE(not_modified(none_match("tag")));
  EXPECT_FALSE(not_modified(none_match("")));
}

TEST(Conditional, FindsATagInAList) {
  EXPECT_TRUE(not_modified(none_match("\"a\", \"tag\"")));
  EXPECT_TRUE(not_modified(none_match("\"a\",W/\"b\" ,\t\"tag\",\"c\"")));
  EXPECT_TRUE(not_modified(none_match(", ,\"tag\",")));
  EXPECT_TRUE(not_modified(none_match("\"a\"") + none_match("\"tag\"")));
  EXPECT_TRUE(not_modified(none_match("\"a,b\", \"tag\"")));
  EXPECT_FALSE(not_modified(none_match("\"a\", \"b\"")));
  EXPECT_FALSE(not_modified(none_match("\"x, \"tag")));
  EXPECT_FALSE(not_modified(none_match("\"a\", junk, \"tag\"")));
  EXPECT_FALSE(not_modified(none_match("\"a\", *")));  // a star stands alone
  std::string hundred;
  for (int i = 0; i < 100; ++i) hundred += "\"" + std::to_string(i) + "\", ";
  EXPECT_TRUE(not_modified(none_match(hundred + "\"tag\"")));
  EXPECT_FALSE(not_modified(none_match(hundred + "\"gat\"")));
}

TEST(Conditional, LooksAtTheTagBeforeTheTime) {
  const std::string old = since("Thu, 01 Jan 1970 00:00:00 GMT");
  const std::string fresh = since("Fri, 01 Jan 2100 00:00:00 GMT");
  EXPECT_TRUE(not_modified(none_match("\"tag\"") + old));
  EXPECT_FALSE(not_modified(none_match("\"other\"") + fresh));
}

TEST(Conditional, HasNoTagToCompareWithout) {
  EXPECT_FALSE(not_modified(none_match("\"\""), ""));
  EXPECT_TRUE(not_modified(none_match("*"), ""));
  EXPECT_TRUE(not_modified(none_match("\"\""), "\"\""));
}

TEST(Conditional, MatchesAnEmptyListWithNothing) {
  EXPECT_FALSE(matches_any("", "\"tag\""));
  EXPECT_FALSE(matches_any(" , ,\t", "\"tag\""));
  EXPECT_FALSE(matches_any("W/", "\"tag\""));
  EXPECT_FALSE(matches_any("\"", "\"tag\""));
}

}  // namespace
}  // namespace ssx::http

#include "http/files/conditional.h"

#include <gtest/gtest.h>

#include <string>

#include "http/request_parser.h"

namespace ssx::http {
namespace {

constexpr std::int64_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
const std::string kThen = "Sun, 06 Nov 1994 08:49:37 GMT";
const std::string kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
const std::string kAfter = "Sun, 06 Nov 1994 08:49:38 GMT";

Fields fields_of(const std::string& lines, Head& head, std::string& bytes) {
  bytes = "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  EXPECT_EQ(parser.parse(bytes, head).progress, Progress::kDone);
  return head.fields;
}
Precondition decide(const std::string& lines, std::string_view etag = "\"tag\"",
                    Method method = Method::kGet) {
  Head head;
  std::string bytes;
  return evaluate(fields_of(lines, head, bytes), method, {etag, kModified});
}
bool not_modified(const std::string& lines, std::string_view etag = "\"tag\"") {
  const Precondition decision = decide(lines, etag);
  EXPECT_NE(decision, Precondition::kFailed);
  return decision == Precondition::kNotModified;
}
bool failed(const std::string& lines, std::string_view etag = "\"tag\"") {
  return decide(lines, etag) == Precondition::kFailed;
}
bool ranges_hold(const std::string& lines, std::string_view etag = "\"tag\"",
                 std::int64_t now = kModified + 100) {
  Head head;
  std::string bytes;
  return if_range_holds(fields_of(lines, head, bytes), {etag, kModified}, now);
}
std::string since(const std::string& date) { return "If-Modified-Since: " + date + "\r\n"; }
std::string unmodified(const std::string& date) { return "If-Unmodified-Since: " + date + "\r\n"; }
std::string none_match(const std::string& list) { return "If-None-Match: " + list + "\r\n"; }
std::string match(const std::string& list) { return "If-Match: " + list + "\r\n"; }
std::string if_range(const std::string& value) { return "If-Range: " + value + "\r\n"; }

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

TEST(Conditional, IgnoresTwoDates) {
  EXPECT_FALSE(not_modified(since(kThen) + since(kThen)));
  EXPECT_FALSE(failed(unmodified(kBefore) + unmodified(kBefore)));
}

TEST(Conditional, LooksAtTheTimeOnlyForGetAndHead) {
  EXPECT_EQ(decide(since(kThen), "\"tag\"", Method::kHead), Precondition::kNotModified);
  EXPECT_EQ(decide(since(kThen), "\"tag\"", Method::kPut), Precondition::kGoOn);
}

TEST(Conditional, FailsAWriteThatMustMatchNothing) {
  EXPECT_EQ(decide(none_match("*"), "\"tag\"", Method::kPut), Precondition::kFailed);
  EXPECT_EQ(decide(none_match("\"tag\""), "\"tag\"", Method::kDelete), Precondition::kFailed);
  EXPECT_EQ(decide(none_match("\"x\""), "\"tag\"", Method::kPut), Precondition::kGoOn);
}

// ---- If-Match and If-Unmodified-Since (13.1.1, 13.1.4)

TEST(Conditional, GoesOnWhereATagMatchesStrongly) {
  EXPECT_FALSE(failed(match("\"tag\"")));
  EXPECT_FALSE(failed(match("\"x\", \"tag\"")));
  EXPECT_FALSE(failed(match("\"x\"") + match("\"tag\"")));
  EXPECT_FALSE(failed(match("*")));
  EXPECT_FALSE(failed(match("*"), ""));
  EXPECT_FALSE(failed(match("W/\"x\", \"tag\"")));
  EXPECT_TRUE(failed(match("\"x\"")));
  EXPECT_TRUE(failed(match("W/\"tag\"")));
  EXPECT_TRUE(failed(match("\"tag\""), "W/\"tag\""));
  EXPECT_TRUE(failed(match("W/\"tag\""), "W/\"tag\""));
  EXPECT_TRUE(failed(match("\"tag\""), ""));
  EXPECT_TRUE(failed(match("tag")));
  EXPECT_TRUE(failed(match("")));
}

TEST(Conditional, FailsWhatHasChangedSince) {
  EXPECT_FALSE(failed(unmodified(kThen)));
  EXPECT_FALSE(failed(unmodified(kAfter)));
  EXPECT_FALSE(failed(unmodified("Fri, 01 Jan 2100 00:00:00 GMT")));
  EXPECT_TRUE(failed(unmodified(kBefore)));
  for (const char* bad : {"", "yesterday", "0"}) EXPECT_FALSE(failed(unmodified(bad))) << bad;
}

// ---- the order of 13.2.2

TEST(Conditional, LooksAtIfMatchFirst) {
  EXPECT_FALSE(failed(match("\"tag\"") + unmodified(kBefore)));
  EXPECT_TRUE(failed(match("\"x\"") + unmodified(kAfter)));
  EXPECT_TRUE(failed(match("\"x\"") + none_match("\"tag\"")));
  EXPECT_TRUE(failed(unmodified(kBefore) + since(kThen)));
  EXPECT_TRUE(not_modified(match("\"tag\"") + none_match("\"tag\"")));
  EXPECT_TRUE(not_modified(unmodified(kThen) + since(kThen)));
}

// ---- If-Range (13.1.5)

TEST(Conditional, GivesRangesOfTheSameThingOnly) {
  EXPECT_TRUE(ranges_hold(""));
  EXPECT_TRUE(ranges_hold(if_range("\"tag\"")));
  EXPECT_FALSE(ranges_hold(if_range("\"x\"")));
  EXPECT_FALSE(ranges_hold(if_range("W/\"tag\"")));
  EXPECT_FALSE(ranges_hold(if_range("W/\"tag\""), "W/\"tag\""));
  EXPECT_FALSE(ranges_hold(if_range("\"tag\""), "W/\"tag\""));
  EXPECT_FALSE(ranges_hold(if_range("\"x\", \"tag\"")));  // one tag, not a list
  EXPECT_FALSE(ranges_hold(if_range("*")));
  EXPECT_FALSE(ranges_hold(if_range("")));
  EXPECT_FALSE(ranges_hold(if_range("tag")));
  EXPECT_FALSE(ranges_hold(if_range("\"tag\"") + if_range("\"tag\"")));
}

TEST(Conditional, GivesRangesByTheVeryDate) {
  EXPECT_TRUE(ranges_hold(if_range(kThen)));
  EXPECT_FALSE(ranges_hold(if_range(kBefore)));
  EXPECT_FALSE(ranges_hold(if_range(kAfter)));
  EXPECT_FALSE(ranges_hold(if_range(kThen), ""));  // there was no Last-Modified to know it by
}

TEST(Conditional, GivesNoRangesByADateThatIsWeak) {
  EXPECT_FALSE(ranges_hold(if_range(kThen), "\"tag\"", kModified));  // may change once more
  EXPECT_TRUE(ranges_hold(if_range(kThen), "\"tag\"", kModified + 1));
  EXPECT_FALSE(ranges_hold(if_range(kThen), "\"tag\"", kModified - 1));
}

}  // namespace
}  // namespace ssx::http

#include "tests/http/request_corpus.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "tests/http/parse_support.h"

namespace ssx::http::test {
namespace {

// Every row of one group, once more with a request behind it (the verdict is in the first message,
// and what follows cannot change it), and at every split.
void expect_verdicts(std::string_view group) {
  const std::string canary = "GET /canary2 HTTP/1.1\r\nHost: canary\r\n\r\n";
  for (const CorpusRow& row : request_corpus()) {
    if (!row.name.starts_with(group)) continue;
    const Outcome outcome = parse(row.bytes);
    EXPECT_EQ(to_string(outcome.error), to_string(row.verdict)) << row.name;
    EXPECT_EQ(outcome.progress, row.verdict == Errc::kOk ? Progress::kDone : Progress::kFailed)
        << row.name;
    EXPECT_EQ(outcome, parse(row.bytes + canary)) << row.name;
  }
  for (const CorpusRow& row : request_corpus()) {
    if (::testing::Test::HasFailure()) return;
    SCOPED_TRACE(row.name);
    if (row.name.starts_with(group)) parse_every_split(row.bytes);
  }
}

TEST(RequestCorpus, AcceptsOrdinaryRequests) { expect_verdicts("plain"); }
TEST(RequestCorpus, A04FramesByExactlyOneChunkedCoding) { expect_verdicts("A04"); }
TEST(RequestCorpus, A05TakesPlainDigitsForALength) { expect_verdicts("A05"); }
TEST(RequestCorpus, A08EndsLinesWithCrlfOnly) { expect_verdicts("A08"); }
TEST(RequestCorpus, A09KnowsTwoVersions) { expect_verdicts("A09"); }
TEST(RequestCorpus, A10WantsOneGoodHost) { expect_verdicts("A10"); }
TEST(RequestCorpus, A11KnowsEightMethods) { expect_verdicts("A11"); }
TEST(RequestCorpus, A12DecodesTargetsOnce) { expect_verdicts("A12"); }

TEST(RequestCorpus, NamesEveryRowOnce) {
  std::set<std::string> names;
  for (const CorpusRow& row : request_corpus()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  EXPECT_GE(names.size(), 300);
}

TEST(RequestCorpus, RefusesWithTheStatusOfTheGroup) {
  for (const CorpusRow& row : request_corpus()) {
    const int status = to_int(status_of(row.verdict));
    const std::string group = row.name.substr(0, 3);
    if (row.verdict == Errc::kOk) continue;
    if (group == "A09") {
      EXPECT_TRUE(status == 400 || status == 505) << row.name;
    } else if (group == "A10") {
      EXPECT_TRUE(status == 400 || status == 421) << row.name;
    } else if (group == "A11" || group == "A04") {
      EXPECT_TRUE(status == 400 || status == 501 || status == 417) << row.name;
    } else {
      EXPECT_EQ(status, 400) << row.name;
    }
  }
}

}  // namespace
}  // namespace ssx::http::test

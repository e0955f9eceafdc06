#include "http/files/range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ssx::http {
namespace {

using ::testing::ElementsAre;
using Verdict = RangeSet::Verdict;

std::vector<ByteRange> ranges(std::string_view value, std::uint64_t size,
                              std::size_t ranges_max = 16) {
  const RangeSet set = parse_range(value, size, ranges_max);
  EXPECT_EQ(set.verdict(), Verdict::kPartial) << value;
  return {set.ranges().begin(), set.ranges().end()};
}
Verdict verdict(std::string_view value, std::uint64_t size = 1000, std::size_t ranges_max = 16) {
  const RangeSet set = parse_range(value, size, ranges_max);
  if (set.verdict() == Verdict::kUnsatisfiable) {
    EXPECT_TRUE(set.ranges().empty()) << value;
  }
  return set.verdict();
}
ByteRange bytes(std::uint64_t first, std::uint64_t size) { return {first, size}; }

TEST(Range, OfOnePart) {
  EXPECT_THAT(ranges("bytes=0-0", 1000), ElementsAre(bytes(0, 1)));
  EXPECT_THAT(ranges("bytes=0-499", 1000), ElementsAre(bytes(0, 500)));
  EXPECT_THAT(ranges("bytes=500-", 1000), ElementsAre(bytes(500, 500)));
  EXPECT_THAT(ranges("bytes=0-", 1000), ElementsAre(bytes(0, 1000)));
  EXPECT_THAT(ranges("bytes=999-999", 1000), ElementsAre(bytes(999, 1)));
  EXPECT_THAT(ranges("BYTES=1-2", 1000), ElementsAre(bytes(1, 2)));
  EXPECT_THAT(ranges("bytes= 1-2\t", 1000), ElementsAre(bytes(1, 2)));
  EXPECT_THAT(ranges("bytes=0001-0002", 1000), ElementsAre(bytes(1, 2)));
}

TEST(Range, OfASuffix) {
  EXPECT_THAT(ranges("bytes=-1", 1000), ElementsAre(bytes(999, 1)));
  EXPECT_THAT(ranges("bytes=-999", 1000), ElementsAre(bytes(1, 999)));
  EXPECT_THAT(ranges("bytes=-1000", 1000), ElementsAre(bytes(0, 1000)));
  EXPECT_THAT(ranges("bytes=-1001", 1000), ElementsAre(bytes(0, 1000)));
}

TEST(Range, EndsWithTheFile) {
  for (const char* last : {"999", "1000", "1001", "18446744073709551615", "18446744073709551616",
                           "99999999999999999999", "100000000000000000000000000000000000000000"}) {
    EXPECT_THAT(ranges("bytes=998-" + std::string(last), 1000), ElementsAre(bytes(998, 2))) << last;
  }
  EXPECT_THAT(ranges("bytes=-9223372036854775808", 1000), ElementsAre(bytes(0, 1000)));
  EXPECT_THAT(ranges("bytes=-99999999999999999999", 1000), ElementsAre(bytes(0, 1000)));
}

TEST(Range, OfTheLargestFile) {
  constexpr std::uint64_t kSize = 9223372036854775807U;
  EXPECT_THAT(ranges("bytes=9223372036854775806-", kSize), ElementsAre(bytes(kSize - 1, 1)));
  EXPECT_THAT(ranges("bytes=0-9223372036854775806", kSize), ElementsAre(bytes(0, kSize)));
  EXPECT_THAT(ranges("bytes=0-99999999999999999999", kSize), ElementsAre(bytes(0, kSize)));
  EXPECT_EQ(verdict("bytes=9223372036854775807-", kSize), Verdict::kUnsatisfiable);
}

TEST(Range, BehindTheEndCannotBeGiven) {
  for (const char* value :
       {"bytes=1000-", "bytes=1000-1001", "bytes=18446744073709551615-", "bytes=-0", "bytes=-00",
        "bytes=99999999999999999999-99999999999999999999", "bytes=1000-,-0,2000-3000"}) {
    EXPECT_EQ(verdict(value), Verdict::kUnsatisfiable) << value;
  }
}

TEST(Range, OfSomethingEmpty) {
  EXPECT_EQ(verdict("bytes=0-", 0), Verdict::kUnsatisfiable);
  EXPECT_EQ(verdict("bytes=0-0", 0), Verdict::kUnsatisfiable);
  EXPECT_EQ(verdict("bytes=-0", 0), Verdict::kUnsatisfiable);
  EXPECT_EQ(verdict("bytes=-1", 0), Verdict::kWhole);  // satisfied, and no Content-Range can say it
  EXPECT_EQ(verdict("bytes=-1,0-", 0), Verdict::kWhole);
}

TEST(Range, ThatIsNoneIsIgnored) {
  for (const char* value : {"",
                            "bytes",
                            "bytes=",
                            "bytes=,",
                            "bytes= , ,",
                            "bytes=-",
                            "bytes=a-b",
                            "bytes=1",
                            "1-2",
                            "bytes 1-2",
                            "bytes=1-2-3",
                            "bytes=5-4",
                            "bytes=--1",
                            "bytes=+1-2",
                            "bytes=0x1-2",
                            "bytes=1 - 2",
                            "bytes=1-2;",
                            "bytes:1-2",
                            "items=1-2",
                            "bytes=0-1,x",
                            "bytes=0-1,5-4",
                            "bytes=0-1 2-3",
                            "bytes=\"0-1\"",
                            "bytes=1.5-2",
                            "bytes=99999999999999999999-1"}) {
    EXPECT_EQ(verdict(value), Verdict::kWhole) << value;
  }
}

TEST(Range, OfSeveralParts) {
  EXPECT_THAT(ranges("bytes=0-0,-1", 1000), ElementsAre(bytes(0, 1), bytes(999, 1)));
  EXPECT_THAT(ranges("bytes=0-9, 20-29 ,\t40-", 50),
              ElementsAre(bytes(0, 10), bytes(20, 10), bytes(40, 10)));
  EXPECT_THAT(ranges("bytes=,0-9,,20-29,", 50), ElementsAre(bytes(0, 10), bytes(20, 10)));
}

TEST(Range, LeavesOutWhatLiesBehindTheEnd) {
  EXPECT_THAT(ranges("bytes=0-9,1000-,20-29,-0", 1000), ElementsAre(bytes(0, 10), bytes(20, 10)));
}

std::string many(std::size_t count) {
  std::string value = "bytes=";
  for (std::size_t i = 0; i < count; ++i) {
    value += std::to_string(i * 10) + "-" + std::to_string(i * 10 + 1) + ",";
  }
  return value;
}

TEST(Range, OfAsManyPartsAsMayBe) {
  for (const std::size_t most : {1, 2, 16, 64}) {
    for (const std::size_t count : {most - 1, most}) {
      if (count == 0) continue;
      EXPECT_EQ(ranges(many(count), 5000, most).size(), count);
    }
    EXPECT_EQ(verdict(many(most + 1), 5000, most), Verdict::kTooMany);
  }
  EXPECT_EQ(verdict(many(65), 5000, 1000), Verdict::kTooMany);  // there is no room for more
  EXPECT_EQ(verdict(many(1300), 50000), Verdict::kTooMany);
  EXPECT_EQ(verdict("bytes=0-1,5000-,5000-", 10, 2), Verdict::kTooMany);
}

TEST(Range, MayBeOutOfOrderTwice) {
  EXPECT_EQ(ranges("bytes=0-9,0-9", 1000).size(), 2u);
  EXPECT_EQ(ranges("bytes=0-,0-,0-", 1000).size(), 3u);
  EXPECT_EQ(verdict("bytes=0-,0-,0-,0-"), Verdict::kTooMany);
  EXPECT_EQ(ranges("bytes=20-29,10-19,0-9", 1000).size(), 3u);
  EXPECT_EQ(verdict("bytes=30-39,20-29,10-19,0-9"), Verdict::kTooMany);
  EXPECT_EQ(ranges("bytes=0-9,9-10,10-11,12-13", 1000).size(), 4u);
  EXPECT_EQ(verdict("bytes=0-9,9-10,10-11,11-12"), Verdict::kTooMany);
  EXPECT_EQ(ranges("bytes=0-9,10-19,20-29,30-39,40-49", 1000).size(), 5u);  // side by side
}

TEST(Range, IsWrittenAsTheAnswerSaysIt) {
  EXPECT_EQ(content_range({0, 1}, 1000), "bytes 0-0/1000");
  EXPECT_EQ(content_range({500, 500}, 1000), "bytes 500-999/1000");
  EXPECT_EQ(content_range({0, 9223372036854775807U}, 9223372036854775807U),
            "bytes 0-9223372036854775806/9223372036854775807");
  EXPECT_EQ(unsatisfied_range(0), "bytes */0");
  EXPECT_EQ(unsatisfied_range(1000), "bytes */1000");
}

}  // namespace
}  // namespace ssx::http

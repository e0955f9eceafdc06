#include "tests/support/feed_every_split.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace ssx::test {
namespace {

std::string joined(const Pieces& pieces) {
  std::string all;
  for (const std::string_view piece : pieces) all += piece;
  return all;
}

TEST(FeedEverySplit, GivesTheSameBytesInEveryWay) {
  std::set<std::vector<std::size_t>> ways;
  feed_every_split("abcdef",
                   [&ways](const Pieces& pieces) {
                     EXPECT_EQ(joined(pieces), "abcdef");
                     std::vector<std::size_t> sizes;
                     for (const std::string_view piece : pieces) sizes.push_back(piece.size());
                     ways.insert(sizes);
                   },
                   {.random = 200});
  EXPECT_TRUE(ways.contains({6}));
  EXPECT_TRUE(ways.contains({1, 1, 1, 1, 1, 1}));
  for (std::size_t cut = 1; cut < 6; ++cut) EXPECT_TRUE(ways.contains({cut, 6 - cut})) << cut;
  EXPECT_EQ(ways.size(), 1U + 1 + 5 + 10);  // 10 = the ways to cut six bytes in three
}

TEST(FeedEverySplit, TakesInputsThatCannotBeCut) {
  int fed = 0;
  feed_every_split("", [&fed](const Pieces& pieces) { fed += pieces.size() == 1 ? 1 : 0; });
  feed_every_split("a", [&fed](const Pieces& pieces) { fed += joined(pieces) == "a" ? 1 : 0; });
  EXPECT_EQ(fed, 2);
}

TEST(FeedEverySplit, DrawsTheCutsOfLongInputs) {
  const std::string text(1000, 'x');
  int fed = 0;
  feed_every_split(text, [&fed](const Pieces&) { ++fed; }, {.random = 0, .every_cut_max = 10});
  EXPECT_EQ(fed, 1 + 1 + 10);
}

TEST(FeedEverySplitDeathTest, StopsAtTheWayThatFailedAndNamesIt) {
  // In a process of its own: a failed check cannot be taken back in this one.
  EXPECT_EXIT(
      {
        int fed = 0;
        feed_every_split("abc", [&fed](const Pieces& pieces) {
          ++fed;
          EXPECT_NE(pieces.front(), "ab");
        });
        std::exit(HasFailure() ? fed : 0);
      },
      ::testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace ssx::test

#include "websocket/deflate_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ssx::websocket {
namespace {

using compress::MessageDeflater;
using compress::MessageDeflaterOptions;
using compress::MessageInflater;
using compress::Piece;

constexpr MessageDeflaterOptions kSmall{.level = 1, .window_bits = 9, .mem_level = 1};
constexpr std::size_t kSmallBytes = MessageDeflater::memory_bytes(kSmall);

TEST(DeflatePool, LendsAgainWhatWasGivenBackWithoutItsContext) {
  ByteBudget budget(1 << 20);
  DeflatePool pool(budget);
  std::string first;
  std::string second;
  auto deflater = *pool.take_deflater(kSmall);
  deflater.write(as_bytes("Hello"), Piece::kLast, first);
  deflater.write(as_bytes("half a mess"), Piece::kMore, second);
  pool.give_back(std::move(deflater));
  EXPECT_EQ(pool.spare(), 1U);
  EXPECT_EQ(budget.used(), kSmallBytes);

  auto again = *pool.take_deflater(kSmall);
  EXPECT_EQ(pool.spare(), 0U);
  EXPECT_EQ(budget.used(), kSmallBytes) << "none was made";
  second.clear();
  again.write(as_bytes("Hello"), Piece::kLast, second);
  EXPECT_EQ(second, first);
  pool.give_back(std::move(again));
}

TEST(DeflatePool, LendsInflatersWithNewLimits) {
  ByteBudget budget(0);
  DeflatePool pool(budget);
  std::string text;
  auto inflater = pool.take_inflater(15, {.output_max = 3}).value();
  EXPECT_EQ(budget.used(), MessageInflater::memory_bytes(15)) << "counted, though nothing is left";
  EXPECT_EQ(budget.refused(), 0U);
  using namespace std::string_literals;
  const std::string message = "\xf2\x48\xcd\xc9\xc9\x07\x00"s;
  EXPECT_FALSE(inflater.read(as_bytes(message), Piece::kLast, text));
  pool.give_back(std::move(inflater));

  auto again = pool.take_inflater(15, {}).value();
  EXPECT_EQ(pool.spare(), 0U);
  text.clear();
  EXPECT_TRUE(again.read(as_bytes(message), Piece::kLast, text));
  EXPECT_EQ(text, "Hello");
  pool.give_back(std::move(again));
  // Another window is another inflater.
  auto other = pool.take_inflater(9, {}).value();
  EXPECT_EQ(pool.spare(), 1U);
  pool.give_back(std::move(other));
}

TEST(DeflatePool, KeepsAFewAndLetsTheOldestGo) {
  ByteBudget budget(1 << 20);
  {
    DeflatePool pool(budget);
    std::vector<MessageDeflater> lent;
    for (std::size_t i = 0; i <= DeflatePool::kSpareMax; ++i) {
      const MessageDeflaterOptions options{
          .level = static_cast<int>(i) + 1, .window_bits = 9, .mem_level = 1};
      lent.push_back(*pool.take_deflater(options));
    }
    EXPECT_EQ(budget.used(), kSmallBytes * (DeflatePool::kSpareMax + 1));
    for (MessageDeflater& deflater : lent) pool.give_back(std::move(deflater));
    EXPECT_EQ(pool.spare(), DeflatePool::kSpareMax);
    EXPECT_EQ(budget.used(), kSmallBytes * DeflatePool::kSpareMax);
    auto oldest = *pool.take_deflater({.level = 1, .window_bits = 9, .mem_level = 1});
    EXPECT_EQ(pool.spare(), DeflatePool::kSpareMax) << "it was made anew";
    pool.give_back(std::move(oldest));
    pool.drop_spare();
    EXPECT_EQ(pool.spare(), 0U);
    EXPECT_EQ(budget.used(), 0U);
    pool.give_back(*pool.take_deflater(kSmall));
  }
  EXPECT_EQ(budget.used(), 0U) << "and none outlives the pool";
}

TEST(DeflatePool, MakesNoDeflaterBeyondTheBudget) {
  for (const std::size_t budget_bytes : {kSmallBytes - 1, kSmallBytes, kSmallBytes + 1}) {
    ByteBudget budget(budget_bytes);
    DeflatePool pool(budget);
    auto taken = pool.take_deflater(kSmall);
    EXPECT_EQ(taken.has_value(), budget_bytes >= kSmallBytes);
    EXPECT_EQ(budget.refused(), taken ? 0U : 1U);
    EXPECT_FALSE(pool.take_deflater(kSmall));
    if (taken) pool.give_back(std::move(*taken));
  }
}

TEST(DeflatePool, FreesWhatWaitsForWhatIsWanted) {
  ByteBudget budget(kSmallBytes + 100);
  DeflatePool pool(budget);
  pool.give_back(*pool.take_deflater(kSmall));
  MessageDeflaterOptions other = kSmall;
  other.level = 9;
  auto taken = pool.take_deflater(other);
  ASSERT_TRUE(taken);
  EXPECT_EQ(pool.spare(), 0U);
  EXPECT_EQ(budget.refused(), 0U);
  pool.give_back(std::move(*taken));
}

}  // namespace
}  // namespace ssx::websocket

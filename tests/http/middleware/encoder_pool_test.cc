#include "http/middleware/encoder_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "tests/http/middleware/unzip.h"

namespace ssx::http {
namespace {

using compress::Coding;
using compress::Flush;

TEST(EncoderPool, GivesTheSameEncoderAgainAtTheBeginningOfAStream) {
  EncoderPool pool({});
  {
    auto cut_short = BorrowedEncoder::take(pool, 0, Coding::kGzip);
    std::string lost;
    ASSERT_TRUE((*cut_short)->write(as_bytes("half of a bo"), Flush::kSync, lost));
    EXPECT_EQ(pool.in_use(0), 1u);
  }
  EXPECT_EQ(pool.in_use(0), 0u);
  EXPECT_EQ(pool.spare(0), 1u);
  auto again = BorrowedEncoder::take(pool, 0, Coding::kGzip);
  EXPECT_EQ(pool.spare(0), 0u);
  std::string coded;
  ASSERT_TRUE((*again)->write(as_bytes("another"), Flush::kEnd, coded));
  EXPECT_EQ(test::unzip(coded), "another");
}

TEST(EncoderPool, KeepsFewOfEachCoding) {
  EncoderPool pool({});
  {
    std::vector<BorrowedEncoder> many;
    for (std::size_t i = 0; i < EncoderPool::kSpareMax + 2; ++i)
      many.push_back(*BorrowedEncoder::take(pool, 3, Coding::kGzip));
    EXPECT_EQ(pool.in_use(3), EncoderPool::kSpareMax + 2);
    if (auto other = BorrowedEncoder::take(pool, 3, Coding::kZstd))
      many.push_back(*std::move(other));
  }
  const std::size_t others = compress::is_available(Coding::kZstd) ? 1 : 0;
  EXPECT_EQ(pool.spare(3), EncoderPool::kSpareMax + others);
  EXPECT_EQ(pool.spare(0), 0u) << "each worker has its own";
}

TEST(EncoderPool, LendsSoManyAndNoMore) {
  EncoderPool pool({.in_use_max = 2});
  auto first = BorrowedEncoder::take(pool, 0, Coding::kGzip);
  EXPECT_TRUE(first);
  {
    const auto second = BorrowedEncoder::take(pool, 0, Coding::kGzip);
    EXPECT_TRUE(second);
    const auto third = BorrowedEncoder::take(pool, 0, Coding::kGzip);
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code(), compress::Errc::kUnavailable);
    EXPECT_TRUE(BorrowedEncoder::take(pool, 1, Coding::kGzip)) << "another worker's";
  }
  EXPECT_TRUE(BorrowedEncoder::take(pool, 0, Coding::kGzip));
  const BorrowedEncoder moved = *std::move(first);
  EXPECT_EQ(pool.in_use(0), 1u);
}

TEST(EncoderPool, KeepsNoneWhileThereIsNoMemory) {
  net::Overload overload;
  SpareMemory memory;
  memory.watch(overload);
  metrics::Counter dropped;
  EncoderPool pool({});
  pool.watch(0, memory, dropped);
  const auto borrow_two = [&pool] {
    const auto first = BorrowedEncoder::take(pool, 0, Coding::kGzip);
    const auto second = BorrowedEncoder::take(pool, 0, Coding::kGzip);
  };
  overload.set(net::OverloadLevel::kRefuse);
  borrow_two();
  EXPECT_EQ(pool.spare(0), 2u);
  overload.set(net::OverloadLevel::kStop);
  borrow_two();
  EXPECT_EQ(pool.spare(0), 0u);
  EXPECT_EQ(dropped.value(), 2u);
  EXPECT_EQ(pool.in_use(0), 0u);
  overload.set(net::OverloadLevel::kNone);
  borrow_two();
  EXPECT_EQ(pool.spare(0), 2u);
  EXPECT_EQ(dropped.value(), 2u);
}

TEST(EncoderPool, DropsThoseThatWaitAndNotThoseAtWork) {
  SpareMemory memory;
  metrics::Counter dropped;
  EncoderPool pool({});
  for (const std::uint32_t worker : {0U, 1U}) {
    pool.watch(worker, memory, dropped);
    std::ignore = BorrowedEncoder::take(pool, worker, Coding::kGzip);
  }
  auto at_work = BorrowedEncoder::take(pool, 0, Coding::kGzip);
  { const auto waits = BorrowedEncoder::take(pool, 0, Coding::kGzip); }
  EXPECT_EQ(pool.spare(0), 1u);
  pool.drop_spare(0);
  EXPECT_EQ(pool.spare(0), 0u);
  EXPECT_EQ(pool.spare(1), 1u) << "another worker's";
  EXPECT_EQ(dropped.value(), 1u);
  std::string coded;
  ASSERT_TRUE((*at_work)->write(as_bytes("goes on"), Flush::kEnd, coded));
  EXPECT_EQ(test::unzip(coded), "goes on");
}

TEST(EncoderPool, HasNoneForWorkersBeyondItsOwn) {
  EncoderPool pool({});
  EXPECT_FALSE(BorrowedEncoder::take(pool, EncoderPool::kWorkersMax, Coding::kGzip));
}

}  // namespace
}  // namespace ssx::http

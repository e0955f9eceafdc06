#include "ssxrver/db/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ssx::db {
namespace {

Result<int> refuse() { return fail(Errc::kConstraint, "query", 2067, "UNIQUE constraint failed"); }
Result<int> closed() { return ssx::fail(make_error_code(Errc::kShutDown), "acquire"); }

TEST(DbError, EveryValueHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (int value = 0; value < kErrcCount; ++value) texts.insert(db_category().message(value));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(kErrcCount));
  EXPECT_EQ(db_category().message(kErrcCount), "unknown error");
}

TEST(DbError, AFailureCarriesWhatTheDatabaseSaid) {
  const auto result = refuse();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Errc::kConstraint);
  EXPECT_EQ(result.error().vendor_code(), 2067);
  EXPECT_EQ(result.error().text(), "UNIQUE constraint failed");
  EXPECT_EQ(result.error().message(),
            "query: refused by a constraint (2067: UNIQUE constraint failed)");
}

TEST(DbError, AMessageNamesANumberOnlyWhereThereIsOne) {
  const Error error(Errc::kConnectionLost, "query");
  EXPECT_EQ(Failure(error, 0, "the transaction is over").message(),
            "query: the connection was lost (the transaction is over)");
  EXPECT_EQ(Failure(error, 2013, "").message(), "query: the connection was lost (2013)");
  EXPECT_EQ(Failure(error, 0, "").message(), "query: the connection was lost");
}

TEST(DbError, AnErrorOfAnyLayerIsAFailureWithoutWords) {
  const auto result = closed();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), Errc::kShutDown);
  EXPECT_EQ(result.error().message(), "acquire: the pool is closed");
  const Failure of_base(Error(ssx::Errc::kOverflow, "task queue"));
  EXPECT_FALSE(of_base.is_unavailable());
  EXPECT_EQ(of_base.message(), "task queue: limit reached");
}

TEST(DbError, WhatTheDatabaseSaidIsOneLineAndBounded) {
  const Error error(Errc::kRejected, "query");
  EXPECT_EQ(Failure(error, 1, "a\r\nb\x1b[31m\x7f").text(), "a  b [31m ");
  for (const std::size_t size : {Failure::kTextMax - 1, Failure::kTextMax}) {
    EXPECT_EQ(Failure(error, 1, std::string(size, 'x')).text().size(), size);
  }
  EXPECT_EQ(Failure(error, 1, std::string(Failure::kTextMax + 1, 'x')).text().size(),
            Failure::kTextMax);
}

TEST(DbError, UnavailableIsWhatHasNotRunAndMaySucceedLater) {
  const auto is_unavailable = [](Errc code) { return Failure(Error(code, "")).is_unavailable(); };
  for (const Errc code : {Errc::kUnavailable, Errc::kAcquireTimedOut, Errc::kTooManyWaiters,
                          Errc::kConnectTimedOut, Errc::kAccessDenied, Errc::kShutDown}) {
    EXPECT_TRUE(is_unavailable(code)) << to_string(code);
  }
  for (const Errc code : {Errc::kQueryTimedOut, Errc::kConnectionLost, Errc::kConstraint,
                          Errc::kNoSuchDatabase, Errc::kTooManyRows}) {
    EXPECT_FALSE(is_unavailable(code)) << to_string(code);
  }
}

}  // namespace
}  // namespace ssx::db

#include "ssxrver/plugin/host/db_error.h"

#include <gtest/gtest.h>

#include <utility>

namespace ssx::plugins {
namespace {

DbError of(db::Errc code) {
  return to_border(db::Failure(Error(db::make_error_code(code), "query")));
}

TEST(PluginDbError, IsAStatusOfTheBorderAndACode) {
  using Pair = std::pair<std::int32_t, std::int32_t>;
  const auto numbers = [](db::Errc code) {
    const DbError error = of(code);
    return Pair(error.status, error.code);
  };
  EXPECT_EQ(numbers(db::Errc::kUnavailable), Pair(SSXRVER_UNAVAILABLE, SSXRVER_DB_NO_CONNECTION));
  EXPECT_EQ(numbers(db::Errc::kConnectionLost), Pair(SSXRVER_UNAVAILABLE, SSXRVER_DB_DISCONNECT));
  EXPECT_EQ(numbers(db::Errc::kTooManyWaiters), Pair(SSXRVER_LIMIT, SSXRVER_DB_NO_CONNECTION));
  EXPECT_EQ(numbers(db::Errc::kShutDown), Pair(SSXRVER_CLOSED, 0));
  EXPECT_EQ(numbers(db::Errc::kNoSuchDatabase), Pair(SSXRVER_NOT_FOUND, 0));
  EXPECT_EQ(numbers(db::Errc::kQueryTimedOut), Pair(SSXRVER_TIMED_OUT, 0));
  EXPECT_EQ(numbers(db::Errc::kResultTooLarge), Pair(SSXRVER_LIMIT, SSXRVER_DB_RESULT_SIZE));
  EXPECT_EQ(numbers(db::Errc::kConstraint), Pair(SSXRVER_ERROR, SSXRVER_DB_CONSTRAINT));
}

TEST(PluginDbError, NoneIsASuccess) {
  for (int i = 0; i < db::kErrcCount; ++i) {
    EXPECT_LT(of(static_cast<db::Errc>(i)).status, 0) << i;
  }
}

TEST(PluginDbError, OfAnotherLayerIsAnError) {
  const DbError error =
      to_border(db::Failure(Error(std::make_error_code(std::errc::io_error), "read")));
  EXPECT_EQ(error.status, SSXRVER_ERROR);
  EXPECT_EQ(error.code, 0);
}

TEST(PluginDbError, SaysWhatTheDatabaseSaid) {
  const db::Failure failure(Error(db::make_error_code(db::Errc::kConstraint), "query"), 2067,
                            "UNIQUE constraint failed: t.a");
  EXPECT_EQ(to_border(failure).sentence, failure.message());
}

TEST(PluginDbError, ALostOrUndoneSessionIsOver) {
  for (const db::Errc code :
       {db::Errc::kConflict, db::Errc::kQueryTimedOut, db::Errc::kConnectionLost}) {
    EXPECT_TRUE(is_end_of_session(of(code)));
  }
  for (const db::Errc code : {db::Errc::kConstraint, db::Errc::kSyntax, db::Errc::kTooManyRows}) {
    EXPECT_FALSE(is_end_of_session(of(code)));
  }
}

}  // namespace
}  // namespace ssx::plugins

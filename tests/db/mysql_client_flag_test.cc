#include "ssxrver/db/mysql_client_flag.h"

#include <gtest/gtest.h>

namespace ssx::db {
namespace {

TEST(MysqlClientFlag, LetsThroughWhatChangesMeaningOnly) {
  EXPECT_EQ(allowed_client_flags(0), 0U);
  EXPECT_EQ(allowed_client_flags(2), 2U);
  EXPECT_EQ(refused_client_flags(2 | 256 | 1024), "");
}

TEST(MysqlClientFlag, LocalFilesAndSeveralStatementsStayOff) {
  EXPECT_EQ(allowed_client_flags(128 | 65536 | 2048 | 2), 2U);
  EXPECT_EQ(refused_client_flags(128), "CLIENT_LOCAL_FILES");
  EXPECT_EQ(refused_client_flags(128 | 65536), "CLIENT_LOCAL_FILES, CLIENT_MULTI_STATEMENTS");
  EXPECT_EQ(refused_client_flags(2048), "CLIENT_SSL");
}

TEST(MysqlClientFlag, ThatADatabaseIsNamedIsNotForTheUserToSay) {
  EXPECT_EQ(allowed_client_flags(8 | 2), 2U);
  EXPECT_EQ(refused_client_flags(8 | 128), "CLIENT_CONNECT_WITH_DB, CLIENT_LOCAL_FILES");
}

TEST(MysqlClientFlag, WhatNobodyKnowsIsNotUsed) {
  for (unsigned bit = 19; bit < 32; ++bit) EXPECT_EQ(allowed_client_flags(1U << bit), 0U) << bit;
  EXPECT_EQ(refused_client_flags(1U << 30U | 128), "CLIENT_LOCAL_FILES, 0x40000000");
}

}  // namespace
}  // namespace ssx::db

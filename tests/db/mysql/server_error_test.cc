#include "ssxrver/db/mysql/server_error.h"

#include <errmsg.h>
#include <gtest/gtest.h>
#include <mysqld_error.h>

namespace ssx::db::mysql {
namespace {

TEST(ServerError, WhileConnectingNothingHasRun) {
  for (const unsigned lost : {CR_CONN_HOST_ERROR, CR_CONNECTION_ERROR, CR_SERVER_LOST,
                              CR_SERVER_GONE_ERROR, ER_CON_COUNT_ERROR, ER_SERVER_SHUTDOWN}) {
    EXPECT_EQ(errc_of(lost, Phase::kConnecting), Errc::kUnavailable) << lost;
  }
  for (const unsigned denied : {ER_ACCESS_DENIED_ERROR, ER_DBACCESS_DENIED_ERROR, ER_BAD_DB_ERROR,
                                ER_HOST_NOT_PRIVILEGED, CR_PLUGIN_NOT_ALLOWED}) {
    EXPECT_EQ(errc_of(denied, Phase::kConnecting), Errc::kAccessDenied) << denied;
  }
}

TEST(ServerError, WhileAStatementRunsALostConnectionIsThat) {
  for (const unsigned lost : {CR_SERVER_LOST, CR_SERVER_GONE_ERROR, ER_SERVER_SHUTDOWN,
                              ER_CONNECTION_KILLED, ER_NET_READ_INTERRUPTED, 4031}) {
    EXPECT_EQ(errc_of(lost, Phase::kRunning), Errc::kConnectionLost) << lost;
    EXPECT_TRUE(ends_session(lost)) << lost;
  }
}

TEST(ServerError, WhatTheServerRefusesLeavesTheSession) {
  const struct {
    unsigned number;
    Errc errc;
  } cases[] = {
      {ER_PARSE_ERROR, Errc::kSyntax},
      {ER_DUP_ENTRY, Errc::kConstraint},
      {ER_LOCK_DEADLOCK, Errc::kConflict},
      {ER_LOCK_WAIT_TIMEOUT, Errc::kConflict},
      {ER_QUERY_INTERRUPTED, Errc::kCancelled},
      {ER_OPTION_PREVENTS_STATEMENT, Errc::kReadOnly},
      {ER_RECORD_FILE_FULL, Errc::kFull},
      {ER_CRASHED_ON_USAGE, Errc::kDamaged},
      {ER_TABLEACCESS_DENIED_ERROR, Errc::kRejected},
  };
  for (const auto& [number, code] : cases) {
    EXPECT_EQ(errc_of(number, Phase::kRunning), code) << number;
    EXPECT_FALSE(ends_session(number)) << number;
  }
}

TEST(ServerError, WhatEndsTheSessionIsALostConnectionAndNothingElseIs) {
  for (unsigned number = 0; number < 7000; ++number) {
    const bool lost = errc_of(number, Phase::kRunning) == Errc::kConnectionLost;
    EXPECT_EQ(lost, ends_session(number)) << number;
  }
}

TEST(ServerError, ADeadlockUndoesTheTransactionAndARefusalDoesNot) {
  for (const unsigned number : {ER_LOCK_DEADLOCK, ER_LOCK_TABLE_FULL}) {
    EXPECT_TRUE(undoes_transaction(number)) << number;
    EXPECT_FALSE(ends_session(number)) << number;
  }
  for (const unsigned number : {ER_LOCK_WAIT_TIMEOUT, ER_DUP_ENTRY, ER_QUERY_INTERRUPTED}) {
    EXPECT_FALSE(undoes_transaction(number)) << number;
  }
}

TEST(ServerError, TheLibrarysOwnErrorsEndTheSession) {
  EXPECT_FALSE(ends_session(1999));
  EXPECT_TRUE(ends_session(CR_UNKNOWN_ERROR));
  EXPECT_TRUE(ends_session(CR_COMMANDS_OUT_OF_SYNC));
  EXPECT_TRUE(ends_session(2999));
  EXPECT_FALSE(ends_session(3000));
  EXPECT_TRUE(ends_session(CR_ERR_NET_READ));
}

}  // namespace
}  // namespace ssx::db::mysql

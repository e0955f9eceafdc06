#include "ssxrver/db/mysql/session_effect.h"

#include <gtest/gtest.h>

namespace ssx::db::mysql {
namespace {

TEST(SessionEffect, StatementsOfEveryDayLeaveTheSessionAsItIs) {
  for (const char* const sql : {"SELECT 1",
                                "select a from t where b = ?",
                                " \n\t SELECT 1",
                                "(SELECT 1) UNION (SELECT 2)",
                                "INSERT INTO t VALUES (?)",
                                "UPDATE t SET a = ?",
                                "DELETE FROM t",
                                "REPLACE INTO t VALUES (1)",
                                "WITH x AS (SELECT 1) SELECT * FROM x",
                                "DO 1",
                                "SHOW TABLES",
                                "EXPLAIN SELECT 1",
                                "START TRANSACTION",
                                "BEGIN",
                                "COMMIT",
                                "ROLLBACK",
                                "SAVEPOINT a",
                                "RELEASE SAVEPOINT a",
                                "CREATE TABLE t (a INT)",
                                "ALTER TABLE t ADD b INT",
                                "DROP TABLE t",
                                "TRUNCATE t",
                                "SELECT locks FROM t /* get a lock */"}) {
    EXPECT_FALSE(may_change_session(sql)) << sql;
  }
}

TEST(SessionEffect, WhatLeavesSomethingBehindIsSeen) {
  for (const char* const sql : {"SET @a = 1",
                                "SET SESSION sql_mode = ''",
                                "set names latin1",
                                "USE other",
                                "SELECT @a := 1",
                                "SELECT 1 INTO @a",
                                "SELECT @@sql_mode",
                                "SELECT GET_LOCK('a', 0)",
                                "DO get_Lock('a', 0)",
                                "SELECT/**/ GeT_LOCK ('a', 0)",
                                "LOCK TABLES t READ",
                                "FLUSH TABLES WITH READ LOCK",
                                "HANDLER t OPEN",
                                "PREPARE p FROM 'SELECT 1'",
                                "CALL p()",
                                "EXECUTE p",
                                "LOAD DATA INFILE 'a'",
                                "/*! SET @a = 1 */",
                                "/* first */ SELECT 1",
                                "BEGIN NOT ATOMIC SET sql_mode = ''; END",
                                "",
                                "-- nothing",
                                "SELECTED",
                                "SET STATEMENT sql_mode = '' FOR SELECT 1"}) {
    EXPECT_TRUE(may_change_session(sql)) << sql;
  }
}

}  // namespace
}  // namespace ssx::db::mysql

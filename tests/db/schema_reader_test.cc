// The kinds, and what is refused without asking; real databases are read in injection_test.cc.
#include "ssxrver/db/schema_reader.h"

#include <optional>

#include "tests/db/database_fixture.h"

namespace ssx::db {
namespace {

TEST(SchemaReader, KnowsTheTypesOfMysql) {
  for (const auto* type : {"int", "bigint", "tinyint", "BIT", "year"}) {
    EXPECT_EQ(mysql_column_kind(type), ColumnKind::kInteger) << type;
  }
  for (const auto* type : {"varchar", "longtext", "ENUM", "set", "json", "date", "timestamp"}) {
    EXPECT_EQ(mysql_column_kind(type), ColumnKind::kText) << type;
  }
  for (const auto* type : {"blob", "varbinary", "binary"}) {
    EXPECT_EQ(mysql_column_kind(type), ColumnKind::kBytes) << type;
  }
  EXPECT_EQ(mysql_column_kind("double"), ColumnKind::kReal);
  EXPECT_EQ(mysql_column_kind("decimal"), ColumnKind::kDecimal);
  // "point" has an "int" in it, which says something to SQLite alone.
  for (const auto* type : {"point", "geometry", "vector", "", "in", "varchar(3)"}) {
    EXPECT_EQ(mysql_column_kind(type), ColumnKind::kOpaque) << type;
  }
}

TEST(SchemaReader, UnderstandsDeclaredTypesAsSqliteDoes) {
  for (const auto* type : {"INTEGER", "int", "UNSIGNED BIG INT", "CHARINT", "BOOLEAN"}) {
    EXPECT_EQ(sqlite_column_kind(type), ColumnKind::kInteger) << type;
  }
  for (const auto* type : {"TEXT", "VARCHAR(20)", "nchar(2)", "clob"}) {
    EXPECT_EQ(sqlite_column_kind(type), ColumnKind::kText) << type;
  }
  EXPECT_EQ(sqlite_column_kind("BLOB"), ColumnKind::kBytes);
  for (const auto* type : {"REAL", "DOUBLE PRECISION", "float"}) {
    EXPECT_EQ(sqlite_column_kind(type), ColumnKind::kReal) << type;
  }
  EXPECT_EQ(sqlite_column_kind("DECIMAL(10, 2)"), ColumnKind::kDecimal);
  for (const auto* type : {"", "DATE", "whatever"}) {
    EXPECT_EQ(sqlite_column_kind(type), ColumnKind::kAny) << type;
  }
}

class ReadSchemaTest : public DatabaseTest {};

TEST_F(ReadSchemaTest, ADriverWithoutACatalogueIsNotAsked) {
  make();
  std::optional<Result<DatabaseSchema>> got;
  const auto ask = [](Database& base, std::optional<Result<DatabaseSchema>>& to) -> Task<> {
    to = co_await read_schema(base);
  };
  start(ask(*db, got));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->error(), Errc::kUnsupported);
  EXPECT_EQ(driver->connects, 0);
}

}  // namespace
}  // namespace ssx::db

#include "ssxrver/db/statement_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "tests/db/statement_fixture.h"

namespace ssx::db::internal {
namespace {

template <class T>
concept Addable = requires(StatementWriter writer, T text) { writer.add(text); };
// What is known only at run time has no way into the text.
static_assert(!Addable<std::string> && !Addable<std::string_view> && !Addable<const char*>);
static_assert(!Addable<json::Value> && !Addable<Value>);
static_assert(Addable<TableSchema> && Addable<ColumnSchema> && Addable<Words>);

TEST(StatementWriter, QuotesNamesAsTheDialectWants) {
  const ColumnSchema column{"a\"b`c", {}};
  StatementWriter twice(kDoubleQuotes, 1);
  twice.add(column);
  EXPECT_EQ(twice.take().sql, "\"a\"\"b`c\"");
  StatementWriter ticks(kBackticks, 1);
  ticks.add(column);
  EXPECT_EQ(ticks.take().sql, "`a\"b``c`");
}

TEST(StatementWriter, TakesAsManyValuesAsAllowed) {
  StatementWriter writer(kDoubleQuotes, 2);
  const TableSchema table("t", {{"c", {}}});
  writer.add("DELETE FROM ");
  writer.add(table);
  EXPECT_TRUE(writer.bind(1));
  EXPECT_TRUE(writer.bind("it's"));
  EXPECT_FALSE(writer.bind(3));
  EXPECT_EQ(writer.take(), Statement("DELETE FROM \"t\"??", 1, "it's"));
}

}  // namespace
}  // namespace ssx::db::internal

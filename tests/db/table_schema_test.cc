#include "ssxrver/db/table_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ssx::db {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using std::string_view_literals::operator""sv;

std::string why_not(std::vector<TableSchema> tables) {
  const auto schema = DatabaseSchema::create(std::move(tables));
  if (schema) return "";
  EXPECT_EQ(schema.error(), Errc::kUnsupported);
  return schema.error().text();
}

TEST(TableSchema, FindsTablesAndColumnsInExactlyTheirLetters) {
  const auto schema = DatabaseSchema::create({
      {"user", {{"name", ColumnKind::kText}, {"id", ColumnKind::kInteger}, {"a", {}}}},
      {"Note", {{"id", ColumnKind::kInteger}}},
  });
  ASSERT_TRUE(schema);
  EXPECT_THAT(schema->table_names(), ElementsAre("Note", "user"));
  EXPECT_EQ(schema->find("note"), nullptr);
  EXPECT_EQ(schema->find("use"), nullptr);
  EXPECT_EQ(schema->find("users"), nullptr);
  EXPECT_EQ(schema->find(""), nullptr);
  const TableSchema* user = schema->find("user");
  ASSERT_NE(user, nullptr);
  EXPECT_THAT(user->column_names(), ElementsAre("name", "id", "a"));
  for (const ColumnSchema& column : user->columns()) EXPECT_EQ(user->find(column.name), &column);
  EXPECT_EQ(user->find("id")->kind, ColumnKind::kInteger);
  EXPECT_EQ(user->index_of(*user->find("id")), 1u);
  EXPECT_EQ(user->find("ID"), nullptr);
  EXPECT_EQ(user->find("id\0"sv), nullptr);
  EXPECT_EQ(user->find("zzz"), nullptr);
}

TEST(TableSchema, FindsColumnsOfACopyInTheCopy) {
  const TableSchema first("t", {{"b", {}}, {"a", {}}});
  const TableSchema copy = first;  // NOLINT(performance-unnecessary-copy-initialization): the point
  EXPECT_EQ(copy.find("a"), &copy.columns()[1]);
}

TEST(TableSchema, RefusesWhatIsNoName) {
  const std::string longest(DatabaseSchema::kNameBytesMax, 'n');
  EXPECT_EQ(why_not({{"t", {{longest.substr(1), {}}, {longest, {}}}}}), "");
  EXPECT_EQ(why_not({{longest, {{"c", {}}}}}), "");
  EXPECT_THAT(why_not({{longest + "n", {{"c", {}}}}}), HasSubstr("the name of a table"));
  EXPECT_THAT(why_not({{"t", {{longest + "n", {}}}}}), HasSubstr("the name of a column"));
  EXPECT_THAT(why_not({{"", {{"c", {}}}}}), HasSubstr("\"\" cannot be the name of a table"));
  EXPECT_THAT(why_not({{"t", {{"", {}}}}}), HasSubstr("1 to 256 bytes of UTF-8"));
  EXPECT_THAT(why_not({{"t", {{std::string("a\0b"sv), {}}}}}), HasSubstr("the name of a column"));
  EXPECT_THAT(why_not({{"t", {{"a\xbf\x27", {}}}}}), HasSubstr("the name of a column"));
  EXPECT_THAT(why_not({{"t", {{"\xc0\xa2", {}}}}}), HasSubstr("the name of a column"));
}

TEST(TableSchema, RefusesWhatIsThereTwiceOrNotAtAll) {
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({{"t", {}}}), "the table \"t\" has no column");
  EXPECT_EQ(why_not({{"t", {{"a", {}}, {"b", {}}, {"a", {}}}}}),
            "the table \"t\" has the column \"a\" twice");
  EXPECT_EQ(why_not({{"t", {{"a", {}}}}, {"u", {{"a", {}}}}, {"t", {{"b", {}}}}}),
            "the table \"t\" is there twice");
}

}  // namespace
}  // namespace ssx::db

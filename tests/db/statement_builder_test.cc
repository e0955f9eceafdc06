#include "ssxrver/db/statement_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/db/statement_fixture.h"

namespace ssx::db {
namespace {

using testing::StartsWith;

std::string select(std::string_view request, const StatementLimits& limits = {}) {
  return told(builder_of(limits).select(json_of(request)));
}
std::string insert(std::string_view request, const StatementLimits& limits = {}) {
  return told(builder_of(limits).insert(json_of(request)));
}
std::string update(std::string_view request, const StatementLimits& limits = {}) {
  return told(builder_of(limits).update(json_of(request)));
}
std::string remove(std::string_view request, const StatementLimits& limits = {}) {
  return told(builder_of(limits).remove(json_of(request)));
}
/// "1, 1, ..."
std::string times(std::size_t count, const std::string& item) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + item;
  return list;
}

// ---- select

TEST(StatementBuilder, SelectsColumnsOrAll) {
  EXPECT_EQ(select(R"({"tableName": "user", "what": ["password"]})"),
            R"(SELECT "password" FROM "user")");
  for (const auto* all : {R"({"tableName": "user"})", R"({"tableName": "user", "what": ["*"]})"}) {
    EXPECT_EQ(select(all), R"(SELECT "id", "password" FROM "user")");
  }
  EXPECT_EQ(select(R"({"tableName": "user", "what": "*"})"),
            R"(invalid /what: "*" is no list of columns; expected names in [], or ["*"])");
  EXPECT_THAT(select(R"({"tableName": "user", "what": []})"), StartsWith("invalid /what: [] is"));
  EXPECT_EQ(select(R"({"tableName": "user", "what": ["id", "*"]})"),
            R"(invalid /what/1: no column "*" in "user"; expected one of "id", "password")");
  EXPECT_EQ(select(R"({"tableName": "user", "what": ["id", "id"]})"),
            "invalid /what/1: the column is there twice");
  EXPECT_EQ(select(R"({"tableName": "user", "what": [1]})"),
            "invalid /what/0: 1 is no name; expected that of a column");
}

TEST(StatementBuilder, SelectsWhatMeetsACondition) {
  const auto built = builder_of().select(json_of(
      R"({"tableName": "movie", "what": ["id"], "op": ["like", ">", "in"],
          "data": {"name": "B%", "length": 90.5, "id": [3, 4]},
          "order": ["name", {"id": "desc"}, {"note": "asc"}],
          "limit": 10, "offset": 20})"));
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(*built,
            Statement(R"(SELECT "id" FROM "movie" WHERE "name" LIKE ? ESCAPE ? AND "length" > ? )"
                      R"(AND "id" IN (?, ?) ORDER BY "name", "id" DESC, "note" LIMIT ? OFFSET ?)",
                      "B%", "\\", 90.5, 3, 4, 10, 20));
}

TEST(StatementBuilder, OrdersByColumnsOfTheTable) {
  EXPECT_EQ(select(R"({"tableName": "user", "what": ["id"], "order": ["password"]})"),
            R"(SELECT "id" FROM "user" ORDER BY "password")");
  const auto order = [](const std::string& value) {
    return select(R"({"tableName": "user", "order": )" + value + "}");
  };
  EXPECT_EQ(order("[]"), "invalid /order: [] is no order; expected columns in []");
  EXPECT_THAT(order("\"id\""), StartsWith("invalid /order: \"id\" is no order"));
  EXPECT_EQ(order("[\"id desc\"]"), R"(invalid /order/0: no column "id desc" in "user"; )"
                                    R"(expected one of "id", "password")");
  EXPECT_EQ(
      order("[1]"),
      R"(invalid /order/0: 1 is no order; expected the name of a column, or {"name": "desc"})");
  EXPECT_THAT(order(R"([{"id": "asc", "password": "asc"}])"), StartsWith("invalid /order/0: {"));
  EXPECT_THAT(order("[{}]"), StartsWith("invalid /order/0: {} is no order"));
  EXPECT_EQ(order(R"([{"id": "desc, 1"}])"),
            R"(invalid /order/0/id: "desc, 1" is no direction; expected "asc" or "desc")");
  EXPECT_EQ(order(R"(["id", {"id": "desc"}])"), "invalid /order/1: the column is there twice");
}

TEST(StatementBuilder, LimitAndOffsetAreCounts) {
  const auto limited = [](const std::string& members) {
    return select(R"({"tableName": "user", "what": ["id"], )" + members + "}");
  };
  EXPECT_EQ(limited(R"("limit": 0)"), R"(SELECT "id" FROM "user" LIMIT ?)");
  EXPECT_EQ(limited(R"("limit": 9223372036854775807)"), R"(SELECT "id" FROM "user" LIMIT ?)");
  for (const auto* wrong : {"9223372036854775808", "-1", "1.0", "\"10\"", "\"0,10\"", "null", "[1]",
                            "true", "\"1; DROP TABLE user\""}) {
    EXPECT_EQ(limited("\"limit\": " + std::string(wrong)),
              "invalid /limit: " + std::string(wrong) +
                  " is no count; expected a whole number of at least 0");
  }
  EXPECT_THAT(limited(R"("limit": 1, "offset": "2")"), StartsWith("invalid /offset: \"2\" is no"));
  EXPECT_EQ(limited(R"("offset": 2)"), R"(invalid /offset: an offset without "limit")");
}

// ---- insert

TEST(StatementBuilder, InsertsOneRow) {
  const auto built = builder_of().insert(
      json_of(R"({"tableName": "movie", "data": {"name": "it's", "id": 1, "poster": "AAE=",
                  "price": "9.90", "note": null, "place": null, "length": 2}})"));
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(*built,
            Statement(R"(INSERT INTO "movie" ("name", "id", "poster", "price", "note", )"
                      R"("place", "length") VALUES (?, ?, ?, ?, ?, ?, ?))",
                      "it's", 1, Bytes{std::byte{0}, std::byte{1}}, "9.90", nullptr, nullptr, 2));
}

TEST(StatementBuilder, InsertsManyRowsWhoseColumnsStandInAnyOrder) {
  const auto built = builder_of().insert(json_of(
      R"({"tableName": "user", "data": [{"id": 1, "password": "a"},
                                    {"password": "b", "id": 2}]})"));
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(*built, Statement(R"(INSERT INTO "user" ("id", "password") VALUES (?, ?), (?, ?))", 1,
                              "a", 2, "b"));
}

TEST(StatementBuilder, RowsHaveTheColumnsOfTheFirst) {
  const auto rows = [](const std::string& data) {
    return insert(R"({"tableName": "user", "data": )" + data + "}");
  };
  EXPECT_EQ(rows(R"([{"id": 1, "password": "a"}, {"id": 2}])"),
            R"(invalid /data/1: no "password", which the first row has)");
  EXPECT_EQ(rows(R"([{"id": 1}, {"id": 2, "password": "b"}])"),
            "invalid /data/1: 2 columns; the first row has 1");
  EXPECT_EQ(rows(R"([{"id": 1}, {"password": "b"}])"),
            R"(invalid /data/1: no "id", which the first row has)");
  EXPECT_EQ(rows(R"([{"id": 1}, {"idd": 2}])"),
            R"(invalid /data/1/idd: no column "idd" in "user"; did you mean "id"?)");
  EXPECT_EQ(rows(R"([{"id": 1}, 2])"),
            R"(invalid /data/1: 2 is no row; expected {"column": value, ...})");
  EXPECT_EQ(
      rows(R"([{"id": 1}, {"id": "2"}])"),
      R"(invalid /data/1/id: "2" is no value for "id"; expected a whole number, true or false)");
  for (const auto* none : {"[]", "1", "null"}) {
    EXPECT_THAT(rows(none), StartsWith("invalid /data: " + std::string(none) + " is no row"));
  }
  EXPECT_THAT(rows("{}"), StartsWith("invalid /data: {} is no row"));
  EXPECT_THAT(rows("[{}]"), StartsWith("invalid /data/0: {} is no row"));
  EXPECT_THAT(insert(R"({"tableName": "user"})"), StartsWith("invalid /data: nothing is no row"));
}

TEST(StatementBuilder, AColumnTwiceInARowMadeByHandIsRefused) {
  json::Object row;
  row.push_back({"id", 1});
  row.push_back({"id", 2});
  json::Value request;
  request.set("tableName", "user");
  request.set("data", row);
  EXPECT_EQ(told(builder_of().insert(request)), "invalid /data/id: the column is there twice");
}

// ---- update and delete

TEST(StatementBuilder, UpdatesWhatMeetsACondition) {
  const auto built = builder_of().update(
      json_of(R"({"tableName": "user", "set": {"password": "x", "id": 2}, "data": {"id": 1}})"));
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(*built,
            Statement(R"(UPDATE "user" SET "password" = ?, "id" = ? WHERE "id" = ?)", "x", 2, 1));
  EXPECT_EQ(update(R"({"tableName": "user", "set": {"password": null}, "all": true})"),
            R"(UPDATE "user" SET "password" = ?)");
  EXPECT_EQ(update(R"({"tableName": "user", "data": {"id": 1}})"),
            R"(invalid /set: nothing is no change; expected {"column": value, ...})");
  EXPECT_THAT(update(R"({"tableName": "user", "set": {}, "data": {"id": 1}})"),
              StartsWith("invalid /set: {} is no row"));
  EXPECT_EQ(update(R"({"tableName": "user", "set": {"pasword": "x"}, "data": {"id": 1}})"),
            R"(invalid /set/pasword: no column "pasword" in "user"; did you mean "password"?)");
  EXPECT_EQ(update(R"({"tableName": "user", "set": {"password": 0}, "data": {"id": 1}})"),
            R"(invalid /set/password: 0 is no value for "password"; expected text in UTF-8)");
}

TEST(StatementBuilder, DeletesWhatMeetsACondition) {
  const auto built = builder_of().remove(
      json_of(R"({"tableName": "user", "data": {"id": [1, 5]}, "op": ["between"]})"));
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_EQ(*built, Statement(R"(DELETE FROM "user" WHERE "id" BETWEEN ? AND ?)", 1, 5));
  EXPECT_EQ(remove(R"({"tableName": "user", "all": true})"), R"(DELETE FROM "user")");
}

TEST(StatementBuilder, EveryRowIsMeantOnlyWhereThatIsSaid) {
  const std::string missing =
      "invalid the request: no condition; expected \"data\", \"and\", \"or\" "
      "or \"not\", or \"all\": true for every row";
  EXPECT_EQ(remove(R"({"tableName": "user"})"), missing);
  EXPECT_EQ(remove(R"({"tableName": "user", "all": false})"), missing);
  EXPECT_EQ(update(R"({"tableName": "user", "set": {"id": 1}})"), missing);
  EXPECT_EQ(remove(R"({"tableName": "user", "all": 1})"),
            "invalid /all: 1 is neither true nor false");
  EXPECT_EQ(remove(R"({"tableName": "user", "all": true, "data": {"id": 1}})"),
            "invalid /all: every row, and a condition");
  EXPECT_EQ(remove(R"({"tableName": "user", "all": false, "data": {"id": 1}})"),
            R"(DELETE FROM "user" WHERE "id" = ?)");
  // What is misspelt is not left out.
  EXPECT_EQ(remove(R"({"tableName": "user", "date": {"id": 1}})"),
            R"(invalid /date: unknown member; did you mean "data"?)");
  EXPECT_THAT(remove(R"({"tableName": "user", "data": {"id": 1}, "limit": 1})"),
              StartsWith("invalid /limit: unknown member"));
  EXPECT_THAT(remove(R"({"tableName": "user", "data": {}})"),
              StartsWith("invalid /data: {} is no"));
}

// ---- all of them

TEST(StatementBuilder, ARequestIsAnObjectThatNamesATable) {
  for (const auto* none : {"null", "[]", "1", "\"user\""}) {
    EXPECT_EQ(select(none), "invalid the request: " + std::string(none) +
                                " is no object; expected {\"tableName\": ...}");
  }
  EXPECT_EQ(select("{}"), "invalid /tableName: nothing is no name; expected that of a table");
  EXPECT_EQ(select(R"({"tableName": ["user"]})"),
            R"(invalid /tableName: ["user"] is no name; expected that of a table)");
  EXPECT_EQ(remove(R"({"tableName": "usr", "all": true})"),
            R"(invalid /tableName: no table "usr"; did you mean "user"?)");
  EXPECT_EQ(insert(R"({"tableName": "User", "data": {"id": 1}})"),
            R"(invalid /tableName: no table "User"; did you mean "user"?)");
  EXPECT_THAT(update(R"({"tableName": "user; DROP TABLE user", "set": {"id": 1}, "all": true})"),
              StartsWith("invalid /tableName: no table \"user; DROP TABLE user\""));
  EXPECT_THAT(select(R"({"tableName": "user", "__proto__": {}})"),
              StartsWith("invalid /__proto__: unknown member"));
  EXPECT_THAT(insert(R"({"tableName": "user", "data": {"id": 1}, "what": ["id"]})"),
              StartsWith("invalid /what: unknown member"));
}

TEST(StatementBuilder, NamesAreQuotedAsTheDatabaseWants) {
  const json::Value request =
      json_of(R"({"tableName": "odd \"`table?", "data": {"a\"b": 1, "c`d": "x", "?": null}})");
  EXPECT_EQ(told(builder_of().select(request)),
            R"(SELECT "a""b", "c`d", "?" FROM "odd ""`table?" WHERE "a""b" = ? AND "c`d" = ? )"
            R"(AND "?" IS NULL)");
  EXPECT_EQ(told(builder_of({}, kBackticks).remove(request)),
            R"(DELETE FROM `odd "``table?` WHERE `a"b` = ? AND `c``d` = ? AND `?` IS NULL)");
}

TEST(StatementBuilder, WhatItSaysIsBounded) {
  const std::string long_name(100'000, 'x');
  const std::string said = select("{\"tableName\": \"" + long_name + "\"}");
  EXPECT_LT(said.size(), 200u);
  EXPECT_LT(select(R"({"tableName": "user", "data": {")" + long_name + R"(": 1}})").size(), 300u);
  EXPECT_LT(select(R"({"tableName": "user", "data": {"id": ")" + long_name + R"("}})").size(),
            300u);
}

// ---- limits

TEST(StatementBuilder, ColumnsAreCounted) {
  const StatementLimits limits{.columns_max = 2};
  const auto too_many = [](const std::string& where) {
    return "too large " + where + ": more than 2 columns (columns_max)";
  };
  const std::vector<std::string> names = {R"("id")", R"("id", "name")", R"("id", "name", "note")"};
  const std::vector<std::string> values = {R"("id": 1)", R"("id": 1, "note": 1)",
                                           R"("id": 1, "note": 1, "length": 1)"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto what = select(R"({"tableName": "movie", "what": [)" + names[i] + "]}", limits);
    const auto order = select(R"({"tableName": "movie", "order": [)" + names[i] + "]}", limits);
    const auto set =
        update(R"({"tableName": "movie", "all": true, "set": {)" + values[i] + "}}", limits);
    const auto row = insert(R"({"tableName": "movie", "data": {)" + values[i] + "}}", limits);
    const auto rows = insert(R"({"tableName": "movie", "data": [{)" + values[i] + "}]}", limits);
    if (i < 2) {
      EXPECT_THAT(what, StartsWith("SELECT"));
      EXPECT_THAT(order, StartsWith("SELECT"));
      EXPECT_THAT(set, StartsWith("UPDATE"));
      EXPECT_THAT(row, StartsWith("INSERT"));
      EXPECT_THAT(rows, StartsWith("INSERT"));
    } else {
      EXPECT_EQ(what, too_many("/what"));
      EXPECT_EQ(order, too_many("/order"));
      EXPECT_EQ(set, too_many("/set"));
      EXPECT_EQ(row, too_many("/data"));
      EXPECT_EQ(rows, too_many("/data/0"));
    }
  }
}

TEST(StatementBuilder, ListsRowsAndValuesAreCounted) {
  const auto list = [](std::size_t count, const StatementLimits& limits) {
    return select(
        R"({"tableName": "user", "data": {"id": [)" + times(count, "1") + R"(]}, "op": ["in"]})",
        limits);
  };
  for (const std::size_t count : {3, 4})
    EXPECT_THAT(list(count, {.list_max = 4}), StartsWith("SEL"));
  EXPECT_EQ(list(5, {.list_max = 4}), "too large /data/id: more than 4 values (list_max)");
  for (const std::size_t count : {3, 4}) {
    EXPECT_THAT(list(count, {.values_max = 4}), StartsWith("SEL"));
  }
  EXPECT_EQ(list(5, {.values_max = 4}), "too large /data/id/4: more than 4 values (values_max)");
  const auto rows = [](std::size_t count, const StatementLimits& limits) {
    return insert(R"({"tableName": "user", "data": [)" + times(count, R"({"id": 1})") + "]}",
                  limits);
  };
  for (const std::size_t count : {3, 4})
    EXPECT_THAT(rows(count, {.rows_max = 4}), StartsWith("INS"));
  EXPECT_EQ(rows(5, {.rows_max = 4}), "too large /data: more than 4 rows (rows_max)");
  EXPECT_EQ(rows(5, {.values_max = 4}), "too large /data/4/id: more than 4 values (values_max)");
  EXPECT_EQ(select(R"({"tableName": "user", "limit": 1, "offset": 1})", {.values_max = 1}),
            "too large /offset: more than 1 values (values_max)");
  EXPECT_EQ(select(R"({"tableName": "user", "data": {"password": "a"}, "op": ["like"]})",
                   {.values_max = 1}),
            "too large /data/password: more than 1 values (values_max)");
}

TEST(StatementBuilder, ComparisonsAndLevelsAreCounted) {
  EXPECT_THAT(
      select(R"({"tableName": "user", "data": {"id": 1, "password": "a"}})", {.conditions_max = 2}),
      StartsWith("SELECT"));
  EXPECT_EQ(
      select(R"({"tableName": "user", "data": {"id": 1, "password": "a"}})", {.conditions_max = 1}),
      "too large /data: more than 1 comparisons (conditions_max)");
  EXPECT_EQ(select(R"({"tableName": "user", "not": {"data": {"id": 1}}})", {.depth_max = 0}),
            "too large /not: more than 0 levels of \"and\", \"or\" and \"not\" (depth_max)");
}

TEST(StatementBuilder, LimitsHaveRanges) {
  const auto why_not = [](const StatementLimits& limits) -> std::string {
    const auto builder = StatementBuilder::create(cinema(), kDoubleQuotes, limits);
    if (builder) return "";
    EXPECT_EQ(builder.error(), Errc::kOutOfRange);
    return builder.error().text();
  };
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not({.columns_max = 1,
                     .conditions_max = 1,
                     .depth_max = 0,
                     .list_max = 1,
                     .rows_max = 1,
                     .values_max = 1}),
            "");
  EXPECT_EQ(why_not({.columns_max = 1000,
                     .conditions_max = 500,
                     .depth_max = 32,
                     .list_max = 65535,
                     .rows_max = 65535,
                     .values_max = 65535}),
            "");
  EXPECT_EQ(why_not({.columns_max = 0}), "columns_max is 0; expected 1 to 1000");
  EXPECT_EQ(why_not({.columns_max = 1001}), "columns_max is 1001; expected 1 to 1000");
  EXPECT_EQ(why_not({.conditions_max = 0}), "conditions_max is 0; expected 1 to 500");
  EXPECT_EQ(why_not({.conditions_max = 501}), "conditions_max is 501; expected 1 to 500");
  EXPECT_EQ(why_not({.depth_max = 33}), "depth_max is 33; expected 0 to 32");
  EXPECT_EQ(why_not({.list_max = 0}), "list_max is 0; expected 1 to 65535");
  EXPECT_EQ(why_not({.list_max = 65536}), "list_max is 65536; expected 1 to 65535");
  EXPECT_EQ(why_not({.rows_max = 0}), "rows_max is 0; expected 1 to 65535");
  EXPECT_EQ(why_not({.rows_max = 65536}), "rows_max is 65536; expected 1 to 65535");
  EXPECT_EQ(why_not({.values_max = 0}), "values_max is 0; expected 1 to 65535");
  EXPECT_EQ(why_not({.values_max = 65536}), "values_max is 65536; expected 1 to 65535");
}

}  // namespace
}  // namespace ssx::db

#include "ssxrver/db/condition_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/db/statement_fixture.h"

namespace ssx::db::internal {
namespace {

/// What stands behind "WHERE ", or what is wrong.
std::string where(std::string_view condition, const StatementLimits& limits = {}) {
  const DatabaseSchema schema = cinema();
  StatementWriter out(kDoubleQuotes, limits.values_max);
  const json::Value request = json_of(condition);
  const Place place;
  const auto end = ConditionReader(*schema.find("movie"), limits, out).read(request, place);
  if (end) return out.take().sql;
  const bool is_limit = end.error() == Errc::kRequestTooLarge;
  return (is_limit ? "too large " : "") + end.error().text();
}

TEST(ConditionReader, JoinsWhatIsThereWithAnd) {
  EXPECT_EQ(where(R"({"data": {"id": 1}})"), R"("id" = ?)");
  EXPECT_EQ(where(R"({"data": {"id": 1, "name": "x"}, "op": [">=", "!="]})"),
            R"("id" >= ? AND "name" <> ?)");
  EXPECT_EQ(
      where(R"({"data": {"id": 1}, "or": [{"data": {"name": "a"}}, {"data": {"name": "b"}}]})"),
      R"("id" = ? AND (("name" = ?) OR ("name" = ?)))");
  EXPECT_EQ(
      where(R"({"and": [{"data": {"id": 1}, "op": [">"]}, {"data": {"id": 9}, "op": ["<"]}]})"),
      R"((("id" > ?) AND ("id" < ?)))");
  EXPECT_EQ(where(R"({"not": {"data": {"id": 1, "name": null}}})"),
            R"(NOT ("id" = ? AND "name" IS NULL))");
  EXPECT_EQ(where(R"({"not": {"data": {"id": 1}}, "and": [{"data": {"id": 2}}],
                      "or": [{"data": {"id": 3}}], "data": {"id": 4}})"),
            R"("id" = ? AND (("id" = ?)) AND (("id" = ?)) AND NOT ("id" = ?))");
}

TEST(ConditionReader, KnowsWhenThereIsOne) {
  for (const auto* member : {"data", "op", "and", "or", "not"}) {
    EXPECT_TRUE(ConditionReader::has_condition(json_of("{\"" + std::string(member) + "\": 1}")));
  }
  EXPECT_FALSE(ConditionReader::has_condition(json_of(R"({"what": 1, "dat": {}})")));
}

TEST(ConditionReader, AnEmptyConditionIsNone) {
  EXPECT_EQ(where(R"({"data": {}})"),
            R"(/data: {} is no condition; expected {"column": value, ...})");
  EXPECT_TRUE(where(R"({"data": []})").starts_with("/data: [] is no condition"));
  EXPECT_TRUE(where(R"({"data": "1=1"})").starts_with("/data: \"1=1\" is no condition"));
  EXPECT_TRUE(where(R"({"or": []})").starts_with("/or: [] is no list of conditions"));
  EXPECT_TRUE(where(R"({"and": {}})").starts_with("/and: {} is no list of conditions"));
  EXPECT_TRUE(where(R"({"not": {}})").starts_with("/not: {} is no condition"));
  EXPECT_TRUE(where(R"({"not": [{"data": {"id": 1}}]})").starts_with("/not: [{"));
  EXPECT_TRUE(where(R"({"or": [{"data": {"id": 1}}, true]})").starts_with("/or/1: true is no"));
  EXPECT_TRUE(where(R"({"or": [{"or": [{}]}]})").starts_with("/or/0/or/0: {} is no condition"));
}

TEST(ConditionReader, SaysWhereANameIsWrong) {
  EXPECT_EQ(where(R"({"data": {"nmae": 1}})"),
            R"(/data/nmae: no column "nmae" in "movie"; did you mean "name"?)");
  EXPECT_EQ(where(R"({"data": {"id": 1}, "op": ["likes"]})"),
            R"(/op/0: "likes" is no operator; did you mean "like"?)");
  EXPECT_TRUE(
      where(R"({"data": {"id": 1}, "op": [1]})").starts_with("/op/0: 1 is no operator; exp"));
  EXPECT_EQ(where(R"({"data": {"id": 1}, "op": []})"),
            R"(/op: [] is no list of operators for "data"; expected 1 in [])");
  EXPECT_EQ(where(R"({"data": {"id": 1}, "op": "="})"),
            R"(/op: "=" is no list of operators for "data"; expected 1 in [])");
  EXPECT_EQ(where(R"({"op": ["="], "not": {"data": {"id": 1}}})"),
            R"(/op: operators without "data")");
  EXPECT_EQ(where(R"({"not": {"date": {"id": 1}}})"),
            R"(/not/date: unknown member; did you mean "data"?)");
  EXPECT_EQ(where(R"({"or": [{"data": {"id": 1}}, {"data": {"x": 1, "id": 2}}]})"),
            R"(/or/1/data/x: no column "x" in "movie"; expected one of "id", "name", "length", )"
            R"("price", "poster", "note", "place")");
}

TEST(ConditionReader, CountsComparisonsOfAllLevels) {
  const StatementLimits limits{.conditions_max = 3};
  EXPECT_EQ(where(R"({"data": {"id": 1}, "not": {"data": {"name": "a"}}})", limits),
            R"("id" = ? AND NOT ("name" = ?))");
  EXPECT_EQ(where(R"({"data": {"id": 1}, "not": {"data": {"name": "a", "note": 1}}})", limits),
            R"("id" = ? AND NOT ("name" = ? AND "note" = ?))");
  EXPECT_EQ(
      where(R"({"data": {"id": 1, "note": 2}, "not": {"data": {"name": "a", "note": 1}}})", limits),
      "too large /not/data: more than 3 comparisons (conditions_max)");
}

TEST(ConditionReader, GoesAsDeepAsAllowed) {
  const auto nested = [](int levels) {
    std::string text = R"({"data": {"id": 1}})";
    for (int i = 0; i < levels; ++i) {
      text = i % 2 == 0 ? R"({"not": )" + text + "}" : R"({"or": [)" + text + "]}";
    }
    return text;
  };
  const StatementLimits limits{.depth_max = 4};
  EXPECT_EQ(where(nested(3), limits), R"(NOT (((NOT ("id" = ?)))))");
  EXPECT_EQ(where(nested(4), limits), R"(((NOT (((NOT ("id" = ?)))))))");
  EXPECT_TRUE(
      where(nested(5), limits).starts_with("too large /not/or/0/not/or/0/not: more than 4"));
  EXPECT_EQ(where(R"({"data": {"id": 1}})", {.depth_max = 0}), R"("id" = ?)");
  EXPECT_TRUE(where(nested(1), {.depth_max = 0}).starts_with("too large /not: more than 0"));
}

}  // namespace
}  // namespace ssx::db::internal

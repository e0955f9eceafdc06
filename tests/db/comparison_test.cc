#include "ssxrver/db/comparison.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/db/statement_fixture.h"

namespace ssx::db::internal {
namespace {

using std::string_view_literals::operator""sv;

std::string compare(std::string_view op, ColumnKind kind, const json::Value& operand) {
  StatementWriter out(kDoubleQuotes, 100);
  const StatementLimits limits;
  const ColumnSchema column{"c", kind};
  const Operator* found = find_operator(op);
  if (found == nullptr) return "no operator";
  const Place request;
  const auto end = write_comparison(out, limits, column, *found, operand, Place(request, "c"));
  return end ? out.take().sql : end.error().text();
}

TEST(Comparison, HasAFormForEveryOperator) {
  const auto number = [](std::string_view op) { return compare(op, ColumnKind::kInteger, 1); };
  EXPECT_EQ(number("="), "\"c\" = ?");
  EXPECT_EQ(number("!="), "\"c\" <> ?");
  EXPECT_EQ(number("<>"), "\"c\" <> ?");
  EXPECT_EQ(number("<"), "\"c\" < ?");
  EXPECT_EQ(number("<="), "\"c\" <= ?");
  EXPECT_EQ(number(">"), "\"c\" > ?");
  EXPECT_EQ(number(">="), "\"c\" >= ?");
  EXPECT_EQ(compare("like", ColumnKind::kText, "B%"), "\"c\" LIKE ? ESCAPE ?");
  EXPECT_EQ(compare("not like", ColumnKind::kText, "B%"), "\"c\" NOT LIKE ? ESCAPE ?");
  const json::Value two = json_of("[1, 2]");
  EXPECT_EQ(compare("in", ColumnKind::kInteger, two), "\"c\" IN (?, ?)");
  EXPECT_EQ(compare("not in", ColumnKind::kInteger, two), "\"c\" NOT IN (?, ?)");
  EXPECT_EQ(compare("between", ColumnKind::kInteger, two), "\"c\" BETWEEN ? AND ?");
  EXPECT_EQ(compare("not between", ColumnKind::kInteger, two), "\"c\" NOT BETWEEN ? AND ?");
  EXPECT_EQ(operator_names().size(), 13u);
}

TEST(Comparison, OperatorsAreFoundInEitherCaseAndWithBlanks) {
  EXPECT_EQ(find_operator(" LIKE "), find_operator("like"));
  EXPECT_EQ(find_operator("Not In"), find_operator("not in"));
  EXPECT_EQ(find_operator("="), &equality());
  for (const auto* name : {"", " ", "= ?", "==", "=>", "is", "like'", "= 1 or 1", "not  in",
                           "\t=", "regexp", "in(", "<=>", "\xef\xbc\x9d"}) {
    EXPECT_EQ(find_operator(name), nullptr) << name;
  }
  EXPECT_NE(find_operator(std::string(63, ' ') + "="), nullptr);
  EXPECT_EQ(find_operator(std::string(64, ' ') + "="), nullptr);
}

TEST(Comparison, NullIsEqualOrNotAndNothingElse) {
  EXPECT_EQ(compare("=", ColumnKind::kInteger, nullptr), "\"c\" IS NULL");
  EXPECT_EQ(compare("!=", ColumnKind::kOpaque, nullptr), "\"c\" IS NOT NULL");
  EXPECT_EQ(compare("<", ColumnKind::kInteger, nullptr),
            "/c: nothing is \"<\" null; expected a whole number, true or false, or the operator "
            "\"=\" or \"!=\"");
  EXPECT_EQ(compare("in", ColumnKind::kText, json_of("[\"a\", null]")),
            "/c/1: null is no value for \"c\"; expected text in UTF-8");
  EXPECT_EQ(compare("between", ColumnKind::kText, json_of("[null, \"a\"]")),
            "/c/0: null is no value for \"c\"; expected text in UTF-8");
}

TEST(Comparison, AValueIsOneValueOfTheColumn) {
  EXPECT_EQ(compare("=", ColumnKind::kInteger, "1 OR 1=1"),
            "/c: \"1 OR 1=1\" is no value for \"c\"; expected a whole number, true or false");
  EXPECT_EQ(compare("=", ColumnKind::kText, 0),
            "/c: 0 is no value for \"c\"; expected text in UTF-8");
  EXPECT_EQ(compare("=", ColumnKind::kText, json_of("{\"!=\": \"\"}")),
            "/c: {\"!=\": \"\"} is no value for \"c\"; expected text in UTF-8");
  EXPECT_EQ(compare("=", ColumnKind::kText, json_of("[\"a\"]")),
            "/c: [\"a\"] is no value for \"c\"; expected text in UTF-8");
}

TEST(Comparison, APatternIsTextWithoutAnEscapeAtItsEnd) {
  EXPECT_EQ(compare("like", ColumnKind::kAny, "50\\%"), "\"c\" LIKE ? ESCAPE ?");
  EXPECT_EQ(compare("like", ColumnKind::kText, "a\\\\"), "\"c\" LIKE ? ESCAPE ?");
  for (const auto text : {"\\"sv, "a\\"sv, "\\\\\\"sv, "a\0b"sv, "\0"sv, "a\xc0\xa7"sv}) {
    EXPECT_TRUE(compare("like", ColumnKind::kText, text).ends_with("backslashes at its end"));
  }
  EXPECT_EQ(compare("like", ColumnKind::kInteger, "1%"),
            "/c: \"like\" is not for \"c\", which is no text");
  EXPECT_TRUE(compare("like", ColumnKind::kText, 1).starts_with("/c: 1 is no pattern"));
  EXPECT_TRUE(compare("like", ColumnKind::kText, nullptr).starts_with("/c: null is no pattern"));
}

TEST(Comparison, AListHasOneValueAndARangeTwo) {
  EXPECT_EQ(compare("in", ColumnKind::kInteger, json_of("[7]")), "\"c\" IN (?)");
  EXPECT_EQ(compare("in", ColumnKind::kInteger, json_of("[]")),
            "/c: [] is no list for \"in\"; expected at least one value in []");
  EXPECT_EQ(compare("not in", ColumnKind::kInteger, 1),
            "/c: 1 is no list for \"not in\"; expected at least one value in []");
  for (const auto* wrong : {"[]", "[1]", "[1, 2, 3]", "1", "{}"}) {
    EXPECT_TRUE(compare("between", ColumnKind::kInteger, json_of(wrong))
                    .ends_with("is no range for \"between\"; expected two values in []"))
        << wrong;
  }
}

}  // namespace
}  // namespace ssx::db::internal

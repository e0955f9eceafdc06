// Any request: either an error that says where, or words of ours, names of the schema and places.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "tests/db/random_request.h"
#include "tests/db/statement_fixture.h"
#include "tests/db/statement_tokens.h"

namespace ssx::db {
namespace {

using Kind = RandomRequest::Kind;

Result<Statement> build(const StatementBuilder& builder, Kind kind, const json::Value& request) {
  switch (kind) {
    case Kind::kSelect:
      return builder.select(request);
    case Kind::kInsert:
      return builder.insert(request);
    case Kind::kUpdate:
      return builder.update(request);
    case Kind::kRemove:
      return builder.remove(request);
  }
  return builder.select(request);
}

class StatementPropertyTest : public testing::TestWithParam<Kind> {};

TEST_P(StatementPropertyTest, AnyRequestIsAnErrorOrAStatementOfOurs) {
  for (const int wrong : {0, 2, 10, 50}) {
    for (const Dialect& dialect : {kDoubleQuotes, kBackticks}) {
      const StatementBuilder builder = builder_of({.list_max = 3, .values_max = 12}, dialect);
      const DatabaseSchema schema = cinema();
      RandomRequest random(schema, static_cast<std::uint32_t>(wrong), wrong);
      std::size_t built_count = 0;
      constexpr std::size_t kRequests = 500;
      for (std::size_t i = 0; i < kRequests; ++i) {
        const json::Value request = random.make(GetParam());
        const auto built = build(builder, GetParam(), request);
        if (built) {
          ++built_count;
          EXPECT_EQ(
              what_is_wrong(built->sql, built->parameters.size(), dialect.identifier_quote, schema),
              "")
              << json::write(request) << "\n"
              << built->sql;
          continue;
        }
        const bool is_known =
            built.error() == Errc::kInvalidRequest || built.error() == Errc::kRequestTooLarge;
        EXPECT_TRUE(is_known) << built.error().message();
        const bool says_where = built.error().text().starts_with('/') ||
                                built.error().text().starts_with("the request: ");
        EXPECT_TRUE(says_where) << built.error().text();
        EXPECT_TRUE(json::is_utf8(built.error().text())) << built.error().text();
      }
      // Neither end is a rare one where it should not be.
      if (wrong <= 2) {
        EXPECT_GT(built_count, kRequests / 10) << wrong;
      }
      if (wrong >= 10) {
        EXPECT_LT(built_count, kRequests * 9 / 10) << wrong;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, StatementPropertyTest,
                         testing::Values(Kind::kSelect, Kind::kInsert, Kind::kUpdate,
                                         Kind::kRemove));

/// The check itself sees what it should.
TEST(StatementTokens, SeesWhatIsNotOurs) {
  const DatabaseSchema schema = cinema();
  const auto wrong = [&schema](std::string_view sql, std::size_t values) {
    return what_is_wrong(sql, values, '"', schema);
  };
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user" WHERE "id" = ?)", 1), "");
  EXPECT_EQ(wrong(R"(SELECT "a""b" FROM "odd ""`table?")", 0), "");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user" WHERE "id" = ?)", 0), "places: 1");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user" WHERE "id" = 1)", 0), "strange: 1");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user" WHERE "id" = '')", 0), "strange: '");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user"; DROP TABLE "user")", 0), "strange: ;");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user" --)", 0), "strange: -");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user" UNION SELECT)", 0), "strange: UNION");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "user)", 0), "strange: \"user");
  EXPECT_EQ(wrong(R"(SELECT "id" FROM "secret")", 0), "names of no one table");
  EXPECT_EQ(wrong(R"(SELECT "name" FROM "user")", 0), "names of no one table");
  EXPECT_EQ(wrong(R"(SELECT "id")", 0), "names of no one table");
}

}  // namespace
}  // namespace ssx::db

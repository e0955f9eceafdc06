// Attacks on what the StatementBuilder makes, at real databases: nothing but the wanted rows is
// read or changed, and every value comes back byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/base/base64.h"
#include "tests/db/arena.h"
#include "tests/db/attacks.h"
#include "tests/db/random_request.h"
#include "tests/db/statement_tokens.h"

namespace ssx::db {
namespace {

using std::string_view_literals::operator""sv;
using testing::ElementsAre;
using testing::IsEmpty;

json::Value object(std::string_view key, json::Value value) {
  json::Value made;
  made.set(key, std::move(value));
  return made;
}
/// {"tableName": "thing", and the member.
json::Value request(std::string_view key, json::Value value) {
  json::Value made = object("tableName", "thing");
  made.set(key, std::move(value));
  return made;
}
json::Value where(std::string_view column, json::Value value, std::string_view op = "=") {
  json::Value made = request("data", object(column, std::move(value)));
  made.set("op", json::Array{op});
  return made;
}
/// A pattern that only the text itself matches.
std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

class InjectionTest : public testing::TestWithParam<ArenaKind> {
 protected:
  void SetUp() override {
#ifdef SSX_HAVE_MYSQL
    if (GetParam().sql_mode != nullptr) {
      SSX_NEEDS_PEER(test::MariadbServer::installed(), "mariadb-server");
    }
#endif
    ASSERT_TRUE(arena_.open(GetParam()));
    builder_.emplace(arena_.builder());
  }

  std::vector<std::int64_t> selected(json::Value asked) {
    asked.set("what", json::Array{"id"});
    asked.set("order", json::Array{"id"});
    auto statement = builder_->select(asked);
    EXPECT_TRUE(statement) << statement.error().message();
    return statement ? arena_.ids(*std::move(statement)) : std::vector<std::int64_t>();
  }
  /// The rows that it has changed.
  std::uint64_t changed(const Result<Statement>& statement) {
    EXPECT_TRUE(statement) << statement.error().message();
    if (!statement) return 0;
    const auto rows = arena_.query(*statement);
    EXPECT_TRUE(rows) << statement->sql << ": " << rows.error().message();
    return rows ? rows->affected() : 0;
  }
  static void expect_refused(const Result<Statement>& statement, std::string_view what) {
    EXPECT_FALSE(statement) << what << ": " << statement->sql;
    if (!statement) {
      EXPECT_EQ(statement.error(), Errc::kInvalidRequest) << what;
    }
  }

  Arena arena_;
  std::optional<StatementBuilder> builder_;
};

// ---- what is meant

TEST_P(InjectionTest, EveryOperatorFindsItsRows) {
  const auto found = [this](std::string_view column, std::string_view op,
                            std::string_view operand) {
    return selected(where(column, json_of(operand), op));
  };
  EXPECT_THAT(found("id", "=", "2"), ElementsAre(2));
  EXPECT_THAT(found("id", "!=", "2"), ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(found("id", "<", "2"), ElementsAre(1));
  EXPECT_THAT(found("id", "<=", "2"), ElementsAre(1, 2));
  EXPECT_THAT(found("size", ">", "1.5"), ElementsAre(4, 5));
  EXPECT_THAT(found("size", ">=", "1.5"), ElementsAre(2, 4, 5));
  EXPECT_THAT(found("price", "=", "\"1.25\""), ElementsAre(1));
  EXPECT_THAT(found("price", ">", "3"), ElementsAre(4, 5));
  EXPECT_THAT(found("name", "=", "null"), ElementsAre(4));
  EXPECT_THAT(found("name", "!=", "null"), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(found("name", "=", "\"a\""), ElementsAre(1));
  EXPECT_THAT(found("name", "!=", "\"a\""), ElementsAre(2, 3, 5));
  EXPECT_THAT(found("name", "like", "\"b%\""), ElementsAre(2, 5));
  EXPECT_THAT(found("name", "like", "\"b\\\\%\""), ElementsAre(5));
  EXPECT_THAT(found("name", "like", "\"_b\""), ElementsAre(3));
  EXPECT_THAT(found("name", "not like", "\"%b%\""), ElementsAre(1));
  EXPECT_THAT(found("id", "in", "[5, 1, 9]"), ElementsAre(1, 5));
  EXPECT_THAT(found("id", "not in", "[5, 1, 9]"), ElementsAre(2, 3, 4));
  EXPECT_THAT(found("id", "between", "[2, 4]"), ElementsAre(2, 3, 4));
  EXPECT_THAT(found("id", "not between", "[2, 4]"), ElementsAre(1, 5));
  EXPECT_THAT(selected(json_of(
                  R"({"tableName": "thing", "or": [{"data": {"id": 1}}, {"data": {"name": "b"}}],
                           "not": {"data": {"size": 0.5}}})")),
              ElementsAre(2));
  EXPECT_THAT(selected(json_of(R"({"tableName": "thing", "limit": 2, "offset": 1})")),
              ElementsAre(2, 3));
  EXPECT_THAT(selected(json_of(R"({"tableName": "thing", "limit": 0})")), IsEmpty());
  const auto ordered = builder_->select(json_of(
      R"({"tableName": "thing", "what": ["id"], "data": {"size": null}, "op": ["!="],
          "order": [{"size": "desc"}, {"id": "desc"}]})"));
  ASSERT_TRUE(ordered);
  EXPECT_THAT(arena_.ids(*ordered), ElementsAre(5, 4, 2, 1));
}

TEST_P(InjectionTest, ChangesWhatIsMeant) {
  EXPECT_EQ(changed(builder_->insert(json_of(
                R"({"tableName": "thing", "data": [{"id": 6, "name": "x", "raw": "/wAn"},
                                                   {"name": "y", "raw": null, "id": 7}]})"))),
            2u);
  EXPECT_THAT(selected(where("raw", "/wAn")), ElementsAre(6));
  const auto raw = arena_.query("SELECT raw FROM thing WHERE id = 6");
  ASSERT_TRUE(raw);
  EXPECT_EQ((*raw)[0][0].text(), "\xff\0'"sv);
  EXPECT_EQ(changed(builder_->update(json_of(
                R"({"tableName": "thing", "set": {"name": "z", "price": "0.0625"},
                    "data": {"id": [6, 7]}, "op": ["in"]})"))),
            2u);
  EXPECT_THAT(selected(where("name", "z")), ElementsAre(6, 7));
  EXPECT_EQ(changed(builder_->remove(where("name", "z"))), 2u);
  EXPECT_THAT(selected(request("limit", 100)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(changed(builder_->remove(request("all", true))), 5u);
  EXPECT_THAT(selected(request("limit", 100)), IsEmpty());
}

// ---- attacks as values

TEST_P(InjectionTest, AnAttackIsAValueLikeAnyOther) {
  const std::string before = arena_.everything();
  for (const std::string& attack : all_attacks()) {
    SCOPED_TRACE(json::show(attack));
    EXPECT_THAT(selected(where("name", attack)), testing::AnyOf(IsEmpty(), ElementsAre(1)));
    json::Value row = object("id", 100);
    row.set("name", attack);
    ASSERT_EQ(changed(builder_->insert(request("data", row))), 1u);
    const auto kept = arena_.query("SELECT name FROM thing WHERE id = 100");
    ASSERT_TRUE(kept) << kept.error().message();
    ASSERT_EQ(kept->size(), 1u);
    EXPECT_EQ((*kept)[0][0].text(), attack);
    EXPECT_THAT(selected(where("name", attack)), ElementsAre(100));
    EXPECT_THAT(selected(where("name", json::Array{attack, "nobody"}, "in")), ElementsAre(100));
    if (attack.find('\0') == attack.npos) {
      EXPECT_THAT(selected(where("name", pattern_of(attack), "like")), testing::Contains(100));
    }
    json::Value change = where("name", attack);
    change.set("set", object("name", attack + "'"));
    EXPECT_EQ(changed(builder_->update(change)), 1u);
    EXPECT_EQ(changed(builder_->remove(where("name", attack + "'"))), 1u);
    ASSERT_EQ(arena_.everything(), before);
  }
}

TEST_P(InjectionTest, AnAttackIsNoValueOfANumber) {
  for (const std::string& attack : all_attacks()) {
    expect_refused(builder_->select(where("id", attack)), attack);
    expect_refused(builder_->remove(where("id", attack, "!=")), attack);
    expect_refused(builder_->remove(where("size", attack)), attack);
    expect_refused(builder_->select(where("id", json::Array{1, attack}, "in")), attack);
    expect_refused(builder_->select(where("id", json::Array{attack, 9}, "between")), attack);
    expect_refused(builder_->insert(request("data", object("id", attack))), attack);
    expect_refused(builder_->select(request("limit", attack)), attack);
    json::Value paged = request("limit", 1);
    paged.set("offset", attack);
    expect_refused(builder_->select(paged), attack);
    expect_refused(builder_->remove(request("all", attack)), attack);
  }
}

TEST_P(InjectionTest, WhatIsNoTextIsRefused) {
  for (const std::string_view broken : kBrokenTexts) {
    SCOPED_TRACE(json::show(broken));
    expect_refused(builder_->select(where("name", broken)), "select");
    expect_refused(builder_->select(where("name", broken, "like")), "like");
    expect_refused(builder_->insert(request("data", object("name", broken))), "insert");
    expect_refused(builder_->select(where(broken, 1)), "column");
    expect_refused(builder_->select(object("tableName", broken)), "table");
  }
}

// ---- attacks as names

TEST_P(InjectionTest, AnAttackIsNoName) {
  for (const std::string& attack : all_attacks()) {
    SCOPED_TRACE(json::show(attack));
    const json::Value change = object("name", "x");
    if (attack != "thing") {
      json::Value whole = object("tableName", attack);
      expect_refused(builder_->select(whole), "select");
      whole.set("all", true);
      expect_refused(builder_->remove(whole), "remove");
      whole.set("set", change);
      expect_refused(builder_->update(whole), "update");
    }
    if (attack != "*")
      expect_refused(builder_->select(request("what", json::Array{attack})), "what");
    expect_refused(builder_->select(request("what", json::Array{"id", attack})), "what");
    expect_refused(builder_->select(request("order", json::Array{attack})), "order");
    expect_refused(builder_->select(where(attack, 1)), "column");
    expect_refused(builder_->insert(request("data", object(attack, 1))), "insert");
    json::Value update = where("id", 1);
    update.set("set", object(attack, 1));
    expect_refused(builder_->update(update), "set");
    if (attack != "in") expect_refused(builder_->select(where("id", 1, attack)), "operator");
    if (attack != "asc") {
      const json::Value ordered = json::Array{object("id", attack)};
      expect_refused(builder_->select(request("order", ordered)), "direction");
    }
    expect_refused(builder_->select(request(attack, 1)), "member");
    expect_refused(builder_->remove(request(attack, true)), "member");
  }
}

TEST_P(InjectionTest, OddNamesOfTheDatabaseItselfWork) {
  const std::string table = Arena::odd_table();
  const TableSchema* odd = builder_->schema().find(table);
  ASSERT_NE(odd, nullptr);
  EXPECT_THAT(odd->column_names(), ElementsAre("a\"b`c'd", "?", "select", "x' OR '1'='1"));
  json::Value row = object("a\"b`c'd", 1);
  row.set("?", "it's ?");
  row.set("select", "from");
  row.set("x' OR '1'='1", 7);
  json::Value insert = object("tableName", table);
  insert.set("data", row);
  EXPECT_EQ(changed(builder_->insert(insert)), 1u);
  row.set("a\"b`c'd", 2);
  row.set("x' OR '1'='1", 8);
  insert.set("data", row);
  EXPECT_EQ(changed(builder_->insert(insert)), 1u);

  json::Value one = object("tableName", table);
  one.set("data", object("x' OR '1'='1", 8));
  one.set("order", json::Array{"?", object("select", "desc")});
  const auto statement = builder_->select(one);
  ASSERT_TRUE(statement) << statement.error().message();
  const auto rows = arena_.query(*statement);
  ASSERT_TRUE(rows) << rows.error().message();
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ((*rows)[0].get<std::int64_t>("a\"b`c'd"), 2);
  EXPECT_EQ((*rows)[0].get<std::string>("?"), "it's ?");
  json::Value gone = object("tableName", table);
  gone.set("data", object("x' OR '1'='1", 7));
  EXPECT_EQ(changed(builder_->remove(gone)), 1u);
}

// ---- attacks by kind and shape

TEST_P(InjectionTest, NoKindIsTakenForAnother) {
  const std::string before = arena_.everything();
  const auto shapes = {json::Value(0),
                       json::Value(1),
                       json::Value(true),
                       json::Value(false),
                       json::Value(0.0),
                       json::Value(json::Array()),
                       json::Value(json::Array{"a"}),
                       json::Value(json::Object()),
                       object("!=", ""),
                       object("$ne", nullptr),
                       object("$gt", ""),
                       object("like", "%"),
                       object("name", "a"),
                       json::Value(json::Array{json::Array{"a"}})};
  for (const json::Value& shape : shapes) {
    SCOPED_TRACE(json::show(shape));
    expect_refused(builder_->select(where("name", shape)), "select");
    expect_refused(builder_->remove(where("name", shape, "!=")), "remove");
    expect_refused(builder_->select(where("name", json::Array{shape}, "in")), "in");
    expect_refused(builder_->select(where("name", shape, "like")), "like");
    expect_refused(builder_->insert(request("data", object("name", shape))), "insert");
  }
  for (const auto* number : {"1.5", "\"1\"", "[1]", "{}", "{\">\": 0}"}) {
    expect_refused(builder_->select(where("id", json_of(number))), number);
  }
  // Nulls and empty lists that would make a condition of everything, or of nothing.
  expect_refused(builder_->remove(where("id", json::Array(), "not in")), "not in []");
  expect_refused(builder_->remove(where("id", json::Array{nullptr}, "not in")), "not in [null]");
  expect_refused(builder_->remove(request("data", json::Object())), "{}");
  expect_refused(builder_->remove(request("not", json::Object())), "not {}");
  expect_refused(builder_->remove(request("or", json::Array())), "or []");
  expect_refused(builder_->remove(request("or", json::Array{json::Object()})), "or [{}]");
  expect_refused(builder_->remove(object("tableName", "thing")), "no condition");
  EXPECT_EQ(arena_.everything(), before);
}

TEST_P(InjectionTest, WhatIsNotInTheSchemaIsNotReached) {
  for (const auto* table : {"secret", "SECRET", "sqlite_schema", "information_schema.tables"}) {
    json::Value asked = object("tableName", table);
    expect_refused(builder_->select(asked), table);
  }
  const auto schema = arena_.run(read_schema(arena_.database(), {"thing", "secrets"}));
  ASSERT_FALSE(schema);
  EXPECT_EQ(schema.error(), Errc::kUnsupported);
  EXPECT_EQ(schema.error().text(),
            "the database has no table \"secrets\"; did you mean \"secret\"?");
  const auto all = arena_.run(read_schema(arena_.database()));
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_THAT(all->table_names(), ElementsAre(Arena::odd_table(), "secret", "thing"));
  std::vector<ColumnKind> kinds;
  for (const ColumnSchema& column : all->find("thing")->columns()) kinds.push_back(column.kind);
  EXPECT_THAT(kinds, ElementsAre(ColumnKind::kInteger, ColumnKind::kText, ColumnKind::kReal,
                                 ColumnKind::kDecimal, ColumnKind::kBytes));
}

TEST_P(InjectionTest, AColumnThatHasGoneIsAnErrorAndNoText) {
  ASSERT_TRUE(arena_.query("ALTER TABLE thing DROP COLUMN name"));
  const auto rows = arena_.query(*builder_->remove(where("name", "nobody", "!=")));
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error(), Errc::kSyntax);
  EXPECT_THAT(arena_.ids(Statement("SELECT id FROM thing ORDER BY id")),
              ElementsAre(1, 2, 3, 4, 5));
}

// ---- any request

TEST_P(InjectionTest, WhatIsBuiltAtRandomIsUnderstoodAndReachesNothingElse) {
  const auto secrets = [this] {
    std::string all;
    const auto rows = arena_.query("SELECT * FROM secret");
    EXPECT_TRUE(rows);
    if (rows) Arena::append(all, *rows);
    return all;
  };
  const std::string before = secrets();
  RandomRequest random(builder_->schema(), 7, 3);
  int executed = 0;
  for (int i = 0; i < 1500; ++i) {
    using Kind = RandomRequest::Kind;
    const Kind kind = static_cast<Kind>(i % 4);
    const json::Value asked = random.make(kind);
    const auto built = kind == Kind::kSelect   ? builder_->select(asked)
                       : kind == Kind::kInsert ? builder_->insert(asked)
                       : kind == Kind::kUpdate ? builder_->update(asked)
                                               : builder_->remove(asked);
    if (!built) continue;
    const auto rows = arena_.query(*built);
    ++executed;
    if (rows) continue;
    // A key that is there twice, a number too large for its column; never what SQL is made of.
    const auto errors = {Errc::kConstraint, Errc::kRejected, Errc::kOutOfRange};
    EXPECT_TRUE(std::ranges::any_of(errors, [&rows](Errc each) { return rows.error() == each; }))
        << built->sql << ": " << rows.error().message();
  }
  EXPECT_GT(executed, 300);
  EXPECT_EQ(secrets(), before);
}

INSTANTIATE_TEST_SUITE_P(Databases, InjectionTest,
                         testing::Values(kSqlite
#ifdef SSX_HAVE_MYSQL
                                         ,
                                         kMariadb, kNoBackslashes, kAnsiQuotes
#endif
                                         ),
                         [](const auto& kind) { return std::string(kind.param.name); });

#ifdef SSX_HAVE_MYSQL

class MariadbInjectionTest : public testing::Test {
 protected:
  void SetUp() override { SSX_NEEDS_PEER(test::MariadbServer::installed(), "mariadb-server"); }
};

/// Why a value has to be of the kind of its column.
TEST_F(MariadbInjectionTest, MariadbWouldTakeOneKindForAnother) {
  Arena arena;
  ASSERT_TRUE(arena.open(kMariadb));
  EXPECT_THAT(arena.ids(Statement("SELECT id FROM thing WHERE name = ? ORDER BY id", 0)),
              ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(arena.ids(Statement("SELECT id FROM thing WHERE id = ?", "1 OR 1=1")),
              ElementsAre(1));
}

/// In GBK 0xBF27 is half a character and a quote, and 0xBF5C one character: what escapes quotes by
/// bytes is undone. Parameters are not escaped at all.
TEST_F(MariadbInjectionTest, HalfACharacterSwallowsNothingInGbk) {
  Arena arena;
  ASSERT_TRUE(arena.open(kGbk));
  const std::string before = arena.everything();
  for (const std::string_view broken : kBrokenTexts) {
    for (const auto* sql :
         {"SELECT id FROM thing WHERE name = ?", "DELETE FROM thing WHERE name = ?",
          "UPDATE thing SET name = 'x' WHERE name = ?"}) {
      const auto rows = arena.query(sql, broken);
      if (rows) {
        EXPECT_EQ(rows->size() + rows->affected(), 0u) << sql;
      }
    }
  }
  for (const std::string& attack : all_attacks()) {
    const auto rows = arena.query("SELECT id FROM thing WHERE name = ?", attack);
    if (rows && attack != "a") {
      EXPECT_TRUE(rows->empty()) << attack;
    }
  }
  EXPECT_EQ(arena.everything(), before);
}

/// The same requests, the same rows.
TEST_F(MariadbInjectionTest, SqliteAndMariadbGiveTheSameRows) {
  Arena mariadb;
  Arena sqlite;
  ASSERT_TRUE(mariadb.open(kNoBackslashes) && sqlite.open(kSqlite));
  const StatementBuilder for_mariadb = mariadb.builder();
  const StatementBuilder for_sqlite = sqlite.builder();
  auto schema = DatabaseSchema::create({*for_sqlite.schema().find("thing")});
  RandomRequest random(*schema, 11, 0);
  std::size_t found = 0;
  for (int i = 0; i < 800; ++i) {
    json::Value asked = random.make(RandomRequest::Kind::kSelect);
    asked.set("what", json::Array{"id"});
    asked.set("order", json::Array{"id"});
    const auto one = for_mariadb.select(asked);
    const auto other = for_sqlite.select(asked);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) continue;
    EXPECT_EQ(one->parameters, other->parameters);
    const auto ids = mariadb.ids(*one);
    found += ids.size();
    EXPECT_EQ(ids, sqlite.ids(*other)) << json::write(asked) << one->sql;
  }
  EXPECT_GT(found, 500u);
}

#endif

}  // namespace
}  // namespace ssx::db

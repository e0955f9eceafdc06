#include "ssxrver/plugin/sdk/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/plugin/sdk/fake_host.h"
#include "tests/plugin/sdk/run_task.h"

namespace ssx::plugin {
namespace {

using internal::to_value;
using testing::ElementsAre;

TEST(PluginDatabase, BindsEveryValue) {
  FakeHost host;
  host.columns = {"id", "name", "note"};
  host.cells = {{to_value(7), to_value("Ada"), to_value(nullptr)}};
  bool is_done = false;
  const Running running([](FakeHost& given, bool& done) -> Task<> {
    const Database db(given.context(), "main");
    const std::optional<int> none;
    const auto rows = co_await db.query("select", 1, "two", 3.5, none, 4U, true);
    EXPECT_TRUE(rows);
    EXPECT_EQ(rows->size(), 1U);
    for (const Row row : *rows) {
      EXPECT_EQ(row.get<std::int64_t>("id").value_or(0), 7);
      EXPECT_EQ(row.get<std::string>(1).value_or(""), "Ada");
      EXPECT_EQ(row.get<std::optional<std::string>>("note").value_or("x"), std::nullopt);
      EXPECT_EQ(row.get<std::string>("note").error().message(), "it is null");
      EXPECT_EQ(row.get<int>("name").error().message(), "of another type");
      EXPECT_EQ(row.get<int>("none").error().message(), "no column \"none\"");
      EXPECT_EQ(row.get<int>(3).error().status(), SSXRVER_NOT_FOUND);
    }
    EXPECT_EQ(rows->affected(), 7U);
    EXPECT_EQ(rows->last_insert_id(), 8U);
    done = true;
  }(host, is_done));
  ASSERT_EQ(host.statements.size(), 1U);
  EXPECT_EQ(host.statements[0].database, "main");
  EXPECT_THAT(host.statements[0].values, ElementsAre("1", "'two'", "3.500000", "null", "4u", "1"));
  host.end_wait();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(host.live_rows, 0);
}

TEST(PluginDatabase, NumbersThatDoNotFitAreErrors) {
  const auto narrow = [](auto value) {
    return internal::convert<std::int8_t>(to_value(value)).has_value();
  };
  EXPECT_TRUE(narrow(127));
  EXPECT_FALSE(narrow(128));
  EXPECT_TRUE(narrow(-128));
  EXPECT_FALSE(narrow(-129));
  EXPECT_TRUE(narrow(127U));
  EXPECT_FALSE(narrow(128U));
  EXPECT_FALSE(internal::convert<std::uint32_t>(to_value(-1)));
  EXPECT_FALSE(
      internal::convert<std::int64_t>(to_value(std::numeric_limits<std::uint64_t>::max())));
  EXPECT_TRUE(internal::convert<bool>(to_value(1)).value_or(false));
  EXPECT_FALSE(internal::convert<bool>(to_value("1")));
  EXPECT_EQ(internal::convert<double>(to_value(2)).value_or(0), 2.0);
}

TEST(PluginDatabase, SaysWhatTheDatabaseSaid) {
  FakeHost host;
  host.db_error = "no such table: users";
  std::string said;
  const Running running([](FakeHost& given, std::string& text) -> Task<> {
    const auto rows = co_await Database(given.context(), "main").query("select");
    if (!rows) text = rows.error().message();
  }(host, said));
  host.end_wait(SSXRVER_ERROR);
  EXPECT_EQ(said, "no such table: users");
}

TEST(PluginDatabase, SaysWhichErrorItIs) {
  FakeHost host;
  host.db_error = "UNIQUE constraint failed";
  host.db_error_code = SSXRVER_DB_CONSTRAINT;
  std::vector<std::int32_t> codes;
  const Running running([](FakeHost& given, std::vector<std::int32_t>& found) -> Task<> {
    const Database db(given.context(), "main");
    const auto rows = co_await db.query("insert");
    found.push_back(rows.error().code());
    auto change = co_await db.begin();
    const auto end = co_await change->commit();
    EXPECT_EQ(end.error().message(), "UNIQUE constraint failed");
    found.push_back(end.error().code());
  }(host, codes));
  host.end_wait(SSXRVER_ERROR);
  host.end_wait();
  host.end_wait(SSXRVER_ERROR);
  EXPECT_TRUE(running.is_done());
  EXPECT_THAT(codes, ElementsAre(SSXRVER_DB_CONSTRAINT, SSXRVER_DB_CONSTRAINT));
}

TEST(PluginDatabase, BytesStayBytes) {
  constexpr std::array<std::byte, 2> kBytes{std::byte{0}, std::byte{255}};
  const ssxrver_value value = to_value(std::span(kBytes));
  EXPECT_EQ(value.kind, std::uint32_t{SSXRVER_BYTES});
  EXPECT_EQ(internal::convert<std::string>(value).value_or(""), std::string("\0\xff", 2));
}

TEST(PluginDatabase, AStreamGivesBatchesUntilItIsEmpty) {
  FakeHost host;
  host.columns = {"id"};
  host.cells = {{to_value(1)}, {to_value(2)}};
  std::size_t rows = 0;
  const Running running([](FakeHost& given, std::size_t& count) -> Task<> {
    const RowStream stream = Database(given.context(), "log").stream("select", 7, "a");
    EXPECT_EQ(given.live_streams, 1);
    for (;;) {
      const auto batch = co_await stream.next();
      if (!batch || batch->empty()) break;
      count += batch->size();
    }
  }(host, rows));
  EXPECT_EQ(host.statements[0].database, "log");
  EXPECT_THAT(host.statements[0].values, ElementsAre("7", "'a'"));
  host.end_wait();
  host.cells.clear();
  EXPECT_FALSE(running.is_done());
  host.end_wait();
  EXPECT_TRUE(running.is_done());
  EXPECT_EQ(rows, 2U);
  EXPECT_EQ(host.live_streams, 0);
  EXPECT_EQ(host.live_rows, 0);
}

TEST(PluginDatabase, AStreamThatCannotBeSaysSoWhenItIsAsked) {
  FakeHost host;
  std::int32_t status = SSXRVER_OK;
  const Running running([](FakeHost& given, std::int32_t& found) -> Task<> {
    const RowStream stream = Database(given.context(), "log").stream("");
    const auto batch = co_await stream.next();
    found = batch.error().status();
  }(host, status));
  EXPECT_TRUE(running.is_done());
  EXPECT_EQ(status, SSXRVER_INVALID);
  EXPECT_EQ(host.live_streams, 0);
}

TEST(PluginDatabase, CancellingAStreamGivesItBack) {
  FakeHost host;
  Running running([](FakeHost& given) -> Task<> {
    const RowStream stream = Database(given.context(), "log").stream("select");
    (void)co_await stream.next();
    ADD_FAILURE() << "it went on";
  }(host));
  running.cancel();
  EXPECT_EQ(host.cancelled(), 1);
  EXPECT_EQ(host.live_streams, 0);
}

TEST(PluginDatabase, ATransactionIsGivenBack) {
  FakeHost host;
  const Running running([](FakeHost& given) -> Task<> {
    auto transaction = co_await Database(given.context(), "main").begin();
    EXPECT_TRUE(transaction);
    EXPECT_EQ(given.live_transactions, 1);
    EXPECT_TRUE(co_await transaction->query("insert"));
    EXPECT_TRUE(co_await transaction->commit());
  }(host));
  host.end_wait();
  host.end_wait();
  EXPECT_TRUE(host.statements[0].in_transaction);
  host.end_wait();
  EXPECT_TRUE(running.is_done());
  EXPECT_EQ(host.commits, 1);
  EXPECT_EQ(host.live_transactions, 0);
}

TEST(PluginDatabase, CancellingGivesTheTransactionBack) {
  FakeHost host;
  Running running([](FakeHost& given) -> Task<> {
    auto transaction = co_await Database(given.context(), "main").begin();
    (void)co_await transaction->query("insert");
    ADD_FAILURE() << "it went on";
  }(host));
  host.end_wait();
  running.cancel();
  EXPECT_EQ(host.live_transactions, 0);
  EXPECT_EQ(host.commits, 0);
  EXPECT_EQ(host.cancelled(), 1);
}

}  // namespace
}  // namespace ssx::plugin

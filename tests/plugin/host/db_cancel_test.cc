// Nobody waits for a database any more: in each stage of a query, and at the end of a server.
#include <string>

#include "tests/plugin/host/database_fixture.h"

namespace ssx::plugins {
namespace {

using test::Asked;
using test::FakePlugin;
using test::text;
using testing::ElementsAre;

class PluginDbCancel : public test::PluginDatabaseTest {
 protected:
  void serve_one_connection() {
    open_sqlite("main", {.pool_max = 1});
    serve();
    cells("CREATE TABLE t (a)");
  }
  /// The one connection is at work with it.
  void start_endless(Asked& asked, ssxrver_transaction* in = nullptr) {
    const std::uint64_t lent = counters_of("main").lent.value();
    ASSERT_EQ(start(asked, {.sql = test::kEndless, .transaction = in}), SSXRVER_PENDING);
    if (in != nullptr) return;
    ASSERT_TRUE(wait_until([&] { return counters_of("main").lent.value() > lent; }));
  }
};

TEST_F(PluginDbCancel, WhileItWaitsForAConnection) {
  serve_one_connection();
  Asked running;
  Asked queued;
  start_endless(running);
  ASSERT_EQ(start(queued, {.sql = "INSERT INTO t VALUES (1)"}), SSXRVER_PENDING);
  EXPECT_EQ(instance->leases().to_string(), "2 queries");
  EXPECT_EQ(counters_of("main").waiting.value(), 1);
  cancel(queued);
  EXPECT_EQ(counters_of("main").waiting.value(), 0);
  EXPECT_EQ(instance->leases().to_string(), "1 query");
  cancel(running);
  EXPECT_THAT(cells("SELECT count(*) FROM t"), ElementsAre("0"));
  EXPECT_FALSE(queued.told);
}

TEST_F(PluginDbCancel, WhileItRuns) {
  serve_one_connection();
  Asked running;
  start_endless(running);
  cancel(running);
  EXPECT_EQ(held(), 0U);
  EXPECT_EQ(counters_of("main").cancelled.value(), 1U);
  EXPECT_THAT(cells("SELECT 1"), ElementsAre("1")) << "the connection was replaced";
  EXPECT_FALSE(running.told);
}

TEST_F(PluginDbCancel, WhenItHasEndedAndNobodyWasTold) {
  serve_one_connection();
  Asked asked;
  on_loop([&] {
    ASSERT_EQ(start_here(asked, {.sql = "SELECT 1", .database = "none"}), SSXRVER_PENDING);
    plugin.loops().cancel(asked.wait);
  });
  EXPECT_EQ(held(), 0U);
  EXPECT_THAT(cells("SELECT 1"), ElementsAre("1"));
  EXPECT_FALSE(asked.told);
}

TEST_F(PluginDbCancel, RowsThatNobodyTookAreFreed) {
  serve_one_connection();
  Asked asked(Asked::For::kNothing);
  query(asked, {.sql = "SELECT 1"});
  EXPECT_EQ(asked.status, SSXRVER_OK);
  EXPECT_TRUE(is_quiet());
}

TEST_F(PluginDbCancel, FromInsideOfTheWaiterIsTooLate) {
  serve_one_connection();
  struct Late {
    ssxrver_wait* wait = nullptr;
    std::atomic<bool> told = false;
  } late;
  const auto done = [](void* context, std::int32_t) {
    auto& mine = *static_cast<Late*>(context);
    FakePlugin::current()->loops().cancel(mine.wait);
    ssxrver_rows* const rows = FakePlugin::current()->db().rows(mine.wait, nullptr);
    EXPECT_EQ(FakePlugin::current()->db().row_count(rows), 1U);
    FakePlugin::current()->db().free_rows(rows);
    mine.told = true;
  };
  on_loop([&] {
    EXPECT_EQ(plugin.db().query(plugin.context(), text("main"), nullptr, text("SELECT 1"), nullptr,
                                0, {done, &late}, &late.wait),
              SSXRVER_PENDING);
  });
  EXPECT_TRUE(wait_until([&late] { return late.told.load(); }));
}

TEST_F(PluginDbCancel, OfARequestWhoseClientHasGone) {
  open_sqlite("main", {.pool_max = 1});
  Asked asked;
  plugin.on_create = [&](ssxrver_error*) {
    const auto handle = [&](const auto*, auto*, ssxrver_operation* started) {
      EXPECT_EQ(start_here(asked, {.sql = test::kEndless}), SSXRVER_PENDING);
      *started = {[](void* wait) {
                    ++FakePlugin::current()->cancelled;
                    FakePlugin::current()->loops().cancel(static_cast<ssxrver_wait*>(wait));
                  },
                  asked.wait};
      ++plugin.begun;
      return std::int32_t{SSXRVER_PENDING};
    };
    return plugin.route("GET", "", handle, SSXRVER_HANDLER_LATER);
  };
  serve();
  ssx::test::RawClient client = connect();
  client.send(request("GET", "/fake"));
  ASSERT_TRUE(wait_until([this] { return plugin.begun == 1; }));
  client.reset();
  EXPECT_TRUE(wait_until([this] { return plugin.cancelled == 1 && held() == 0; }));
  EXPECT_THAT(cells("SELECT 1"), ElementsAre("1"));
}

// ---- the end of a server

TEST_F(PluginDbCancel, TheEndOfTheServerTellsWhoWaits) {
  serve_one_connection();
  Asked running;
  Asked queued;
  start_endless(running);
  ASSERT_EQ(start(queued, {.sql = "SELECT 1"}), SSXRVER_PENDING);
  end();
  for (Asked* const asked : {&running, &queued}) {
    EXPECT_TRUE(asked->told);
    EXPECT_EQ(asked->status, SSXRVER_CLOSED);
    EXPECT_EQ(asked->why, "the loop has ended");
  }
}

TEST_F(PluginDbCancel, TheEndOfTheServerRollsBack) {
  open_sqlite("main", {.pool_max = 2});
  serve();
  cells("CREATE TABLE t (a)");
  ssxrver_transaction* const idle = begin();
  cells({.sql = "INSERT INTO t VALUES (1)", .transaction = idle});
  stop_server();
  EXPECT_EQ(instance->leases().to_string(), "") << "no connection is kept";
  plugin.db().free_transaction(idle);  // as a plugin does in stop()
}

TEST_F(PluginDbCancel, TheEndOfTheServerEndsAQueryInATransaction) {
  serve_one_connection();
  ssxrver_transaction* const change = begin();
  Asked running;
  start_endless(running, change);
  stop_server();
  EXPECT_TRUE(running.told);
  EXPECT_EQ(running.status, SSXRVER_CLOSED);
  plugin.db().free_transaction(change);
}

TEST_F(PluginDbCancel, TheEndOfTheServerEndsAStream) {
  serve_one_connection();
  ssxrver_row_stream* stream = nullptr;
  Asked batch;
  on_loop([&] {
    ASSERT_EQ(plugin.db().stream(plugin.context(), text("main"),
                                 text("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
                                      "FROM n) SELECT x FROM n LIMIT 1000000"),
                                 nullptr, 0, &stream),
              SSXRVER_OK);
    ASSERT_EQ(plugin.db().next(stream, batch.waiter(), &batch.wait), SSXRVER_PENDING);
  });
  ASSERT_TRUE(is_told(batch));
  stop_server();
  plugin.db().free_stream(stream);
}

}  // namespace
}  // namespace ssx::plugins

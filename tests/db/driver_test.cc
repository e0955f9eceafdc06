#include "ssxrver/db/driver.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/db/rows_of.h"

namespace ssx::db {
namespace {

/// The least that a driver has to be: it answers everything with one row.
class OneRow final : public Connection {
 public:
  Task<Result<Batch>> execute(Statement statement, BatchLimits) override {
    co_return Batch(rows_of({"sql"}, {{statement.sql}}), false);
  }
  Task<Result<Batch>> fetch(BatchLimits) override { co_return fail(Errc::kUnsupported, "fetch"); }
  Task<Result<void>> reset() override { co_return Result<void>(); }
  Task<Result<void>> ping() override { co_return fail(Errc::kConnectionLost, "ping"); }
  [[nodiscard]] State state() const noexcept override { return State::kClean; }
};

class OneRowDriver final : public Driver {
 public:
  Task<Result<std::unique_ptr<Connection>>> connect() override {
    co_return std::make_unique<OneRow>();
  }
  void discard(std::unique_ptr<Connection> connection) noexcept override { connection.reset(); }
  [[nodiscard]] const Dialect& dialect() const noexcept override {
    static constexpr Dialect kDialect{"one", '"', "BEGIN"};
    return kDialect;
  }
};

Task<> use(Driver& driver, bool& done) {
  auto connection = co_await driver.connect();
  EXPECT_TRUE(connection);
  Statement statement("SELECT ?", 1);
  const auto batch = co_await (*connection)->execute(std::move(statement), BatchLimits());
  EXPECT_EQ(*batch->rows[0].get<std::string_view>("sql"), "SELECT ?");
  EXPECT_FALSE(batch->more);
  const auto ping = co_await (*connection)->ping();
  EXPECT_EQ(ping.error(), Errc::kConnectionLost);
  driver.discard(*std::move(connection));
  done = true;
}

class Never final : public Continuation {
 public:
  Never() : Continuation([](Continuation&) noexcept { FAIL(); }) {}
};

TEST(DbDriver, IsUsedThroughTheSeamAlone) {
  OneRowDriver driver;
  bool done = false;
  Task<> task = use(driver, done);
  Never never;
  EXPECT_TRUE(task.start(never));
  task.result();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace ssx::db

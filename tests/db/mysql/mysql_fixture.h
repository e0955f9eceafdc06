// A loop on this thread, and sessions with a real server or with one that a test plays.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/db/mysql/connection.h"
#include "ssxrver/db/mysql/mysql_driver.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/timeout.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/peer.h"

namespace ssx::db::mysql {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using test::MariadbServer;

template <class T>
Task<> keep_result(Task<T> task, std::optional<T>& into) {
  into.emplace(co_await std::move(task));
}

class MysqlTest : public testing::Test {
 protected:
  static constexpr auto kPatience = 30s;

  MysqlTest() : loop_(std::move(*net::EventLoop::create())) {}
  ~MysqlTest() override {
    end(std::move(connection_));
    loop_->run_until_idle();
  }

  /// What a Task gives, by running the loop until it has given it.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    net::spawn(*loop_, keep_result(std::move(task), result), &net::log_failure);
    wait_for([&result] { return result.has_value(); });
    return *std::move(result);
  }
  /// Runs the loop; another process does something meanwhile.
  template <class Done>
  void wait_for(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    bool late = false;
    net::spawn(*loop_, ticking(), &net::log_failure);
    loop_->run_until(
        [&] { return done() || (late = std::chrono::steady_clock::now() > deadline); });
    ticking_ = false;
    ASSERT_FALSE(late) << "not within " << kPatience.count() << " s";
  }

  /// Asks again and again, from outside the loop.
  template <class Ask>
  bool eventually(Ask ask) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!ask()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      bool passed = false;
      net::spawn(*loop_, pause(passed), &net::log_failure);
      loop_->run_until([&passed] { return passed; });
    }
    return true;
  }

  /// A server, a driver for it, and a session. False, and a failed check, where one is not had.
  bool start(std::vector<std::string> arguments = {}) {
    server_.emplace(std::move(arguments));
    if (!server_->start()) return false;
    make_driver(options());
    return connect();
  }
  [[nodiscard]] MysqlOptions options() const {
    MysqlOptions options;
    options.unix_socket = server_->socket();
    options.user = MariadbServer::user();
    options.password = server_->password();
    options.database = MariadbServer::database();
    return options;
  }
  void make_driver(const MysqlOptions& options, const PoolOptions& pool = {}) {
    auto made = MysqlDriver::create(options, pool, nullptr);
    ASSERT_TRUE(made) << made.error().message();
    driver_ = *std::move(made);
  }
  bool connect() {
    end(std::move(connection_));
    auto made = run(driver_->connect());
    EXPECT_TRUE(made) << made.error().message();
    if (made) connection_ = *std::move(made);
    return made.has_value();
  }
  /// As the pool does: on the loop.
  void end(std::unique_ptr<Connection> connection) {
    if (connection == nullptr) return;
    loop_->post(
        [this, given = std::move(connection)]() mutable { driver_->discard(std::move(given)); });
    loop_->run_until_idle();
  }

  template <class... Ts>
  Result<Batch> execute(std::string_view sql, const Ts&... parameters) {
    return run(connection_->execute(Statement(sql, parameters...), kAll));
  }
  /// All cells of all rows, as text.
  template <class... Ts>
  std::vector<std::string> cells(std::string_view sql, const Ts&... parameters) {
    const auto batch = execute(sql, parameters...);
    EXPECT_TRUE(batch) << sql << ": " << batch.error().message();
    std::vector<std::string> texts;
    if (!batch) return texts;
    for (const Row row : batch->rows) {
      for (std::size_t i = 0; i < row.size(); ++i) texts.push_back(text_of(row[i]));
    }
    return texts;
  }
  static std::string text_of(const ValueView& value) {
    switch (value.type()) {
      case Type::kNull:
        return "null";
      case Type::kInt64:
        return std::to_string(value.int64());
      case Type::kUint64:
        return std::to_string(value.uint64()) + "u";
      case Type::kDouble:
        return std::to_string(value.real());
      case Type::kText:
        return std::string(value.text());
      case Type::kBytes:
        return "bytes " + std::string(value.text());
    }
    return {};
  }
  static Errc errc(const Failure& failure) {
    return static_cast<Errc>(failure.error().code().value());
  }
  /// Statements that the server is working on, but for the one that asks.
  int running_statements() {
    return std::stoi(server_->ask(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE command IN ('Query', 'Execute') "
        "AND id <> CONNECTION_ID() AND user = 'tester'"));
  }

  static constexpr BatchLimits kAll{.rows_max = 100'000, .bytes_max = 64U << 20U};

  std::optional<MariadbServer> server_;
  const std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Connection> connection_;

 private:
  static Task<> pause(bool& passed) {
    co_await net::sleep_for(20ms);
    passed = true;
  }
  /// Turns the loop now and then, so that it looks at the clock and at what others have done.
  Task<> ticking() {
    ticking_ = true;
    while (ticking_) co_await net::sleep_for(5ms);
  }
  bool ticking_ = false;
};

}  // namespace ssx::db::mysql

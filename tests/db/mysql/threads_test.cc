// Sessions that wander between loops: ThreadSanitizer reads this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/db/database.h"
#include "tests/db/mysql/mysql_fixture.h"

namespace ssx::db::mysql {
namespace {

class MysqlThreadsTest : public MysqlTest {
 protected:
  static constexpr int kQueries = 100;

  struct Outcome {
    int right = 0;
    int given_up = 0;
    std::string wrong;
  };

  /// Asks for numbers of its own, and gives every tenth answer up before it can come.
  static Task<> ask(Database& database, int loop, Outcome& outcome, bool& done) {
    for (int i = 0; i < kQueries; ++i) {
      const int number = loop * 1000 + i;
      const auto time = i % 10 == 9 ? milliseconds(2) : milliseconds(20'000);
      const char* const sql = i % 10 == 9 ? "SELECT ?, SLEEP(5)" : "SELECT ?, 'text'";
      const auto rows = co_await net::with_timeout(time, database.query(sql, number));
      if (!rows) {
        ++outcome.given_up;
      } else if (!*rows) {
        outcome.wrong = (*rows).error().message();
      } else if ((**rows)[0].get<int>(0) == number) {
        ++outcome.right;
      } else {
        outcome.wrong = "another's row";
      }
    }
    done = true;
  }
};

TEST_F(MysqlThreadsTest, LoopsShareAPool) {
  SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
  server_.emplace();
  ASSERT_TRUE(server_->start());
  const PoolOptions pool{.pool_max = 3, .acquire_timeout = milliseconds(20'000)};
  auto driver = MysqlDriver::create(options(), pool, nullptr);
  ASSERT_TRUE(driver);
  Outcome outcomes[4];
  {
    Database database(*std::move(driver), pool);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&database, &outcome = outcomes[i], i] {
        const auto loop = std::move(*net::EventLoop::create());
        bool done = false;
        net::spawn(*loop, ask(database, i, outcome, done), &net::log_failure);
        loop->run_until([&done] { return done; });
        loop->stop();  // ends what it has left: sessions that are being reset or killed
        loop->run();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.wrong, "");
    EXPECT_EQ(outcome.right, kQueries / 10 * 9);
    EXPECT_EQ(outcome.given_up, kQueries / 10);
  }
}

}  // namespace
}  // namespace ssx::db::mysql

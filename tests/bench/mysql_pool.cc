// A single-row select through the pool, from coroutines of one loop.
//
//   mysql_pool SOCKET USER PASSWORD DATABASE IN_FLIGHT QUERIES
//
// Prints queries per second, and microseconds of CPU per query of this process.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "ssxrver/db/database.h"
#include "ssxrver/db/mysql/mysql_driver.h"
#include "ssxrver/net/spawn.h"

namespace {

using ssx::Task;

[[noreturn]] void die(const std::string& what) {
  fmt::print(stderr, "mysql_pool: {}\n", what);
  std::exit(1);
}

Task<> ask(ssx::db::Database& database, long queries, int& running) {
  for (long i = 0; i < queries; ++i) {
    const int key = 1 + static_cast<int>(i % 1000);
    const auto rows =
        co_await database.query("SELECT id, name, score FROM bench WHERE id = ?", key);
    if (!rows) die(rows.error().message());
    const auto row = rows->only();
    if (!row || row->get<int>(0) != key) die("not the row that was asked for");
  }
  --running;
}

double seconds_of(std::clock_t ticks) { return static_cast<double>(ticks) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) die("SOCKET USER PASSWORD DATABASE IN_FLIGHT QUERIES");
  const int in_flight = std::atoi(argv[5]);
  const long each = std::atol(argv[6]) / in_flight;
  ssx::db::MysqlOptions options;
  options.unix_socket = argv[1];
  options.user = argv[2];
  options.password = argv[3];
  options.database = argv[4];
  ssx::db::PoolOptions pool;
  pool.pool_max = static_cast<std::size_t>(in_flight);
  auto driver = ssx::db::mysql::MysqlDriver::create(options, pool, nullptr);
  if (!driver) die(driver.error().message());
  const auto loop = std::move(*ssx::net::EventLoop::create());
  int running = in_flight;
  {
    ssx::db::Database database(*std::move(driver), pool);
    const auto began = std::chrono::steady_clock::now();
    const double worked = seconds_of(std::clock());
    for (int i = 0; i < in_flight; ++i) {
      ssx::net::spawn(*loop, ask(database, each, running), &ssx::net::log_failure);
    }
    loop->run_until([&running] { return running == 0; });
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    const double queries = static_cast<double>(each) * in_flight;
    fmt::print("{:.0f} {:.2f}\n", queries / passed.count(),
               (seconds_of(std::clock()) - worked) / queries * 1e6);
  }
}

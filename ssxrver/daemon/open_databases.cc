#include "ssxrver/daemon/open_databases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ssxrver/base/log.h"
#include "ssxrver/db/sqlite/sqlite_driver.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/spawn.h"
#ifdef SSX_HAVE_MYSQL
#include "ssxrver/db/mysql/mysql_driver.h"
#endif

namespace ssx {
namespace {

using Options = config::DatabaseOptions;

constexpr std::uint16_t kMysqlPort = 3306;

bool has_name_to_look_up(const Options& database) {
  return database.driver == Options::Driver::kMysql && database.server.unix_socket.empty() &&
         !net::SocketAddress::parse(database.server.address, kMysqlPort);
}

/// For messages: "127.0.0.1:3306", "/run/mysqld.sock", "var/notes.db".
std::string place_of(const Options& database) {
  const db::MysqlOptions& server = database.server;
  switch (database.driver) {
    case Options::Driver::kSqlite:
      return database.sqlite.file.empty() ? "in memory" : database.sqlite.file;
    case Options::Driver::kMysql:
      break;
  }
  if (!server.unix_socket.empty()) return server.unix_socket;
  const int port = server.port == 0 ? kMysqlPort : server.port;
  return server.address.find(':') == std::string::npos
             ? fmt::format("{}:{}", server.address, port)
             : fmt::format("[{}]:{}", server.address, port);
}

/// An attempt that fails is told by the pool.
Task<> say_that_it_is_there(std::string name, db::Database& database) {
  const auto reached = co_await database.check();
  if (reached) SSX_LOG_INFO("database \"{}\" is there", name);
}

/// How asking several servers at once has gone.
struct Round {
  std::size_t waiting = 0;
  std::vector<std::string> sentences;
};

Task<> reach(std::string name, std::string place, db::Database& database, net::EventLoop& loop,
             Round& round) {
  const auto reached = co_await database.check();
  if (!reached) {
    round.sentences.push_back(fmt::format(
        "database \"{}\" at {}: {}; with \"on_unavailable\": \"retry\" the start would not need it",
        name, place, reached.error().message()));
  }
  if (--round.waiting == 0) loop.stop();
}

db::Result<std::unique_ptr<db::Driver>> make_driver(const Options& database, net::TaskPool& tasks,
                                                    const net::Resolver* resolver) {
  switch (database.driver) {
    case Options::Driver::kSqlite: {
      auto driver = db::SqliteDriver::create(tasks, database.sqlite, database.pool);
      if (!driver) return db::fail(std::move(driver).error());
      return std::unique_ptr<db::Driver>(*std::move(driver));
    }
    case Options::Driver::kMysql:
      break;
  }
  return make_mysql_driver(database, resolver);
}

/// Those whose absence is an error, with one connection each.
DatabaseMap servers_that_must_be(const DatabaseMap& wanted) {
  DatabaseMap servers;
  for (const auto& [name, database] : wanted) {
    const bool must_be = database.pool.on_unavailable == db::OnUnavailable::kFail;
    if (!must_be || database.driver != Options::Driver::kMysql) continue;
    Options& server = servers.insert_or_assign(name, database).first->second;
    server.pool.pool_min = 0;
    server.pool.pool_max = 1;
  }
  return servers;
}

}  // namespace

db::Result<std::unique_ptr<db::Driver>> make_mysql_driver(const Options& options,
                                                          const net::Resolver* resolver) {
#ifdef SSX_HAVE_MYSQL
  return db::mysql::MysqlDriver::create(options.login(), options.pool, resolver);
#else
  static_cast<void>(options);
  static_cast<void>(resolver);
  return db::fail(db::Errc::kUnsupported, "mysql", 0, "MySQL and MariaDB are not in this build");
#endif
}

StartupResult<void> OpenDatabases::open(const DatabaseMap& wanted, net::TaskPool& tasks) {
  if (std::ranges::any_of(wanted,
                          [](const auto& one) { return has_name_to_look_up(one.second); })) {
    if (auto started = start_look_ups(); !started) return started;
  }
  for (const auto& [name, database] : wanted) {
    auto driver = make_driver(database, tasks, resolver_.get());
    if (!driver) {
      return fail_start(ExitCode::kUnavailable,
                        fmt::format("database \"{}\" at {}: {}", name, place_of(database),
                                    driver.error().message()));
    }
    databases_.add(name, *std::move(driver), database.pool);
  }
  return {};
}

StartupResult<void> OpenDatabases::start_look_ups() {
  auto started = net::TaskPool::start({.threads = 1});
  if (!started) {
    return fail_start(ExitCode::kSystem,
                      fmt::format("a thread for look-ups of names: {}", started.error().message()));
  }
  look_ups_ = *std::move(started);
  resolver_ = std::make_unique<net::Resolver>(*look_ups_);
  return {};
}

void OpenDatabases::watch(net::EventLoop& loop) {
  databases_.tend(loop);
  for (auto& [name, database] : databases_) {
    net::spawn(loop, say_that_it_is_there(name, database), &net::log_failure);
  }
}

StartupResult<void> reach_databases(const DatabaseMap& wanted) {
  const DatabaseMap servers = servers_that_must_be(wanted);
  if (servers.empty()) return {};
  auto made = net::EventLoop::create();
  if (!made) {
    return fail_start(ExitCode::kSystem, fmt::format("event loop: {}", made.error().message()));
  }
  const std::unique_ptr<net::EventLoop> loop = *std::move(made);
  const auto no_tasks = net::TaskPool::create({});
  OpenDatabases trial;
  if (auto opened = trial.open(servers, *no_tasks); !opened) return opened;
  Round round;
  round.waiting = servers.size();
  loop->run([&] {
    for (auto& [name, database] : trial.all()) {
      net::spawn(*loop, reach(name, place_of(servers.at(name)), database, *loop, round),
                 &net::log_failure);
    }
  });
  if (round.sentences.empty()) return {};
  return UnexpectedOf<StartupError>(
      StartupError(ExitCode::kUnavailable, std::move(round.sentences)));
}

}  // namespace ssx

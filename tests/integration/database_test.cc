// The daemon and a server of databases: there, away, and back again; and files of SQLite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/peer.h"
#include "tests/support/raw_client.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;
using test::ChildProcess;
using test::MariadbServer;
using testing::HasSubstr;
using testing::Not;

constexpr int kUnavailable = 69;
constexpr int kConfig = 78;

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class DaemonDatabase : public testing::Test {
 protected:
  ChildProcess run(const std::string& config, std::vector<std::string> arguments = {}) {
    const auto path = folder_.write("site.json", config);
    EXPECT_EQ(::chmod(path.c_str(), 0600), 0);
    std::vector<std::string> command{SSX_DAEMON, "-f", path, "-g", R"(listeners=[{"port": 0}])"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildProcess::Options options;
    options.directory = folder_.path();
    return ChildProcess::start(command, options);
  }
  static void expect_clean_end(ChildProcess& daemon) {
    daemon.signal(SIGTERM);
    EXPECT_TRUE(daemon.wait().clean()) << daemon.out() << daemon.err();
  }

  const test::TempDir folder_;
};

// ---- files

TEST_F(DaemonDatabase, AFileIsMadeAtTheStartAndNotByTheTest) {
  const std::string config = R"({"task_processes": 1, "databases": {
    "notes": {"driver": "sqlite", "file": "notes.db"}}})";
  auto checked = run(config, {"-t"});
  EXPECT_TRUE(checked.wait().clean()) << checked.err();
  EXPECT_FALSE(std::filesystem::exists(folder_.file("notes.db")));
  auto daemon = run(config);
  ASSERT_TRUE(daemon.wait_for_output("database \"notes\" is there")) << daemon.err();
  EXPECT_TRUE(std::filesystem::exists(folder_.file("notes.db")));
  expect_clean_end(daemon);
}

TEST_F(DaemonDatabase, AFileThatCannotBeIsToldByTheTestAndAtTheStart) {
  const std::string config = R"({"task_processes": 1, "databases": {
    "notes": {"driver": "sqlite", "file": "none/notes.db"}}})";
  for (const bool is_test : {true, false}) {
    auto daemon =
        run(config, is_test ? std::vector<std::string>{"-t"} : std::vector<std::string>());
    EXPECT_EQ(daemon.wait().code, kConfig);
    EXPECT_THAT(daemon.err(), HasSubstr("/databases/notes/file: no file can be made in"));
    EXPECT_EQ(lines_of(daemon.err()), 1U) << daemon.err();
  }
}

// ---- servers

class DaemonMysql : public DaemonDatabase {
 protected:
  void SetUp() override {
    SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
    ASSERT_TRUE(server_.start());
  }
  /// A file as the program of 2021 had it, started, with `more` among the keys of `mysql`.
  [[nodiscard]] std::string file_of_2021(const std::string& more = "",
                                         const std::string& password = "") const {
    return R"({
  "port": 4507,
  "address": "127.0.0.1",
  "worker_processes": 4,
  "worker_connections": -1,
  "task_processes": 0,
  "cpu_affinity": "off",
  "http": {"max_body_size": 67108864, "root_path": "./"},
  "log": {"level": "INFO", "ansync_started": "off", "flush_second": 3, "roll_size": 67108864,
          "path": "", "base_name": "ssxrver"},
  "mysql": {
    "mysql_started": "on",
    "address": "127.0.0.1",
    "user": ")" +
           std::string(MariadbServer::user()) +
           R"(",
    "password": ")" +
           (password.empty() ? server_.password() : password) + R"(",
    "database_name": ")" +
           MariadbServer::database() + R"(",
    "port": )" +
           std::to_string(server_.port()) +
           R"(,
    "unix_socket": null,
    "client_flag": 0)" +
           more +
           R"(
  },
  "blocks_ip": []
})";
  }
  [[nodiscard]] int connections() const {
    return std::stoi(
        server_.ask("SELECT COUNT(*) FROM information_schema.processlist WHERE id <> "
                    "CONNECTION_ID() AND user = 'tester'"));
  }
  template <class Condition>
  static bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  MariadbServer server_;
};

TEST_F(DaemonMysql, AFileOf2021ConnectsWhenItIsStarted) {
  auto daemon = run(file_of_2021());
  ASSERT_TRUE(daemon.wait_for_output("database \"mysql\" is there")) << daemon.out();
  EXPECT_EQ(connections(), 1);
  expect_clean_end(daemon);
  EXPECT_TRUE(eventually([this] { return connections() == 0; }));
  EXPECT_THAT(daemon.out(), Not(HasSubstr(server_.password())));
}

TEST_F(DaemonMysql, NothingConnectsWhenItIsNot) {
  auto daemon = run(file_of_2021(), {"-g", "mysql.mysql_started=off"});
  ASSERT_TRUE(daemon.wait_for_output("listening on")) << daemon.err();
  expect_clean_end(daemon);
  EXPECT_THAT(daemon.out(), Not(HasSubstr("database \"mysql\"")));
}

TEST_F(DaemonMysql, EveryNewKeyOfMysqlIsTaken) {
  const auto secret = folder_.write("password", server_.password() + "\n");
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  auto daemon = run(R"({"mysql": {"mysql_started": "on", "unix_socket": ")" + server_.socket() +
                    R"(", "user": "tester", "password_file": ")" + secret +
                    R"(", "charset": "utf8mb4", "pool_min": 2, "pool_max": 3,
    "acquire_timeout": "5s", "connect_timeout": "5s", "query_timeout": "5s", "idle_timeout": "1m",
    "max_lifetime": "1m", "statement_cache": 8, "tls": "off", "tables": [],
    "on_unavailable": "fail", "client_flag": 65538}})");
  ASSERT_TRUE(daemon.wait_for_output("database \"mysql\" is there")) << daemon.out();
  EXPECT_TRUE(eventually([this] { return connections() == 2; }));
  EXPECT_THAT(daemon.out(), HasSubstr("never switched on: CLIENT_MULTI_STATEMENTS"));
  expect_clean_end(daemon);
}

TEST_F(DaemonMysql, AServerThatMustBeAndIsNotEndsTheStart) {
  server_.kill();
  const std::string config = file_of_2021(R"(, "on_unavailable": "fail")");
  for (const bool is_daemon : {false, true}) {  // also before it leaves the terminal
    auto daemon =
        run(config, is_daemon ? std::vector<std::string>{"-d"} : std::vector<std::string>());
    EXPECT_EQ(daemon.wait().code, kUnavailable);
    EXPECT_THAT(daemon.err(), HasSubstr("ssxrver: database \"mysql\" at 127.0.0.1:" +
                                        std::to_string(server_.port()) + ": connect: "));
    EXPECT_EQ(lines_of(daemon.err()), 1U) << daemon.err();
    EXPECT_THAT(daemon.out(), Not(HasSubstr("listening")));
  }
  auto checked = run(config, {"-t"});  // which asks nobody
  EXPECT_TRUE(checked.wait().clean()) << checked.err();
}

TEST_F(DaemonMysql, AWrongPasswordIsToldWithoutIt) {
  auto daemon = run(file_of_2021(R"(, "on_unavailable": "fail")", "not-this-one"));
  EXPECT_EQ(daemon.wait().code, kUnavailable);
  EXPECT_THAT(daemon.err(), HasSubstr("1045"));
  EXPECT_THAT(daemon.err(), Not(HasSubstr("not-this-one")));
}

TEST_F(DaemonMysql, AServerThatNeedNotBeIsWarnedAboutAndFoundLater) {
  server_.kill();
  auto daemon = run(file_of_2021(R"(, "pool_min": 1, "acquire_timeout": "100ms")"));
  ASSERT_TRUE(daemon.wait_for_output("listening on")) << daemon.err();
  ASSERT_TRUE(daemon.wait_for_output("database \"mysql\" cannot be had: connect: "));
  ASSERT_TRUE(server_.start());
  EXPECT_TRUE(eventually([this] { return connections() == 1; }));
  server_.kill();
  ASSERT_TRUE(server_.start());
  expect_clean_end(daemon);
}

TEST_F(DaemonMysql, ItEndsThoughTheServerSaysNothing) {
  auto daemon = run(file_of_2021(R"(, "pool_min": 2)"));
  ASSERT_TRUE(eventually([this] { return connections() == 2; }));
  server_.freeze();
  expect_clean_end(daemon);
  server_.thaw();
  EXPECT_TRUE(eventually([this] { return connections() == 0; }));
}

TEST_F(DaemonMysql, ANameIsLookedUp) {
  auto daemon = run(file_of_2021(), {"-g", "mysql.address=localhost"});
  ASSERT_TRUE(daemon.wait_for_output("database \"mysql\" is there")) << daemon.out();
  expect_clean_end(daemon);
}

}  // namespace
}  // namespace ssx

#include "tests/support/mariadb_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "tests/support/peer.h"

namespace ssx::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServer = "mariadbd";
constexpr const char* kInstaller = "mariadb-install-db";
constexpr const char* kClient = "mariadb";
constexpr auto kPatience = std::chrono::seconds(60);  // a machine may be busy

/// A server's place is often /usr/sbin, which not everybody has in PATH.
std::string program(const char* name) {
  std::string found = find_program(name);
  const std::string elsewhere = std::string("/usr/sbin/") + name;
  if (found.empty() && ::access(elsewhere.c_str(), X_OK) == 0) found = elsewhere;
  return found;
}

std::string user_argument() {  // root is refused unless it is named
  return ::geteuid() == 0 ? "--user=root" : "--skip-name-resolve";
}

std::string random_word() {
  std::random_device random;
  std::string word;
  for (int i = 0; i < 24; ++i) word += static_cast<char>('a' + random() % 26);
  return word;
}

/// Every thread of it has heard the signal.
bool is_stopped(pid_t pid) {
  for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream file(thread.path() / "stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos || stat.compare(name_end, 4, ") T ") != 0) return false;
  }
  return true;
}

/// The system tables, made under a lock by the first who needs them, under another name until
/// they are whole.
bool make_template(const fs::path& path) {
  const std::string lock_name = path.string() + ".lock";
  const int lock = ::open(lock_name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX) != 0) return false;
  bool made = fs::exists(path);
  if (!made) {
    const fs::path unfinished = path.string() + ".unfinished";
    fs::remove_all(unfinished);
    ChildProcess::Options options;
    options.patience = kPatience;
    auto installer = ChildProcess::start(
        {program(kInstaller), "--no-defaults", "--datadir=" + unfinished.string(),
         "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
         "--innodb-log-file-size=4M", user_argument()},
        options);
    made = installer.wait().clean();
    EXPECT_TRUE(made) << installer.out() << installer.err();
    if (made) {
      fs::remove(unfinished / "ibtmp1");  // made anew at every start, and by far the largest
      fs::rename(unfinished, path);
    }
  }
  ::close(lock);
  return made;
}

}  // namespace

bool MariadbServer::installed() {
  return !program(kServer).empty() && !program(kInstaller).empty() && !program(kClient).empty();
}

MariadbServer::MariadbServer(std::vector<std::string> arguments)
    : arguments_(std::move(arguments)), socket_(folder_.file("socket")), password_(random_word()) {}

bool MariadbServer::launch() {
  std::vector<std::string> command{
      program(kServer),
      "--no-defaults",
      "--datadir=" + folder_.file("data"),
      "--tmpdir=" + folder_.path(),  // who starts removes the temporary tables of all others there
      "--socket=" + socket_,
      "--pid-file=" + folder_.file("pid"),
      "--init-file=" + folder_.file("init.sql"),
      "--bind-address=127.0.0.1",
      "--port=" + std::to_string(port_.number()),
      "--innodb-buffer-pool-size=8M",
      "--innodb-log-file-size=4M",
      "--innodb-flush-log-at-trx-commit=0",
      "--innodb-doublewrite=0",
      "--innodb-use-native-aio=0",
      "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
      "--aria-pagecache-buffer-size=1M",
      "--key-buffer-size=64K",
      "--performance-schema=OFF",
      "--skip-log-bin",
      "--skip-name-resolve",
      user_argument(),
  };
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  ChildProcess::Options options;
  options.patience = kPatience;
  process_.emplace(ChildProcess::start(command, options));
  return process_->wait_for_output("ready for connections");
}

bool MariadbServer::start() {
  if (!fs::exists(folder_.file("data"))) {
    const fs::path made = SSX_MARIADB_TEMPLATE;
    if (!make_template(made)) return false;
    fs::copy(made, folder_.file("data"), fs::copy_options::recursive);
    const std::string everywhere = std::string("'") + user() + "'@'%'";
    folder_.write("init.sql", std::string("CREATE DATABASE IF NOT EXISTS ") + database() +
                                  ";\nCREATE OR REPLACE USER " + everywhere + " IDENTIFIED BY '" +
                                  password_ + "';\nGRANT ALL ON *.* TO " + everywhere + ";\n");
  }
  if (launch()) return true;
  ADD_FAILURE() << "the server does not start: " << process_->err();
  process_.reset();
  return false;
}

void MariadbServer::kill() {
  ASSERT_TRUE(process_);
  process_.reset();  // kills and reaps
}

void MariadbServer::freeze() const {
  process_->signal(SIGSTOP);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!is_stopped(process_->pid())) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}
void MariadbServer::thaw() const { process_->signal(SIGCONT); }

std::string MariadbServer::ask(std::string_view sql) const {
  ChildProcess::Options options;
  options.patience = kPatience;
  options.environment = {{"MYSQL_PWD", password_}};
  auto client = ChildProcess::start(
      {program(kClient), "--no-defaults", "--batch", "--skip-column-names",
       "--default-character-set=utf8mb4", "--socket=" + socket_, std::string("--user=") + user(),
       std::string("--database=") + database(), "--execute=" + std::string(sql)},
      options);
  const bool clean = client.wait().clean();
  EXPECT_TRUE(clean) << sql << ": " << client.err() << "\nthe server says: " << process_->err();
  return clean ? client.out() : "";
}

}  // namespace ssx::test

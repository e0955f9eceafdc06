// A MariaDB server of the test's own: its data in a directory of its own, a socket there, a port of
// the loopback, a user and a password that nobody else has.
//
//   SSX_NEEDS_PEER(MariadbServer::installed(), "mariadb-server");
//   MariadbServer server;
//   ASSERT_TRUE(server.start());
//   EXPECT_EQ(server.ask("SELECT 1"), "1\n");
//
// Thread: one thread at a time
// Owner:  the test
// Life:   the server is killed with the object; the data that every server starts from is made once
//         per build folder (SSX_MARIADB_TEMPLATE), by whichever test comes first
// Bounds: every wait has a deadline; about 60 MB of memory and 25 MB of disk
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_dir.h"

namespace ssx::test {

class MariadbServer {
 public:
  /// Server and tools are there.
  static bool installed();

  /// `arguments` go to the server as they are ("--wait-timeout=1").
  explicit MariadbServer(std::vector<std::string> arguments = {});
  MariadbServer(const MariadbServer&) = delete;
  MariadbServer& operator=(const MariadbServer&) = delete;

  /// Returns when it takes connections; false, and a failed check, when it does not. After kill():
  /// the same data, socket and port again.
  [[nodiscard]] bool start();
  /// As the power fails: no word to any client.
  void kill();
  /// SIGSTOP and SIGCONT: a server that is there and says nothing, from when freeze() returns.
  void freeze() const;
  void thaw() const;

  /// Runs SQL with the server's own client and returns what that prints: rows in lines, columns
  /// between tabs. What fails is a failed check, and "".
  std::string ask(std::string_view sql) const;

  [[nodiscard]] const std::string& socket() const noexcept { return socket_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
  [[nodiscard]] static const char* user() noexcept { return "tester"; }
  [[nodiscard]] const std::string& password() const noexcept { return password_; }
  /// Empty at first.
  [[nodiscard]] static const char* database() noexcept { return "ssxrver_test"; }
  [[nodiscard]] pid_t pid() const noexcept { return process_ ? process_->pid() : -1; }

 private:
  bool launch();

  const std::vector<std::string> arguments_;
  const TempDir folder_;
  const std::string socket_;
  const std::string password_;
  const ReservedPort port_;
  std::optional<ChildProcess> process_;
};

}  // namespace ssx::test

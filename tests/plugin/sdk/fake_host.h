// A host in memory: what a plugin does is written down, what it waits for ends when the test says.
//
// One at a time: the tables of the border have no word for whose they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/sdk/tables.h"

namespace ssx::plugin {

/// What a plugin has answered.
struct FakeAnswer {
  int status = 0;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  int body_kind = SSXRVER_BODY_NONE;
  std::uint64_t stream_length = 0;
  bool close = false;
  std::string failure;  ///< of fail()
};

class FakeHost {
 public:
  FakeHost();
  ~FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  [[nodiscard]] const ssxrver_host& host() const noexcept { return host_; }
  [[nodiscard]] ssxrver_context* context() noexcept {
    return reinterpret_cast<ssxrver_context*>(this);
  }
  [[nodiscard]] const ssxrver_request* request() const noexcept {
    return reinterpret_cast<const ssxrver_request*>(this);
  }
  [[nodiscard]] ssxrver_exchange* exchange() noexcept {
    return reinterpret_cast<ssxrver_exchange*>(this);
  }
  [[nodiscard]] ssxrver_writer* writer() noexcept {
    return reinterpret_cast<ssxrver_writer*>(this);
  }
  [[nodiscard]] ssxrver_socket* socket() noexcept {
    return reinterpret_cast<ssxrver_socket*>(this);
  }
  [[nodiscard]] ssxrver_upgrade* upgrade() noexcept {
    return reinterpret_cast<ssxrver_upgrade*>(this);
  }

  // ---- what a request has
  std::string method = "GET", target = "/a?b=c", path = "/a", query = "b=c", route = "GET /a";
  std::map<std::string, std::string> headers, params, cookies, attributes;
  std::string body;
  bool is_spooled = false;
  std::vector<std::string> pieces;  ///< of read(); the empty one waits for end_waits()

  // ---- what the plugin did
  FakeAnswer answer;
  int answers = 0;
  std::string written;  ///< by streams and sockets
  bool write_waits = false;
  std::optional<int> stream_end;
  std::map<std::string, std::string> config;  ///< pointer -> JSON text
  std::vector<std::string> log;
  std::map<std::string, std::uint64_t> counters;
  std::string metrics = "a 1\nb 2\n";  ///< given in two pieces
  std::string refuses_route;           ///< the sentence, when routes are refused
  bool refuses_timers = false;
  struct Route {
    std::string methods, pattern, host;
    ssxrver_handler handler;
    std::uint64_t body_max;
    std::int64_t handler_timeout_ns;
  };
  std::vector<Route> routes;
  std::vector<std::pair<std::string, ssxrver_socket_handler>> socket_routes;
  std::string socket_options;
  void* accepted = nullptr;
  std::vector<std::pair<std::string, std::string>> upgrade_fields;
  std::vector<std::string> socket_calls;  ///< "subscribe a", "publish a: text"
  std::vector<std::string> sent;
  std::optional<std::pair<int, std::string>> message_end;

  // ---- what it waits for, in the order in which it began
  [[nodiscard]] std::size_t waits() const noexcept { return waits_.size(); }
  [[nodiscard]] int cancelled() const noexcept { return cancelled_; }
  /// Lets go of the body that streams, as a client that goes away makes a host do.
  void end_stream() { std::exchange(end_stream_, nullptr)(); }
  /// Runs the work of tasks, then tells the oldest.
  void end_wait(std::int32_t status = SSXRVER_OK, std::ptrdiff_t index = 0);
  /// The one behind it.
  void end_second_wait() { end_wait(SSXRVER_OK, 1); }
  std::vector<std::int64_t> delays;

  struct Timer {
    void (*fire)(void*);
    void (*release)(void*);
    void* state;
  };
  std::vector<std::unique_ptr<Timer>> timers;

  // ---- a database of one table
  struct Statement {
    std::string database, sql;
    std::vector<std::string> values;
    bool in_transaction = false;
  };
  std::vector<Statement> statements;
  std::vector<std::string> columns;
  std::vector<std::vector<ssxrver_value>> cells;
  std::string db_error;
  std::int32_t db_error_code = 0;
  int live_rows = 0, live_transactions = 0, live_streams = 0, commits = 0;

 private:
  friend struct FakeTables;
  struct Wait {
    ssxrver_waiter waiter;
    std::function<void()> before;
  };
  ssxrver_wait* begin(ssxrver_waiter waiter, std::function<void()> before = {});

  ssxrver_host host_{};
  internal::Tables before_{};
  std::vector<std::unique_ptr<Wait>> waits_;
  int cancelled_ = 0;
  std::function<void()> end_stream_;  ///< what is left of a body that streams
};

}  // namespace ssx::plugin

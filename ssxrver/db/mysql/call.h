// One call of the client library that does not block: co_await makes it, and waits on the loop as
// long as the library wants to read or write.
//
//   const int status = co_await execute_call(session, statement);
//
// The library runs such a call on a stack of its own and comes back when the socket is not ready
// (MYSQL_OPT_NONBLOCK, the _start and _cont functions).
//
// Thread: co_await on a loop
// Owner:  the awaiting frame
// Life:   destroying the frame cuts the connection, so that what the library wants next fails, and
//         resumes it until it has left its stack: a few steps, none of which waits. Whatever is
//         left then is freed with the session unseen. The session is broken and interrupted
// Bounds: the descriptor is registered with the loop only while the call waits
#pragma once

#include <mysql.h>

#include <coroutine>
#include <cstdint>
#include <string_view>

#include "ssxrver/db/mysql/session.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/loop_continuation.h"

namespace ssx::db::mysql {

class Call final : private net::Channel, private net::LoopContinuation {
 public:
  /// What a call needs beside the session. All of it outlives the call.
  struct Arguments {
    MYSQL_STMT* statement = nullptr;
    std::string_view text = {};
    const MysqlOptions* options = nullptr;
    const char* host = nullptr;
    std::uint16_t port = 0;
  };
  /// Both return what the library waits for (MYSQL_WAIT_...), or 0 when result() stands.
  struct Steps {
    int (*start)(Call& call);
    int (*go_on)(Call& call, int ready);
  };

  Call(Session& session, const Steps& steps, const Arguments& given) noexcept
      : Channel(-1), arguments(given), session_(session), steps_(steps) {}
  ~Call();

  bool await_ready() {
    waits_for_ = steps_.start(*this);
    return waits_for_ == 0;
  }
  bool await_suspend(std::coroutine_handle<> handle);
  /// As the blocking function returns it: 0 is success.
  int await_resume() const noexcept { return result(); }

  // For the steps.
  [[nodiscard]] MYSQL* mysql() noexcept { return session_.handle(); }
  const Arguments arguments;
  int number = 0;
  my_bool flag = 0;
  MYSQL* connected = nullptr;

 private:
  void on_ready(net::Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "mysql"; }
  /// Registers the descriptor for what the library waits for; false when the loop cannot.
  bool arm();
  void give_up() noexcept;
  [[nodiscard]] int result() const noexcept { return number != 0 ? number : flag; }

  Session& session_;
  const Steps& steps_;
  net::EventLoop* loop_ = nullptr;  ///< set while it waits
  int waits_for_ = 0;
};

/// `host`: an IP address, or null for the unix socket. -1: it failed.
[[nodiscard]] Call connect_call(Session& session, const MysqlOptions& options, const char* host,
                                std::uint16_t port);
/// One statement as text, without parameters.
[[nodiscard]] Call query_call(Session& session, std::string_view sql);
[[nodiscard]] Call ping_call(Session& session);
/// COM_RESET_CONNECTION: the server forgets prepared statements, too.
[[nodiscard]] Call reset_call(Session& session);

[[nodiscard]] Call prepare_call(Session& session, MYSQL_STMT* statement, std::string_view sql);
[[nodiscard]] Call execute_call(Session& session, MYSQL_STMT* statement);
/// 0, 1, MYSQL_NO_DATA or MYSQL_DATA_TRUNCATED.
[[nodiscard]] Call fetch_call(Session& session, MYSQL_STMT* statement);
/// -1: there is none; above 0: it failed.
[[nodiscard]] Call next_result_call(Session& session, MYSQL_STMT* statement);
/// Reads, and drops, what is left of the result.
[[nodiscard]] Call free_result_call(Session& session, MYSQL_STMT* statement);
/// The handle is gone afterwards, in any case.
[[nodiscard]] Call close_call(Session& session, MYSQL_STMT* statement);

}  // namespace ssx::db::mysql

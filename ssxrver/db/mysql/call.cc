#include "ssxrver/db/mysql/call.h"

#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/db/mysql/client_library.h"

namespace ssx::db::mysql {
namespace {

// A call whose connection is cut fails at its next read or write, and what it does then, it does
// in a few steps.
constexpr int kStepsToGiveUp = 64;

net::Readiness interest_for(int waits_for) noexcept {
  net::Readiness interest = net::kNothing;
  if ((waits_for & MYSQL_WAIT_READ) != 0) interest |= net::kReadable;
  if ((waits_for & MYSQL_WAIT_WRITE) != 0) interest |= net::kWritable;
  return interest;
}

/// An end is found by reading or writing, whichever the library wanted.
int events_of(net::Readiness ready, int waits_for) noexcept {
  if ((ready & net::kHangup) != 0) return waits_for & (MYSQL_WAIT_READ | MYSQL_WAIT_WRITE);
  int events = 0;
  if ((ready & net::kReadable) != 0) events |= MYSQL_WAIT_READ;
  if ((ready & net::kWritable) != 0) events |= MYSQL_WAIT_WRITE;
  return events;
}

const char* text_or_null(const std::string& text) noexcept {
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace

Call::~Call() {
  if (loop_ != nullptr) {
    loop_->assert_in_loop_thread();
    loop_->remove(*this);
    loop_ = nullptr;
  }
  if (waits_for_ != 0) give_up();
}

bool Call::await_suspend(std::coroutine_handle<> handle) {
  loop_ = net::EventLoop::current();
  SSX_ASSERT(loop_ != nullptr);
  set_handle(handle);
  if (arm()) return true;
  give_up();
  return false;
}

bool Call::arm() {
  set_fd(client().mysql_get_socket(mysql()));
  const bool armed = loop_->add(*this, interest_for(waits_for_)).has_value();
  if (!armed) loop_ = nullptr;
  return armed;
}

void Call::on_ready(net::Readiness ready) {
  // Out of the loop before the library may close the descriptor.
  loop_->remove(*this);
  waits_for_ = steps_.go_on(*this, events_of(ready, waits_for_));
  if (waits_for_ != 0) {
    if (arm()) return;
    give_up();
  }
  loop_ = nullptr;
  run();
}

void Call::give_up() noexcept {
  session_.set_interrupted();
  session_.cut();
  for (int step = 0; step < kStepsToGiveUp && waits_for_ != 0; ++step) {
    waits_for_ = steps_.go_on(*this, MYSQL_WAIT_TIMEOUT);
  }
  // Else its stack is freed with the session, and what stands on it is lost.
  waits_for_ = 0;
  if (result() == 0) number = 1;
}

Call connect_call(Session& session, const MysqlOptions& options, const char* host,
                  std::uint16_t port) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        const auto& [statement, text, given, address, number] = call.arguments;
        const int waits_for = client().mysql_real_connect_start(
            &call.connected, call.mysql(), address, given->user.c_str(), given->password.c_str(),
            text_or_null(given->database), number, text_or_null(given->unix_socket),
            given->client_flag);
        call.number = call.connected == nullptr ? -1 : 0;
        return waits_for;
      },
      [](Call& call, int ready) {
        const int waits_for =
            client().mysql_real_connect_cont(&call.connected, call.mysql(), ready);
        call.number = call.connected == nullptr ? -1 : 0;
        return waits_for;
      }};
  return {session, kSteps, {.options = &options, .host = host, .port = port}};
}

Call query_call(Session& session, std::string_view sql) {
  static constexpr Call::Steps kSteps{[](Call& call) {
                                        const std::string_view text = call.arguments.text;
                                        return client().mysql_real_query_start(
                                            &call.number, call.mysql(), text.data(), text.size());
                                      },
                                      [](Call& call, int ready) {
                                        return client().mysql_real_query_cont(&call.number,
                                                                              call.mysql(), ready);
                                      }};
  return {session, kSteps, {.text = sql}};
}

Call ping_call(Session& session) {
  static constexpr Call::Steps kSteps{
      [](Call& call) { return client().mysql_ping_start(&call.number, call.mysql()); },
      [](Call& call, int ready) {
        return client().mysql_ping_cont(&call.number, call.mysql(), ready);
      }};
  return {session, kSteps, {}};
}

Call reset_call(Session& session) {
  static constexpr Call::Steps kSteps{
      [](Call& call) { return client().mysql_reset_connection_start(&call.number, call.mysql()); },
      [](Call& call, int ready) {
        return client().mysql_reset_connection_cont(&call.number, call.mysql(), ready);
      }};
  return {session, kSteps, {}};
}

Call prepare_call(Session& session, MYSQL_STMT* statement, std::string_view sql) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        const std::string_view text = call.arguments.text;
        return client().mysql_stmt_prepare_start(&call.number, call.arguments.statement,
                                                 text.data(), text.size());
      },
      [](Call& call, int ready) {
        return client().mysql_stmt_prepare_cont(&call.number, call.arguments.statement, ready);
      }};
  return {session, kSteps, {.statement = statement, .text = sql}};
}

Call execute_call(Session& session, MYSQL_STMT* statement) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        return client().mysql_stmt_execute_start(&call.number, call.arguments.statement);
      },
      [](Call& call, int ready) {
        return client().mysql_stmt_execute_cont(&call.number, call.arguments.statement, ready);
      }};
  return {session, kSteps, {.statement = statement}};
}

Call fetch_call(Session& session, MYSQL_STMT* statement) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        return client().mysql_stmt_fetch_start(&call.number, call.arguments.statement);
      },
      [](Call& call, int ready) {
        return client().mysql_stmt_fetch_cont(&call.number, call.arguments.statement, ready);
      }};
  return {session, kSteps, {.statement = statement}};
}

Call next_result_call(Session& session, MYSQL_STMT* statement) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        return client().mysql_stmt_next_result_start(&call.number, call.arguments.statement);
      },
      [](Call& call, int ready) {
        return client().mysql_stmt_next_result_cont(&call.number, call.arguments.statement, ready);
      }};
  return {session, kSteps, {.statement = statement}};
}

Call free_result_call(Session& session, MYSQL_STMT* statement) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        return client().mysql_stmt_free_result_start(&call.flag, call.arguments.statement);
      },
      [](Call& call, int ready) {
        return client().mysql_stmt_free_result_cont(&call.flag, call.arguments.statement, ready);
      }};
  return {session, kSteps, {.statement = statement}};
}

Call close_call(Session& session, MYSQL_STMT* statement) {
  static constexpr Call::Steps kSteps{
      [](Call& call) {
        return client().mysql_stmt_close_start(&call.flag, call.arguments.statement);
      },
      [](Call& call, int ready) {
        return client().mysql_stmt_close_cont(&call.flag, call.arguments.statement, ready);
      }};
  return {session, kSteps, {.statement = statement}};
}

}  // namespace ssx::db::mysql

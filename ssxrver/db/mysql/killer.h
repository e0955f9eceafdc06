// Ends, at the server, the statements that nobody waits for any more: KILL QUERY, on a session made
// for it. A server that works on a statement does not notice that its client has gone.
//
// Thread: any loop; the killing itself runs on the loop that asked first
// Owner:  a MysqlDriver and the Task that kills, together: either may be the last
// Life:   that of the last of them. A Task whose loop ends before leaves the rest undone
// Bounds: one session at a time, and connect_timeout for all that it kills; kWaitingMax statements,
//         beyond which the oldest are left alone
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>

#include "ssxrver/base/mutex.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/db/mysql/login.h"

namespace ssx::db::mysql {

class Killer {
 public:
  static constexpr std::size_t kWaitingMax = 1024;

  explicit Killer(Login login) : login_(std::move(login)) {}
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

  /// On a loop; without one nothing happens.
  static void kill(const std::shared_ptr<Killer>& self, unsigned long thread_id);

 private:
  class Shift;

  static Task<> work(Shift shift);
  /// Logs in and kills one after the other until none is left.
  Task<Result<void>> kill_all(Shift& shift);
  /// 0: none is left, and the shift is over: the next one that comes begins another.
  unsigned long next(Shift& shift);
  /// The rest is left alone, and whoever comes next begins anew. How many that were.
  std::size_t give_up();

  const Login login_;

  Mutex mutex_;
  std::deque<unsigned long> waiting_ SSX_GUARDED_BY(mutex_);
  bool working_ SSX_GUARDED_BY(mutex_) = false;  ///< there is a Shift
};

}  // namespace ssx::db::mysql

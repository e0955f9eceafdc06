#include "ssxrver/db/mysql/killer.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/base/scope_exit.h"
#include "ssxrver/db/mysql/call.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/timeout.h"

namespace ssx::db::mysql {

void Killer::kill(const std::shared_ptr<Killer>& self, unsigned long thread_id) {
  net::EventLoop* const loop = net::EventLoop::current();
  if (loop == nullptr || thread_id == 0) return;
  {
    const MutexLock lock(self->mutex_);
    if (self->waiting_.size() == kWaitingMax) self->waiting_.pop_front();
    self->waiting_.push_back(thread_id);
    if (self->working_) return;
    self->working_ = true;
  }
  net::spawn(*loop, work(self), &net::log_failure);
}

unsigned long Killer::next() {
  const MutexLock lock(mutex_);
  if (waiting_.empty()) {
    working_ = false;
    return 0;
  }
  const unsigned long thread_id = waiting_.front();
  waiting_.pop_front();
  return thread_id;
}

std::size_t Killer::give_up() {
  const MutexLock lock(mutex_);
  working_ = false;
  return std::exchange(waiting_, {}).size();
}

Task<> Killer::work(std::shared_ptr<Killer> self) {
  ScopeExit ended_early([&self] { self->give_up(); });  // the loop has ended, and with it this
  const auto done = co_await net::with_timeout(self->login_.connect_timeout(), self->kill_all());
  ended_early.release();
  if (done && *done) co_return;
  const std::size_t left = self->give_up();
  SSX_LOG_WARN("mysql: {} statements that nobody waits for go on at the server: {}", left + 1,
               done ? done->error().message() : done.error().message());
}

Task<Result<void>> Killer::kill_all() {
  auto session = co_await login_.connect();
  if (!session) co_return fail(session.error());
  while (const unsigned long thread_id = next()) {
    const std::string sql = fmt::format("KILL QUERY {}", thread_id);
    if (co_await query_call(**session, sql) == 0) continue;
    // Most often it is there no more.
    Failure failure = (*session)->failure("kill");
    if ((*session)->broken()) co_return fail(std::move(failure));
  }
  co_return Result<void>();
}

}  // namespace ssx::db::mysql

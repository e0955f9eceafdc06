#include "ssxrver/db/mysql/killer.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ssxrver/base/log.h"
#include "ssxrver/db/mysql/call.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/timeout.h"

namespace ssx::db::mysql {

/// The right to kill, of one at a time. However its holder ends, also before it has begun (its loop
/// had ended, or there was no memory), the next one can begin.
class Killer::Shift {
 public:
  explicit Shift(std::shared_ptr<Killer> killer) noexcept : killer_(std::move(killer)) {}
  Shift(Shift&&) noexcept = default;
  Shift& operator=(Shift&&) = delete;
  ~Shift() { static_cast<void>(give_up()); }

  [[nodiscard]] Killer& killer() const noexcept { return *killer_; }
  void end() noexcept { over_ = true; }
  std::size_t give_up() {
    if (killer_ == nullptr || std::exchange(over_, true)) return 0;
    return killer_->give_up();
  }

 private:
  std::shared_ptr<Killer> killer_;
  bool over_ = false;
};

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
  net::spawn(*loop, work(Shift(self)), &net::log_failure);
}

unsigned long Killer::next(Shift& shift) {
  const MutexLock lock(mutex_);
  if (waiting_.empty()) {
    working_ = false;
    shift.end();
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

Task<> Killer::work(Shift shift) {
  Killer& killer = shift.killer();
  const milliseconds time = killer.login_.connect_timeout();
  const auto done = co_await net::with_timeout(time, killer.kill_all(shift));
  if (done && *done) co_return;
  const std::size_t left = shift.give_up();
  SSX_LOG_WARN("mysql: {} statements that nobody waits for go on at the server: {}", left + 1,
               done ? done->error().message() : done.error().message());
}

Task<Result<void>> Killer::kill_all(Shift& shift) {
  auto session = co_await login_.connect();
  if (!session) co_return fail(session.error());
  while (const unsigned long thread_id = next(shift)) {
    const std::string sql = fmt::format("KILL QUERY {}", thread_id);
    if (co_await query_call(**session, sql) == 0) continue;
    // Most often it is there no more.
    Failure failure = (*session)->failure("kill");
    if ((*session)->broken()) co_return fail(std::move(failure));
  }
  co_return Result<void>();
}

}  // namespace ssx::db::mysql

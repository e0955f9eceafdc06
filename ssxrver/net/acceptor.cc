#include "ssxrver/net/acceptor.h"

#include <cerrno>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/linux/tcp_transport.h"
#include "ssxrver/sys/process.h"

namespace ssx::net {
namespace {

enum class Trouble { kNone, kTryNext, kRest };

// accept(2): an error of the connection that was next is gone with it. Every other one would be
// there again at once: out of descriptors or memory, forbidden by a policy (which leaves the
// connection in the queue), or a listener that is broken.
Trouble classify(const Error& error) noexcept {
  if (error.is_errno(EAGAIN)) return Trouble::kNone;
  for (const int of_peer : {ECONNABORTED, EPROTO, EINTR, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
                            EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH}) {
    if (error.is_errno(of_peer)) return Trouble::kTryNext;
  }
  return Trouble::kRest;
}

}  // namespace

Acceptor::Acceptor(EventLoop& loop, Listener& listener, const Options& options,
                   Admission& admission, AcceptCounters& counters, Hooks hooks)
    : Channel(listener.fd()),
      loop_(loop),
      listener_(listener),
      options_(options),
      interest_(static_cast<Readiness>(options.exclusive ? kReadable | kExclusive : kReadable)),
      admission_(admission),
      counters_(counters),
      hooks_(std::move(hooks)) {
  SSX_ASSERT(options.batch > 0);
}

Acceptor::~Acceptor() {
  loop_.assert_in_loop_thread();
  loop_.cancel(rest_timer_);
  loop_.remove(*this);
}

Result<void> Acceptor::start() { return loop_.add(*this, interest_); }

void Acceptor::stop() {
  loop_.assert_in_loop_thread();
  is_stopping_ = true;
  std::size_t taken = 0;
  while (is_registered() && taken < kBacklogMax) {
    const std::size_t batch = accept_batch();
    taken += batch;
    if (batch < options_.batch) break;
  }
  loop_.cancel(rest_timer_);
  loop_.remove(*this);
  if (!waiting_) return;
  counters_.rejected.add();
  turn_away(*std::exchange(waiting_, std::nullopt));
}

void Acceptor::on_ready(Readiness) {
  if (options_.yields) sys::yield_thread();
  accept_batch();
}

// How many connections left the backlog. The system makes a socket before it looks whether anybody
// waits, so an accept that finds nobody costs as much as one that does: it is asked before.
std::size_t Acceptor::accept_batch() {
  std::size_t taken = 0;
  do {
    const Outcome outcome = accept_one();
    if (outcome == Outcome::kRest) rest();
    if (outcome == Outcome::kRest || outcome == Outcome::kEmpty) break;
    ++taken;
  } while (taken < options_.batch && listener_.somebody_waits());
  if (taken == options_.batch) counters_.accept_batch_hit.add();
  if (taken > 0) hooks_.batch_done();
  return taken;
}

Acceptor::Outcome Acceptor::accept_one() {
  if (options_.memory != nullptr && options_.memory->level() == OverloadLevel::kStop) {
    counters_.limit_memory_hit.add();
    return Outcome::kRest;
  }
  if (pauses() && hooks_.is_full()) {
    counters_.limit_connections_hit.add();
    return Outcome::kRest;
  }
  if (waiting_) return admit(*std::exchange(waiting_, std::nullopt));
  auto accepted = listener_.accept();
  if (!accepted) return note_trouble(accepted.error());
  counters_.accepted.add();
  if (is_stopping_) accepted->has_spoken = false;  // a whole backlog is not answered in one turn
  const auto verdict = admission_.judge_peer(accepted->peer, options_.proxy, loop_.now());
  accepted->is_counted = verdict == Admission::Verdict::kWelcomeCounted;
  if (is_welcome(verdict)) return admit(*std::move(accepted));
  note_refusal(counters_, verdict, accepted->peer);
  turn_away(*std::move(accepted));
  return Outcome::kRefused;
}

// With RST: no TIME_WAIT stays behind for a peer that gets nothing.
void Acceptor::turn_away(Accepted accepted) {
  if (accepted.is_counted) admission_.leave(accepted.peer);
  if (accepted.transport != nullptr) accepted.transport->close(true);
  close_socket(accepted.fd, true);
}

Acceptor::Outcome Acceptor::admit(Accepted accepted) {
  if (hooks_.reserve()) {
    hooks_.take(std::move(accepted));
    return Outcome::kTaken;
  }
  counters_.limit_connections_hit.add();
  if (pauses()) {
    waiting_ = std::move(accepted);
    return Outcome::kRest;
  }
  counters_.rejected.add();
  turn_away(std::move(accepted));
  return Outcome::kRefused;
}

Acceptor::Outcome Acceptor::note_trouble(const Error& error) {
  if (error == make_error_code(Errc::kClosed)) {  // it would be readable for ever
    loop_.assert_in_loop_thread();
    loop_.remove(*this);
    return Outcome::kEmpty;
  }
  switch (classify(error)) {
    case Trouble::kNone:
      return Outcome::kEmpty;
    case Trouble::kTryNext:
      counters_.aborted.add();
      return Outcome::kRefused;
    case Trouble::kRest:
      break;
  }
  SSX_LOG_RATED(WARN, std::chrono::seconds(1), "{}: accepting again in {} ms", error.message(),
                std::chrono::duration_cast<std::chrono::milliseconds>(kRest).count());
  counters_.paused.add();
  return Outcome::kRest;
}

// Clients wait in the backlog meanwhile; the listener is level-triggered, so it must leave the
// poller.
void Acceptor::rest() {
  if (resting_) return;
  resting_ = true;
  loop_.assert_in_loop_thread();
  loop_.remove(*this);
  rest_timer_ = loop_.run_after(kRest, [this] { resume(); });
}

void Acceptor::resume() {
  resting_ = false;
  if (const auto added = loop_.add(*this, interest_); !added) {
    SSX_LOG_RATED(ERROR, std::chrono::seconds(1), "{}", added.error().message());
    rest();
  } else if (waiting_) {
    accept_batch();
  }
}

}  // namespace ssx::net

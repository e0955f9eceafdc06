#include "ssxrver/net/acceptor.h"

#include <cerrno>
#include <utility>

#include "ssxrver/base/log.h"

namespace ssx::net {
namespace {

enum class Trouble { kNone, kTryNext, kExhausted };

// accept(2): the connection may be gone already, or the process may be out of something.
Trouble classify(const Error& error) noexcept {
  if (error.is_errno(EAGAIN)) return Trouble::kNone;
  for (const int exhausted : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
    if (error.is_errno(exhausted)) return Trouble::kExhausted;
  }
  return Trouble::kTryNext;
}

}  // namespace

Acceptor::Acceptor(EventLoop& loop, Listener& listener, std::size_t batch, bool exclusive,
                   const IpBlockList& blocked, AcceptCounters& counters, Hooks hooks)
    : Channel(listener.fd()),
      loop_(loop),
      listener_(listener),
      batch_(batch),
      interest_(static_cast<Readiness>(exclusive ? kReadable | kExclusive : kReadable)),
      blocked_(blocked),
      counters_(counters),
      hooks_(std::move(hooks)) {}

Acceptor::~Acceptor() {
  loop_.assert_in_loop_thread();
  loop_.cancel(rest_timer_);
  loop_.remove(*this);
}

Result<void> Acceptor::start() { return loop_.add(*this, interest_); }

void Acceptor::stop() {
  loop_.assert_in_loop_thread();
  if (is_registered()) {
    while (accept_batch(batch_) == batch_) {
    }
  }
  loop_.cancel(rest_timer_);
  loop_.remove(*this);
}

void Acceptor::on_ready(Readiness) { accept_batch(batch_); }

std::size_t Acceptor::accept_batch(std::size_t batch) {
  std::size_t taken = 0;
  for (std::size_t tries = 0; tries < batch; ++tries) {
    if (!hooks_.reserve()) {
      counters_.limit_connections_hit.add();
      rest();
      break;
    }
    const Outcome outcome = accept_one();
    if (outcome != Outcome::kTaken) hooks_.release();
    if (outcome == Outcome::kRest) rest();
    if (outcome == Outcome::kRest || outcome == Outcome::kEmpty) break;
    ++taken;
  }
  if (taken > 0) hooks_.batch_done();
  return taken;
}

Acceptor::Outcome Acceptor::accept_one() {
  auto accepted = listener_.accept();
  if (accepted) {
    counters_.accepted.add();
    if (blocked_.contains(accepted->peer)) {
      counters_.blocked.add();
      SSX_LOG_RATED(WARN, std::chrono::seconds(1), "blocked: {}", accepted->peer.to_string());
      return Outcome::kRefused;
    }
    hooks_.take(*std::move(accepted));
    return Outcome::kTaken;
  }
  switch (classify(accepted.error())) {
    case Trouble::kNone:
      return Outcome::kEmpty;
    case Trouble::kTryNext:
      counters_.aborted.add();
      return Outcome::kRefused;
    case Trouble::kExhausted:
      break;
  }
  SSX_LOG_RATED(WARN, std::chrono::seconds(1), "{}: accepting again in {} ms",
                accepted.error().message(), std::chrono::milliseconds(100).count());
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
  }
}

}  // namespace ssx::net

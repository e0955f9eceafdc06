#include "ssxrver/net/signals.h"

#include <utility>

#include "ssxrver/sys/event.h"
#include "ssxrver/sys/process.h"

namespace ssx::net {

Result<std::unique_ptr<SignalWatcher>> SignalWatcher::create(EventLoop& loop,
                                                             std::initializer_list<int> signals,
                                                             Callback callback) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  SSX_TRY_VOID(sys::ignore_signal(SIGPIPE));
  SSX_TRY_VOID(sys::block_signals(set));
  SSX_TRY(sys::UniqueFd signalfd, sys::signalfd_create(set));
  std::unique_ptr<SignalWatcher> watcher(
      new SignalWatcher(loop, std::move(signalfd), std::move(callback)));
  SSX_TRY_VOID(loop.add(*watcher, kReadable));
  return watcher;
}

SignalWatcher::SignalWatcher(EventLoop& loop, sys::UniqueFd signalfd, Callback callback)
    : Channel(signalfd.get()),
      loop_(loop),
      signalfd_(std::move(signalfd)),
      callback_(std::move(callback)) {}

SignalWatcher::~SignalWatcher() { loop_.remove(*this); }

void SignalWatcher::on_ready(Readiness) {
  while (const auto signal = sys::signalfd_take(signalfd_.get())) {
    if (signal->number == 0) return;
    callback_(signal->number, signal->value);
  }
}

}  // namespace ssx::net

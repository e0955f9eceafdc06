#include "ssxrver/load/interrupt.h"

#include <csignal>

namespace ssx::load {
namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void on_interrupt(int signal) {
  came.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& interrupted() noexcept {
  static const auto before = std::signal(SIGINT, on_interrupt);
  (void)before;
  return came;
}

}  // namespace ssx::load

// Compiles the real functions under a name of their own; those of ssx::sys below stand in front.
#define SSX_SYS_NAMESPACE sys_real
#include "ssxrver/sys/process.cc"  // NOLINT(bugprone-suspicious-include): see kernel.h

#include "tests/support/sim/gate.h"

namespace ssx::sys {

namespace real = ssx::sys_real;
using sim::Call;
using sim::internal::decide;
using sim::internal::guarded;

// Calls without a Result cannot fail: they are counted and pass.

int process_id() noexcept {
  decide(Call::kProcessId);
  return real::process_id();
}

int parent_process_id() noexcept {
  decide(Call::kParentProcessId);
  return real::parent_process_id();
}

int thread_id() noexcept {
  decide(Call::kThreadId);
  return real::thread_id();
}

unsigned effective_user() noexcept {
  decide(Call::kEffectiveUser);
  return real::effective_user();
}

Result<FileLimit> file_limit() {
  return guarded(Call::kFileLimit, [] { return real::file_limit(); });
}

Result<void> set_file_limit(FileLimit limit) {
  return guarded(Call::kSetFileLimit, [&] { return real::set_file_limit(limit); });
}

Result<Duration> processor_time(int process) {
  return guarded(Call::kProcessorTime, [&] { return real::processor_time(process); });
}

Result<void> daemonize() {
  return guarded(Call::kDaemonize, [] { return real::daemonize(); });
}

Result<void> set_umask(unsigned mask) {
  return guarded(Call::kSetUmask, [&] { return real::set_umask(mask); });
}

Result<void> kill(int process, int signal) {
  return guarded(Call::kKill, [&] { return real::kill(process, signal); });
}

Result<void> queue_signal(int process, int signal, int value) {
  return guarded(Call::kQueueSignal, [&] { return real::queue_signal(process, signal, value); });
}

Result<void> signal_thread(int thread, int signal) {
  return guarded(Call::kSignalThread, [&] { return real::signal_thread(thread, signal); });
}

Result<void> signal_later(int signal, Duration delay) {
  return guarded(Call::kSignalLater, [&] { return real::signal_later(signal, delay); });
}

Result<void> block_signals(const sigset_t& signals) {
  return guarded(Call::kBlockSignals, [&] { return real::block_signals(signals); });
}

Result<void> ignore_signal(int signal) {
  return guarded(Call::kIgnoreSignal, [&] { return real::ignore_signal(signal); });
}

Result<struct sigaction> set_signal_action(int signal, const struct sigaction& action) {
  return guarded(Call::kSetSignalAction, [&] { return real::set_signal_action(signal, action); });
}

Result<void> set_alternate_stack(MutableBytes stack) {
  return guarded(Call::kSetAlternateStack, [&] { return real::set_alternate_stack(stack); });
}

Result<std::vector<unsigned>> allowed_cores() {
  return guarded(Call::kAllowedCores, [] { return real::allowed_cores(); });
}

Result<void> pin_thread(unsigned core) {
  return guarded(Call::kPinThread, [&] { return real::pin_thread(core); });
}

Result<void> wait_for_turn(bool waits) {
  return guarded(Call::kWaitForTurn, [&] { return real::wait_for_turn(waits); });
}

void yield_thread() noexcept {
  decide(Call::kYieldThread);
  real::yield_thread();
}

void name_thread(const char* name) noexcept {
  decide(Call::kNameThread);
  real::name_thread(name);
}

Result<void> random_bytes(MutableBytes into) {
  return guarded(Call::kRandomBytes, [&] { return real::random_bytes(into); });
}

std::string environment(const char* name) {
  decide(Call::kEnvironment);
  return real::environment(name);
}

Result<void> unset_environment(const char* name) {
  return guarded(Call::kUnsetEnvironment, [&] { return real::unset_environment(name); });
}

bool is_terminal(int fd) noexcept {
  decide(Call::kIsTerminal);
  return real::is_terminal(fd);
}

}  // namespace ssx::sys

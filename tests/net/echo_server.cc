// A server that a test starts as a process of its own: echoes, on the port that it prints.
//
//   ssxrver_echo_server ACCEPT_MODE FILE_LIMIT
//
// ACCEPT_MODE: thread, reuseport or exclusive. FILE_LIMIT: RLIMIT_NOFILE, 0 = as it is. Ends when
// its standard input does.
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ssxrver/net/connection.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/tcp_server.h"

namespace {

using namespace ssx;       // NOLINT(google-build-using-namespace): a program
using namespace ssx::net;  // NOLINT(google-build-using-namespace): a program

class Echo final : public Protocol {
  void on_data(Connection& connection, InBuffer& in) override {
    connection.out().append_copy(in.readable());
    in.consume(in.size());
  }
};

class StandardInput final : public Channel {
 public:
  explicit StandardInput(EventLoop& loop) : Channel(STDIN_FILENO), loop_(loop) {}

 private:
  void on_ready(Readiness) override {
    std::array<char, 64> ignored;
    if (::read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0) loop_.stop();
  }
  [[nodiscard]] const char* label() const noexcept override { return "standard input"; }
  EventLoop& loop_;
};

AcceptMode parse_mode(std::string_view name) {
  if (name == "reuseport") return AcceptMode::kReusePort;
  if (name == "exclusive") return AcceptMode::kExclusive;
  return AcceptMode::kThread;
}

}  // namespace

// UBSan looks at the virtual table of a type that it meets for the first time through a pipe, and
// where no descriptor is left for that it takes every one for forged. GCC's asks here; every other
// program of the tests keeps this check.
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
extern "C" void __ubsan_handle_dynamic_type_cache_miss_abort(void*, std::uintptr_t, std::uintptr_t);
extern "C" void __ubsan_handle_dynamic_type_cache_miss_abort(void*, std::uintptr_t,
                                                             std::uintptr_t) {}
#endif

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const long files = std::strtol(argv[2], nullptr, 10);
  const rlimit limit{static_cast<rlim_t>(files), static_cast<rlim_t>(files)};
  if (files > 0 && ::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 71;

  TcpServerOptions options;
  options.listeners.resize(1);
  options.listeners[0].port = 0;
  options.workers.count = 2;
  options.workers.connections = 10'000;  // more than there are descriptors
  options.workers.accept = parse_mode(argv[1]);
  const auto loop = EventLoop::create();
  if (!loop) return 71;
  auto server = TcpServer::create(**loop, KernelStack::instance(), options,
                                  [](Worker&, std::uint32_t) { return std::make_unique<Echo>(); });
  if (!server || !(*server)->start()) return 69;
  StandardInput input(**loop);
  if (!(*loop)->add(input, kReadable)) return 71;
  fmt::print("listening on {} now\n", (*server)->address().port());
  std::fflush(stdout);
  (*loop)->run();
  (*server)->stop();
  fmt::print("accepted {}\n", (*server)->accepted());
}

// A client for Autobahn|Testsuite: every message goes back as it came.
//
// usage: AUTOBAHN_URL=ws://... AUTOBAHN_AGENT=NAME autobahn_client [off | both | takeover]
#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "websocket/client/client.h"

namespace {

namespace net = ssx::net;
using ssx::Task;
using ssx::websocket::Client;
using ssx::websocket::ClientOptions;

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class Fuzzed {
 public:
  Fuzzed(net::Connections& connections, const net::Resolver& resolver, std::string_view deflate)
      : connections_(connections), resolver_(resolver) {
    using ssx::websocket::DeflateMode;
    auto& limits = options_.limits;
    limits.message_max = limits.frame_max = 64 << 20;
    limits.fragments_max = 100'000;
    limits.control_rate = {};
    limits.backpressure.max = 256 << 20;
    limits.deflate.ratio_max = 0;
    if (deflate != "off") limits.deflate.mode = DeflateMode::kBoth;
    limits.deflate.server_context_takeover = limits.deflate.client_context_takeover =
        deflate == "takeover";
  }

  Task<> run(int& result) {
    int count = 0;
    const std::string answer = co_await ask_count();
    std::from_chars(answer.data(), answer.data() + answer.size(), count);
    if (count == 0) co_return;
    for (int i = 1; i <= count; ++i)
      co_await echo("/runCase?case=" + std::to_string(i) + "&agent=" + agent_);
    co_await echo("/updateReports?agent=" + agent_);
    result = 0;
  }

 private:
  Task<std::string> ask_count() {
    options_.url = url_ + "/getCaseCount";
    Client client(connections_, net::KernelStack::instance(), resolver_, options_);
    auto socket = co_await client.open();
    if (!socket) {
      fmt::print("{}\n", socket.error().message());
      co_return std::string();
    }
    const auto message = co_await socket->receive();
    co_return message ? std::string(message->payload) : std::string();
  }

  // Many cases end in an error: the suite judges.
  Task<> echo(std::string path) {
    options_.url = url_ + path;
    Client client(connections_, net::KernelStack::instance(), resolver_, options_);
    auto socket = co_await client.open();
    if (!socket) {
      fmt::print("{}: {}\n", path, socket.error().message());
      co_return;
    }
    while (auto message = co_await socket->receive()) {
      const auto sent = co_await socket->send(*message);
      if (!sent) break;
    }
    co_await socket->close();
  }

  net::Connections& connections_;
  const net::Resolver& resolver_;
  const std::string url_ = from_environment("AUTOBAHN_URL");
  const std::string agent_ = from_environment("AUTOBAHN_AGENT");
  ClientOptions options_;
};

Task<> run(Fuzzed& fuzzed, int& result, bool& done) {
  co_await fuzzed.run(result);
  done = true;
}

}  // namespace

int main(int argc, char** argv) {
  auto loop = net::EventLoop::create();
  auto tasks = net::TaskPool::start({.threads = 1});
  if (!loop || !tasks) return 1;
  const net::Resolver resolver(**tasks);
  net::Connections connections(**loop, {});
  Fuzzed fuzzed(connections, resolver, argc > 1 ? argv[1] : "both");
  int result = 1;
  bool done = false;
  net::spawn(**loop, run(fuzzed, result, done), [&done](const std::exception_ptr& thrown) {
    done = true;
    net::log_failure(thrown);
  });
  (*loop)->run_until([&done] { return done; });
  return result;
}

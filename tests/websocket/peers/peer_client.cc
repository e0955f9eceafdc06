// Our client, against the servers of README.md.
//
// usage: peer_client URL [CHECK...]; ends with 0 when all is well.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "ssxrver/net/awaitables.h"
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
using ssx::websocket::ClientSocket;
using ssx::websocket::CloseCode;
using ssx::websocket::DeflateMode;
using ssx::websocket::Opcode;

struct Failed : std::exception {
  explicit Failed(std::string its_text) : text(std::move(its_text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text.c_str(); }
  std::string text;
};

void expect(bool holds, std::string_view what) {
  if (!holds) throw Failed(std::string(what));
}

std::string numbers() {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i * i) + " ";
  return text;
}

constexpr int kCodes[] = {1000, 1001, 1002, 1003, 1007, 1008, 1009,
                          1011, 1012, 1013, 3000, 4000, 4999};

/// Each closes what it has opened: /closed tells of the last one that has ended.
class Checks {
 public:
  Checks(net::Connections& connections, const net::Resolver& resolver, std::string url)
      : connections_(connections), resolver_(resolver), http_url_(std::move(url)) {
    while (http_url_.ends_with('/')) http_url_.pop_back();
    options_.limits.backpressure.max = 16 << 20;
  }

  Task<> echoes() {
    ClientSocket socket = co_await open("/echo");
    for (const std::size_t size : {0U, 1U, 125U, 126U, 65535U, 65536U, 1000000U}) {
      const std::string text(size, 'y');
      co_await expect_echo(socket, Opcode::kText, text);
      const std::string bytes(size, '\xFF');
      co_await expect_echo(socket, Opcode::kBinary, bytes);
    }
    co_await expect_echo(socket, Opcode::kText, "Gr\u00fc\u00dfe \u2603 \U0001d11e");
    co_await socket.close();
    expect(socket.close_code() == CloseCode::kNormal, "closes with 1000");
  }

  Task<> keeps_the_order() {
    ClientSocket socket = co_await open("/echo");
    for (int i = 0; i < 500; ++i) {
      const std::string text = fmt::format("message {}", i);
      const auto sent = co_await socket.send(text);
      expect(sent.has_value(), "sends");
    }
    for (int i = 0; i < 500; ++i) {
      const std::string got = co_await receive(socket);
      expect(got == fmt::format("message {}", i), "in order");
    }
    co_await socket.close();
  }

  Task<> sends_fragments() {
    ClientSocket socket = co_await open("/echo");
    expect((co_await socket.begin_message(Opcode::kText, ssx::as_bytes("one "))).has_value(), "1");
    expect((co_await socket.continue_message({}, false)).has_value(), "2");
    expect(socket.ping("between"), "a ping between fragments");
    expect((co_await socket.continue_message(ssx::as_bytes("three"), true)).has_value(), "3");
    const std::string got = co_await receive(socket);
    expect(got == "one three", got);
    co_await socket.close();
  }

  Task<> receives_fragments() {
    ClientSocket socket = co_await open("/fragments");
    std::string text;
    for (int i = 0; i < 20; ++i) text += "Gr\u00fc\u00dfe ";
    co_await expect_echo(socket, Opcode::kText, text);
    co_await expect_echo(socket, Opcode::kBinary, std::string("\0\1\2", 3));
    co_await socket.close();
  }

  Task<> is_pinged() {
    ClientSocket socket = co_await open("/ping");
    co_await expect_echo(socket, Opcode::kText, "first");
    co_await expect_echo(socket, Opcode::kText, "second");
    co_await socket.close();
  }

  Task<> closes() {
    for (const int code : kCodes) {
      ClientSocket socket = co_await open("/echo");
      const std::string reason = fmt::format("reason {}", code);
      co_await socket.close(static_cast<CloseCode>(code), reason);
      expect(to_int(*socket.close_code()) == code, "is told its own code");
      co_await expect_last_close(fmt::format("{} {}", code, reason));
    }
  }

  Task<> is_closed() {
    for (const int code : kCodes) {
      ClientSocket socket = co_await open(fmt::format("/close/{}", code));
      const auto message = co_await socket.receive();
      expect(!message, "no message comes");
      expect(to_int(*socket.close_code()) == code, fmt::format("the code {}", code));
      expect(socket.close_reason() == "as asked", socket.close_reason());
    }
  }

  Task<> deflates() {
    options_.limits.deflate.mode = DeflateMode::kBoth;
    ClientSocket socket = co_await open("/deflate");
    expect(socket.answer().field("Sec-WebSocket-Extensions").starts_with("permessage-deflate"),
           "permessage-deflate");
    const std::string text = numbers();
    for (int i = 0; i < 3; ++i) co_await expect_echo(socket, Opcode::kText, text);
    co_await expect_echo(socket, Opcode::kBinary, text);
    co_await expect_echo(socket, Opcode::kText, "short");
    co_await socket.close();
  }

  Task<> takes_over() {
    options_.limits.deflate.mode = DeflateMode::kBoth;
    options_.limits.deflate.server_context_takeover = true;
    options_.limits.deflate.client_context_takeover = true;
    ClientSocket socket = co_await open("/takeover");
    const std::string agreed(socket.answer().field("Sec-WebSocket-Extensions"));
    expect(agreed.find("no_context_takeover") == std::string::npos, agreed);
    const std::string text = numbers();
    for (int i = 0; i < 3; ++i) co_await expect_echo(socket, Opcode::kText, text);
    co_await socket.close();
  }

  Task<> agrees_on_a_subprotocol() {
    options_.limits.subprotocols = {"x", "chat.v1"};
    ClientSocket socket = co_await open("/subprotocol");
    expect(socket.subprotocol() == "chat.v1", socket.subprotocol());
    const std::string question = "which?";
    const auto sent = co_await socket.send(question);
    expect(sent.has_value(), "sends");
    const std::string got = co_await receive(socket);
    expect(got == "chat.v1", got);
    co_await socket.close();
  }

  Task<> is_refused_elsewhere() {
    options_.origin = "http://elsewhere.example";
    options_.url = "ws" + http_url_.substr(4) + "/echo";
    Client client(connections_, net::KernelStack::instance(), resolver_, options_);
    const auto socket = co_await client.open();
    expect(!socket && socket.error().status == 403, "403");
  }

 private:
  Task<ClientSocket> open(std::string path) {
    options_.url = "ws" + http_url_.substr(4) + path;
    clients_.push_back(
        std::make_unique<Client>(connections_, net::KernelStack::instance(), resolver_, options_));
    auto socket = co_await clients_.back()->open();
    if (!socket) throw Failed(path + ": " + socket.error().message());
    co_return *std::move(socket);
  }
  static Task<std::string> receive(ClientSocket& socket) {
    const auto message = co_await socket.receive();
    if (!message) throw Failed("no message: " + message.error().message());
    co_return std::string(message->payload);
  }
  static Task<> expect_echo(ClientSocket& socket, Opcode kind, std::string text) {
    const ssx::websocket::Message question{text, kind};
    const auto sent = co_await socket.send(question);
    expect(sent.has_value(), "sends");
    const auto message = co_await socket.receive();
    expect(message && message->opcode == kind && message->payload == text, "the echo");
  }
  /// The server may hear of the end later than we do.
  Task<> expect_last_close(std::string expected) {
    ssx::http::Client client(connections_, net::KernelStack::instance(), resolver_);
    std::string told;
    for (int i = 0; i < 200 && told != expected; ++i) {
      const auto answer = co_await client.get(http_url_ + "/closed");
      if (!answer) throw Failed(answer.error().message());
      told = answer->body();
      if (told != expected) co_await net::sleep_for(std::chrono::milliseconds(10));
    }
    expect(told == expected, told);
  }

  net::Connections& connections_;
  const net::Resolver& resolver_;
  std::string http_url_;
  ClientOptions options_;
  std::vector<std::unique_ptr<Client>> clients_;
};

struct Check {
  std::string_view name;
  Task<> (Checks::*run)();
};

constexpr Check kChecks[] = {
    {"echoes", &Checks::echoes},
    {"keeps_the_order", &Checks::keeps_the_order},
    {"sends_fragments", &Checks::sends_fragments},
    {"receives_fragments", &Checks::receives_fragments},
    {"is_pinged", &Checks::is_pinged},
    {"closes", &Checks::closes},
    {"is_closed", &Checks::is_closed},
    {"deflates", &Checks::deflates},
    {"takes_over", &Checks::takes_over},
    {"agrees_on_a_subprotocol", &Checks::agrees_on_a_subprotocol},
    {"is_refused_elsewhere", &Checks::is_refused_elsewhere},
};

Task<int> run(net::Connections& connections, const net::Resolver& resolver, std::string url,
              std::vector<std::string_view> wanted) {
  for (const Check& check : kChecks) {
    if (!wanted.empty() && std::ranges::find(wanted, check.name) == wanted.end()) continue;
    Checks checks(connections, resolver, url);
    try {
      co_await (checks.*check.run)();
    } catch (const std::exception& failed) {
      fmt::print("FAILED {}: {}\n", check.name, failed.what());
      co_return 1;
    }
    fmt::print("ok {}\n", check.name);
  }
  co_return 0;
}

Task<> store(Task<int> task, int& result, bool& done) {
  result = co_await std::move(task);
  done = true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  auto loop = net::EventLoop::create();
  auto tasks = net::TaskPool::start({.threads = 1});
  if (!loop || !tasks) return 71;
  const net::Resolver resolver(**tasks);
  net::Connections connections(**loop, {});
  int result = 1;
  bool done = false;
  net::spawn(**loop,
             store(run(connections, resolver, argv[1], {argv + 2, argv + argc}), result, done),
             &net::log_failure);
  (*loop)->run_until([&done] { return done; });
  return result;
}

// Talks to a WebSocket:  ws_client URL
//
// Each line is sent as a text, but for: "file PATH" (as one binary message, in fragments of 1 MB),
// "ping", "close" and "quit".
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "ssxrver/net/connections.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/resolver.h"
#include "ssxrver/ssxrver.h"

namespace {

using ssx::Task;
using ssx::WebSocketClient;
using ssx::WebSocketClientSocket;

bool is_bar_open = false;  // the line that is being drawn over has not ended

template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  if (std::exchange(is_bar_open, false)) fmt::print("\n");
  fmt::print(format, std::forward<Args>(args)...);
  std::fflush(stdout);
}

// [#####               ]  25 %
void show_progress(std::uint64_t done, std::uint64_t all) {
  const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
  fmt::print("\r[{:20}] {:3} %", std::string(percent / 5, '#'), percent);
  std::fflush(stdout);
  is_bar_open = true;
}

Task<ssx::Result<void>> send_fragments(WebSocketClientSocket& socket, std::ifstream& file,
                                       std::uint64_t size) {
  std::string fragment(1 << 20, '\0');
  std::uint64_t sent = 0;
  while (file.read(fragment.data(), static_cast<std::streamsize>(fragment.size())),
         file.gcount() > 0 || sent == 0) {
    fragment.resize(static_cast<std::size_t>(file.gcount()));
    const ssx::ByteView bytes = ssx::as_bytes(fragment);
    ssx::Result<void> done;
    if (sent == 0) {
      done = co_await socket.begin_message(ssx::Opcode::kBinary, bytes);
    } else {
      done = co_await socket.continue_message(bytes, false);
    }
    if (!done) co_return done;
    sent += bytes.size();
    show_progress(sent, size);
    if (sent == 0) break;
  }
  co_return co_await socket.continue_message({}, true);
}

Task<> send_file(WebSocketClientSocket& socket, std::string path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    say("cannot read {}\n", path);
    co_return;
  }
  const auto size = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  const auto began = std::chrono::steady_clock::now();
  const auto sent = co_await send_fragments(socket, file, size);
  while (sent && socket.unsent_bytes() > 0)
    co_await ssx::net::sleep_for(std::chrono::milliseconds(1));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (sent) {
    say("sent {}: {} bytes, {:.1f} MB/s\n", path, size,
        static_cast<double>(size) / took.count() / 1e6);
  } else {
    say("{}\n", sent.error().message());
  }
}

// False when there is nothing more to do.
Task<bool> obey(WebSocketClientSocket& socket, std::string line) {
  if (line == "quit" || line == "close") {
    co_await socket.close();
    co_return line != "quit";
  }
  if (line == "ping") {
    socket.ping();
  } else if (line.starts_with("file ")) {
    co_await send_file(socket, line.substr(5));
  } else {
    const auto sent = co_await socket.send(line);
    if (!sent) say("{}\n", sent.error().message());
  }
  co_return true;
}

Task<> receive(WebSocketClientSocket& socket) {
  while (const auto message = co_await socket.receive()) {
    if (message->is_text()) {
      say("< {}\n", message->payload);
    } else {
      say("< {} bytes\n", message->payload.size());
    }
  }
  say("closed: {} {}\n", ssx::websocket::to_int(*socket.close_code()), socket.close_reason());
}

using Socket = std::shared_ptr<WebSocketClientSocket>;  // of those who send, and of who receives

Task<> obey_and_tell(Socket socket, std::string line, std::shared_ptr<std::promise<bool>> told) {
  told->set_value(co_await obey(*socket, std::move(line)));
}

// On a thread of its own, since reading a line waits. The next one is read when this is done; the
// loop may be gone by then. The socket is the loop's: here it is only handed on.
void read_lines(std::weak_ptr<WebSocketClientSocket> socket, ssx::net::EventLoop& loop,
                const ssx::net::LoopHandle& handle) {
  std::ifstream lines("/dev/stdin");
  std::string line;
  bool goes_on = true;
  while (goes_on && std::getline(lines, line)) {
    auto told = std::make_shared<std::promise<bool>>();
    auto answer = told->get_future();
    const bool taken = handle.post([socket, &loop, line, told] {
      if (auto here = socket.lock())
        ssx::net::spawn(loop, obey_and_tell(std::move(here), line, told), &ssx::net::log_failure);
    });
    goes_on = taken && answer.get();
  }
  handle.post([&loop] { loop.stop(); });
}

Task<> talk(WebSocketClient& client, ssx::net::EventLoop& loop) {
  auto opened = co_await client.open();
  if (!opened) {
    say("{}\n", opened.error().message());
    loop.stop();
    co_return;
  }
  say("open\n");
  const auto socket = std::make_shared<WebSocketClientSocket>(*std::move(opened));
  std::thread(read_lines, std::weak_ptr(socket), std::ref(loop), loop.handle()).detach();
  co_await receive(*socket);
  loop.stop();
}

}  // namespace

int main(int argc, char** argv) {
  auto loop = ssx::net::EventLoop::create();
  auto tasks = ssx::net::TaskPool::start({.threads = 1});
  if (argc != 2 || !loop || !tasks) return 1;
  const ssx::net::Resolver resolver(**tasks);
  ssx::net::Connections connections(**loop, {});
  WebSocketClient client(connections, ssx::net::KernelStack::instance(), resolver,
                         {.url = argv[1]});
  ssx::net::spawn(**loop, talk(client, **loop), &ssx::net::log_failure);
  (*loop)->run();
}

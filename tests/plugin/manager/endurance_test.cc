// A plugin that is replaced again and again while it is asked for everything that it has.
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/plugin/manager/hosted.h"
#include "tests/support/full_size.h"
#include "tests/support/open_files.h"

extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

namespace ssx::plugins {
namespace {

using test::Hosted;
using test::RawClient;

/// Bytes of the heap that are in use.
std::size_t allocated_bytes() {
  if (__sanitizer_get_current_allocated_bytes != nullptr)
    return __sanitizer_get_current_allocated_bytes();
  return ::mallinfo2().uordblks;
}

/// Libraries that are mapped out of memory files, each once.
std::size_t mapped_libraries() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    const bool is_first = line.find(" 00000000 ") != std::string::npos;
    if (is_first && line.find("/memfd:busy.so") != std::string::npos) ++count;
  }
  return count;
}

/// When the server has closed what its clients have; at most ten seconds.
std::size_t files_when_idle(std::size_t wanted) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (ssx::test::open_files() != wanted && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  return ssx::test::open_files();
}

/// Clients that ask until they are told to stop: every answer is what it has to be.
class Load {
 public:
  explicit Load(const Hosted& hosted) : port_(hosted.port) {
    ask("/now", "n");
    ask("/later", "l");
    ask("/pieces", "nnn");
    ask("/task", "n");
    ask("/timer", "n");
    threads_.emplace_back([this] { talk(); });
  }
  ~Load() {
    is_over_ = true;
    threads_.clear();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  std::atomic<std::uint64_t> asked = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<std::uint64_t> sockets = 0;

 private:
  void note(bool is_good) {
    ++asked;
    if (!is_good) ++failed;
  }
  /// One connection for many requests: it outlives every generation.
  void ask(std::string path, std::string body) {
    threads_.emplace_back([this, path = std::move(path), body = std::move(body)] {
      const std::string request = "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
      RawClient client = RawClient::tcp(port_);
      while (!is_over_) {
        client.send(request);
        const auto answer = client.read_response();
        note(answer.status == 200 && answer.body == body);
        // The server ends a connection after so many requests, and says so.
        if (answer.status == 0 || answer.field("Connection") == "close")
          client = RawClient::tcp(port_);
      }
    });
  }
  /// Sockets, each for a few messages: a generation lives as long as they do.
  void talk() {
    while (!is_over_) {
      RawClient socket = RawClient::tcp(port_);
      socket.send(
          "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
      note(socket.read_until("\r\n\r\n").find(" 101 ") != std::string::npos);
      for (int i = 0; i < 5; ++i) {
        socket.send(std::string("\x81\x82\0\0\0\0hi", 8));
        note(socket.read(4) == "\x81\x02hi");
      }
      ++sockets;
    }
  }

  const std::uint16_t port_;
  std::atomic<bool> is_over_ = false;
  std::vector<std::jthread> threads_;
};

TEST(PluginEndurance, IsReplacedUnderLoadAndNothingIsLeft) {
  const int reloads = ssx::test::full_size(30, 1000);
  PluginOptions plugin;
  plugin.name = "busy";
  plugin.library = BUSY_LIBRARY;
  Hosted hosted({.plugins = {plugin}});
  const std::size_t files = ssx::test::open_files();
  const auto reload = [&hosted](int times) {
    for (int i = 0; i < times; ++i) {
      // So many may wait for their sockets at once.
      const std::string why = hosted.reload("busy");
      if (why.empty()) continue;
      EXPECT_NE(why.find("generations_max"), std::string::npos) << why;
      --i;
      std::this_thread::yield();
    }
  };
  // What is made once, and never again: by the libraries, the pools, the first use of each path.
  const auto settle = [&hosted, &reload](int times) {
    Load load(hosted);
    reload(times);
    while (load.asked < 100 || load.sockets < 5) std::this_thread::yield();
    EXPECT_EQ(load.failed, 0U) << "of " << load.asked;
  };
  settle(10);
  hosted.wait_until_gone();
  EXPECT_EQ(files_when_idle(files), files);
  const std::size_t bytes = allocated_bytes();
  settle(reloads);
  hosted.wait_until_gone();
  EXPECT_EQ(files_when_idle(files), files);
  EXPECT_EQ(mapped_libraries(), 1U);
  // What grew by a kilobyte with each of a thousand would have grown by more than that.
  EXPECT_LT(allocated_bytes(), bytes + (1U << 20)) << "after " << reloads;
  EXPECT_EQ(hosted.status().size(), 1U);
}

}  // namespace
}  // namespace ssx::plugins

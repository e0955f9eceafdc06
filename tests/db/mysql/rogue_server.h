// A server of MySQL's protocol that a test plays: it greets, lets anybody in, and then answers each
// command with what the test says. Everything that the client has sent is kept.
//
//   RogueServer server([](char command, std::string_view) { return RogueServer::ok(); });
//
// Thread: the answers are made on the server's own thread; heard() after stop()
// Owner:  the test
// Life:   the object's; it takes one client after the other
// Bounds: every read has a time-out
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/support/temp_dir.h"

namespace ssx::db::mysql {

class RogueServer {
 public:
  // The protocol's commands.
  static constexpr char kQuery = 3;
  static constexpr char kPing = 14;
  static constexpr char kPrepare = 22;
  static constexpr char kExecute = 23;
  static constexpr char kReset = 31;

  /// Gives the payloads that answer a command, each already packed by packet() with its number
  /// (the first is 1). Empty: the connection is closed.
  using Answer = std::function<std::string(char command, std::string_view rest)>;

  explicit RogueServer(Answer answer) : RogueServer(std::move(answer), greeting()) {}
  /// One that says something else first.
  RogueServer(Answer answer, std::string hello)
      : answer_(std::move(answer)), hello_(std::move(hello)) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~RogueServer() { stop(); }
  RogueServer(const RogueServer&) = delete;
  RogueServer& operator=(const RogueServer&) = delete;

  [[nodiscard]] std::string path() const { return folder_.file("rogue"); }
  void stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  /// Requires stop().
  [[nodiscard]] const std::string& heard() const { return heard_; }

  static std::string packet(std::string_view payload, int number = 1) {
    std::string bytes;
    for (unsigned shift = 0; shift < 24; shift += 8) {
      bytes += static_cast<char>(payload.size() >> shift & 0xffU);
    }
    bytes += static_cast<char>(number);
    return bytes.append(payload);
  }
  static std::string ok(int number = 1) { return packet({"\0\0\0\2\0\0\0", 7}, number); }
  /// "Send me this file": LOAD DATA LOCAL INFILE as the server sees it.
  static std::string wants_file(std::string_view name) {
    return packet("\xfb" + std::string(name));
  }
  /// "So far is your statement", which is an error by its form.
  static std::string progress() { return packet({"\xff\xff\xff\1\1\2\x10\0\0\4copy", 14}, 0); }
  /// A statement without places and columns.
  static std::string prepared() { return packet({"\0\1\0\0\0\0\0\0\0\0\0\0", 12}); }
  static std::string greeting(std::string_view login = "mysql_native_password") {
    std::string text(
        "\x0a"
        "5.5.5-10.11.0-MariaDB",
        22);
    text.append("\0\7\0\0\0abcdefgh\0", 14);
    text.append("\xdf\xf7\x2d\2\0\x0f\0\x15", 8);  // all that is old, but compression and TLS
    text.append(10, '\0');
    text.append("abcdefghijkl\0", 13).append(login).append(1, '\0');
    return packet(text, 0);
  }

 private:
  void serve() {
    while (!stopping_) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      const timeval patience{.tv_sec = 10, .tv_usec = 0};
      ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      converse(client);
      ::close(client);
    }
  }
  void converse(int client) {
    std::string packet;
    if (!send(client, hello_) || !receive(client, packet)) return;
    if (!send(client, ok(2))) return;
    while (receive(client, packet)) {
      if (packet.empty()) {  // the end of a file, and no byte of it
        if (!send(client, ok(3))) return;
        continue;
      }
      const std::string answer = answer_(packet[0], std::string_view(packet).substr(1));
      if (answer.empty() || !send(client, answer)) return;
    }
  }
  static bool send(int client, std::string_view bytes) {
    return ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  bool receive(int client, std::string& payload) {
    unsigned char head[4];
    if (::recv(client, head, sizeof head, MSG_WAITALL) != sizeof head) return false;
    payload.resize(head[0] | head[1] << 8U | head[2] << 16U);
    const auto size = static_cast<ssize_t>(payload.size());
    if (size > 0 && ::recv(client, payload.data(), payload.size(), MSG_WAITALL) != size) {
      return false;
    }
    heard_.append(reinterpret_cast<const char*>(head), sizeof head).append(payload);
    return true;
  }

  const Answer answer_;
  const std::string hello_;
  const test::TempDir folder_;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::string heard_;
  std::thread thread_;
};

}  // namespace ssx::db::mysql

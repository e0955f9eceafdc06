// A server that says what a test wants, one thread for each connection.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ssxrver/net/socket_address.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::load::test {

/// The server's end of a connection, which blocks.
class Visit {
 public:
  Visit(int fd, int number, const std::function<void(std::chrono::milliseconds)>& pause) noexcept
      : fd_(fd), number_(number), pause_(pause) {}
  /// Who came first has 0.
  [[nodiscard]] int number() const noexcept { return number_; }
  /// From which address, without its port.
  [[nodiscard]] std::string host() const {
    const std::string peer = net::SocketAddress::from_raw(*sys::peer_address(fd_)).to_string();
    return peer.substr(0, peer.rfind(':'));
  }
  /// Less when the server ends.
  void pause(std::chrono::milliseconds time) const { pause_(time); }
  /// A request without a body; empty: the client has gone.
  std::string read_request() {
    while (text_.find("\r\n\r\n") == std::string::npos) {
      char room[4096];
      const ssize_t got = ::recv(fd_, room, sizeof(room), 0);
      if (got <= 0) return "";
      text_.append(room, static_cast<std::size_t>(got));
    }
    const std::size_t end = text_.find("\r\n\r\n") + 4;
    std::string request = text_.substr(0, end);
    text_.erase(0, end);
    return request;
  }
  /// Reads past so many. False: the client has gone before.
  bool read_bytes(std::size_t count) {
    while (text_.size() < count) {
      char room[4096];
      const ssize_t got = ::recv(fd_, room, sizeof(room), 0);
      if (got <= 0) return false;
      text_.append(room, static_cast<std::size_t>(got));
    }
    text_.erase(0, count);
    return true;
  }
  void send(std::string_view text) const {
    (void)::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// Closing is a reset then.
  void break_off() const { (void)sys::set_linger_reset(fd_); }

 private:
  int fd_;
  int number_;
  const std::function<void(std::chrono::milliseconds)>& pause_;
  std::string text_;
};

class FakeServer {
 public:
  explicit FakeServer(std::function<void(Visit&)> serve) : serve_(std::move(serve)) {
    listener_ = sys::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_TRUE(sys::bind(listener_.get(), net::SocketAddress::parse("127.0.0.1", 0)->to_raw()));
    EXPECT_TRUE(sys::listen(listener_.get(), 512));
    address_ = net::SocketAddress::from_raw(*sys::local_address(listener_.get()));
    thread_ = std::thread([this] { accept_all(); });
  }
  ~FakeServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      ending_.notify_all();
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& visit : visits_) visit.join();
  }
  [[nodiscard]] const net::SocketAddress& address() const noexcept { return address_; }
  [[nodiscard]] int visits() const noexcept { return count_; }

 private:
  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const int number = count_++;
      const std::lock_guard lock(mutex_);
      open_.push_back(fd);
      visits_.emplace_back([this, fd, number] {
        Visit visit(fd, number, pause_);
        serve_(visit);
        const std::lock_guard closing(mutex_);
        open_.remove(fd);
        ::close(fd);
      });
    }
  }

  const std::function<void(Visit&)> serve_;
  const std::function<void(std::chrono::milliseconds)> pause_ =
      [this](std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        ending_.wait_for(lock, time, [this] { return is_ending_; });
      };
  sys::UniqueFd listener_;
  net::SocketAddress address_;
  std::atomic<int> count_ = 0;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::list<int> open_;
  std::vector<std::thread> visits_;
  std::thread thread_;
};

/// Which hosts have come.
class Guests {
 public:
  void note(std::string host) {
    const std::lock_guard lock(mutex_);
    hosts_.insert(std::move(host));
  }
  [[nodiscard]] std::set<std::string> hosts() {
    const std::lock_guard lock(mutex_);
    return hosts_;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> hosts_;
};

/// A request and `answer`, again and again.
inline std::function<void(Visit&)> always(std::string answer) {
  return [answer = std::move(answer)](Visit& visit) {
    while (!visit.read_request().empty()) visit.send(answer);
  };
}

}  // namespace ssx::load::test

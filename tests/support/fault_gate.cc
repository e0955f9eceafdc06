#include "tests/support/fault_gate.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <string>
#include <utility>

namespace ssx::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void send_pieces_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void reset(int fd) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

/// One direction of a connection.
class FaultGate::Way {
 public:
  Way(int from, int to, const Faults& faults, std::atomic<std::uint64_t>& passed)
      : from_(from), to_(to), faults_(faults), passed_(passed), began_(Clock::now()) {}

  [[nodiscard]] bool wants_input() const { return !ended_ && waiting_.size() < kWaitingMax; }
  [[nodiscard]] bool wants_room() const { return blocked_; }
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] bool done() const { return told_end_ || (ended_ && dropping_); }

  void read(TimePoint now) {
    std::array<char, 64 << 10> buffer;
    while (wants_input()) {
      const ssize_t got = ::recv(from_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        broken_ = errno != EAGAIN;
        return;
      }
      ended_ = got == 0;
      if (dropping_ || ended_) continue;
      const auto size = static_cast<std::size_t>(got);
      if (faults_.corrupt_at && *faults_.corrupt_at >= read_ &&
          *faults_.corrupt_at < read_ + size) {
        char& byte = buffer[*faults_.corrupt_at - read_];
        byte = static_cast<char>(~byte);
      }
      read_ += size;
      waiting_.append(buffer.data(), size);
      arrivals_.emplace_back(now, size);
      latest_ = now;
    }
  }

  /// When to try again; the end of time when only the sockets know.
  TimePoint write(TimePoint now) {
    blocked_ = false;
    while (!dropping_ && !broken_) {
      auto [size, again] = movable(now);
      if (faults_.cut_at) size = std::min<std::uint64_t>(size, *faults_.cut_at - written_);
      if (faults_.cut_at && written_ == *faults_.cut_at) {
        cut();
        break;
      }
      if (size == 0) {
        if (ended_ && waiting_.empty() && !told_end_) {
          told_end_ = true;
          ::shutdown(to_, SHUT_WR);
        }
        return again;
      }
      if (!send(size)) break;
      if (faults_.piece != 0) return now;  // the next piece in the next round
    }
    return TimePoint::max();
  }

 private:
  /// How much may leave now; when that may be more.
  [[nodiscard]] std::pair<std::size_t, TimePoint> movable(TimePoint now) {
    std::size_t ready = 0;
    TimePoint again = TimePoint::max();
    for (const auto& [when, size] : arrivals_) {
      if (when + faults_.delay > now) {
        again = when + faults_.delay;
        break;
      }
      ready += size;
    }
    if (ready < faults_.merge && !ended_ && now < latest_ + kMergeQuiet) {
      if (ready > 0) again = std::min(again, latest_ + kMergeQuiet);
      ready = 0;
    }
    if (faults_.bytes_per_second > 0 && ready > 0) {
      const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - began_);
      const std::uint64_t earned =
          static_cast<std::uint64_t>(passed.count()) * faults_.bytes_per_second / 1'000'000;
      const std::uint64_t left = earned > written_ ? earned - written_ : 0;
      if (left < ready) again = std::min(again, now + milliseconds(1));
      ready = std::min<std::uint64_t>(ready, left);
    }
    if (faults_.piece != 0) ready = std::min(ready, faults_.piece);
    return {ready, again};
  }

  /// False when the other end takes no more.
  bool send(std::size_t size) {
    const ssize_t sent = ::send(to_, waiting_.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) return true;
    if (sent < 0) {
      blocked_ = errno == EAGAIN;
      if (!blocked_) drop();  // it has gone, and what it has said may still be on its way
      return false;
    }
    const auto moved = static_cast<std::size_t>(sent);
    waiting_.erase(0, moved);
    written_ += moved;
    passed_ += moved;
    for (std::size_t left = moved; left > 0;) {
      auto& [when, arrived] = arrivals_.front();
      const std::size_t taken = std::min(left, arrived);
      arrived -= taken;
      left -= taken;
      if (arrived == 0) arrivals_.pop_front();
    }
    return true;
  }

  void cut() {
    drop();
    if (faults_.cut == Cut::kEnd) ::shutdown(to_, SHUT_WR);
    if (faults_.cut == Cut::kReset) broken_ = true;
  }

  void drop() {
    dropping_ = true;
    waiting_.clear();
    arrivals_.clear();
  }

  const int from_;
  const int to_;
  const Faults faults_;
  std::atomic<std::uint64_t>& passed_;
  const TimePoint began_;
  std::string waiting_;
  std::deque<std::pair<TimePoint, std::size_t>> arrivals_;  ///< of what waits
  TimePoint latest_;
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
  bool ended_ = false;     ///< the sender has
  bool told_end_ = false;  ///< and the receiver knows
  bool blocked_ = false;
  bool dropping_ = false;
  bool broken_ = false;
};

struct FaultGate::Pair {
  Pair(int to_client, int to_server, const Plan& plan, std::atomic<std::uint64_t>* passed)
      : client(to_client),
        server(to_server),
        forth(client, server, plan.to_server, passed[0]),
        back(server, client, plan.to_client, passed[1]) {}
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    if (!forth.done() || !back.done()) {
      reset(client);
      reset(server);
    }
    ::close(client);
    ::close(server);
  }

  const int client;
  const int server;
  Way forth;
  Way back;
  TimePoint again = TimePoint::min();
};

FaultGate::FaultGate(std::uint16_t server_port) : server_port_(server_port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in here = loopback(0);
  EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&here), sizeof here), 0);
  EXPECT_EQ(::listen(listener_, 1024), 0);
  socklen_t size = sizeof here;
  EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size), 0);
  port_ = ntohs(here.sin_port);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = *Thread::start("fault-gate", {}, [this] { run(); });
}

FaultGate::~FaultGate() {
  stopping_ = true;
  ::eventfd_write(wake_, 1);
  thread_.join();
  pairs_.clear();
  ::close(listener_);
  ::close(wake_);
}

void FaultGate::set(const Plan& plan) {
  const MutexLock lock(mutex_);
  plan_ = plan;
}

void FaultGate::accept_one() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in there = loopback(server_port_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) {
    reset(client);  // as if there were no gate
    ::close(client);
    ::close(server);
    return;
  }
  send_pieces_at_once(client);
  send_pieces_at_once(server);
  const MutexLock lock(mutex_);
  pairs_.push_back(std::make_unique<Pair>(client, server, plan_, passed_));
}

FaultGate::TimePoint FaultGate::serve(Pair& pair, TimePoint now) {
  pair.forth.read(now);
  pair.back.read(now);
  const TimePoint forth = pair.forth.write(now);
  const TimePoint back = pair.back.write(now);
  return std::min(forth, back);
}

void FaultGate::run() {
  std::vector<pollfd> fds;
  while (!stopping_) {
    const TimePoint now = Clock::now();
    TimePoint next = TimePoint::max();
    fds = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& pair : pairs_) next = std::min(next, serve(*pair, now));
    std::erase_if(pairs_, [](const auto& pair) {
      const bool broken = pair->forth.broken() || pair->back.broken();
      return broken || (pair->forth.done() && pair->back.done());
    });
    open_ = pairs_.size();
    for (const auto& pair : pairs_) {
      const auto events = [](const Way& in, const Way& out) {
        return static_cast<short>((in.wants_input() ? POLLIN : 0) |
                                  (out.wants_room() ? POLLOUT : 0));
      };
      // A socket with nothing to wait for would wake us with POLLHUP all the time.
      const short client = events(pair->forth, pair->back);
      const short server = events(pair->back, pair->forth);
      fds.push_back({client != 0 ? pair->client : -1, client, 0});
      fds.push_back({server != 0 ? pair->server : -1, server, 0});
    }
    int wait = -1;
    if (next != TimePoint::max()) {
      const auto left = std::chrono::ceil<milliseconds>(next - now).count();
      wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
    }
    ::poll(fds.data(), fds.size(), wait);
    if ((fds[1].revents & POLLIN) != 0) accept_one();
  }
}

}  // namespace ssx::test

// Level or edge? One thread serves by epoll in one of four manners, another is the clients; both on
// loopback. Prints what the server needed for one request, as one line of JSON.
//
//   trigger_question MANNER ROW SECONDS [SERVER_CORE CLIENT_CORE]
//
//   MANNER  level    one read for each event
//           edge     reads until EAGAIN, as epoll(7) says
//           short    edge, but a read that does not fill its room was the last one
//           oneshot  one read for each event, then armed again
//   ROW     keepalive  100 connections, a request of 86 bytes, an answer of 139
//           crowd      8,000 connections, the same
//           upload     8 connections, a request of 1 MiB, an answer of 139 bytes
//           download   8 connections, a request of 86 bytes, an answer of 1 MiB that does not fit
//                      into the socket (buffers of 16 KiB)
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kSmall = 86;
constexpr std::size_t kAnswer = 139;
constexpr std::size_t kLarge = 1 << 20;
constexpr std::size_t kRoom = 64 << 10;
constexpr int kEvents = 64;

enum class Manner : std::uint8_t { kLevel, kEdge, kShort, kOneshot };

struct Row {
  std::size_t connections;
  std::size_t request;
  std::size_t answer;
  int buffer = 0;  ///< of both ends, in the direction of the answer; 0: the kernel's own
};

struct Calls {
  std::uint64_t wait = 0;
  std::uint64_t receive = 0;
  std::uint64_t send = 0;
  std::uint64_t control = 0;
};

[[noreturn]] void fail(const char* what) {
  fmt::print(stderr, "trigger_question: {}: errno {}\n", what, errno);
  std::exit(1);
}

void must(bool good, const char* what) {
  if (!good) fail(what);
}

std::uint64_t cpu_nanoseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void pin(std::optional<int> core) {
  if (!core) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(*core), &set);
  must(::sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
}

/// Reads requests, whose length is known, and answers each. Every system call is counted.
class Server {
 public:
  Server(Manner manner, const Row& row, const std::vector<int>& sockets)
      : manner_(manner), row_(row), answer_(row.answer, 'x'), peers_(sockets.size()) {
    poller_ = ::epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      peers_[i].socket = sockets[i];
      control(EPOLL_CTL_ADD, i, false);
    }
    calls_ = {};
  }
  ~Server() { ::close(poller_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run(const std::atomic<bool>& stop) {
    const std::uint64_t before = cpu_nanoseconds();
    while (!stop.load(std::memory_order_relaxed)) turn();
    cpu_ = cpu_nanoseconds() - before;
  }

  void print() const {
    const auto each = [this](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(answered_);
    };
    must(answered_ > 0, "nothing was answered");
    fmt::print(
        "{{\"requests\": {}, \"cpu_us\": {:.4f}, \"wait\": {:.4f}, \"receive\": {:.4f}, "
        "\"send\": {:.4f}, \"control\": {:.4f}}}\n",
        answered_, each(cpu_) / 1000, each(calls_.wait), each(calls_.receive), each(calls_.send),
        each(calls_.control));
  }

 private:
  struct Peer {
    int socket = -1;
    std::size_t received = 0;  ///< of the request
    std::size_t unsent = 0;    ///< of the answer
    bool wants_out = false;    ///< what the poller was told
  };

  [[nodiscard]] bool is_edge() const {
    return manner_ == Manner::kEdge || manner_ == Manner::kShort;
  }

  // Edge: both directions, once and for all.
  void control(int operation, std::size_t index, bool out) {
    epoll_event event{};
    event.data.u64 = index;
    event.events = out ? EPOLLOUT : EPOLLIN;
    if (is_edge()) event.events = EPOLLIN | EPOLLOUT | EPOLLET;
    if (manner_ == Manner::kOneshot) event.events |= EPOLLONESHOT;
    ++calls_.control;
    must(::epoll_ctl(poller_, operation, peers_[index].socket, &event) == 0, "epoll_ctl");
    peers_[index].wants_out = out;
  }

  void turn() {
    std::array<epoll_event, kEvents> events;
    ++calls_.wait;
    const int count = ::epoll_wait(poller_, events.data(), kEvents, 100);
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      const auto index = static_cast<std::size_t>(event.data.u64);
      Peer& peer = peers_[index];
      if ((event.events & EPOLLOUT) != 0 && peer.unsent > 0) send(peer);
      if ((event.events & EPOLLIN) != 0 && peer.unsent == 0) receive(peer);
      rearm(index);
    }
  }

  void rearm(std::size_t index) {
    const Peer& peer = peers_[index];
    const bool out = peer.unsent > 0;
    if (manner_ == Manner::kOneshot || (manner_ == Manner::kLevel && out != peer.wants_out)) {
      control(EPOLL_CTL_MOD, index, out);
    }
  }

  void receive(Peer& peer) {
    for (;;) {
      ++calls_.receive;
      const ssize_t got = ::recv(peer.socket, room_.data(), room_.size(), 0);
      if (got < 0 && errno == EAGAIN) return;
      must(got >= 0, "recv");
      if (got == 0) return;  // the clients are leaving
      peer.received += static_cast<std::size_t>(got);
      if (peer.received == row_.request) answer(peer);
      if (!is_edge()) return;
      if (manner_ == Manner::kShort && static_cast<std::size_t>(got) < room_.size()) return;
    }
  }

  void answer(Peer& peer) {
    peer.received = 0;
    peer.unsent = answer_.size();
    ++answered_;
    send(peer);
  }

  // Until the socket is full, whatever the manner: nobody sends less.
  void send(Peer& peer) {
    while (peer.unsent > 0) {
      ++calls_.send;
      const char* const from = answer_.data() + answer_.size() - peer.unsent;
      const ssize_t sent = ::send(peer.socket, from, peer.unsent, MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EPIPE || errno == ECONNRESET)) return;
      must(sent >= 0, "send");
      peer.unsent -= static_cast<std::size_t>(sent);
    }
  }

  const Manner manner_;
  const Row row_;
  const std::string answer_;
  int poller_ = -1;
  std::vector<Peer> peers_;
  std::vector<char> room_ = std::vector<char>(kRoom);
  Calls calls_;
  std::uint64_t answered_ = 0;
  std::uint64_t cpu_ = 0;
};

/// Sends a request on every connection, and the next one when its answer is there.
class Clients {
 public:
  Clients(const Row& row, const std::vector<int>& sockets)
      : row_(row), request_(row.request, 'x'), peers_(sockets.size()) {
    poller_ = ::epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      peers_[i].socket = sockets[i];
      epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.u64 = i}};
      must(::epoll_ctl(poller_, EPOLL_CTL_ADD, sockets[i], &event) == 0, "epoll_ctl");
      begin(peers_[i]);
    }
  }
  ~Clients() { ::close(poller_); }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  void run_until(std::chrono::steady_clock::time_point end) {
    std::array<epoll_event, kEvents> events;
    while (std::chrono::steady_clock::now() < end) {
      const int count = ::epoll_wait(poller_, events.data(), kEvents, 100);
      for (int i = 0; i < count; ++i) {
        Peer& peer = peers_[static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.u64)];
        send(peer);
        receive(peer);
      }
    }
  }

 private:
  struct Peer {
    int socket = -1;
    std::size_t unsent = 0;
    std::size_t missing = 0;
  };

  void begin(Peer& peer) {
    peer.unsent = request_.size();
    peer.missing = row_.answer;
    send(peer);
  }
  void send(Peer& peer) {
    while (peer.unsent > 0) {
      const char* const from = request_.data() + request_.size() - peer.unsent;
      const ssize_t sent = ::send(peer.socket, from, peer.unsent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) return;
      must(sent >= 0, "send of a client");
      peer.unsent -= static_cast<std::size_t>(sent);
    }
  }
  void receive(Peer& peer) {
    for (;;) {
      const ssize_t got = ::recv(peer.socket, room_.data(), room_.size(), MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) return;
      must(got > 0, "recv of a client");
      peer.missing -= static_cast<std::size_t>(got);
      if (peer.missing == 0) begin(peer);
    }
  }

  const Row row_;
  const std::string request_;
  int poller_ = -1;
  std::vector<Peer> peers_;
  std::vector<char> room_ = std::vector<char>(kRoom);
};

struct Sockets {
  std::vector<int> server;
  std::vector<int> client;
};

void allow_files(std::size_t count) {
  rlimit limit{};
  must(::getrlimit(RLIMIT_NOFILE, &limit) == 0, "getrlimit");
  if (limit.rlim_cur >= count) return;
  limit.rlim_cur = count;
  must(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
}

Sockets connect_all(const Row& row) {
  constexpr std::size_t kOtherFiles = 32;
  allow_files(2 * row.connections + kOtherFiles);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  must(::bind(listener, any, size) == 0 && ::listen(listener, 128) == 0, "listen");
  must(::getsockname(listener, any, &size) == 0, "getsockname");
  Sockets made;
  const int on = 1;
  for (std::size_t i = 0; i < row.connections; ++i) {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (row.buffer > 0) ::setsockopt(client, SOL_SOCKET, SO_RCVBUF, &row.buffer, sizeof row.buffer);
    must(::connect(client, any, size) == 0, "connect");
    const int server = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    must(server >= 0, "accept4");
    if (row.buffer > 0) ::setsockopt(server, SOL_SOCKET, SO_SNDBUF, &row.buffer, sizeof row.buffer);
    made.client.push_back(client);
    made.server.push_back(server);
    for (const int socket : {client, server}) {
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
  }
  ::close(listener);
  return made;
}

std::optional<Manner> manner_of(std::string_view name) {
  if (name == "level") return Manner::kLevel;
  if (name == "edge") return Manner::kEdge;
  if (name == "short") return Manner::kShort;
  if (name == "oneshot") return Manner::kOneshot;
  return std::nullopt;
}

std::optional<Row> row_of(std::string_view name) {
  if (name == "keepalive") return Row{.connections = 100, .request = kSmall, .answer = kAnswer};
  if (name == "crowd") return Row{.connections = 8'000, .request = kSmall, .answer = kAnswer};
  if (name == "upload") return Row{.connections = 8, .request = kLarge, .answer = kAnswer};
  if (name == "download")
    return Row{.connections = 8, .request = kSmall, .answer = kLarge, .buffer = 16 << 10};
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto manner = argc > 3 ? manner_of(argv[1]) : std::nullopt;
  const auto row = argc > 3 ? row_of(argv[2]) : std::nullopt;
  if (!manner || !row) {
    fmt::print(stderr, "usage: trigger_question MANNER ROW SECONDS [SERVER_CORE CLIENT_CORE]\n");
    return 2;
  }
  const std::chrono::duration<double> length(std::stod(argv[3]));
  const bool pinned = argc > 5;
  const Sockets sockets = connect_all(*row);
  Server server(*manner, *row, sockets.server);
  Clients clients(*row, sockets.client);
  std::atomic<bool> stop{false};
  std::thread serving([&] {
    pin(pinned ? std::optional(std::stoi(argv[4])) : std::nullopt);
    server.run(stop);
  });
  pin(pinned ? std::optional(std::stoi(argv[5])) : std::nullopt);
  using Clock = std::chrono::steady_clock;
  clients.run_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(length));
  stop.store(true);
  serving.join();
  server.print();
}

// The seams of net in memory: a NetStack, its Poller and its Transports, so that a whole Connection
// runs without a socket, on one thread, byte by byte as the test says.
//
//   MemoryNet net;
//   auto loop = EventLoop::create({}, clock, net.make_poller());
//   auto [accepted, peer] = net.pair();
//   connections.adopt(std::move(accepted), ...);
//   peer.send("hello");
//   loop->run_until_idle();
//   EXPECT_EQ(peer.received(), "...");
//
// Thread: the test's; only post() may wake a loop that waits
// Owner:  the test
// Life:   longer than the loop and everything on it
// Bounds: room() bytes on the way to the peer
//
// Every connection and listener holds a descriptor of the real kernel (an eventfd that nobody
// reads): the poller knows it by that number, and what is not closed shows in open_files().
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/poller.h"

namespace ssx::test {

namespace internal {
class MemoryWire;
class MemoryPoller;
}  // namespace internal

/// The far end of a connection, in the test's hand.
class MemoryPeer {
 public:
  MemoryPeer() = default;
  explicit MemoryPeer(std::shared_ptr<internal::MemoryWire> wire) : wire_(std::move(wire)) {}

  // What it does.
  void send(std::string_view bytes);
  void end();    ///< FIN: it sends nothing more, and goes on reading
  void close();  ///< it has gone, as the peer of a unix socket: what is written to it is EPIPE
  void reset();  ///< RST: what it has sent and nobody has read is lost
  /// Takes up to `most` bytes, and so makes room.
  std::string take(std::size_t most = SIZE_MAX);

  // What it sees.
  [[nodiscard]] const std::string& received() const;  ///< and has not taken
  [[nodiscard]] bool saw_end() const;                 ///< FIN, with or without a close
  [[nodiscard]] bool saw_close() const;               ///< closed, in good order
  [[nodiscard]] bool saw_reset() const;
  /// Bytes that it has sent and that nobody has read.
  [[nodiscard]] std::size_t unread() const;

  // What lies between.
  /// Bytes that the wire holds for the peer before a write would block.
  MemoryPeer& room(std::size_t bytes);
  /// Every read and every write moves at most that much.
  MemoryPeer& read_at_most(std::size_t bytes);
  MemoryPeer& write_at_most(std::size_t bytes);
  /// The n-th write from now (counting from 1) would block, although there is room.
  MemoryPeer& block_write(std::size_t nth);
  /// The next read, or write, or sendfile fails with this errno.
  MemoryPeer& fail_read(int error);
  MemoryPeer& fail_write(int error);
  [[nodiscard]] std::size_t reads() const;   ///< calls of Transport::read()
  [[nodiscard]] std::size_t writes() const;  ///< of write() and send_file()

 private:
  std::shared_ptr<internal::MemoryWire> wire_;
};

class MemoryNet final : public net::NetStack {
 public:
  struct Pair {
    net::Accepted accepted;
    MemoryPeer peer;
  };
  class MemoryListener;

  MemoryNet();
  ~MemoryNet() override;

  [[nodiscard]] std::unique_ptr<net::Poller> make_poller();
  /// A connection that is there at once.
  [[nodiscard]] Pair pair(const net::SocketAddress& from = {});

  Result<std::unique_ptr<net::Listener>> listen(const net::ListenOptions& options,
                                                const net::TcpOptions& tcp) override;
  /// The test calls somebody who listens, and waits in the backlog.
  MemoryPeer dial(const net::SocketAddress& to, const net::SocketAddress& from = {});
  Result<net::Accepted> connect(const net::SocketAddress& to, const net::TcpOptions& tcp) override;

  /// The next `times` accepts at any listener fail with this errno.
  void fail_accept(int error, std::size_t times = 1);
  /// An accept that finds nobody says that nobody can come any more.
  void end_accepting() noexcept { accepting_ended_ = true; }
  [[nodiscard]] std::size_t accepts() const noexcept { return accepts_; }
  /// Epoll_ctl's share: the next registration fails with this errno.
  void fail_add(int error) noexcept { add_error_ = error; }
  /// Calls of Poller::add(), modify() and remove().
  [[nodiscard]] std::size_t controls() const noexcept { return controls_; }

 private:
  friend class internal::MemoryPoller;
  friend class internal::MemoryWire;

  /// What the poller asks about a descriptor.
  class Source {
   public:
    virtual ~Source() = default;
    [[nodiscard]] virtual net::Readiness ready() const = 0;
    /// Grows whenever something arrives (kEdge).
    [[nodiscard]] virtual std::size_t arrivals() const { return 0; }
    [[nodiscard]] virtual bool has_more_than_a_read_tells() const { return false; }
  };
  class Transport;

  void forget(int fd);

  std::map<int, Source*> sources_;
  std::vector<internal::MemoryPoller*> pollers_;
  std::vector<MemoryListener*> listeners_;
  std::deque<int> accept_errors_;
  std::size_t accepts_ = 0;
  bool accepting_ended_ = false;
  std::size_t controls_ = 0;
  int add_error_ = 0;
  std::uint16_t next_port_ = 50'000;
};

}  // namespace ssx::test

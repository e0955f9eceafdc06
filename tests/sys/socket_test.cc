#include "ssxrver/sys/socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/file.h"
#include "tests/support/peer.h"
#include "tests/support/temp_dir.h"
#include "tests/sys/fails_with.h"
#include "tests/sys/refuse_call.h"

namespace ssx::sys {
namespace {

RawAddress any_port() {
  RawAddress address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.size = sizeof v4;
  return address;
}

in_port_t port_of(const RawAddress& address) {
  return reinterpret_cast<const sockaddr_in*>(address.get())->sin_port;
}

bool wait_until(int fd, short events) {
  pollfd entry{.fd = fd, .events = events, .revents = 0};
  return ::poll(&entry, 1, 10'000) == 1;
}

std::string receive_text(int fd, std::size_t room = 64) {
  std::string text(room, '\0');
  text.resize(receive(fd, std::as_writable_bytes(std::span(text))).value_or(0));
  return text;
}

struct Tcp {
  Tcp() {
    listener = socket(AF_INET, SOCK_STREAM).value();
    EXPECT_TRUE(bind(listener.get(), any_port()));
    EXPECT_TRUE(listen(listener.get(), 8));
    address = local_address(listener.get()).value();
  }
  void connect_one() {
    client = socket(AF_INET, SOCK_STREAM).value();
    const auto begun = connect(client.get(), address);
    EXPECT_TRUE(begun || begun.error().is_errno(EINPROGRESS));
    EXPECT_TRUE(wait_until(listener.get(), POLLIN));
    server = accept(listener.get(), &peer).value();
  }
  UniqueFd listener;
  UniqueFd client;
  UniqueFd server;
  RawAddress address;
  RawAddress peer;
};

bool has_flags(int fd) {
  return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0 && ::fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

TEST(Socket, EverySocketIsNonBlockingAndClosesOnExec) {
  Tcp tcp;
  tcp.connect_one();
  EXPECT_TRUE(has_flags(tcp.listener.get()));
  EXPECT_TRUE(has_flags(tcp.client.get()));
  EXPECT_TRUE(has_flags(tcp.server.get()));
  const auto pair = socket_pair(SOCK_DGRAM).value();
  EXPECT_TRUE(has_flags(pair.first.get()));
  EXPECT_TRUE(has_flags(pair.second.get()));
}

TEST(Socket, AddressesOfBothEndsAgree) {
  Tcp tcp;
  tcp.connect_one();
  EXPECT_NE(port_of(tcp.address), 0);
  EXPECT_EQ(tcp.peer.size, sizeof(sockaddr_in));
  const RawAddress client = local_address(tcp.client.get()).value();
  EXPECT_EQ(std::memcmp(tcp.peer.get(), client.get(), sizeof(sockaddr_in)), 0);
  EXPECT_EQ(port_of(peer_address(tcp.client.get()).value()), port_of(tcp.address));
}

TEST(Socket, AcceptTakesNoPeerWhenNobodyAsks) {
  Tcp tcp;
  EXPECT_TRUE(fails_with(accept(tcp.listener.get(), nullptr), EAGAIN, "accept"));
  EXPECT_TRUE(fails_with(accept(tcp.listener.get(), &tcp.peer), EAGAIN, "accept"));
  tcp.connect_one();
  tcp.client = socket(AF_INET, SOCK_STREAM).value();
  static_cast<void>(connect(tcp.client.get(), tcp.address));
  ASSERT_TRUE(wait_until(tcp.listener.get(), POLLIN));
  EXPECT_TRUE(accept(tcp.listener.get(), nullptr));
}

TEST(Socket, AListenerThatIgnoresNewConnectionsKeepsThoseThatBegan) {
  Tcp tcp;
  const auto early = socket(AF_INET, SOCK_STREAM).value();
  static_cast<void>(connect(early.get(), tcp.address));
  ASSERT_TRUE(wait_until(early.get(), POLLOUT));
  ASSERT_TRUE(ignore_new_connections(tcp.listener.get()));
  const auto late = socket(AF_INET, SOCK_STREAM).value();
  EXPECT_TRUE(fails_with(connect(late.get(), tcp.address), EINPROGRESS, "connect"));
  ASSERT_TRUE(send(early.get(), as_bytes("hello")));  // data still comes through
  const auto server = accept(tcp.listener.get(), nullptr).value();
  ASSERT_TRUE(wait_until(server.get(), POLLIN));
  EXPECT_EQ(receive_text(server.get()), "hello");
  EXPECT_TRUE(fails_with(accept(tcp.listener.get(), nullptr), EAGAIN, "accept"));
  pollfd connected{.fd = late.get(), .events = POLLOUT, .revents = 0};
  EXPECT_EQ(::poll(&connected, 1, 0), 0);
}

TEST(Socket, ARefusedConnectionTellsSoInTheSocketError) {
  in_port_t closed = 0;
  {
    const Tcp tcp;
    closed = port_of(tcp.address);
  }
  RawAddress address = any_port();
  reinterpret_cast<sockaddr_in&>(address.storage).sin_port = closed;
  auto client = socket(AF_INET, SOCK_STREAM).value();
  const auto begun = connect(client.get(), address);
  ASSERT_FALSE(begun);
  if (begun.error().is_errno(EINPROGRESS)) {
    ASSERT_TRUE(wait_until(client.get(), POLLOUT));
    EXPECT_EQ(take_socket_error(client.get()).value(), ECONNREFUSED);
    EXPECT_EQ(take_socket_error(client.get()).value(), 0);  // taken
  } else {
    EXPECT_TRUE(fails_with(begun, ECONNREFUSED, "connect"));
  }
}

TEST(Socket, TellsWhetherThereIsSomethingToRead) {
  const auto pair = socket_pair(SOCK_STREAM).value();
  EXPECT_FALSE(is_readable(pair.first.get()).value());
  EXPECT_EQ(send(pair.second.get(), as_bytes("x")).value(), 1U);
  EXPECT_TRUE(is_readable(pair.first.get()).value());
}

TEST(Socket, TellsWhetherSomebodyWaitsAtAListener) {
  const UniqueFd listener = socket(AF_INET, SOCK_STREAM).value();
  ASSERT_TRUE(bind(listener.get(), any_port()));
  ASSERT_TRUE(listen(listener.get(), 8));
  EXPECT_FALSE(is_readable(listener.get()).value());
  const UniqueFd client = socket(AF_INET, SOCK_STREAM).value();
  (void)connect(client.get(), local_address(listener.get()).value());
  ASSERT_TRUE(wait_until(listener.get(), POLLIN));
  EXPECT_TRUE(is_readable(listener.get()).value());
  ASSERT_TRUE(accept(listener.get(), nullptr));
  EXPECT_FALSE(is_readable(listener.get()).value());
}

TEST(Socket, TellsWhatThePeerHasNotAcknowledged) {
  const auto pair = socket_pair(SOCK_STREAM).value();
  EXPECT_EQ(unacknowledged(pair.first.get()).value(), 0U);
  EXPECT_EQ(send(pair.first.get(), as_bytes("hello")).value(), 5U);
  EXPECT_GE(unacknowledged(pair.first.get()).value(), 5U);
  std::array<std::byte, 5> bytes{};
  EXPECT_EQ(receive(pair.second.get(), bytes).value(), 5U);
  EXPECT_EQ(unacknowledged(pair.first.get()).value(), 0U);
}

TEST(Socket, AnInterruptedConnectGoesOn) {
  const int answer = in_child([] {
    const auto fd = socket(AF_INET, SOCK_STREAM);
    if (!fd || !refuse_call(SYS_connect, 0, EINTR)) return kNoFilters;
    return fails_with(connect(fd->get(), any_port()), EINPROGRESS, "connect") ? 7 : 1;
  });
  SSX_NEEDS_SYSTEM(answer != kNoFilters, "seccomp filters");
  EXPECT_EQ(answer, 7);
}

TEST(Socket, AnAddressInUseIsAnErrno) {
  Tcp tcp;
  auto second = socket(AF_INET, SOCK_STREAM).value();
  EXPECT_TRUE(fails_with(bind(second.get(), tcp.address), EADDRINUSE, "bind"));
}

TEST(Socket, MovesBytesAndSaysWhenThereAreNone) {
  auto [here, there] = socket_pair(SOCK_STREAM).value();
  std::array<std::byte, 4> room;
  EXPECT_TRUE(fails_with(receive(there.get(), room), EAGAIN, "receive"));
  EXPECT_EQ(send(here.get(), as_bytes("abcdef")).value(), 6U);
  EXPECT_EQ(receive_text(there.get(), 4), "abcd");
  EXPECT_EQ(receive_text(there.get(), 4), "ef");
  ASSERT_TRUE(shutdown_write(here.get()));
  EXPECT_EQ(receive(there.get(), room).value(), 0U);
  EXPECT_EQ(send(there.get(), as_bytes("still")).value(), 5U);
}

TEST(Socket, SendsThePartsInOrder) {
  auto [here, there] = socket_pair(SOCK_STREAM).value();
  std::string first = "one,";
  std::string second = "two";
  const std::array<iovec, 3> parts{
      {{first.data(), first.size()}, {nullptr, 0}, {second.data(), second.size()}}};
  EXPECT_EQ(send_vector(here.get(), parts).value(), 7U);
  EXPECT_EQ(receive_text(there.get()), "one,two");
  EXPECT_EQ(send_vector(here.get(), {}).value(), 0U);
}

TEST(Socket, AFullBufferIsAgain) {
  auto [here, there] = socket_pair(SOCK_STREAM).value();
  const std::string much(1 << 20, 'x');
  iovec part{const_cast<char*>(much.data()), much.size()};
  Result<std::size_t> last = 0;
  while (last) last = send(here.get(), as_bytes(much));
  EXPECT_TRUE(fails_with(last, EAGAIN, "send"));
  EXPECT_TRUE(fails_with(send_vector(here.get(), {&part, 1}), EAGAIN, "send_vector"));
}

TEST(Socket, MoreHoldsTheSegmentBack) {
  Tcp tcp;
  tcp.connect_one();
  ASSERT_TRUE(set_option(tcp.server.get(), IPPROTO_TCP, TCP_NODELAY, 1));
  std::string head = "head ";
  const iovec part{head.data(), head.size()};
  ASSERT_TRUE(send(tcp.server.get(), as_bytes("first "), true));
  ASSERT_TRUE(send_vector(tcp.server.get(), {&part, 1}, true));
  std::array<std::byte, 4> room;
  EXPECT_TRUE(fails_with(receive(tcp.client.get(), room), EAGAIN, "receive"));
  ASSERT_TRUE(send(tcp.server.get(), as_bytes("body")));
  ASSERT_TRUE(wait_until(tcp.client.get(), POLLIN));
  EXPECT_EQ(receive_text(tcp.client.get()), "first head body");
}

/// SIGPIPE would end the process: that these tests come to their end is what they show. Each runs
/// in a thread of its own, for a thread that has called send_file has the signal blocked.
class BrokenPipe : public ::testing::Test {
 protected:
  void SetUp() override {
    previous_ = ::signal(SIGPIPE, SIG_DFL);
    ends_ = socket_pair(SOCK_STREAM).value();
    ends_.second.reset();
  }
  void TearDown() override { ::signal(SIGPIPE, previous_); }

  template <class Body>
  void in_fresh_thread(Body body) {
    std::thread([&body] {
      sigset_t signals;
      sigemptyset(&signals);
      sigaddset(&signals, SIGPIPE);
      ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      body();
    }).join();
  }

  SocketPair ends_;
  void (*previous_)(int) = nullptr;
};

TEST_F(BrokenPipe, IsAnErrorAndNoSignalOnEverySend) {
  in_fresh_thread([this] {
    const int fd = ends_.first.get();
    std::string text = "x";
    iovec part{text.data(), 1};
    mmsghdr message{};
    message.msg_hdr.msg_iov = &part;
    message.msg_hdr.msg_iovlen = 1;
    EXPECT_TRUE(fails_with(send(fd, as_bytes("x")), EPIPE, "send"));
    EXPECT_TRUE(fails_with(send(fd, as_bytes("x"), true), EPIPE, "send"));
    EXPECT_TRUE(fails_with(send_vector(fd, {&part, 1}), EPIPE, "send_vector"));
    EXPECT_TRUE(fails_with(send_batch(fd, {&message, 1}), EPIPE, "send_batch"));
  });
}

TEST_F(BrokenPipe, IsNoSignalOnSendFileInAnyThread) {
  const test::TempDir directory;
  const auto file = open(directory.write("a", "abc").c_str(), O_RDONLY).value();
  for (int thread = 0; thread < 2; ++thread) {
    in_fresh_thread([this, &file] {
      EXPECT_TRUE(fails_with(send_file(ends_.first.get(), file.get(), 0, 3), EPIPE, "send_file"));
    });
  }
}

TEST(Socket, SendsPartsOfFilesFromTheirOffset) {
  const test::TempDir directory;
  const auto file = open(directory.write("a", "0123456789").c_str(), O_RDONLY).value();
  auto [here, there] = socket_pair(SOCK_STREAM).value();
  EXPECT_EQ(send_file(here.get(), file.get(), 2, 3).value(), 3U);
  EXPECT_EQ(receive_text(there.get()), "234");
  EXPECT_EQ(send_file(here.get(), file.get(), 7, 100).value(), 3U);
  EXPECT_EQ(receive_text(there.get()), "789");
  EXPECT_EQ(send_file(here.get(), file.get(), 10, 1).value(), 0U);  // the file has ended
  std::array<std::byte, 1> byte;
  EXPECT_EQ(read(file.get(), byte).value(), 1U);
  EXPECT_EQ(byte[0], std::byte{'0'});  // its own position has not moved
}

TEST(Socket, ALingerOfZeroEndsWithAReset) {
  Tcp tcp;
  tcp.connect_one();
  ASSERT_TRUE(set_linger_reset(tcp.server.get()));
  tcp.server.reset();
  ASSERT_TRUE(wait_until(tcp.client.get(), POLLIN));
  std::array<std::byte, 1> byte;
  EXPECT_TRUE(fails_with(receive(tcp.client.get(), byte), ECONNRESET, "receive"));
}

TEST(Socket, OptionsAreSetAndRead) {
  auto fd = socket(AF_INET, SOCK_STREAM).value();
  EXPECT_EQ(get_option(fd.get(), IPPROTO_TCP, TCP_NODELAY).value(), 0);
  ASSERT_TRUE(set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1));
  EXPECT_EQ(get_option(fd.get(), IPPROTO_TCP, TCP_NODELAY).value(), 1);
  EXPECT_TRUE(set_option_text(fd.get(), IPPROTO_TCP, TCP_CONGESTION, "reno"));
  EXPECT_TRUE(fails_with(set_option_text(fd.get(), IPPROTO_TCP, TCP_CONGESTION, "no-such"), ENOENT,
                         "set_option_text"));
}

class Datagrams : public ::testing::Test {
 protected:
  Datagrams() {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      text_[i] = static_cast<char>('a' + i);
      parts_[i] = {&text_[i], 1};
      messages_[i].msg_hdr.msg_iov = &parts_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
  }
  std::array<char, 3> text_{};
  std::array<iovec, 3> parts_{};
  std::array<mmsghdr, 3> messages_{};
  SocketPair pair_ = socket_pair(SOCK_DGRAM).value();
};

TEST_F(Datagrams, MoveInBatchesWithoutWaiting) {
  EXPECT_TRUE(fails_with(receive_batch(pair_.second.get(), messages_), EAGAIN, "receive_batch"));
  EXPECT_EQ(send_batch(pair_.first.get(), messages_).value(), 3U);
  text_ = {};
  EXPECT_EQ(receive_batch(pair_.second.get(), std::span(messages_).first(2)).value(), 2U);
  EXPECT_EQ(std::string(text_.data(), 2), "ab");
  EXPECT_EQ(receive_batch(pair_.second.get(), messages_).value(), 1U);
  EXPECT_EQ(text_[0], 'c');
}

TEST_F(Datagrams, ATruncatedOneSaysSo) {
  ASSERT_TRUE(send(pair_.first.get(), as_bytes("too long")));
  ASSERT_EQ(receive_batch(pair_.second.get(), messages_).value(), 1U);
  EXPECT_TRUE((messages_[0].msg_hdr.msg_flags & MSG_TRUNC) != 0);
}

TEST(Socket, DescriptorsThatAreNotOpen) {
  std::array<std::byte, 1> byte{};
  iovec part{byte.data(), 1};
  mmsghdr message{};
  RawAddress address = any_port();
  EXPECT_TRUE(fails_with(bind(kNotOpen, address), EBADF, "bind"));
  EXPECT_TRUE(fails_with(listen(kNotOpen, 1), EBADF, "listen"));
  EXPECT_TRUE(fails_with(accept(kNotOpen, nullptr), EBADF, "accept"));
  EXPECT_TRUE(fails_with(connect(kNotOpen, address), EBADF, "connect"));
  EXPECT_TRUE(fails_with(local_address(kNotOpen), EBADF, "local_address"));
  EXPECT_TRUE(fails_with(peer_address(kNotOpen), EBADF, "peer_address"));
  EXPECT_TRUE(fails_with(take_socket_error(kNotOpen), EBADF, "take_socket_error"));
  EXPECT_TRUE(fails_with(is_readable(kNotOpen), EBADF, "is_readable"));
  EXPECT_TRUE(fails_with(unacknowledged(kNotOpen), EBADF, "unacknowledged"));
  EXPECT_TRUE(fails_with(set_option(kNotOpen, 1, 1, 1), EBADF, "set_option"));
  EXPECT_TRUE(fails_with(set_option_text(kNotOpen, 1, 1, "x"), EBADF, "set_option_text"));
  EXPECT_TRUE(fails_with(get_option(kNotOpen, 1, 1), EBADF, "get_option"));
  EXPECT_TRUE(fails_with(set_linger_reset(kNotOpen), EBADF, "set_linger_reset"));
  EXPECT_TRUE(fails_with(receive(kNotOpen, byte), EBADF, "receive"));
  EXPECT_TRUE(fails_with(send(kNotOpen, byte), EBADF, "send"));
  EXPECT_TRUE(fails_with(send_vector(kNotOpen, {&part, 1}), EBADF, "send_vector"));
  EXPECT_TRUE(fails_with(send_file(kNotOpen, kNotOpen, 0, 1), EBADF, "send_file"));
  EXPECT_TRUE(fails_with(shutdown_write(kNotOpen), EBADF, "shutdown_write"));
  EXPECT_TRUE(fails_with(shutdown_read(kNotOpen), EBADF, "shutdown_read"));
  EXPECT_TRUE(fails_with(ignore_new_connections(kNotOpen), EBADF, "ignore_new_connections"));
  EXPECT_TRUE(fails_with(receive_batch(kNotOpen, {&message, 1}), EBADF, "receive_batch"));
  EXPECT_TRUE(fails_with(send_batch(kNotOpen, {&message, 1}), EBADF, "send_batch"));
}

TEST(Socket, KindsThatDoNotExist) {
  EXPECT_TRUE(fails_with(socket(1000, SOCK_STREAM), EAFNOSUPPORT, "socket"));
  EXPECT_TRUE(
      fails_with(sys::socket(AF_INET, SOCK_STREAM, IPPROTO_UDP), EPROTONOSUPPORT, "socket"));
  EXPECT_FALSE(socket_pair(1000));
}

TEST(Socket, AnUnconnectedSocketHasNoPeerAndNothingToShutDown) {
  auto fd = socket(AF_INET, SOCK_STREAM).value();
  EXPECT_TRUE(fails_with(peer_address(fd.get()), ENOTCONN, "peer_address"));
  EXPECT_TRUE(fails_with(shutdown_write(fd.get()), ENOTCONN, "shutdown_write"));
}

TEST(Socket, AUnixPathIsAnAddressToo) {
  const test::TempDir directory;
  RawAddress address{};
  auto& name = reinterpret_cast<sockaddr_un&>(address.storage);
  name.sun_family = AF_UNIX;
  directory.file("s").copy(name.sun_path, sizeof name.sun_path - 1);
  address.size = sizeof name;
  auto listener = socket(AF_UNIX, SOCK_STREAM).value();
  auto client = socket(AF_UNIX, SOCK_STREAM).value();
  EXPECT_TRUE(fails_with(connect(client.get(), address), ENOENT, "connect"));
  ASSERT_TRUE(bind(listener.get(), address));
  EXPECT_TRUE(fails_with(connect(client.get(), address), ECONNREFUSED, "connect"));
  ASSERT_TRUE(listen(listener.get(), 1));
  EXPECT_TRUE(connect(client.get(), address));
  EXPECT_TRUE(accept(listener.get(), nullptr));
  client = socket(AF_UNIX, SOCK_STREAM).value();
  EXPECT_TRUE(connect(client.get(), address));
  ASSERT_TRUE(shutdown_read(listener.get()));
  const auto late = socket(AF_UNIX, SOCK_STREAM).value();
  EXPECT_TRUE(fails_with(connect(late.get(), address), ECONNREFUSED, "connect"));
  EXPECT_TRUE(accept(listener.get(), nullptr));
  EXPECT_TRUE(fails_with(accept(listener.get(), nullptr), EAGAIN, "accept"));
}

}  // namespace
}  // namespace ssx::sys

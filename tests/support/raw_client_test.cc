#include "tests/support/raw_client.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <utility>

#include "ssxrver/sys/socket.h"
#include "tests/support/temp_dir.h"

namespace ssx::test {
namespace {

std::pair<RawClient, RawClient> connected() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {RawClient(ends[0]), RawClient(ends[1])};
}

/// A listener on a free port of the loopback of `family`.
class Listener {
 public:
  explicit Listener(int family = AF_INET) {
    sys::RawAddress address{};
    address.storage.ss_family = static_cast<sa_family_t>(family);
    address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    fd_ = sys::socket(family, SOCK_STREAM).value();
    EXPECT_TRUE(sys::bind(fd_.get(), address));
    EXPECT_TRUE(sys::listen(fd_.get(), 4));
  }
  std::uint16_t port() {
    const auto address = sys::local_address(fd_.get()).value();
    return ntohs(reinterpret_cast<const sockaddr_in*>(address.get())->sin_port);
  }
  RawClient accept() { return RawClient(sys::accept(fd_.get(), nullptr).value().release()); }

 private:
  sys::UniqueFd fd_;
};

RawResponse response_to(std::string_view text, bool to_head = false) {
  auto [client, server] = connected();
  server.send(text);
  server.half_close();
  return client.read_response(to_head);
}

TEST(RawClient, SpeaksTcpAndKnowsItsPort) {
  Listener listener;
  auto client = RawClient::tcp(listener.port());
  auto server = listener.accept();
  EXPECT_NE(client.local_port(), 0);
  EXPECT_TRUE(client.send("ping"));
  EXPECT_EQ(server.read(4), "ping");
  EXPECT_TRUE(server.send_in_pieces("pong", 1));
  EXPECT_EQ(client.read(4), "pong");
}

TEST(RawClient, SpeaksUnixSockets) {
  const TempDir directory;
  sys::RawAddress address{};
  auto& name = reinterpret_cast<sockaddr_un&>(address.storage);
  name.sun_family = AF_UNIX;
  directory.file("s").copy(name.sun_path, sizeof name.sun_path - 1);
  address.size = sizeof name;
  auto listener = sys::socket(AF_UNIX, SOCK_STREAM).value();
  ASSERT_TRUE(sys::bind(listener.get(), address));
  ASSERT_TRUE(sys::listen(listener.get(), 1));
  auto client = RawClient::unix_socket(directory.file("s"));
  RawClient server(sys::accept(listener.get(), nullptr).value().release());
  client.send("x");
  EXPECT_EQ(server.read(1), "x");
}

TEST(RawClient, ReadsUpToAMarkAndKeepsTheRest) {
  auto [client, server] = connected();
  server.send("one\r\ntwo\r\nrest");
  EXPECT_EQ(client.read_until("\r\n"), "one\r\n");
  EXPECT_EQ(client.read_until("\r\n"), "two\r\n");
  EXPECT_EQ(client.read_available(), "rest");
  EXPECT_EQ(client.read_available(), "");
}

TEST(RawClient, AMarkMayArriveInPieces) {
  auto [client, server] = connected();
  server.send("a\r");
  EXPECT_EQ(client.read_available(), "a\r");
  server.send("b\r\n\r");
  server.send("\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "b\r\n\r\n");
}

TEST(RawClient, TellsAnEndFromAReset) {
  Listener listener;
  auto first = RawClient::tcp(listener.port());
  listener.accept().close();
  first.expect_end();
  EXPECT_TRUE(first.ended());
  auto second = RawClient::tcp(listener.port());
  listener.accept().reset();
  EXPECT_EQ(second.read_to_end(), "");
  EXPECT_TRUE(second.was_reset());
  EXPECT_FALSE(second.send("x") && second.send("x"));
}

TEST(RawClient, HalfCloseStillReads) {
  auto [client, server] = connected();
  client.half_close();
  server.expect_end();
  server.send("late");
  EXPECT_EQ(client.read(4), "late");
}

TEST(RawClient, FillsTheBuffersOfAPeerThatDoesNotRead) {
  Listener listener;
  auto client = RawClient::tcp(listener.port(), {.send_buffer_bytes = 4096});
  auto server = listener.accept();
  const std::string much(8 << 20, 'x');
  const std::size_t taken = client.send_without_waiting(much);
  EXPECT_GT(taken, 0U);
  EXPECT_LT(taken, much.size());
  EXPECT_EQ(server.read(taken).size(), taken);
}

TEST(RawClient, ReadsAResponseByItsLength) {
  const auto response = response_to(
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nSet-Cookie: a\r\nset-cookie:b \r\n\r\nabcX");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.reason, "OK");
  EXPECT_EQ(response.body, "abc");
  EXPECT_EQ(response.field("content-length"), "3");
  EXPECT_EQ(response.field("absent"), "");
  EXPECT_EQ(response.count("Set-Cookie"), 2U);
  EXPECT_EQ(response.fields.back().second, "b");
}

TEST(RawClient, ReadsAResponseInChunksWithTrailers) {
  const auto response = response_to(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n"
      "0\r\nDigest: d\r\n\r\n");
  EXPECT_EQ(response.body, "abc0123456789");
  ASSERT_EQ(response.trailers.size(), 1U);
  EXPECT_EQ(response.trailers[0].second, "d");
}

TEST(RawClient, ReadsAResponseToItsEnd) {
  EXPECT_EQ(response_to("HTTP/1.0 200 OK\r\n\r\nall of it").body, "all of it");
}

TEST(RawClient, SomeResponsesHaveNoBody) {
  EXPECT_EQ(response_to("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", true).status, 200);
  EXPECT_EQ(response_to("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n").status, 304);
  EXPECT_EQ(response_to("HTTP/1.1 204 No Content\r\n\r\n").status, 204);
}

TEST(RawClient, ReadsPipelinedAndInterimResponsesOneByOne) {
  auto [client, server] = connected();
  server.send(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 100);
  EXPECT_EQ(client.read_response().body, "a");
  EXPECT_EQ(client.read_response().status, 404);
  EXPECT_EQ(client.read_available(), "");
}

TEST(RawClient, NoResponseAtAllIsStatusZero) { EXPECT_EQ(response_to("").status, 0); }

// Each in a process of its own: a failed check cannot be taken back in this one.
void read_response_and_exit(std::string_view text, RawClient::Options options = {}) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
  RawClient client(ends[0], options);
  RawClient server(ends[1]);
  server.send(text);
  if (!text.empty()) server.half_close();
  const int status = client.read_response().status;
  std::exit(::testing::Test::HasFailure() && status == 0 ? 3 : 0);
}

TEST(RawClientDeathTest, ATruncatedResponseIsAFailedCheck) {
  for (const std::string_view text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "nonsense\r\n\r\n"}) {
    EXPECT_EXIT(read_response_and_exit(text), ::testing::ExitedWithCode(3), "") << text;
  }
}

TEST(RawClientDeathTest, SilenceIsAFailedCheckAfterTheDeadline) {
  EXPECT_EXIT(read_response_and_exit("", {.patience = std::chrono::milliseconds(1)}),
              ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace ssx::test

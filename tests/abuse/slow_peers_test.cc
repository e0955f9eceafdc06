// Group C of the abuse tests: peers that take their time, on a clock that the test turns. Each
// limit alone is tested in tests/http; here many do it together, beside somebody who behaves.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ssxrver/net/timer_wheel.h"
#include "ssxrver/sys/file.h"
#include "tests/http/session_fixture.h"
#include "tests/support/full_size.h"
#include "tests/support/memory_net.h"
#include "tests/support/open_files.h"
#include "tests/support/resident_bytes.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using ssx::test::full_size;
using ssx::test::MemoryPeer;

constexpr Duration kLate = net::TimerWheel::kTick + 17ms;  // of the wheel, and of the session

class SlowPeers : public SessionTest {
 protected:
  SlowPeers() {
    loop = *net::EventLoop::create({}, clock, wire.make_poller());
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kGet, "/big", [this](const Request&) { return big; });
    on(Method::kPost, "/echo",
       [](const Request& r) { return std::to_string(r.body().text.size()); });
  }
  void TearDown() override {
    SessionTest::TearDown();
    loop.reset();
  }

  MemoryPeer dial() {
    if (service == nullptr) start_service();
    auto pair = wire.pair();
    connection = table->adopt(std::move(pair.accepted), service->make_session(0));
    idle();
    return std::move(pair.peer);
  }
  std::vector<MemoryPeer> dial_many(std::size_t count) {
    std::vector<MemoryPeer> peers;
    while (peers.size() < count) peers.push_back(dial());
    return peers;
  }
  /// A request on a connection of its own, which somebody who behaves is always granted.
  void expect_service() {
    MemoryPeer peer = dial();
    peer.send(get("/", "Connection: close\r\n"));
    idle();
    EXPECT_TRUE(peer.received().ends_with("\r\n\r\nhello\n")) << peer.received();
    peer.close();
    idle();
  }
  /// In steps, as time does.
  void pass(Duration time) {
    for (; time > 250ms; time -= 250ms) advance(250ms);
    advance(time);
  }
  /// Every five seconds each sends one byte more of a head, until they are gone.
  void expect_slow_heads_end(std::vector<MemoryPeer>& peers) {
    for (MemoryPeer& peer : peers) peer.send("G");
    idle();
    pass(5s);
    for (MemoryPeer& peer : peers) peer.send("E");
    pass(4s);
    expect_service();
    EXPECT_EQ(table->size(), peers.size());  // at nine seconds all are there
    pass(1s + kLate);
    for (const MemoryPeer& peer : peers) {
      ASSERT_TRUE(peer.received().starts_with("HTTP/1.1 408 ")) << peer.received();
      ASSERT_TRUE(peer.saw_end());
    }
    expect_service();
    pass(connection_options.linger_timeout + kLate);
    EXPECT_TRUE(table->empty());
  }

  ssx::test::MemoryNet wire;
  std::string big = pattern(2 << 20);
};

TEST_F(SlowPeers, C01SlowHeadsEndTenSecondsAfterTheirFirstByte) {
  std::vector<MemoryPeer> peers = dial_many(full_size<std::size_t>(200, 2000));
  expect_slow_heads_end(peers);
  EXPECT_EQ(refused(Errc::kHeadTimedOut), peers.size());
}

TEST_F(SlowPeers, C02SlowHeadsOfASecondRequestEndAsSoon) {
  std::vector<MemoryPeer> peers = dial_many(full_size<std::size_t>(200, 2000));
  for (MemoryPeer& peer : peers) peer.send(get("/"));
  idle();
  for (MemoryPeer& peer : peers) ASSERT_TRUE(peer.take().ends_with("hello\n"));
  pass(20s);  // the time between two requests is another one
  expect_slow_heads_end(peers);
}

TEST_F(SlowPeers, C03SlowBodiesAreJudgedByTheirRate) {
  const std::string head = request("POST", "/echo", "Content-Length: 60000\r\n");
  MemoryPeer dripping = dial();  // one byte in 29 seconds
  dripping.send(head);
  idle();
  pass(29s);
  EXPECT_EQ(dripping.received(), "");
  dripping.send("x");
  idle();
  EXPECT_TRUE(dripping.received().starts_with("HTTP/1.1 408 ")) << dripping.received();

  const auto send_at = [&](MemoryPeer& peer, std::size_t per_second) {
    peer.send(head);
    idle();
    std::size_t sent = 0;
    for (int second = 0; second < 100 && sent < 60'000 && peer.received().empty(); ++second) {
      pass(1s);
      const std::size_t some = std::min(per_second, 60'000 - sent);
      peer.send(std::string(some, 'x'));
      sent += some;
      idle();
    }
    return sent;
  };
  MemoryPeer slow = dial();
  EXPECT_LE(send_at(slow, 900), 900u * 11);
  EXPECT_TRUE(slow.received().starts_with("HTTP/1.1 408 ")) << slow.received();
  MemoryPeer fair = dial();
  EXPECT_EQ(send_at(fair, 1127), 60'000u);
  EXPECT_TRUE(fair.received().ends_with("\r\n\r\n60000")) << fair.received();
  EXPECT_EQ(refused(Errc::kBodyTimedOut), 2u);
}

TEST_F(SlowPeers, C04SlowReadersOfALargeFileEndAndCostLittle) {
  constexpr std::uint64_t kSize = 100U << 20;
  const ssx::test::TempDir folder;
  const std::string path = folder.write("large", "");
  std::filesystem::resize_file(path, kSize);
  const auto file = *sys::open(path.c_str(), O_RDONLY);
  on(Method::kGet, "/file", [fd = file.get()](const Request&) {
    return Response::file({.fd = fd, .offset = 0, .size = kSize, .keep = {}});
  });
  std::vector<MemoryPeer> peers = dial_many(full_size<std::size_t>(100, 1000));
  const std::size_t before = ssx::test::resident_bytes();
  for (MemoryPeer& peer : peers) peer.room(500).send(get("/file"));
  idle();
  for (int second = 0; second < 62; ++second) {
    for (MemoryPeer& peer : peers) peer.take(1);
    pass(1s);
    if (second == 25) {
      expect_service();
      EXPECT_EQ(table->size(), peers.size());
    }
  }
  EXPECT_TRUE(table->empty());
  for (const MemoryPeer& peer : peers) ASSERT_TRUE(peer.saw_reset());
  EXPECT_EQ(counters().write_min_rate_hit.value(), peers.size());
  EXPECT_LT(ssx::test::resident_bytes(), before + (50U << 20));
  expect_service();
}

TEST_F(SlowPeers, C05WhoSaysNothingGoesAndKeepsNobodyFromBeingServed) {
  const std::size_t files = ssx::test::open_files();
  std::vector<MemoryPeer> peers = dial_many(full_size<std::size_t>(500, 9000));
  pass(9s);
  expect_service();
  EXPECT_EQ(table->size(), peers.size());
  pass(1s + kLate);
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(counters().first_byte_timeouts.value(), peers.size());
  for (const MemoryPeer& peer : peers) EXPECT_EQ(peer.received(), "");
  EXPECT_EQ(ssx::test::open_files(), files);
}

TEST_F(SlowPeers, C06APipelineThatIsNeverReadIsBounded) {
  MemoryPeer peer = dial();
  std::string requests;
  for (int i = 0; i < 10'000; ++i) requests += get("/big");
  peer.room(10'000).send(requests);
  idle();
  // Above the mark no further ones are begun.
  EXPECT_LE(connection->unsent_bytes(), connection_options.output_high + 2 * (big.size() + 1000));
  EXPECT_GT(peer.unread(), requests.size() / 2);
  const std::size_t unread = peer.unread();
  pass(20s);
  expect_service();
  EXPECT_EQ(peer.unread(), unread);
  pass(40s + 3 * kLate);  // two looks at what it has taken
  EXPECT_TRUE(peer.saw_reset());
  EXPECT_TRUE(table->empty());
}

TEST_F(SlowPeers, C11ExpectationsThatNobodyFollowsEnd) {
  const std::string expecting =
      request("POST", "/echo", "Content-Length: 3\r\nExpect: 100-continue\r\n");
  MemoryPeer silent = dial();
  silent.send(expecting);
  idle();
  EXPECT_EQ(silent.take(), "HTTP/1.1 100 Continue\r\n\r\n");
  pass(options.timeouts.body - 1ms);
  EXPECT_EQ(silent.received(), "");
  pass(1ms + kLate);
  EXPECT_TRUE(silent.received().starts_with("HTTP/1.1 408 ")) << silent.received();
  EXPECT_TRUE(silent.saw_end());

  MemoryPeer hasty = dial();  // does not wait to be asked
  hasty.send(expecting + "abc" + get("/"));
  idle();
  EXPECT_EQ(hasty.received().find("100 Continue"), std::string::npos);
  EXPECT_NE(hasty.received().find("\r\n\r\n3HTTP/1.1 200"), std::string::npos);

  MemoryPeer late = dial();  // asked, and sends while the question is on its way
  late.send(expecting);
  idle();
  late.send("abc");
  idle();
  EXPECT_TRUE(late.received().starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"));
}

// ---- over TCP, for what only the kernel does

class DeafPeers : public SessionTest {};

TEST_F(DeafPeers, C08WhoSendsAllAndNeverReadsTheRefusalIsNotKept) {
  options.body_max = 1000;
  on(Method::kPost, "/echo", [](const Request&) { return "ok"; });
  for (const std::size_t body : {std::size_t{20} << 10, std::size_t{10} << 20}) {
    Client client = connect_tcp();
    const std::size_t files = ssx::test::open_files();
    // Up to what the server is willing to read and forget; the rest meets a reset.
    tell(client, request("POST", "/echo", fmt::format("Content-Length: {}\r\n", body)));
    tell(client, std::string(body, 'x'));
    EXPECT_EQ(table->size(), body > connection_options.linger_bytes ? 0u : 1u);
    advance(connection_options.linger_timeout + kLate);
    EXPECT_TRUE(table->empty());
    EXPECT_EQ(ssx::test::open_files(), files - 1);
  }
  EXPECT_EQ(refused(Errc::kBodyTooLarge), 2u);
}

}  // namespace
}  // namespace ssx::http::test

#include "ssxrver/net/tcp_stream.h"

#include <type_traits>

#include "tests/net/tcp_stream_fixture.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

static_assert(!std::is_aggregate_v<TcpStream::ReadAwaiter>);  // GCC 12: internals/coroutines.md
static_assert(!std::is_aggregate_v<TcpStream::WriteAwaiter>);

// ---- reading

TEST_F(TcpStreamTest, EchoesUntilEndOfFile) {
  Peer peer = connect(&echo);
  peer.send("hello");
  idle();
  EXPECT_EQ(peer.receive(), "hello");
  peer.send("again");
  idle();
  EXPECT_EQ(peer.receive(), "again");
  peer.shutdown_write();
  idle();
  EXPECT_TRUE(peer.at_end());
  EXPECT_TRUE(table->empty());
}

TEST_F(TcpStreamTest, KnowsItsPeerAndItsIdEvenAfterTheEnd) {
  std::optional<TcpStream> stream;
  Peer peer = connect([&stream](TcpStream given) -> Task<> {
    stream.emplace(std::move(given));
    co_return;
  });
  ASSERT_TRUE(stream);
  EXPECT_TRUE(stream->is_open());
  EXPECT_EQ(stream->id(), connection->id());
  EXPECT_EQ(stream->peer(), connection->peer());
  const ConnectionId id = stream->id();
  table->close_all(Error(Errc::kShutdown, "test"), false);
  idle();
  EXPECT_FALSE(stream->is_open());
  EXPECT_EQ(stream->id(), id);
}

TEST_F(TcpStreamTest, OneArrivalMayBeReadInManyPiecesWithoutASystemCallEach) {
  Record record;
  Peer peer =
      connect([&record](TcpStream stream) -> Task<> { co_await read_all(stream, record, 3); });
  const std::string text = pattern(1000);
  peer.send(text);
  const sim::CallWatch watch;
  idle();
  EXPECT_EQ(record.text, text);
  EXPECT_EQ(watch.of(sim::Call::kReceive), 1u);
}

TEST_F(TcpStreamTest, WhatNobodyReadsYetIsKept) {
  Record record;
  Peer peer = connect([&record](TcpStream stream) -> Task<> {
    co_await sleep_for(1s);
    co_await read_all(stream, record, 7);
  });
  peer.send("first ");
  idle();
  peer.send("second");
  peer.shutdown_write();
  idle();
  EXPECT_EQ(record.text, "");
  advance(1s);
  EXPECT_EQ(record.text, "first second");
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_EQ(record.errors[0], Errc::kEof);
}

TEST_F(TcpStreamTest, ReadingPausesAtItsBoundAndResumes) {
  constexpr std::size_t kPause = 1000;
  for (const std::size_t bytes : {kPause - 1, kPause, kPause + 1}) {
    Record record;
    Peer peer = connect(
        [&record](TcpStream stream) -> Task<> {
          co_await sleep_for(1s);
          co_await read_all(stream, record, 100);
        },
        {.unread_pause = kPause});
    peer.send(pattern(bytes));
    idle();
    EXPECT_EQ(connection->is_reading_paused(), bytes >= kPause) << bytes;
    advance(1s);
    EXPECT_EQ(record.text, pattern(bytes));
    EXPECT_FALSE(connection->is_reading_paused());
    peer.send("more");
    idle();
    EXPECT_EQ(record.text, pattern(bytes) + "more");
  }
}

TEST_F(TcpStreamTest, APeerThatSendsMoreThanIsReadIsHeldBack) {
  Record record;
  Peer peer = connect([&record](TcpStream stream) -> Task<> {
    co_await sleep_for(1s);
    co_await read_all(stream, record);
  });
  const std::string text = pattern(4 << 20);
  std::size_t sent = 0;
  for (int i = 0; i < 100; ++i) {
    sent += peer.send(std::string_view(text).substr(sent));
    idle();
  }
  EXPECT_LT(sent, text.size());  // the sockets' buffers and the bound are full
  advance(1s);
  while (sent < text.size()) {
    sent += peer.send(std::string_view(text).substr(sent));
    idle();
  }
  EXPECT_EQ(record.text, text);
}

TEST_F(TcpStreamTest, ReadingNothingGivesNothingAtOnce) {
  std::optional<Result<std::size_t>> result;
  Peer peer =
      connect([&result](TcpStream stream) -> Task<> { result = co_await stream.read_some({}); });
  ASSERT_TRUE(result && *result);
  EXPECT_EQ(**result, 0u);
}

TEST_F(TcpStreamTest, EndOfFileIsGivenAgainAndAgain) {
  int times = 0;
  Peer peer = connect([&times](TcpStream stream) -> Task<> {
    std::array<std::byte, 10> chunk;
    for (; times < 3; ++times) {
      const auto count = co_await stream.read_some(chunk);
      EXPECT_EQ(count.error(), Errc::kEof);
    }
  });
  peer.shutdown_write();
  idle();
  EXPECT_EQ(times, 3);
}

// ---- writing

TEST_F(TcpStreamTest, WriteAllWaitsForAPeerThatDoesNotRead) {
  const std::string text = pattern(4 << 20);
  std::optional<Result<void>> result;
  Peer peer = connect(
      [&text, &result](TcpStream stream) -> Task<> { co_await write_then(stream, text, result); });
  EXPECT_FALSE(result);
  EXPECT_LE(connection->unsent_bytes(), kHigh);
  EXPECT_GT(connection->unsent_bytes(), kLow);
  std::string got;
  while (!result) {
    got += peer.receive(10'000);
    idle();
    EXPECT_TRUE(result || connection->unsent_bytes() <= kHigh);
  }
  EXPECT_TRUE(*result);
  for (std::string more = peer.receive(); !more.empty(); more = peer.receive()) {
    got += more;
    idle();
  }
  EXPECT_TRUE(got == text);
}

TEST_F(TcpStreamTest, WriteAllDoesNotWaitForAPeerThatTakesEverything) {
  // More than output_high, less than the socket's buffer: the system takes each part whole, and so
  // nobody calls on_drain.
  const std::string text = pattern(kHigh + kHigh / 2);
  std::optional<Result<void>> result;
  Peer peer = connect([&text, &result](TcpStream stream) -> Task<> {
    co_await write_then(stream, text, result);
    co_await sleep_for(1h);
  });
  ASSERT_TRUE(result && *result);
  EXPECT_TRUE(peer.receive() == text);
}

TEST_F(TcpStreamTest, WritesOutsideOfACallbackOfTheConnectionGoOutToo) {
  const std::string text = pattern(3 * kHigh);
  std::optional<Result<void>> result;
  Peer peer = connect([&text, &result](TcpStream stream) -> Task<> {
    co_await sleep_for(1s);
    co_await write_then(stream, text, result);
    co_await sleep_for(1h);
  });
  advance(1s);
  std::string got;
  while (!result) {
    got += peer.receive();
    idle();
  }
  ASSERT_TRUE(*result);
  got += peer.receive();
  EXPECT_TRUE(got == text);
}

TEST_F(TcpStreamTest, ManySmallWritesFillNoMoreThanTheBound) {
  std::size_t written = 0;
  Peer peer = connect([&written](TcpStream stream) -> Task<> {
    while (co_await stream.write_all(as_bytes("0123456789"))) written += 10;
  });
  EXPECT_GE(written, kHigh);
  EXPECT_LE(connection->unsent_bytes(), kHigh);
  const std::size_t before = written;
  std::string got;
  for (int i = 0; i < 50; ++i) {
    got += peer.receive(20'000);
    idle();
    EXPECT_LE(connection->unsent_bytes(), kHigh);
  }
  EXPECT_GT(written, before);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], '0' + static_cast<int>(i % 10));
}

// ---- when the world fails

TEST_F(TcpStreamTest, EchoIsExactWhateverTheSystemCutsShort) {
  const std::string text = pattern(300'000);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Peer peer = connect(&echo);
    std::string got;
    std::size_t sent = 0;
    {
      sim::FaultPlan plan;
      plan.random(seed, {.short_counts = 300, .again = 200, .failures = 0});
      plan.limit_bytes(sim::Call::kReceive, 5000 * static_cast<std::size_t>(seed));
      for (int i = 0; i < 200 && got.size() < text.size(); ++i) {
        sent += peer.send(std::string_view(text).substr(sent));
        idle();
        got += peer.receive();
      }
    }
    while (got.size() < text.size()) {
      sent += peer.send(std::string_view(text).substr(sent));
      idle();
      got += peer.receive();
    }
    ASSERT_TRUE(got == text) << "seed " << seed;
  }
}

TEST(TcpStreamFaults, AHandlerHearsOfEveryFailureOnceAndEnds) {
  const auto scenario = [] {
    const test::ManualClock clock;
    auto created = EventLoop::create({}, clock);
    if (!created) return;
    auto pair = sys::socket_pair(SOCK_STREAM);
    if (!pair) return;
    EventLoop& loop = **created;
    Connections table(loop, {});
    int begun = 0;
    int ended = 0;
    const auto handler = [&begun, &ended](TcpStream stream) -> Task<> {
      ++begun;
      co_await echo(std::move(stream));
      ++ended;
    };
    auto shared = std::make_shared<const StreamHandler>(handler);
    table.adopt({std::move(pair->first), {}, nullptr}, serve_stream(shared));
    loop.run_until_idle();
    Peer peer(std::move(pair->second));
    peer.send("hello");
    loop.run_until_idle();
    peer.close();
    loop.run_until_idle();
    EXPECT_EQ(ended, begun);
    EXPECT_TRUE(table.empty());
  };
  EXPECT_GT(sim::fail_at_nth(scenario), 5u);
}

}  // namespace
}  // namespace ssx::net

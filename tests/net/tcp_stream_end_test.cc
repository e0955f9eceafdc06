// How a TcpStream ends, and what may happen before it begins.
#include <cerrno>
#include <stdexcept>

#include "tests/net/tcp_stream_fixture.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

// ---- the end

TEST_F(TcpStreamTest, AStreamThatIsDestroyedSendsWhatWasWritten) {
  const std::string text = pattern(kHigh);
  Peer peer = connect([&text](TcpStream stream) -> Task<> {
    std::ignore = co_await stream.write_all(as_bytes(text));
  });
  EXPECT_TRUE(peer.receive() == text);
  EXPECT_TRUE(peer.at_end());
}

TEST_F(TcpStreamTest, ShutdownWriteLeavesReadingOpen) {
  Record record;
  Peer peer = connect([&record](TcpStream stream) -> Task<> {
    std::ignore = co_await stream.write_all(as_bytes("bye"));
    stream.shutdown_write();
    const auto refused = co_await stream.write_all(as_bytes("no"));
    EXPECT_EQ(refused.error(), Errc::kClosed);
    co_await read_all(stream, record);
  });
  EXPECT_EQ(peer.receive(), "bye");
  EXPECT_TRUE(peer.at_end());
  peer.send("still here");
  idle();
  EXPECT_EQ(record.text, "still here");
  peer.shutdown_write();
  idle();
  EXPECT_TRUE(table->empty());
}

TEST_F(TcpStreamTest, AClosedConnectionResumesReaderAndWriterOnce) {
  const std::string text = pattern(4 << 20);
  Record record;
  std::vector<Error> write_errors;
  std::optional<TcpStream> stream;
  Peer peer = connect([&stream](TcpStream given) -> Task<> {
    stream.emplace(std::move(given));
    co_return;
  });
  const auto writer = [](TcpStream& to, const std::string& what,
                         std::vector<Error>& errors) -> Task<> {
    const auto result = co_await to.write_all(as_bytes(what));
    if (!result) errors.push_back(result.error());
  };
  start(read_all(*stream, record));
  start(writer(*stream, text, write_errors));
  EXPECT_TRUE(write_errors.empty());
  table->close_all(Error(Errc::kShutdown, "test"), false);
  idle();
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_EQ(record.errors[0], Errc::kShutdown);
  ASSERT_EQ(write_errors.size(), 1u);
  EXPECT_EQ(write_errors[0], Errc::kShutdown);
  // And whoever comes later hears the same.
  start(read_all(*stream, record));
  start(writer(*stream, text, write_errors));
  EXPECT_EQ(record.errors.size(), 2u);
  EXPECT_EQ(write_errors.size(), 2u);
}

TEST_F(TcpStreamTest, CloseResumesWhoeverReads) {
  Record record;
  Peer peer = connect([this, &record](TcpStream stream) -> Task<> {
    spawn(*loop, read_all(stream, record), &log_failure);
    co_await sleep_for(1s);
    stream.close();
    EXPECT_FALSE(stream.is_open());
    co_await sleep_for(1s);
  });
  advance(1s);
  peer.close();
  idle();
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_EQ(record.errors[0].code().category(), net_category());
  advance(1s);
}

TEST_F(TcpStreamTest, ACoroutineThatReadsAStreamThatWasDestroyedIsTold) {
  Record record;
  Peer peer = connect([this, &record](TcpStream stream) -> Task<> {
    spawn(*loop, read_all(stream, record), &log_failure);
    co_return;
  });
  peer.close();
  idle();
  EXPECT_EQ(record.errors.size(), 1u);
  EXPECT_TRUE(table->empty());
}

TEST_F(TcpStreamTest, AfterCloseNothingIsReadAndNothingWritten) {
  int checked = 0;
  Peer peer = connect([&checked](TcpStream stream) -> Task<> {
    co_await sleep_for(1s);
    stream.close();
    std::array<std::byte, 10> chunk;
    EXPECT_EQ((co_await stream.read_some(chunk)).error(), Errc::kClosed);
    EXPECT_EQ((co_await stream.write_all(as_bytes("x"))).error(), Errc::kClosed);
    ++checked;
  });
  peer.send("unread");
  advance(1s);
  EXPECT_EQ(checked, 1);
  EXPECT_EQ(peer.receive(), "");
}

TEST_F(TcpStreamTest, APeerThatHasGoneWhileReadingPausedIsStillReadToItsEnd) {
  const std::string text = pattern(100'000);
  Record record;
  Peer peer = connect(
      [&record](TcpStream stream) -> Task<> {
        co_await sleep_for(1s);
        co_await read_all(stream, record);
      },
      {.unread_pause = 1000});
  sim::FaultPlan plan;
  plan.limit_bytes(sim::Call::kReceive, 1000);  // most of it stays in the socket
  ASSERT_EQ(peer.send(text), text.size());
  idle();
  peer.close();  // both directions: the poller reports a hang-up from now on
  idle();
  advance(1s);
  EXPECT_TRUE(record.text == text) << record.text.size();
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_EQ(record.errors[0], Errc::kEof);
  EXPECT_TRUE(table->empty());
}

TEST_F(TcpStreamTest, APeerThatResetsWhileReadingPausedIsNoEndOfFile) {
  Record record;
  Peer peer = connect(
      [&record](TcpStream stream) -> Task<> {
        std::ignore = co_await stream.write_all(as_bytes("never read"));
        co_await sleep_for(1s);
        co_await read_all(stream, record);
      },
      {.unread_pause = 1000});
  sim::FaultPlan plan;
  plan.limit_bytes(sim::Call::kReceive, 1000);
  peer.send(pattern(100'000));
  idle();
  peer.close();  // with unread bytes
  idle();
  EXPECT_TRUE(table->empty());
  advance(1s);
  EXPECT_EQ(record.text, pattern(100'000).substr(0, 1000));  // what had arrived
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_TRUE(record.errors[0].is_errno(ECONNRESET)) << record.errors[0].message();
}

TEST_F(TcpStreamTest, AHandlerMayOpenAnotherConnection) {
  std::optional<Peer> second;
  Peer first = connect([this, &second](TcpStream stream) -> Task<> {
    std::array<std::byte, 10> chunk;
    std::ignore = co_await stream.read_some(chunk);
    std::ignore = co_await stream.write_all(as_bytes("before "));
    auto [ours, theirs] = socket_pair();
    second.emplace(std::move(theirs));
    auto [other, protocol] = TcpStream::create();
    table->adopt(std::move(ours), std::move(protocol));
    std::ignore = co_await other.write_all(as_bytes("to the other"));
    std::ignore = co_await stream.write_all(as_bytes("after"));
  });
  first.send("x");
  idle();
  EXPECT_EQ(first.receive(), "before after");
  EXPECT_EQ(second->receive(), "to the other");
}

TEST_F(TcpStreamTest, AResetPeerIsAnError) {
  Record record;
  Peer peer = connect([&record](TcpStream stream) -> Task<> {
    std::ignore = co_await stream.write_all(as_bytes("never read"));
    co_await read_all(stream, record);
  });
  peer.close();  // with unread bytes: the other side is told "connection reset"
  idle();
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_TRUE(record.errors[0].is_errno(ECONNRESET)) << record.errors[0].message();
}

TEST_F(TcpStreamTest, ResetEndsAtOnce) {
  const std::string text = pattern(4 << 20);
  Peer peer = connect([this, &text](TcpStream stream) -> Task<> {
    std::optional<Result<void>> result;
    spawn(*loop, write_then(stream, text, result), &log_failure);
    stream.reset();
    co_await sleep_for(1s);
    EXPECT_EQ(result->error(), Errc::kClosed);
  });
  idle();
  EXPECT_TRUE(table->empty());
  advance(1s);
}

TEST_F(TcpStreamTest, ADeadlineEndsTheConnection) {
  Record record;
  Peer peer = connect([&record](TcpStream stream) -> Task<> {
    stream.set_deadline(5s);
    co_await read_all(stream, record);
  });
  advance(4s);
  EXPECT_TRUE(record.errors.empty());
  advance(2s);
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_EQ(record.errors[0], Errc::kTimedOut);
}

TEST_F(TcpStreamTest, AClearedDeadlineDoesNot) {
  Record record;
  Peer peer = connect([&record](TcpStream stream) -> Task<> {
    stream.set_deadline(5s);
    stream.clear_deadline();
    co_await read_all(stream, record);
  });
  advance(60s);
  EXPECT_TRUE(record.errors.empty());
}

TEST_F(TcpStreamTest, AClosingStreamWaitsForAPeerThatDoesNotReadOnlySoLong) {
  const std::string text = pattern(kHigh);
  Peer peer = connect(
      [&text](TcpStream stream) -> Task<> {
        while (co_await stream.write_all(as_bytes(text))) {
          if (!stream.is_open()) co_return;
          co_await yield();
          break;
        }
        for (int i = 0; i < 3; ++i) std::ignore = co_await stream.write_all(as_bytes(text));
      },
      {.close_timeout = 10s});
  while (connection->is_open()) peer.receive(10'000), idle();
  EXPECT_EQ(table->size(), 1u);  // flushing
  advance(9s);
  EXPECT_EQ(table->size(), 1u);
  advance(2s);
  EXPECT_TRUE(table->empty());
}

TEST_F(TcpStreamTest, AHandlerThatThrowsClosesItsConnection) {
  Peer peer = connect([](TcpStream stream) -> Task<> {
    std::array<std::byte, 10> chunk;
    std::ignore = co_await stream.read_some(chunk);
    throw std::runtime_error("handler");
  });
  peer.send("x");
  idle();
  EXPECT_TRUE(peer.at_end());
}

TEST_F(TcpStreamTest, TheHandlersCapturesLiveAsLongAsItsCoroutines) {
  const auto held = std::make_shared<std::string>("captured");
  std::optional<Peer> peer;
  {
    const auto factory = serve_streams([held](TcpStream stream) -> Task<> {
      std::array<std::byte, 10> chunk;
      std::ignore = co_await stream.read_some(chunk);
      std::ignore = co_await stream.write_all(as_bytes(*held));
    });
    peer.emplace(connect(factory(1, 2)));  // as TcpServer calls it, with what it likes
  }
  EXPECT_EQ(held.use_count(), 2);
  peer->send("x");
  idle();
  EXPECT_EQ(peer->receive(), "captured");
  peer->close();
  idle();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TcpStreamTest, HandlersEndWithTheLoop) {
  const auto held = std::make_shared<int>(0);
  Peer peer = connect([&held](TcpStream stream) -> Task<> {
    const auto mine = held;
    std::array<std::byte, 10> chunk;
    std::ignore = co_await stream.read_some(chunk);
    ADD_FAILURE() << "destroyed, not resumed";
  });
  EXPECT_EQ(held.use_count(), 2);
  end_loop();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(TcpStreamTest, ACancelledReadLosesNothing) {
  std::optional<TcpStream> stream;
  Peer peer = connect([&stream](TcpStream given) -> Task<> {
    stream.emplace(std::move(given));
    co_return;
  });
  Record cancelled;
  {
    class Nobody final : public Continuation {
     public:
      Nobody() : Continuation([](Continuation&) noexcept {}) {}
    } nobody;
    auto task = read_all(*stream, cancelled);
    ASSERT_FALSE(task.start(nobody));
  }
  peer.send("kept");
  idle();
  Record record;
  start(read_all(*stream, record));
  EXPECT_EQ(cancelled.text, "");
  EXPECT_EQ(record.text, "kept");
}

// ---- before there is a connection

TEST_F(TcpStreamTest, ReadsAndWritesMayWaitForTheConnection) {
  auto [stream, protocol] = TcpStream::create();
  Record record;
  std::optional<Result<void>> written;
  const std::string text = "early";
  start(read_all(stream, record));
  start(write_then(stream, text, written));
  EXPECT_FALSE(written);
  Peer peer = connect(std::move(protocol));
  EXPECT_TRUE(written && *written);
  EXPECT_EQ(peer.receive(), "early");
  peer.send("late");
  idle();
  EXPECT_EQ(record.text, "late");
}

TEST_F(TcpStreamTest, AStreamDroppedBeforeItsConnectionOpensClosesIt) {
  std::unique_ptr<Protocol> protocol = TcpStream::create().second;
  Peer peer = connect(std::move(protocol));
  EXPECT_TRUE(peer.at_end());
}

TEST_F(TcpStreamTest, AShutdownBeforeItsConnectionOpensIsDoneThen) {
  auto [stream, protocol] = TcpStream::create();
  stream.shutdown_write();
  Peer peer = connect(std::move(protocol));
  EXPECT_TRUE(peer.at_end());
  EXPECT_TRUE(stream.is_open());
}

TEST_F(TcpStreamTest, AConnectionThatNeverOpensIsAnError) {
  auto [stream, protocol] = TcpStream::create();
  Record record;
  start(read_all(stream, record));
  protocol.reset();
  ASSERT_EQ(record.errors.size(), 1u);
  EXPECT_EQ(record.errors[0], Errc::kClosed);
}

TEST_F(TcpStreamTest, AConnectionThatGetsAnotherProtocolIsLostToTheStream) {
  auto [stream, protocol] = TcpStream::create();
  Record record;
  start(read_all(stream, record));
  Peer peer = connect(std::move(protocol));
  auto [successor, next] = TcpStream::create();
  Record second;
  start(read_all(successor, second));
  loop->post([this, &next = next] { connection->set_protocol(std::move(next)); });
  idle();
  EXPECT_EQ(record.errors.size(), 1u);
  peer.send("for the next");
  idle();
  EXPECT_EQ(second.text, "for the next");
}

TEST_F(TcpStreamTest, MovingItTakesTheConnectionAlong) {
  auto [stream, protocol] = TcpStream::create();
  Peer peer = connect(std::move(protocol));
  auto [other, unused] = TcpStream::create();
  other = std::move(stream);
  EXPECT_EQ(other.id(), connection->id());
  std::optional<Result<void>> written;
  const std::string text = "moved";
  start(write_then(other, text, written));
  EXPECT_EQ(peer.receive(), "moved");
}

using TcpStreamDeathTest = TcpStreamTest;

TEST_F(TcpStreamDeathTest, HasOneReader) {
  Record record;
  auto [stream, protocol] = TcpStream::create();
  start(read_all(stream, record));
  EXPECT_DEATH(start(read_all(stream, record)), "reader_");
}

TEST_F(TcpStreamDeathTest, HasOneWriter) {
  std::optional<Result<void>> result;
  const std::string text = "x";
  auto [stream, protocol] = TcpStream::create();
  start(write_then(stream, text, result));
  EXPECT_DEATH(start(write_then(stream, text, result)), "writer_");
}

}  // namespace
}  // namespace ssx::net

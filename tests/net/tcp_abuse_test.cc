// A raw TCP connection whose peer, or whose kernel, does its worst: B14, D07, D08 and D15.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/file.h"
#include "ssxrver/sys/socket.h"
#include "tests/net/connection_fixture.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using sim::Call;

// ---- B14: a protocol of lines

/// Answers each line with its length; a line longer than input_max ends the connection.
Hooks line_lengths() {
  return {.on_data = [](Connection& connection, InBuffer& in) {
    while (const auto eol = in.find_eol()) {
      connection.out().append_copy(as_bytes(std::to_string(*eol) + "\n"));
      connection.out().append_copy({});  // nothing is nothing
      connection.out().append_static({});
      in.consume(*eol + 1);
    }
  }};
}

TEST_F(ConnectionTest, SendingNothingIsNoEndAndNoError) {
  auto peer = open(line_lengths());
  peer.send("");
  idle();
  EXPECT_EQ(record.told(), "open");
  later([this] { (void)connection().out(); });  // asked for, and nothing written
  EXPECT_EQ(peer.writes(), 0U);
  peer.send("\n");
  idle();
  EXPECT_EQ(peer.take(), "0\n");
}

TEST_F(ConnectionTest, AMegabyteWithoutANewlineEndsTheConnection) {
  options.input_max = 64 << 10;
  auto peer = open(line_lengths());
  const std::string chunk(16 << 10, 'x');
  std::size_t sent = 0;
  while (sent < 1 << 20 && record.closes == 0) {
    peer.send(chunk);
    sent += chunk.size();
    idle();
  }
  EXPECT_TRUE(record.ended_with(code(Errc::kInputOverflow)));
  EXPECT_LE(sent, (64U << 10) + chunk.size());
}

TEST_F(ConnectionTest, EitherSideMayHalfCloseFirst) {
  auto peer = open(line_lengths());
  peer.send("four\nunfinished");
  peer.end();
  idle();
  EXPECT_EQ(peer.take(), "4\n");
  EXPECT_TRUE(peer.saw_close());

  record = {};
  auto other = open(line_lengths());
  later([this] { connection().shutdown_write(); });
  EXPECT_TRUE(other.saw_end());
  other.send("still read\n");
  idle();
  EXPECT_EQ(record.closes, 0);
  EXPECT_EQ(other.take(), "");  // but the answer goes nowhere
  other.end();
  idle();
  EXPECT_EQ(record.closes, 1);
}

// ---- D07 and D08 over a socket whose calls are cut short

class CutTest : public testing::Test {
 protected:
  CutTest() : path(dir.write("f", "0123456789")), file(*sys::open(path.c_str(), O_RDONLY)) {}

  /// Opens a connection over a unix socket; the test keeps the other end.
  void open(Hooks hooks) {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    peer = std::move(pair.second);
    table = std::make_unique<Connections>(*loop, ConnectionOptions{});
    table->adopt({std::move(pair.first), {}, nullptr}, test::record_into(record, std::move(hooks)));
  }
  /// A head of two parts, a file, and a tail: every kind of slice.
  void write_reply(Connection& connection) {
    connection.out().append_copy(as_bytes("head "));
    connection.out().append_static(as_bytes("static "));
    FileSlice slice;
    slice.fd = file.get();
    slice.offset = 1;
    slice.size = 8;
    connection.out().append_file(std::move(slice));
    connection.out().append_copy(as_bytes(" tail"));
  }
  static constexpr std::string_view kReply = "head static 12345678 tail";

  // The peer makes its own system calls: those under test alone are counted and cut.
  void send(std::string_view text) {
    ASSERT_EQ(::send(peer.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  std::string received() {
    std::array<char, 4096> chunk;
    std::string text;
    ssize_t count = 0;
    while ((count = ::recv(peer.get(), chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  void idle() { loop->run_until_idle(); }

  const test::TempDir dir;
  const std::string path;
  const sys::UniqueFd file;
  std::unique_ptr<EventLoop> loop = *EventLoop::create();
  Record record;
  std::unique_ptr<Connections> table;
  sys::UniqueFd peer;
};

TEST_F(CutTest, AReplyIsExactWhereverAWriteIsCut) {
  for (const Call call : {Call::kSend, Call::kSendVector, Call::kSendFile}) {
    for (std::size_t most = 1; most <= kReply.size(); ++most) {
      for (const std::uint64_t times : {std::uint64_t{1}, sim::kForever}) {
        record = {};
        open({.on_data = [this](Connection& connection, InBuffer& in) {
          in.consume(in.size());
          write_reply(connection);
          connection.close_after_flush(Connection::Linger::kNo);
        }});
        sim::FaultPlan plan;
        plan.limit_bytes(call, most, times);
        send("x");
        idle();
        ASSERT_EQ(received(), kReply) << sim::name(call) << ' ' << most;
        ASSERT_EQ(record.closes, 1);
      }
    }
  }
}

TEST_F(CutTest, AReplyIsExactWhicheverWriteWouldBlock) {
  for (const Call call : {Call::kSend, Call::kSendVector, Call::kSendFile}) {
    for (std::uint64_t step = 0; step < 8; ++step) {
      for (const std::uint64_t again : {1U, 3U}) {
        record = {};
        open({.on_data = [this](Connection& connection, InBuffer& in) {
          in.consume(in.size());
          write_reply(connection);
        }});
        sim::FaultPlan plan;
        plan.limit_bytes(call, 3, step).fail(call, EAGAIN, again).limit_bytes(call, 2);
        send("x");
        idle();
        ASSERT_EQ(received(), kReply) << sim::name(call) << ' ' << step;
        ASSERT_EQ(record.connection->unsent_bytes(), 0U);
        ASSERT_EQ(record.closes, 0);
      }
    }
  }
}

TEST_F(CutTest, PipelinedRepliesAreExactUnderRandomCuts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    record = {};
    open({.on_data = [this](Connection& connection, InBuffer& in) {
      for (; !in.empty(); in.consume(1)) write_reply(connection);
    }});
    sim::FaultPlan plan;
    plan.random(seed, {.short_counts = 500, .again = 300});
    std::string got, expected;
    for (int i = 0; i < 20; ++i) {
      send(std::string(static_cast<std::size_t>(1 + i % 3), 'x'));
      for (int j = 0; j <= i % 3; ++j) expected += kReply;
      idle();
      got += received();
    }
    idle();
    got += received();
    ASSERT_EQ(got, expected) << "seed " << seed;
  }
}

TEST_F(CutTest, RequestsAreExactWhateverLengthARead) {
  const std::string request = "one\ntwo two\nthree three three\n";
  for (std::size_t most = 1; most <= request.size(); ++most) {
    std::string got;
    record = {};
    open({.on_data = [&got](Connection&, InBuffer& in) {
      while (const auto eol = in.find_eol()) {
        got += in.text().substr(0, *eol + 1);
        in.consume(*eol + 1);
      }
    }});
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kReceive, most);
    send(request);
    idle();
    ASSERT_EQ(got, request) << most;
  }
}

TEST_F(CutTest, AFileThatBecomesShorterResets) {
  open({.on_data = [this](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    write_reply(connection);
  }});
  ASSERT_EQ(::truncate(path.c_str(), 4), 0);
  send("x");
  idle();
  EXPECT_TRUE(record.ended_with(code(Errc::kFileTruncated)));
  EXPECT_EQ(record.closes, 1);
}

// D15
TEST_F(CutTest, EveryErrorOfEveryWriteEndsTheConnectionOnce) {
  for (const Call call : {Call::kSend, Call::kSendVector, Call::kSendFile, Call::kReceive}) {
    for (const int error : {EPIPE, ECONNRESET, ETIMEDOUT, EIO, ENOBUFS, EHOSTUNREACH}) {
      record = {};
      open({.on_data = [this](Connection& connection, InBuffer& in) {
        in.consume(in.size());
        write_reply(connection);
      }});
      sim::FaultPlan plan;
      plan.fail(call, error);
      send("x");
      idle();
      ASSERT_EQ(record.closes, 1) << sim::name(call) << ' ' << error;
      ASSERT_TRUE(record.reason->is_errno(error));
      ASSERT_EQ(table->counters().resets.value(), error == ECONNRESET ? 1U : 0U);
      ASSERT_EQ(table->counters().tcp_timeouts.value(), error == ETIMEDOUT ? 1U : 0U);
      ASSERT_TRUE(table->empty());
    }
  }
}

TEST_F(CutTest, APeerThatGoesAwayInTheMiddleOfAFileIsNoSignal) {
  const std::string big(8 << 20, 'x');
  const std::string big_path = dir.write("big", big);
  const auto big_file = *sys::open(big_path.c_str(), O_RDONLY);
  open({.on_data = [&](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    FileSlice slice;
    slice.fd = big_file.get();
    slice.size = big.size();
    connection.out().append_file(std::move(slice));
  }});
  send("x");
  idle();
  EXPECT_TRUE(record.connection->is_blocked());
  peer.reset();
  idle();
  ASSERT_EQ(record.closes, 1);
  EXPECT_TRUE(record.reason->is_errno(EPIPE) || record.reason->is_errno(ECONNRESET));
}

// The whole life of a connection, with each of its system calls failing once.
TEST_F(CutTest, EverySystemCallOfALifeMayFail) {
  const auto failures = sim::fail_at_nth([this](const sim::FaultPlan& plan) {
    Record life;
    const auto own_loop = EventLoop::create();
    if (!own_loop) return;
    {
      Connections own_table(**own_loop, ConnectionOptions{});
      auto pair = sys::socket_pair(SOCK_STREAM);
      if (!pair) return;
      peer = std::move(pair->second);
      Hooks hooks{.on_data = [this](Connection& connection, InBuffer& in) {
        in.consume(in.size());
        write_reply(connection);
      }};
      own_table.adopt({std::move(pair->first), {}, nullptr}, test::record_into(life, hooks));
      for (int i = 0; i < 2 && life.connection != nullptr; ++i) {
        send("x");
        (*own_loop)->run_until_idle();
        if (plan.faults() == 0) {
          EXPECT_EQ(received(), kReply);
        }
      }
      peer.reset();
      (*own_loop)->run_until_idle();
    }
    EXPECT_EQ(life.count("open"), static_cast<std::size_t>(life.closes));
    EXPECT_LE(life.closes, 1);
    EXPECT_LE(life.destroyed, 1);
    if (plan.faults() == 0) {
      EXPECT_EQ(life.closes, 1);
    }
  });
  EXPECT_GT(failures, 15U);
}

// ---- D08: a storm of signals

std::atomic<int> alarms{0};

class AlarmStorm {
 public:
  AlarmStorm() {
    struct sigaction action {};
    action.sa_handler = [](int) { alarms.fetch_add(1, std::memory_order_relaxed); };
    ::sigaction(SIGALRM, &action, &old_);  // without SA_RESTART: every call may see EINTR
    const itimerval every{{0, 1000}, {0, 1000}};
    ::setitimer(ITIMER_REAL, &every, nullptr);
  }
  ~AlarmStorm() {
    const itimerval none{};
    ::setitimer(ITIMER_REAL, &none, nullptr);
    ::sigaction(SIGALRM, &old_, nullptr);
  }

 private:
  struct sigaction old_ {};
};

TEST_F(CutTest, AThousandSignalsPerSecondChangeNothing) {
  open(test::echo_hooks());
  std::string whole(4 << 20, '\0');
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<char>(i * i >> 3);
  const int before = alarms;
  const AlarmStorm storm;
  std::string got;
  std::size_t sent = 0;
  int rounds = 0;
  while (rounds < 3 || alarms - before < 100) {
    const std::size_t take = std::min<std::size_t>(whole.size() - sent, 50'000);
    const ssize_t count =
        ::send(peer.get(), whole.data() + sent, take, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
    idle();
    got += received();
    if (got.size() < whole.size()) continue;
    ASSERT_TRUE(got == whole) << "round " << rounds;
    got.clear();
    sent = 0;
    ++rounds;
  }
  EXPECT_EQ(record.closes, 0);
}

}  // namespace
}  // namespace ssx::net

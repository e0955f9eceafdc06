// A connection that is told once of what has come, and misses nothing.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "tests/net/connection_fixture.h"
#include "tests/net/kernel_connection_fixture.h"
#include "tests/support/raw_client.h"
#include "tests/support/sample_text.h"

namespace ssx::net {
namespace {

// ---- in memory, where a read that falls short says that there is no more

using ConnectionEdges = ConnectionTest;

TEST_F(ConnectionEdges, ExchangesAskThePollerForNothing) {
  auto peer = open(test::echo_hooks());
  idle();
  const std::size_t controls = wire.controls();
  for (int i = 0; i < 100; ++i) {
    peer.send("ping");
    idle();
    EXPECT_EQ(peer.take(), "ping");
  }
  EXPECT_EQ(wire.controls(), controls);
  EXPECT_EQ(peer.reads(), 100U) << "nobody reads again to see that nothing is there";
}

TEST_F(ConnectionEdges, WhatFillsItsRoomIsReadOn) {
  auto peer = open();
  idle();
  const std::size_t controls = wire.controls();
  for (int i = 0; i < 3; ++i) {
    peer.send(std::string(Batch::kReceiveRoom * 3 + 1, 'x'));
    idle();
    EXPECT_EQ(peer.unread(), 0U);
  }
  EXPECT_EQ(record.data.size(), 3 * (Batch::kReceiveRoom * 3 + 1));
  EXPECT_EQ(wire.controls(), controls + 1) << "it has left the edge once, and for good";
}

TEST_F(ConnectionEdges, AReadThatJustFillsItsRoomLosesNothing) {
  for (const std::size_t more : {0U, 1U}) {
    record = {};
    auto peer = open();
    idle();
    const std::size_t room = Batch::kReceiveRoom - InBuffer::kPrependable;
    peer.send(std::string(room - 1 + more, 'x'));
    idle();
    peer.send("y");
    idle();
    EXPECT_EQ(record.data.size(), room + more);
    later([this] { connection().close(Error(make_error_code(Errc::kClosed), "test")); });
  }
}

TEST_F(ConnectionEdges, ReadsThatAreCutShortAreGoneOnWith) {
  auto peer = open();
  peer.read_at_most(3);
  peer.send("0123456789");
  idle();
  EXPECT_EQ(record.data, "0123456789");
}

TEST_F(ConnectionEdges, AnEndBehindBytesIsTold) {
  auto peer = open();
  idle();
  peer.send("last");
  peer.end();
  idle();
  EXPECT_EQ(record.told(), "open data(4) end close");
}

TEST_F(ConnectionEdges, AnEndAfterBytesIsToldWithoutAnotherControl) {
  auto peer = open({.on_end = [](Connection&) {}});
  peer.send("last");
  idle();
  const std::size_t controls = wire.controls();
  peer.end();
  idle();
  EXPECT_EQ(record.told(), "open data(4) end");
  EXPECT_EQ(wire.controls(), controls + 1) << "it is not read any more";
}

TEST_F(ConnectionEdges, WhatComesDuringAPauseIsThereAfterIt) {
  for (const bool is_told_meanwhile : {false, true}) {
    record = {};
    auto peer = open();
    later([this] { connection().pause_reading(); });
    peer.send("waiting");
    if (is_told_meanwhile) idle();
    EXPECT_EQ(record.data, "");
    loop->post([this] { connection().resume_reading(); });
    idle();
    EXPECT_EQ(record.data, "waiting");
    peer.send(" more");
    idle();
    EXPECT_EQ(record.data, "waiting more");
    later([this] { connection().close(Error(make_error_code(Errc::kClosed), "test")); });
  }
}

TEST_F(ConnectionEdges, WhatComesWhileBytesAreDeliveredAgainIsRead) {
  MemoryPeer* far = nullptr;
  int rounds = 0;
  auto peer = open({.on_data = [&](Connection& connection, InBuffer& in) {
    record.data += in.text().substr(0, 1);
    in.consume(1);
    if (++rounds <= 3) far->send("more");
    if (!in.empty()) connection.deliver_again();
  }});
  far = &peer;
  peer.send("first");
  idle();
  // Bytes that are left without a wish to see them again wait for the next ones.
  for (int i = 0; i < 20 && record.data.size() < 17; ++i) {
    later([this] { connection().deliver_again(); });
  }
  EXPECT_EQ(record.data, "firstmoremoremore");
  EXPECT_EQ(peer.unread(), 0U);
}

TEST_F(ConnectionEdges, OneThatLingersSeesTheEndBehindBytes) {
  auto peer = open({.on_data = [](Connection& connection, InBuffer& in) {
    in.consume(in.size());
    connection.close_after_flush(Connection::Linger::kYes);
  }});
  peer.send("request");
  idle();
  ASSERT_EQ(record.closes, 0);
  peer.send("too much");
  peer.end();
  idle();
  EXPECT_TRUE(record.ended_with(code(Errc::kEof)));
  EXPECT_EQ(counters().linger_timeout_hit.value(), 0U);
}

// A peer that does not read fills the queue above output_high, so nothing of it is read; when it
// reads again, all that it has sent meanwhile is answered.
TEST_F(ConnectionEdges, WhatComesWhileOutputIsHighIsReadAfterwards) {
  options.output_high = 64;
  options.output_low = 16;
  auto peer = open(test::echo_hooks());
  peer.room(10);
  const std::string text = test::sample_text(500);
  std::string got;
  for (std::size_t i = 0; i < text.size(); i += 50) {
    peer.send(text.substr(i, 50));
    idle();
  }
  EXPECT_GT(peer.unread(), 0U);
  for (int i = 0; i < 100; ++i) {
    got += peer.take();
    idle();
  }
  EXPECT_EQ(got, text);
}

// ---- on sockets, where the kernel says what comes

using KernelEdges = KernelConnectionTest;

TEST_F(KernelEdges, WhatWasThereBeforeIsRead) {
  open({}, "early");
  run_until([this] { return record.data == "early"; });
}

// Reading rests while its echoes find no room, and all that came meanwhile is read when they do.
TEST_F(KernelEdges, WhatComesWhileOutputIsHighIsReadAfterwards) {
  open(test::echo_hooks());
  const std::string text = test::sample_text(20 << 20);
  std::size_t sent = 0;
  for (std::size_t before = SIZE_MAX; sent < text.size() && sent != before;) {
    before = sent;
    sent += client.send_without_waiting(std::string_view(text).substr(sent));
    loop->run_until_idle();
  }
  EXPECT_GT(table.counters().output_high_hit.value(), 0U);
  std::string got;
  run_until([&] {
    got += client.read_available();
    sent += client.send_without_waiting(std::string_view(text).substr(sent));
    return got.size() == text.size();
  });
  EXPECT_TRUE(got == text);
}

// recv(2) stops in front of an urgent byte, however much stands behind it.
TEST_F(KernelEdges, AnUrgentByteHidesNothing) {
  open();
  for (const std::string round : {"1", "2"}) {
    ASSERT_TRUE(client.send("before"));
    ASSERT_EQ(::send(client.fd(), "!", 1, MSG_OOB), 1);
    ASSERT_TRUE(client.send("behind" + round));
    run_until([&] { return record.data.ends_with("behind" + round); });
  }
  EXPECT_EQ(record.data, "beforebehind1beforebehind2");
}

TEST_F(KernelEdges, BytesAndTheEndAtOnce) {
  open();
  loop->run_until_idle();
  ASSERT_TRUE(client.send("last"));
  ASSERT_EQ(::shutdown(client.fd(), SHUT_WR), 0);
  run_until([this] { return record.closes == 1; });
  EXPECT_EQ(record.told(), "open data(4) end close");
}

TEST_F(KernelEdges, BytesAndAResetAtOnce) {
  open();
  loop->run_until_idle();
  ASSERT_TRUE(client.send("last"));
  client.reset();
  run_until([this] { return record.closes == 1; });
}

// A read of a unix socket ends where a descriptor was sent along, though more stands behind it.
TEST_F(KernelEdges, ADescriptorSentAlongAUnixSocketHidesNothing) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
  client = test::RawClient(pair[1]);
  table.adopt({sys::UniqueFd(pair[0]), {}, nullptr}, test::record_into(record));
  loop->run_until_idle();
  for (std::string text : {"one", "two", "three"}) {
    iovec part{.iov_base = text.data(), .iov_len = text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int sent_along = client.fd();
    std::memcpy(CMSG_DATA(header), &sent_along, sizeof sent_along);
    ASSERT_EQ(::sendmsg(client.fd(), &message, 0), static_cast<ssize_t>(text.size()));
  }
  run_until([this] { return record.data == "onetwothree"; });
}

/// Reads as it likes: pauses, goes on later, leaves bytes and asks for them again.
class Moody {
 public:
  Moody(std::uint32_t seed, EventLoop& loop, Record& record)
      : random_(seed), loop_(loop), record_(record) {}
  [[nodiscard]] Hooks hooks() {
    return {.on_data = [this](Connection& connection, InBuffer& in) { take(connection, in); }};
  }

 private:
  void take(Connection& connection, InBuffer& in) {
    const std::size_t count = pick(3) == 0 ? pick(in.size()) : in.size();
    record_.data += in.text().substr(0, count);
    in.consume(count);
    if (pick(4) == 0) {
      connection.pause_reading();
      loop_.post([this] {
        if (record_.connection != nullptr) record_.connection->resume_reading();
      });
    } else if (!in.empty()) {
      connection.deliver_again();
    }
  }
  std::size_t pick(std::size_t limit) { return random_() % (limit + 1); }

  std::mt19937 random_;
  EventLoop& loop_;
  Record& record_;
};

class KernelEdgesOfAnyMood : public KernelEdges, public testing::WithParamInterface<int> {};

TEST_P(KernelEdgesOfAnyMood, EveryByteComesAndThenTheEnd) {
  const auto seed = static_cast<std::uint32_t>(GetParam());
  Moody moody(seed, *loop, record);
  open(moody.hooks());
  std::mt19937 random(seed + 1000);
  const std::string all = test::sample_text(400'000);
  for (std::size_t sent = 0; sent < all.size();) {
    const std::size_t most = random() % 2 == 0 ? 100 : 150'000;
    const std::size_t size = std::min<std::size_t>(random() % most + 1, all.size() - sent);
    sent += client.send_without_waiting(std::string_view(all).substr(sent, size));
    if (random() % 8 == 0) continue;
    loop->run_until_idle();
  }
  ASSERT_EQ(::shutdown(client.fd(), SHUT_WR), 0);
  run_until([this] { return record.closes == 1; });
  EXPECT_TRUE(record.data == all) << record.data.size();
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelEdgesOfAnyMood, testing::Range(1, 25));

}  // namespace
}  // namespace ssx::net

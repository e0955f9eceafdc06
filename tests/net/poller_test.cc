// What every Poller promises: run over epoll and over the one in memory.
#include "ssxrver/net/poller.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ssxrver/net/linux/epoll_poller.h"
#include "ssxrver/net/linux/tcp_transport.h"
#include "ssxrver/sys/event.h"
#include "ssxrver/sys/socket.h"
#include "tests/support/memory_net.h"

namespace ssx::net {
namespace {

class Item final : public Channel {
 public:
  explicit Item(int fd) : Channel(fd) {}
  void on_ready(Readiness) override {}
  [[nodiscard]] const char* label() const noexcept override { return "item"; }
};

/// One connection, and the hands of its peer.
struct Line {
  std::function<void(std::string_view)> send;
  std::function<void()> end;
  std::function<void()> vanish;
  std::function<void()> close_ours;
  std::unique_ptr<Item> item;
};

class World {
 public:
  virtual ~World() = default;
  virtual Poller& poller() = 0;
  virtual Line line() = 0;
};

class KernelWorld final : public World {
 public:
  Poller& poller() override { return *poller_; }
  Line line() override {
    auto pair = *sys::socket_pair(SOCK_STREAM);
    auto ours = std::make_shared<sys::UniqueFd>(std::move(pair.first));
    auto theirs = std::make_shared<sys::UniqueFd>(std::move(pair.second));
    Line line;
    line.item = std::make_unique<Item>(ours->get());
    line.send = [theirs](std::string_view text) {
      EXPECT_EQ(sys::send(theirs->get(), as_bytes(text)).value_or(0), text.size());
    };
    line.end = [theirs] { EXPECT_TRUE(sys::shutdown_write(theirs->get())); };
    line.vanish = [theirs] { theirs->reset(); };
    line.close_ours = [ours] { ours->reset(); };
    return line;
  }

 private:
  std::unique_ptr<Poller> poller_ = *EpollPoller::create(64);
};

class MemoryWorld final : public World {
 public:
  Poller& poller() override { return *poller_; }
  Line line() override {
    auto pair = std::make_shared<test::MemoryNet::Pair>(net_.pair());
    Line line;
    line.item = std::make_unique<Item>(pair->accepted.fd.get());
    line.send = [pair](std::string_view text) { pair->peer.send(text); };
    line.end = [pair] { pair->peer.end(); };
    line.vanish = [pair] { pair->peer.close(); };
    line.close_ours = [pair] {
      pair->accepted.transport->close(false);
      pair->accepted.fd.reset();
    };
    return line;
  }

 private:
  test::MemoryNet net_;
  std::unique_ptr<Poller> poller_ = net_.make_poller();
};

template <class Kind>
class PollerTest : public testing::Test {
 protected:
  /// What is ready now, as "0:rw 2:r", by the order in which the lines were made.
  std::string ready() {
    std::string text;
    const auto events = world.poller().wait(false);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (const Poller::Event& event : events) {
        if (event.channel != lines[i].item.get()) continue;
        text += (text.empty() ? "" : " ") + std::to_string(i) + ":";
        if (event.ready & kReadable) text += "r";
        if (event.ready & kWritable) text += "w";
        if (event.ready & kHangup) text += "h";
        if (event.ready & kBeyond) text += "b";
      }
    }
    return text;
  }
  Line& make(Readiness interest) {
    lines.push_back(world.line());
    EXPECT_TRUE(world.poller().add(*lines.back().item, interest));
    return lines.back();
  }

  Kind world;
  std::vector<Line> lines;
};

using Worlds = testing::Types<KernelWorld, MemoryWorld>;
TYPED_TEST_SUITE(PollerTest, Worlds);

TYPED_TEST(PollerTest, SaysNothingWhileNothingIsReady) {
  this->make(kReadable);
  EXPECT_EQ(this->ready(), "");
}

TYPED_TEST(PollerTest, SaysInEveryTurnWhatIsReadyAndWanted) {
  Line& line = this->make(kReadable);
  line.send("x");
  EXPECT_EQ(this->ready(), "0:r");
  EXPECT_EQ(this->ready(), "0:r");
  ASSERT_TRUE(this->world.poller().modify(*line.item, kNothing));
  EXPECT_EQ(this->ready(), "");
  ASSERT_TRUE(this->world.poller().modify(*line.item, kReadable | kWritable));
  EXPECT_EQ(this->ready(), "0:rw");
}

TYPED_TEST(PollerTest, AnEdgeIsToldOnceAndAgainWhenMoreComes) {
  Line& line = this->make(kReadable | kEdge);
  EXPECT_EQ(this->ready(), "");
  line.send("x");
  EXPECT_EQ(this->ready(), "0:r");
  EXPECT_EQ(this->ready(), "");
  line.send("y");
  EXPECT_EQ(this->ready(), "0:r");
  EXPECT_EQ(this->ready(), "");
}

TYPED_TEST(PollerTest, WhatIsThereIsToldWhenAnEdgeIsAskedFor) {
  Line& line = this->make(kNothing);
  line.send("x");
  EXPECT_EQ(this->ready(), "");
  for (int i = 0; i < 2; ++i) {  // the second time nothing changes, and nothing has come
    ASSERT_TRUE(this->world.poller().modify(*line.item, kReadable | kEdge));
    EXPECT_EQ(this->ready(), "0:r");
    EXPECT_EQ(this->ready(), "");
  }
  ASSERT_TRUE(this->world.poller().modify(*line.item, kReadable));
  EXPECT_EQ(this->ready(), "0:r");
  EXPECT_EQ(this->ready(), "0:r");
  this->world.poller().remove(*line.item);
  ASSERT_TRUE(this->world.poller().add(*line.item, kReadable | kEdge));
  EXPECT_EQ(this->ready(), "0:r");
  EXPECT_EQ(this->ready(), "");
}

TYPED_TEST(PollerTest, AnEndBehindTheBytesIsToldWithAnEdge) {
  Line& line = this->make(kReadable | kEdge);
  line.send("x");
  line.end();
  EXPECT_EQ(this->ready(), "0:rb");
  EXPECT_EQ(this->ready(), "");
  Line& later = this->make(kReadable | kEdge);
  later.send("x");
  EXPECT_EQ(this->ready(), "1:r");
  later.end();
  EXPECT_EQ(this->ready(), "1:rb");
}

TYPED_TEST(PollerTest, WithoutAnEdgeNothingIsSaidOfWhatStandsBehind) {
  Line& line = this->make(kReadable);
  line.send("x");
  line.end();
  EXPECT_EQ(this->ready(), "0:r");
  EXPECT_EQ(this->ready(), "0:r");
}

TYPED_TEST(PollerTest, TellsChannelsApart) {
  this->make(kReadable).send("x");
  this->make(kReadable);
  this->make(kReadable).send("x");
  EXPECT_EQ(this->ready(), "0:r 2:r");
}

TYPED_TEST(PollerTest, AnEndIsReadableAndAHangUpIsToldUnwanted) {
  Line& line = this->make(kReadable);
  line.end();
  EXPECT_EQ(this->ready(), "0:r");
  Line& gone = this->make(kNothing);
  gone.vanish();
  EXPECT_EQ(this->ready(), "0:r 1:h");
}

TYPED_TEST(PollerTest, WhatIsRemovedIsNotHeardOf) {
  Line& line = this->make(kReadable);
  line.send("x");
  this->world.poller().remove(*line.item);
  EXPECT_EQ(this->ready(), "");
  ASSERT_TRUE(this->world.poller().add(*line.item, kReadable));
  EXPECT_EQ(this->ready(), "0:r");
}

TYPED_TEST(PollerTest, ClosingADescriptorRemovesIt) {
  Line& line = this->make(kReadable);
  line.send("x");
  line.close_ours();
  EXPECT_EQ(this->ready(), "");
  this->make(kReadable).send("y");  // may have got the same number
  EXPECT_EQ(this->ready(), "1:r");
}

TYPED_TEST(PollerTest, AddingTwiceAndChangingWhatIsNotThereAreErrors) {
  Line& line = this->make(kReadable);
  EXPECT_FALSE(this->world.poller().add(*line.item, kReadable));
  this->world.poller().remove(*line.item);
  EXPECT_FALSE(this->world.poller().modify(*line.item, kReadable));
}

}  // namespace
}  // namespace ssx::net

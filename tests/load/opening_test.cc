#include "ssxrver/load/opening.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>

#include "ssxrver/load/peer.h"

namespace ssx::load {
namespace {

class Unheard final : public Peer::Events {
  void on_open(Peer&) override {}
  void on_answer(Peer&, bool, TimePoint) override {}
  void on_bytes_in(std::uint64_t) override {}
  void on_bytes_out(std::uint64_t) override {}
  void on_free(Peer&, TimePoint) override {}
  void on_refused(int) override {}
  void on_failed(Peer&, Failure, std::uint32_t, bool) override {}
};

/// Counts how many are on their way, and never comes anywhere.
class Traveller final : public Peer {
 public:
  Traveller(Events& events, std::size_t& opened) : Peer(events), opened_(opened) {}
  void open(const net::SocketAddress*) override { ++opened_; }
  void begin(TimePoint, TimePoint, const net::SocketAddress*) override {}
  void close() noexcept override {}
  [[nodiscard]] bool stands() const noexcept override { return false; }

 private:
  std::size_t& opened_;
};

class OpeningTest : public testing::Test {
 protected:
  void add(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) opening.add(peers.emplace_back(events, opened));
  }

  std::unique_ptr<net::EventLoop> loop = *net::EventLoop::create();
  LoadPlan plan;
  Unheard events;
  std::size_t opened = 0;
  bool is_done = false;
  std::deque<Traveller> peers;
  Opening opening{*loop, plan, 0};
};

TEST_F(OpeningTest, HasSoManyOnTheirWayAtOnce) {
  add(Opening::kAtOnce + 2);
  opening.begin([this] { is_done = true; });
  EXPECT_EQ(opened, Opening::kAtOnce);
  opening.note_one();
  loop->run_until_idle();
  EXPECT_EQ(opened, Opening::kAtOnce + 1);
  for (std::size_t i = 1; i < peers.size(); ++i) {
    EXPECT_FALSE(is_done);
    opening.note_one();
    loop->run_until_idle();
  }
  EXPECT_EQ(opened, peers.size());
  EXPECT_TRUE(is_done);
}

TEST_F(OpeningTest, OpensNobodyOnceItHasEnded) {
  add(Opening::kAtOnce + 2);
  opening.begin([] {});
  opening.note_one();  // and there the next one is to be opened
  opening.end();
  loop->run_until_idle();
  EXPECT_EQ(opened, Opening::kAtOnce);
}

}  // namespace
}  // namespace ssx::load

#include "ssxrver/log/ring_hub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace ssx::log {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The test is the back end: it reads the rings itself.
class RingHubTest : public testing::Test {
 protected:
  RingHubTest() : bell_(*Doorbell::create()) {
    options_.ring_size = 64 << 10;
    set_level(Level::kInfo);
  }
  ~RingHubTest() override {
    set_backend(nullptr);
    set_level(Level::kWarn);
    while (!messages().empty()) {
    }
    hub_.close();
    for (ThreadRing* ring = hub_.rings().first(); ring != nullptr; ring = hub_.rings().first()) {
      hub_.rings().remove(*ring);
      ring->leave();
    }
    hub_.take_unplaced();
  }

  void open() {
    hub_.open(options_, bell_);
    set_backend(&RingHub::backend());
  }

  /// Takes everything, and lets go of the rings of ended threads.
  std::vector<std::string> messages() {
    std::vector<std::string> all;
    for (ThreadRing* ring = hub_.rings().first(); ring != nullptr;) {
      ThreadRing* const next = ring->next_in_list;
      const bool last = ring->closed();
      while (const RecordHeader* const record = ring->front()) {
        all.emplace_back();
        format_message(*record, reinterpret_cast<const std::byte*>(record + 1), all.back());
        ring->pop();
      }
      if (last) {
        hub_.rings().remove(*ring);
        ring->leave();
      }
      ring = next;
    }
    return all;
  }

  std::uint64_t lost() {
    std::uint64_t sum = hub_.take_unplaced();
    for (ThreadRing* ring = hub_.rings().first(); ring != nullptr; ring = ring->next_in_list) {
      sum += ring->take_lost();
    }
    return sum;
  }

  int rings() {
    int count = 0;
    for (ThreadRing* ring = hub_.rings().first(); ring != nullptr; ring = ring->next_in_list) {
      ++count;
    }
    return count;
  }

  RingHub& hub_ = RingHub::instance();
  Doorbell bell_;
  LogOptions options_;
};

TEST_F(RingHubTest, EachThreadHasARingOfItsOwn) {
  open();
  SSX_LOG_INFO("main");
  std::thread([] { SSX_LOG_INFO("other"); }).join();
  EXPECT_EQ(rings(), 2);
  EXPECT_EQ(messages().size(), 2U);
  EXPECT_EQ(rings(), 1);  // the other thread has ended
}

TEST_F(RingHubTest, WakesAParkedBackEndForEveryLine) {
  open();
  hub_.set_state(RingHub::BackEnd::kAwake);
  SSX_LOG_INFO("seen soon anyway");
  EXPECT_FALSE(bell_.wait(milliseconds(0)));
  hub_.set_state(RingHub::BackEnd::kParked);
  SSX_LOG_INFO("wakes");
  EXPECT_TRUE(bell_.wait(milliseconds(0)));
  SSX_LOG_INFO("awake already");
  EXPECT_FALSE(bell_.wait(milliseconds(0)));
}

TEST_F(RingHubTest, WakesANappingBackEndForARingThatFillsUpOrAnError) {
  open();
  hub_.set_state(RingHub::BackEnd::kNapping);
  SSX_LOG_INFO("no");
  EXPECT_FALSE(bell_.wait(milliseconds(0)));
  SSX_LOG_ERROR("yes");
  EXPECT_TRUE(bell_.wait(milliseconds(0)));
  hub_.set_state(RingHub::BackEnd::kNapping);
  for (int i = 0; i < 5; ++i) SSX_LOG_INFO("{}", std::string(8000, 'x'));
  EXPECT_TRUE(bell_.wait(milliseconds(0)));
}

TEST_F(RingHubTest, DropsTheNewestLineAndCountsIt) {
  open();
  for (int i = 0; i < 10; ++i) SSX_LOG_INFO("{}{}", i, std::string(8000, 'x'));
  const auto kept = messages();
  EXPECT_EQ(kept.size(), 8U);
  EXPECT_EQ(kept.front()[0], '0');
  EXPECT_EQ(kept.back()[0], '7');
  EXPECT_EQ(lost(), 2U);
}

TEST_F(RingHubTest, BlockedThreadGoesOnWhenThereIsRoom) {
  options_.overflow = Overflow::kBlock;
  open();
  std::atomic<bool> done{false};
  std::thread writer([&done] {
    for (int i = 0; i < 20; ++i) SSX_LOG_INFO("{}", std::string(8000, 'x'));
    done = true;
  });
  std::size_t taken = 0;
  while (taken < 20) {
    taken += messages().size();
    hub_.announce_room();
  }
  writer.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(lost(), 0U);
}

TEST_F(RingHubTest, BlockedThreadGivesUpWhenTheLoggerGoes) {
  options_.overflow = Overflow::kBlock;
  open();
  std::thread writer([] {
    for (int i = 0; i < 20; ++i) SSX_LOG_INFO("{}", std::string(8000, 'x'));
  });
  while (!bell_.wait(milliseconds(0))) hub_.set_state(RingHub::BackEnd::kParked);
  hub_.close();
  writer.join();
}

TEST_F(RingHubTest, FlushWaitsForItsTurn) {
  open();
  std::thread back_end([this, before = hub_.flush_wanted()] {
    while (hub_.flush_wanted() == before) bell_.wait(milliseconds(10));
    hub_.flush_done(hub_.flush_wanted(), true);
  });
  EXPECT_TRUE(hub_.flush(seconds(30)));
  back_end.join();
}

TEST_F(RingHubTest, FlushGivesUpInTime) {
  open();
  EXPECT_FALSE(hub_.flush(milliseconds(1)));
}

TEST_F(RingHubTest, FlushEndsWithTheLogger) {
  open();
  hub_.set_state(RingHub::BackEnd::kParked);
  std::thread closer([this] {
    while (!bell_.wait(milliseconds(10))) {
    }
    hub_.close();
  });
  EXPECT_FALSE(hub_.flush(seconds(30)));
  closer.join();
}

TEST_F(RingHubTest, ThreadsTakeANewRingForANewLogger) {
  open();
  SSX_LOG_INFO("first");
  hub_.close();
  SSX_LOG_INFO("between");  // nobody is there
  open();
  SSX_LOG_INFO("second");
  EXPECT_EQ(messages(), (std::vector<std::string>{"second", "first"}));
}

TEST_F(RingHubTest, TheBackEndItselfNeverWaits) {
  options_.overflow = Overflow::kBlock;
  open();
  std::thread back_end([this] {
    hub_.serve_from_this_thread();
    for (int i = 0; i < 10; ++i) SSX_LOG_INFO("{}", std::string(8000, 'x'));
    EXPECT_FALSE(hub_.flush(seconds(30)));
  });
  back_end.join();
  EXPECT_EQ(lost(), 2U);
}

// They come from event loops.
TEST_F(RingHubTest, LinesOfASinkNeitherWaitNorHurry) {
  static constexpr Site kSink{.file = "",
                              .module = "",
                              .format = "",
                              .types = nullptr,
                              .format_size = 0,
                              .line = 0,
                              .module_size = 0,
                              .arguments = 0,
                              .level = Level::kInfo,
                              .stream = 1};
  options_.overflow = Overflow::kBlock;
  options_.flush_level = Level::kInfo;
  open();
  hub_.set_state(RingHub::BackEnd::kNapping);
  internal::write_text(kSink, "line", 0);
  EXPECT_FALSE(bell_.wait(milliseconds(0)));
  for (int i = 0; i < 10; ++i) internal::write_text(kSink, std::string(8000, 'x'), 0);
  EXPECT_EQ(messages().size(), 9U);  // the short one, and what has room beside it
  EXPECT_EQ(lost(), 2U);
}

}  // namespace
}  // namespace ssx::log

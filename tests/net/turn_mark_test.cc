#include "ssxrver/net/turn_mark.h"

#include "ssxrver/sys/process.h"
#include "tests/net/event_loop_fixture.h"

namespace ssx::net {
namespace {

TEST(TurnMark, NamesNoTurnAndNoWorkAtFirst) {
  const TurnMark mark;
  EXPECT_EQ(mark.began(), TurnMark::kNone);
  EXPECT_EQ(mark.label(), nullptr);
  EXPECT_EQ(mark.thread(), 0);
}

TEST(TurnMark, GivesANameAwayOnce) {
  TurnMark mark;
  mark.set_label("GET /");
  EXPECT_STREQ(mark.label(), "GET /");
  EXPECT_STREQ(mark.take_label(), "GET /");
  EXPECT_EQ(mark.take_label(), nullptr);
}

using LoopTurnMark = EventLoopTest;

TEST_F(LoopTurnMark, IsSetWhileACallbackRunsAndNotBesideIt) {
  clock.advance(5s);
  const TimePoint began = clock.now();
  TimePoint seen{};
  loop->post([&] {
    clock.advance(1s);
    loop->set_label("GET /slow");
    seen = loop->turn_mark().began();
    EXPECT_STREQ(loop->turn_mark().label(), "GET /slow");
  });
  EXPECT_EQ(loop->turn_mark().began(), TurnMark::kNone);
  idle();
  EXPECT_EQ(seen, began);
  EXPECT_EQ(loop->turn_mark().began(), TurnMark::kNone);
  EXPECT_EQ(loop->turn_mark().label(), nullptr);
}

TEST_F(LoopTurnMark, NamesTheThreadThatRuns) {
  int thread = 0;
  std::thread([&] {
    thread = sys::thread_id();
    loop->stop();
    loop->run();
  }).join();
  EXPECT_EQ(loop->turn_mark().thread(), thread);
}

}  // namespace
}  // namespace ssx::net

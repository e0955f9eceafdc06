#include "ssxrver/net/loop_owned.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/net/event_loop_fixture.h"

namespace ssx::net {
namespace {

struct Thing {
  Thing(bool& where, int its_number) noexcept : ended(where), number(its_number) {}
  Thing(const Thing&) = delete;
  Thing& operator=(const Thing&) = delete;
  ~Thing() { ended = true; }
  bool& ended;
  int number;
};

class LoopOwnedTest : public EventLoopTest {
 protected:
  void make() {
    loop->post([this] { (void)owned.emplace().get(ended, 1); });
    idle();
  }

  bool ended = false;
  std::optional<LoopOwned<Thing>> owned;
};

TEST_F(LoopOwnedTest, IsMadeOnce) {
  make();
  EXPECT_EQ(owned->get(ended, 2).number, 1);
}

TEST_F(LoopOwnedTest, EndsOnTheLoopThatMadeIt) {
  make();
  std::thread([this] { owned.reset(); }).join();
  EXPECT_FALSE(ended);
  idle();
  EXPECT_TRUE(ended);
}

TEST_F(LoopOwnedTest, EndsAtOnceWhenThatLoopHasEnded) {
  make();
  loop.reset();
  owned.reset();
  EXPECT_TRUE(ended);
}

TEST_F(LoopOwnedTest, EndsAtOnceWhenItHasNoHome) {
  (void)owned.emplace().get(ended, 1);
  owned.reset();
  EXPECT_TRUE(ended);
}

TEST_F(LoopOwnedTest, IsNothingUntilItIsNeeded) {
  owned.emplace();
  owned.reset();
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace ssx::net

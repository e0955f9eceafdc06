#include "ssxrver/net/disposal.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/net/event_loop_fixture.h"

namespace ssx::net {
namespace {

struct Ended {
  explicit Ended(std::vector<std::thread::id>& where) noexcept : ends(where) {}
  Ended(const Ended&) = delete;
  Ended& operator=(const Ended&) = delete;
  ~Ended() { ends.push_back(std::this_thread::get_id()); }
  std::vector<std::thread::id>& ends;
  std::shared_ptr<Ended> inner = nullptr;
};

class DisposalTest : public EventLoopTest {
 protected:
  std::shared_ptr<Ended> make() { return disposal.share(std::make_unique<Ended>(ends)); }

  const std::thread::id here = std::this_thread::get_id();
  std::vector<std::thread::id> ends;
  Disposal disposal;
};

TEST_F(DisposalTest, DestroysAtOnceWhileItHasNoLoop) {
  make().reset();
  EXPECT_THAT(ends, ElementsAre(here));
}

TEST_F(DisposalTest, DestroysOnItsLoopAndNeverInline) {
  disposal.open(*loop);
  auto one = make();
  auto other = one;
  one.reset();
  idle();
  EXPECT_THAT(ends, IsEmpty());
  other.reset();
  EXPECT_THAT(ends, IsEmpty());
  idle();
  EXPECT_THAT(ends, ElementsAre(here));
}

TEST_F(DisposalTest, DestroysThereWhateverThreadWasTheLast) {
  disposal.open(*loop);
  std::thread([last = make()] {}).join();
  EXPECT_THAT(ends, IsEmpty());
  idle();
  EXPECT_THAT(ends, ElementsAre(here));
}

TEST_F(DisposalTest, DestroysWhatItsObjectsLetGoOf) {
  disposal.open(*loop);
  auto outer = make();
  outer->inner = make();
  outer->inner->inner = make();
  outer.reset();
  idle();
  EXPECT_EQ(ends.size(), 3u);
}

TEST_F(DisposalTest, DestroysAtItsEndWhatItsLoopDidNot) {
  {
    Disposal last;
    last.open(*loop);
    last.share(std::make_unique<Ended>(ends)).reset();
    loop.reset();
    last.share(std::make_unique<Ended>(ends)).reset();
    EXPECT_THAT(ends, IsEmpty());
  }
  EXPECT_EQ(ends.size(), 2u);
}

}  // namespace
}  // namespace ssx::net

#include "ssxrver/net/channel.h"

#include <gtest/gtest.h>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/event.h"

namespace ssx::net {
namespace {

class Item final : public Channel {
 public:
  explicit Item(int fd) : Channel(fd) {}
  void on_ready(Readiness) override {}
  [[nodiscard]] const char* label() const noexcept override { return "item"; }
};

TEST(Channel, KnowsWhetherItIsRegisteredAndWhatIsWanted) {
  const auto loop = *EventLoop::create();
  auto fd = *sys::eventfd_create();
  Item item(fd.get());
  EXPECT_EQ(item.fd(), fd.get());
  EXPECT_FALSE(item.is_registered());
  EXPECT_EQ(item.interest(), kNothing);
  ASSERT_TRUE(loop->add(item, kReadable));
  EXPECT_TRUE(item.is_registered());
  EXPECT_EQ(item.interest(), kReadable);
  ASSERT_TRUE(loop->set_interest(item, kReadable | kWritable));
  EXPECT_EQ(item.interest(), kReadable | kWritable);
  loop->remove(item);
  EXPECT_FALSE(item.is_registered());
  EXPECT_EQ(item.interest(), kNothing);
}

TEST(Channel, IsNotRegisteredWhenThePollerRefusesIt) {
  const auto loop = *EventLoop::create();
  Item item(-1);
  EXPECT_FALSE(loop->add(item, kReadable));
  EXPECT_FALSE(item.is_registered());
}

TEST(Channel, ClosingTheDescriptorIsEnough) {
  const auto loop = *EventLoop::create();
  auto fd = *sys::eventfd_create();
  Item item(fd.get());
  ASSERT_TRUE(loop->add(item, kReadable));
  loop->forget(item);
  fd.reset();
  EXPECT_FALSE(item.is_registered());
  loop->run_until_idle();
}

}  // namespace
}  // namespace ssx::net

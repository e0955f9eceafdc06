#include "ssxrver/net/linux/epoll_poller.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <set>
#include <vector>

#include "ssxrver/sys/event.h"
#include "ssxrver/sys/socket.h"
#include "tests/support/captured_log.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

class Item final : public Channel {
 public:
  explicit Item(sys::UniqueFd fd) : Channel(fd.get()), owned(std::move(fd)) {}
  void on_ready(Readiness) override {}
  [[nodiscard]] const char* label() const noexcept override { return "item"; }
  sys::UniqueFd owned;
};

std::unique_ptr<Item> ready_item() {
  auto fd = *sys::eventfd_create();
  EXPECT_TRUE(sys::eventfd_signal(fd.get()));
  return std::make_unique<Item>(std::move(fd));
}

// What every poller promises is in tests/net/poller_test.cc.

TEST(EpollPoller, GivesAtMostMaxEventsAndTheOthersInTheNextTurn) {
  for (const std::size_t max : {2U, 3U, 4U}) {
    const auto poller = *EpollPoller::create(max);
    std::vector<std::unique_ptr<Item>> items;
    for (int i = 0; i < 3; ++i) {
      items.push_back(ready_item());
      ASSERT_TRUE(poller->add(*items.back(), kReadable));
    }
    std::set<Channel*> seen;
    const auto first = poller->wait(false);
    EXPECT_EQ(first.size(), std::min<std::size_t>(max, 3));
    for (const Poller::Event& event : first) seen.insert(event.channel);
    for (const Poller::Event& event : poller->wait(false)) seen.insert(event.channel);
    EXPECT_EQ(seen.size(), 3U) << max;  // none is starved
  }
}

TEST(EpollPoller, TellsAnErrorFromAHangUp) {
  const auto poller = *EpollPoller::create(8);
  auto pair = *sys::socket_pair(SOCK_STREAM);
  Item item(std::move(pair.first));
  ASSERT_TRUE(poller->add(item, kNothing));
  // A unix peer that closes with unread bytes resets.
  ASSERT_TRUE(sys::send(item.fd(), as_bytes("unread")));
  pair.second.reset();
  const auto events = poller->wait(false);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].ready & (kHangup | kError), kHangup | kError);
}

TEST(EpollPoller, ExclusiveRegistrationsWork) {
  const auto one = *EpollPoller::create(8);
  const auto two = *EpollPoller::create(8);
  const auto item = ready_item();
  ASSERT_TRUE(one->add(*item, kReadable | kExclusive));
  ASSERT_TRUE(two->add(*item, kReadable | kExclusive));
  EXPECT_EQ(one->wait(false).size() + two->wait(false).size(), 2U);  // both ask by themselves
  one->remove(*item);
  EXPECT_EQ(one->wait(false).size(), 0U);
}

TEST(EpollPoller, ErrorsOfTheSystemComeBack) {
  const test::CapturedLog log;
  sim::FaultPlan plan;
  plan.fail(sim::Call::kEpollCreate, EMFILE);
  const auto refused = EpollPoller::create(8);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_errno(EMFILE));

  const auto poller = *EpollPoller::create(8);
  const auto item = ready_item();
  plan.fail(sim::Call::kEpollAdd, ENOSPC);
  EXPECT_TRUE(poller->add(*item, kReadable).error().is_errno(ENOSPC));
  ASSERT_TRUE(poller->add(*item, kReadable));
  plan.fail(sim::Call::kEpollModify, ENOMEM);
  EXPECT_TRUE(poller->modify(*item, kNothing).error().is_errno(ENOMEM));
  plan.fail(sim::Call::kEpollWait, EINVAL);
  EXPECT_TRUE(poller->wait(false).empty());
  EXPECT_EQ(poller->wait(false).size(), 1U);
  poller->remove(*item);
  poller->remove(*item);  // logged, nothing else
  EXPECT_EQ(log.lines().size(), 2U);
}

}  // namespace
}  // namespace ssx::net

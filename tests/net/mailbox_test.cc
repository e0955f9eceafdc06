#include "ssxrver/net/mailbox.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "ssxrver/sys/event.h"
#include "tests/support/sim/kernel.h"

namespace ssx::net {
namespace {

using sim::Call;
using sim::CallWatch;

class MailboxTest : public testing::Test {
 protected:
  void post(std::string name) {
    EXPECT_TRUE(mailbox->post([this, name = std::move(name)] { ran += name; }));
  }
  /// What the loop does when the eventfd is readable.
  void wake_up() { mailbox->on_ready(kReadable); }

  std::unique_ptr<Mailbox> mailbox = std::make_unique<Mailbox>(*sys::eventfd_create());
  std::string ran;
};

TEST_F(MailboxTest, RunsWhatWasPostedInItsOrder) {
  for (const char* name : {"a", "b", "c"}) post(name);
  EXPECT_EQ(ran, "");
  EXPECT_FALSE(mailbox->drain(100));
  EXPECT_EQ(ran, "abc");
}

TEST_F(MailboxTest, RunsAtMostItsBudget) {
  for (const std::size_t budget : {2U, 3U, 4U}) {
    ran.clear();
    for (const char* name : {"a", "b", "c"}) post(name);
    EXPECT_EQ(mailbox->drain(budget), budget <= 3) << budget;
    EXPECT_EQ(ran, std::string("abc").substr(0, budget));
    (void)mailbox->drain(10);
  }
}

TEST_F(MailboxTest, SignalsOnceUntilTheLoopHasLooked) {
  const CallWatch watch;
  for (int i = 0; i < 100; ++i) post("x");
  EXPECT_EQ(watch.of(Call::kEventfdSignal), 1U);
  wake_up();
  (void)mailbox->drain(1000);
  post("x");
  EXPECT_EQ(watch.of(Call::kEventfdSignal), 2U);
}

TEST_F(MailboxTest, AFailedSignalIsTriedAgainWithTheNextPost) {
  sim::FaultPlan plan;
  plan.fail(Call::kEventfdSignal, EIO);
  post("a");
  const CallWatch watch;
  post("b");
  EXPECT_EQ(watch.of(Call::kEventfdSignal), 1U);
  (void)mailbox->drain(10);
  EXPECT_EQ(ran, "ab");
}

TEST_F(MailboxTest, AFunctionMayPostAnother) {
  EXPECT_TRUE(mailbox->post([this] { post("second"); }));
  EXPECT_FALSE(mailbox->drain(10));
  EXPECT_EQ(ran, "second");
}

TEST_F(MailboxTest, WhatIsPostedAfterTheEndIsRefusedAndCounted) {
  post("a");
  mailbox->close();
  auto watched = std::make_shared<int>(1);
  EXPECT_FALSE(mailbox->post([watched] { FAIL(); }));
  EXPECT_EQ(watched.use_count(), 1);
  EXPECT_EQ(mailbox->dropped(), 1U);
  mailbox->finish();
  EXPECT_EQ(ran, "a");
}

TEST_F(MailboxTest, FinishRunsEverythingAndRefusesWhatThatPosts) {
  bool refused = false;
  EXPECT_TRUE(mailbox->post([&] { refused = !mailbox->post([] { FAIL(); }); }));
  post("b");
  mailbox->finish();
  EXPECT_TRUE(refused);
  EXPECT_EQ(ran, "b");
}

TEST_F(MailboxTest, WhatIsLeftIsDestroyedWithIt) {
  auto watched = std::make_shared<int>(1);
  EXPECT_TRUE(mailbox->post([watched] { FAIL(); }));
  EXPECT_EQ(watched.use_count(), 2);
  mailbox.reset();
  EXPECT_EQ(watched.use_count(), 1);
}

}  // namespace
}  // namespace ssx::net

#include "websocket/outbox.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::websocket {
namespace {

WaitingMessage waiting(std::string payload, std::size_t topic) {
  return {.topic = topic, .own = std::move(payload)};
}

TEST(Outbox, CountsWhatWaits) {
  Outbox outbox;
  EXPECT_EQ(outbox.bytes(), 0U);
  outbox.push(waiting("one", 1));
  outbox.push({.shared = LocalRef(new SharedMessage(PreparedMessage::text("shared")))});
  EXPECT_GE(outbox.bytes(), 9U + 2 * sizeof(WaitingMessage)) << "keeping them costs more";
  EXPECT_EQ(as_text(outbox.pop().payload()), "one");
  EXPECT_EQ(as_text(outbox.pop().payload()), "shared");
  EXPECT_EQ(outbox.bytes(), 0U);
  EXPECT_FALSE(outbox.has_messages());
  outbox.delayed.append_copy(as_bytes("frame"));
  EXPECT_EQ(outbox.bytes(), 5U);
}

TEST(Outbox, DropsWhatWaitsOfATopic) {
  Outbox outbox;
  outbox.push(waiting("a1", 1));
  outbox.push(waiting("b1", 2));
  outbox.push(waiting("a2", 1));
  EXPECT_EQ(outbox.drop_all_of(1), 2U);
  EXPECT_EQ(outbox.drop_all_of(1), 0U);
  EXPECT_EQ(outbox.pop().own, "b1");
  EXPECT_EQ(outbox.bytes(), 0U);
}

TEST(Outbox, ClearsWhatWaitsAndWhatIsCollected) {
  Outbox outbox;
  outbox.push(waiting("one", 1));
  outbox.push(waiting("two", 2));
  outbox.delayed.append_copy(as_bytes("frame"));
  outbox.delayed_messages = 3;
  EXPECT_EQ(outbox.clear(), 5U);
  EXPECT_EQ(outbox.bytes(), 0U);
  EXPECT_FALSE(outbox.has_messages());
  EXPECT_EQ(outbox.clear(), 0U);
}

// The leak checker of the sanitizer would tell.
TEST(Outbox, FreesWhatStillWaitsWhenItGoes) {
  Outbox outbox;
  outbox.push(waiting(std::string(100, 'x'), 1));
  outbox.push({.shared = LocalRef(new SharedMessage(PreparedMessage::text("shared")))});
  EXPECT_TRUE(outbox.has_messages());
}

}  // namespace
}  // namespace ssx::websocket

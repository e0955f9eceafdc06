#include "websocket/prepared.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/websocket/frames.h"
#include "websocket/shared_message.h"

namespace ssx::websocket {
namespace {

TEST(PreparedMessage, IsAFrameAndItsPayload) {
  for (const std::size_t size : {0U, 125U, 126U, 65536U}) {
    const std::string payload(size, 'x');
    const auto message = PreparedMessage::text(payload);
    EXPECT_TRUE(as_text(message.payload()) == payload) << size;
    EXPECT_TRUE(test::show(as_text(message.frame())) == "text " + payload + "|") << size;
  }
  EXPECT_EQ(PreparedMessage::of({"x", Opcode::kBinary}).opcode(), Opcode::kBinary);
}

TEST(PreparedMessage, IsTheSameAsItsCopies) {
  const auto message = PreparedMessage::text("x");
  const PreparedMessage copy = message;
  EXPECT_TRUE(copy.is_same(message));
  EXPECT_FALSE(PreparedMessage::text("x").is_same(message));
}

TEST(SharedMessage, IsCodedOnceForAKind) {
  SharedMessage shared(PreparedMessage::text("x"));
  int made = 0;
  const auto make = [&made] { return std::to_string(++made); };
  const std::string& first = shared.coded(1, make);
  EXPECT_EQ(first, "1");
  EXPECT_EQ(shared.coded(2, make), "2");
  EXPECT_EQ(&shared.coded(1, make), &first) << "queues look into it";
}

}  // namespace
}  // namespace ssx::websocket

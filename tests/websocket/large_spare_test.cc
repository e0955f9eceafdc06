#include "websocket/large_spare.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ssxrver/base/local_ref.h"
#include "ssxrver/coro/task.h"
#include "tests/websocket/session_fixture.h"

namespace ssx::websocket::test {
namespace {

constexpr std::size_t kLarge = WorkerState::kSpareBytesMax + 1;

class LargeSpareTest : public WebSocketTest {
 protected:
  LocalRef<LargeSpare> spare{new LargeSpare(*loop)};
};

TEST_F(LargeSpareTest, LendsTheMemoryThatWasLeft) {
  MessageBuffer used;
  used.reserve(kLarge);
  used.append(as_bytes("old"));
  const char* const memory = used.text().data();
  spare->keep(used);
  EXPECT_EQ(used.capacity(), 0U);
  EXPECT_EQ(spare->kept_bytes(), kLarge);
  MessageBuffer next;
  next.append(as_bytes("new"));
  spare->lend(next);
  EXPECT_EQ(next.text(), "new");
  EXPECT_EQ(next.text().data(), memory);
  EXPECT_EQ(next.capacity(), kLarge);
}

TEST_F(LargeSpareTest, KeepsTheLargerOfTwo) {
  for (const std::size_t size : {kLarge, kLarge + 2, kLarge + 1}) {
    MessageBuffer used;
    used.reserve(size);
    spare->keep(used);
  }
  EXPECT_EQ(spare->kept_bytes(), kLarge + 2);
  MessageBuffer has_as_much;
  has_as_much.reserve(kLarge + 2);
  spare->lend(has_as_much);
  EXPECT_EQ(spare->kept_bytes(), kLarge + 2);
}

TEST_F(LargeSpareTest, GivesItBackWhenNoMessageComesForAWhile) {
  MessageBuffer used;
  used.reserve(kLarge);
  spare->keep(used);
  advance(LargeSpare::kKeptFor - 1s);
  spare->keep(used);  // nothing larger, but a use
  advance(LargeSpare::kKeptFor - 1ms);
  EXPECT_EQ(spare->kept_bytes(), kLarge);
  advance(2ms);
  EXPECT_EQ(spare->kept_bytes(), 0U);
  used.reserve(kLarge);
  spare->keep(used);
  advance(LargeSpare::kKeptFor + 1ms);
  EXPECT_EQ(spare->kept_bytes(), 0U);
}

// The memory is that of the message before, and what is read is not.
class LargeMessages : public WebSocketTest {
 protected:
  void handle(std::string_view payload) {
    places.push_back(payload.data());
    seen.push_back(std::string(payload));
  }
  std::vector<const char*> places;
  std::vector<std::string> seen;
};

TEST_F(LargeMessages, ComeIntoTheSameMemory) {
  Handlers<> handlers;
  handlers.on_message = [this](auto&, const Message& message) { handle(message.payload); };
  route("/", std::move(handlers));
  Peer peer = open("/");
  const std::string first = http::test::pattern(3 * kLarge);
  const std::string second(2 * kLarge, 'z');
  tell(peer, text(first));
  tell(peer, text(second));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0] == first);
  EXPECT_TRUE(seen[1] == second);
  EXPECT_EQ(places[0], places[1]);
  advance(LargeSpare::kKeptFor + 1s);
}

TEST_F(LargeMessages, OfACoroutineComeIntoTheSameMemory) {
  Handlers<> handlers;
  handlers.on_message = [this](auto&, const Message& message) -> Task<> {
    handle(message.payload);
    co_return;
  };
  route("/", std::move(handlers));
  Peer peer = open("/");
  for (const char letter : {'a', 'b'}) tell(peer, text(std::string(2 * kLarge, letter)));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[1] == std::string(2 * kLarge, 'b'));
  EXPECT_EQ(places[0], places[1]);
}

}  // namespace
}  // namespace ssx::websocket::test

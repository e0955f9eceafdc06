#include "websocket/deflate.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "tests/support/feed_every_split.h"
#include "tests/support/sample_text.h"

namespace ssx::websocket {
namespace {

using test::sample_noise;
using test::sample_text;
using namespace std::string_literals;
using compress::Piece;

/// Two ends of a connection, on two workers.
class DeflateTest : public testing::Test {
 protected:
  DeflateTest() { options.deflate.mode = DeflateMode::kBoth; }

  Deflate server() { return Deflate(params, options, Role::kServer, server_pool); }
  Deflate client() { return Deflate(params, options, Role::kClient, client_pool); }

  struct Outcome {
    std::string text;
    std::error_code code;
  };
  static Outcome read(Deflate& deflate, const ssx::test::Pieces& pieces) {
    Outcome outcome;
    std::array<std::byte, 1000> room;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece piece = i + 1 == pieces.size() ? Piece::kLast : Piece::kMore;
      for (ByteView in = as_bytes(pieces[i]); true;) {
        const auto step = deflate.inflate(in, room, piece);
        if (!step) {
          outcome.code = step.error().code();
          return outcome;
        }
        outcome.text += as_text({room.data(), step->produced});
        in = in.subspan(step->consumed);
        if (step->done) break;
      }
    }
    return outcome;
  }
  static std::string sent(Deflate& deflate, std::string_view text) {
    std::string out = "before ";
    EXPECT_TRUE(deflate.deflate(as_bytes(text), out));
    EXPECT_TRUE(out.starts_with("before "));
    return out.substr(7);
  }

  DeflateParams params;
  Options options;
  ByteBudget budget{1 << 24};
  DeflatePool server_pool{budget};
  DeflatePool client_pool{budget};
};

TEST_F(DeflateTest, CarriesMessagesBothWaysWhateverWasAgreedOn) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    params = {.server_no_context_takeover = (bits & 1) != 0,
              .client_no_context_takeover = (bits & 2) != 0,
              .server_max_window_bits = (bits & 4) != 0 ? 9 : 15,
              .client_max_window_bits = (bits & 8) != 0 ? 10 : 15};
    Deflate ours = server();
    Deflate theirs = client();
    for (const std::size_t size : {300, 5000, 70000, 300}) {
      const std::string text = sample_text(size);
      EXPECT_TRUE(read(theirs, {sent(ours, text)}).text == text) << bits << " " << size;
      EXPECT_TRUE(read(ours, {sent(theirs, text)}).text == text) << bits << " " << size;
    }
    EXPECT_EQ(ours.has_deflater(), !params.server_no_context_takeover);
    EXPECT_EQ(ours.has_inflater(), !params.client_no_context_takeover);
    EXPECT_EQ(theirs.has_deflater(), !params.client_no_context_takeover);
    EXPECT_EQ(theirs.has_inflater(), !params.server_no_context_takeover);
  }
}

TEST_F(DeflateTest, LooksBackOnlyWhereAContextIsKept) {
  const std::string text = sample_text(1000);
  {
    Deflate ours = server();
    const std::size_t first = sent(ours, text).size();
    EXPECT_LT(sent(ours, text).size(), first / 10);
  }
  params.server_no_context_takeover = true;
  Deflate ours = server();
  const std::string first = sent(ours, text);
  EXPECT_EQ(sent(ours, text), first);
}

TEST_F(DeflateTest, OwnsNothingBetweenMessagesThatKeepNothing) {
  params = {.server_no_context_takeover = true, .client_no_context_takeover = true};
  Deflate ours = server();
  Deflate theirs = client();
  const std::string message = sent(theirs, sample_text(1000));
  EXPECT_FALSE(theirs.has_deflater());
  std::array<std::byte, 4000> room;
  ASSERT_TRUE(ours.inflate(as_bytes(message).first(10), room, Piece::kMore));
  EXPECT_TRUE(ours.has_inflater()) << "within a message";
  ASSERT_TRUE(ours.inflate(as_bytes(message).subspan(10), room, Piece::kLast));
  EXPECT_FALSE(ours.has_inflater());
  const std::size_t used = budget.used();
  for (int i = 0; i < 100; ++i) {
    Deflate other = server();
    static_cast<void>(sent(other, sample_text(500)));
    EXPECT_EQ(read(other, {message}).text.size(), 1000U);
  }
  EXPECT_LE(budget.used(), used + 262144 + 6144) << "one of each is enough for all";
}

TEST_F(DeflateTest, LeavesNothingCountedBehind) {
  {
    Deflate ours = server();
    static_cast<void>(sent(ours, sample_text(1000)));
    std::array<std::byte, 100> room;
    ASSERT_TRUE(ours.inflate(as_bytes("\xf2\x48"), room, Piece::kMore));
    EXPECT_GT(budget.used(), 0U);
  }
  server_pool.drop_spare();
  EXPECT_EQ(budget.used(), 0U);
}

TEST_F(DeflateTest, ReadsAMessageInAnyPieces) {
  Deflate theirs = client();
  const std::string text = sample_text(3000);
  const std::string first = sent(theirs, text);
  const std::string second = sent(theirs, text);
  ssx::test::feed_every_split(first, [&](const ssx::test::Pieces& pieces) {
    Deflate ours = server();
    EXPECT_TRUE(read(ours, pieces).text == text);
    EXPECT_TRUE(read(ours, {second}).text == text);
  });
}

TEST_F(DeflateTest, LeavesShortMessagesAsTheyAre) {
  Deflate ours = server();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{255}, std::size_t{256}, std::size_t{257}}) {
    std::string out = "x";
    const bool is_deflated = ours.deflate(as_bytes(sample_text(size)), out);
    EXPECT_EQ(is_deflated, size >= options.deflate.min_size) << size;
    EXPECT_EQ(out == "x", !is_deflated);
  }
  options.deflate.min_size = 0;
  std::string out;
  EXPECT_FALSE(ours.deflate({}, out));
}

TEST_F(DeflateTest, LeavesAsItIsWhatDoesNotBecomeShorter) {
  const std::string noise = sample_noise(1000);
  std::string out = "x";
  params.server_no_context_takeover = true;
  {
    Deflate ours = server();
    EXPECT_FALSE(ours.deflate(as_bytes(noise), out));
    EXPECT_EQ(out, "x");
  }
  // With a context it is in the window now, and the peer's must not miss it.
  params.server_no_context_takeover = false;
  Deflate ours = server();
  Deflate theirs = client();
  EXPECT_EQ(read(theirs, {sent(ours, noise)}).text, noise);
  const std::string again = sent(ours, noise);
  EXPECT_LT(again.size(), 50U);
  EXPECT_EQ(read(theirs, {again}).text, noise);
}

TEST_F(DeflateTest, OnlyReceivesWhereThatWasChosen) {
  Deflate theirs = client();
  const std::string message = sent(theirs, sample_text(1000));
  options.deflate.mode = DeflateMode::kReceive;
  Deflate ours = server();
  std::string out;
  EXPECT_FALSE(ours.deflate(as_bytes(sample_text(1000)), out));
  EXPECT_EQ(read(ours, {message}).text, sample_text(1000));
}

TEST_F(DeflateTest, DoesNotSendThroughAWindowThatZlibHasNot) {
  params.client_max_window_bits = 8;
  Deflate theirs = client();
  std::string out;
  EXPECT_FALSE(theirs.deflate(as_bytes(sample_text(1000)), out));
}

TEST_F(DeflateTest, B11WithoutBudgetItSendsAsItIsAndStillReceives) {
  Deflate theirs = client();
  const std::string message = sent(theirs, sample_text(1000));
  ByteBudget none(1000);
  DeflatePool pool(none);
  Deflate ours(params, options, Role::kServer, pool);
  std::string out;
  EXPECT_FALSE(ours.deflate(as_bytes(sample_text(1000)), out));
  EXPECT_EQ(out, "");
  EXPECT_EQ(none.refused(), 1U);
  EXPECT_EQ(read(ours, {message}).text, sample_text(1000));
  EXPECT_EQ(none.used(), compress::MessageInflater::memory_bytes(15));
}

TEST_F(DeflateTest, B11BombsEndAtTheLimitsOfTheOptions) {
  options.message_max = 50000;
  Deflate theirs = client();
  for (const std::size_t size : {49999, 50000, 50001, 50002, 50003}) {
    Deflate ours = server();
    Deflate peer = client();
    const Outcome outcome = read(ours, {sent(peer, sample_text(size))});
    EXPECT_LE(outcome.text.size(), 50000U);
    if (size <= options.message_max) {
      EXPECT_EQ(outcome.text.size(), size);
    } else {
      EXPECT_EQ(outcome.code, Errc::kMessageTooLong);
    }
  }
  options.message_max = 1 << 24;
  const std::string bomb = sent(theirs, std::string(1 << 20, '\0'));
  Deflate ours = server();
  EXPECT_EQ(read(ours, {bomb}).code, Errc::kInflateRatio);
  EXPECT_FALSE(ours.has_inflater());
}

TEST_F(DeflateTest, B11AContextThatFailedIsLentAgainInGoodOrder) {
  params = {.server_no_context_takeover = true, .client_no_context_takeover = true};
  Deflate theirs = client();
  const std::string message = sent(theirs, sample_text(1000));
  for (const std::string& bad : {"\xFF\xFF"s, message + "x", message.substr(0, 40), ""s}) {
    Deflate ours = server();
    EXPECT_EQ(read(ours, {bad}).code, Errc::kBadDeflate);
    Deflate next = server();
    EXPECT_EQ(read(next, {message}).text, sample_text(1000));
  }
}

// What one connection has sent must not be read by way of another.
TEST_F(DeflateTest, B11AContextThatIsLentAgainKnowsNothingOfTheLastConnection) {
  const std::string hello = "\xf2\x48\xcd\xc9\xc9\x07\x00"s;
  const std::string look_back = "\xf2\x00\x11\x00\x00"s;
  for (const bool keeps : {false, true}) {
    params.client_no_context_takeover = !keeps;
    {
      Deflate ours = server();
      EXPECT_EQ(read(ours, {hello}).text, "Hello");
      EXPECT_EQ(read(ours, {look_back}).text, keeps ? "Hello" : "");
    }
    EXPECT_EQ(server_pool.spare(), 1U);
    Deflate next = server();
    EXPECT_EQ(read(next, {look_back}).code, Errc::kBadDeflate);
  }
}

}  // namespace
}  // namespace ssx::websocket

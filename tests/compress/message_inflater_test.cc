#include "ssxrver/compress/message_inflater.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"
#include "tests/support/sample_text.h"

namespace ssx::compress {
namespace {

using test::sample_text;
using namespace std::string_literals;

MessageInflater make(const InflateLimits& limits = {}, int window_bits = 15) {
  return MessageInflater::create(window_bits, limits).value();
}

struct Outcome {
  std::string text;
  std::error_code code;
};

Outcome read_pieces(MessageInflater& inflater, const test::Pieces& pieces) {
  Outcome outcome;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece piece = i + 1 == pieces.size() ? Piece::kLast : Piece::kMore;
    if (const auto read = inflater.read(as_bytes(pieces[i]), piece, outcome.text); !read) {
      outcome.code = read.error().code();
      return outcome;
    }
  }
  return outcome;
}
Outcome read_one(MessageInflater& inflater, std::string_view message) {
  return read_pieces(inflater, {message});
}
std::string text_in(MessageInflater& inflater, std::string_view message) {
  const Outcome outcome = read_one(inflater, message);
  EXPECT_FALSE(outcome.code) << outcome.code.message();
  return outcome.text;
}

/// The other side: zlib itself, as RFC 7692 7.2.1 says.
class Peer {
 public:
  explicit Peer(int window_bits = 15, int level = 6) {
    EXPECT_EQ(::deflateInit2(&stream_, level, Z_DEFLATED, -window_bits, 8, Z_DEFAULT_STRATEGY),
              Z_OK);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { ::deflateEnd(&stream_); }

  std::string message(std::string_view text) {
    std::string out = flushed(text, Z_SYNC_FLUSH);
    EXPECT_TRUE(out.ends_with("\0\0\xFF\xFF"s));
    out.resize(out.size() - 4);
    return out;
  }
  std::string flushed(std::string_view text, int flush) {
    std::string out(::deflateBound(&stream_, text.size()) + 64, '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int answer = ::deflate(&stream_, flush);
    EXPECT_TRUE(answer == Z_OK || answer == Z_STREAM_END);
    out.resize(out.size() - stream_.avail_out);
    return out;
  }

 private:
  z_stream stream_{};
};

// RFC 7692 7.2.3.1 to 7.2.3.6, byte for byte.
TEST(MessageInflater, ReadsTheExamplesOfTheRfc) {
  const std::string once = "\xf2\x48\xcd\xc9\xc9\x07\x00"s;
  const std::string rows[] = {
      once,                                                      // 1
      "\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00"s,           // 3: not compressed
      "\xf3\x48\xcd\xc9\xc9\x07\x00\x00"s,                       // 4: a final block
      "\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00"s};  // 5: two blocks
  for (const std::string& row : rows) {
    MessageInflater inflater = make();
    test::feed_every_split(row, [&inflater](const test::Pieces& pieces) {
      const Outcome outcome = read_pieces(inflater, pieces);
      EXPECT_FALSE(outcome.code) << outcome.code.message();
      EXPECT_EQ(outcome.text, "Hello");
    });
  }
  MessageInflater inflater = make();
  EXPECT_EQ(text_in(inflater, once), "Hello");
  EXPECT_EQ(text_in(inflater, "\xf2\x00\x11\x00\x00"s), "Hello");  // 2: looks back
  EXPECT_EQ(text_in(inflater, "\0"s), "");                         // 6: nothing
  EXPECT_EQ(text_in(inflater, "\xf2\x00\x11\x00\x00"s), "Hello");
  inflater.forget();
  EXPECT_EQ(read_one(inflater, "\xf2\x00\x11\x00\x00"s).code, Errc::kCorrupt);
}

TEST(MessageInflater, LooksBackOverFinalBlocks) {
  const std::string final_block = "\xf3\x48\xcd\xc9\xc9\x07\x00"s;
  const std::string look_back = "\xf2\x00\x11\x00\x00"s;
  MessageInflater inflater = make();
  // In the next message, with the 0 behind the block and without it.
  EXPECT_EQ(text_in(inflater, final_block + "\0"s), "Hello");
  EXPECT_EQ(text_in(inflater, look_back), "Hello");
  EXPECT_EQ(text_in(inflater, final_block), "Hello");
  EXPECT_EQ(text_in(inflater, look_back), "Hello");
  // Within one message, however it is cut.
  test::feed_every_split(final_block + final_block + look_back,
                         [&inflater](const test::Pieces& pieces) {
                           inflater.forget();
                           const Outcome outcome = read_pieces(inflater, pieces);
                           EXPECT_FALSE(outcome.code) << outcome.code.message();
                           EXPECT_EQ(outcome.text, "HelloHelloHello");
                         });
}

TEST(MessageInflater, AMillionFinalBlocksCostLittle) {
  std::string message;
  for (int i = 0; i < 500000; ++i) message += "\x03\x00"s;  // empty, final
  MessageInflater inflater = make();
  EXPECT_EQ(text_in(inflater, message), "");
  EXPECT_EQ(inflater.bytes_in(), message.size());
}

TEST(MessageInflater, ReadsMessageAfterMessageInAnyPieces) {
  Peer peer;
  MessageInflater inflater = make();
  const std::string text = sample_text(400);
  const std::string first = peer.message(text);
  const std::string second = peer.message(text);
  EXPECT_LT(second.size(), first.size() / 4) << "it looks back";
  test::feed_every_split(first, [&](const test::Pieces& pieces) {
    inflater.reset({});
    EXPECT_EQ(read_pieces(inflater, pieces).text, text);
    EXPECT_EQ(text_in(inflater, second), text);
    EXPECT_EQ(inflater.bytes_in(), second.size() + 4);
    EXPECT_EQ(inflater.bytes_out(), text.size());
  });
}

TEST(MessageInflater, WorksThroughAnySizeOfOutput) {
  for (std::size_t room_size = kStepOutputMin; room_size < kStepOutputMin + 20; ++room_size) {
    Peer peer;
    MessageInflater inflater = make();
    std::vector<std::byte> room(room_size);
    for (const std::size_t size :
         {room_size - 1, room_size, room_size + 1, 2 * room_size, std::size_t{5000}}) {
      const std::string text = sample_text(size);
      const std::string message = peer.message(text);
      ByteView in = as_bytes(message);
      std::string out;
      for (int steps = 0; steps < 1000; ++steps) {
        const Step step = inflater.step(in, room, Piece::kLast).value();
        out += as_text({room.data(), step.produced});
        in = in.subspan(step.consumed);
        if (step.done) break;
      }
      EXPECT_TRUE(out == text) << room_size << " " << size;
    }
  }
}

TEST(MessageInflater, ReadsEveryWindowUpToItsOwn) {
  for (int sender = 9; sender <= 15; ++sender) {
    for (int own = sender; own <= 15; ++own) {
      Peer peer(sender, 9);
      MessageInflater inflater = make({}, own);
      for (unsigned message = 0; message < 4; ++message) {
        const std::string text = sample_text(20000, message % 2);
        EXPECT_TRUE(text_in(inflater, peer.message(text)) == text) << sender << " " << own;
      }
    }
  }
}

TEST(MessageInflater, ReadsWhatOurDeflaterWrites) {
  MessageDeflater deflater = MessageDeflater::create({.window_bits = 10}).value();
  MessageInflater inflater = make({}, 10);
  for (std::size_t size = 0; size < 3000; size += 7) {
    const std::string text = sample_text(size);
    std::string message;
    deflater.write(as_bytes(text), Piece::kLast, message);
    EXPECT_TRUE(text_in(inflater, message) == text) << size;
  }
}

TEST(MessageInflater, B11WhatEndsWithinABlockIsRefused) {
  Peer peer;
  const std::string message = peer.message(sample_text(300));
  int accepted = 0;
  for (std::size_t size = 0; size < message.size(); ++size) {
    MessageInflater inflater = make();
    const Outcome outcome = read_one(inflater, message.substr(0, size));
    if (outcome.code) {
      EXPECT_EQ(outcome.code, Errc::kCorrupt) << size;
    } else {
      ++accepted;
    }
  }
  EXPECT_EQ(accepted, 0);
  MessageInflater inflater = make();
  EXPECT_EQ(read_one(inflater, "").code, Errc::kCorrupt) << "nothing is one byte, 0";
  // A final block that only the four bytes complete.
  inflater.reset({});
  EXPECT_EQ(read_one(inflater, "\xf3\x48\xcd\xc9\xc9\x07"s).code, Errc::kCorrupt);
}

TEST(MessageInflater, B11TrailingGarbageIsRefused) {
  Peer peer;
  const std::string message = peer.message("Hello");
  for (const std::string& garbage : {"\xFF"s, "\xFF\xFF"s, "xxxx"s, "\0\0\0\0"s, "\x07"s}) {
    MessageInflater inflater = make();
    EXPECT_EQ(read_one(inflater, message + garbage).code, Errc::kCorrupt);
    inflater.reset({});
    EXPECT_EQ(text_in(inflater, message), "Hello") << "reset mends it";
  }
  // A gzip or zlib header is no block.
  MessageInflater inflater = make();
  EXPECT_TRUE(read_one(inflater, "\x1f\x8b\x08\0\0\0\0\0"s).code);
}

TEST(MessageInflater, B11ABombEndsAtItsLimitExactly) {
  const std::string text = sample_text(50000);
  for (const std::string& message : {Peer().message(text), Peer(15, 1).message(text)}) {
    for (const std::size_t limit :
         {text.size() - 3, text.size() - 2, text.size() - 1, text.size(), text.size() + 1}) {
      MessageInflater inflater = make({.output_max = limit});
      const Outcome outcome = read_one(inflater, message);
      if (limit < text.size()) {
        EXPECT_EQ(outcome.code, Errc::kTooLarge);
        EXPECT_EQ(inflater.bytes_out(), limit);
        EXPECT_LE(outcome.text.size(), limit);
      } else {
        EXPECT_FALSE(outcome.code) << outcome.code.message();
        EXPECT_TRUE(outcome.text == text);
      }
    }
  }
}

TEST(MessageInflater, B11TheLimitIsThatOfEachMessage) {
  Peer peer;
  MessageInflater inflater = make({.output_max = 1000});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(text_in(inflater, peer.message(sample_text(1000))).size(), 1000U);
  EXPECT_EQ(read_one(inflater, peer.message(sample_text(1001))).code, Errc::kTooLarge);
  inflater.reset({.output_max = 0});
  EXPECT_EQ(text_in(inflater, "\0"s), "");
  EXPECT_EQ(read_one(inflater, Peer().message("a")).code, Errc::kTooLarge);
}

// 10 KB that would be 10 MB: what comes out before it is noticed is bounded, in whatever pieces.
TEST(MessageInflater, B11ABombEndsAtTheRatio) {
  const std::string message = Peer().message(std::string(10 << 20, '\0'));
  ASSERT_LT(message.size(), 12000U);
  MessageInflater inflater = make();
  const Outcome outcome = read_one(inflater, message);
  EXPECT_EQ(outcome.code, Errc::kRatio);
  EXPECT_LE(outcome.text.size(), (64U << 10) + 16384 + 100 * message.size());
  test::feed_every_split(message,
                         [&inflater](const test::Pieces& pieces) {
                           inflater.reset({.output_max = 1 << 20});
                           const Outcome cut = read_pieces(inflater, pieces);
                           EXPECT_TRUE(cut.code == Errc::kRatio || cut.code == Errc::kTooLarge);
                           EXPECT_LE(cut.text.size(), 1U << 20);
                         },
                         {.random = 3, .every_cut_max = 10});
  inflater.reset({.ratio_max = 0});
  EXPECT_FALSE(read_one(inflater, message).code);
}

TEST(MessageInflater, MeasuresTheRatioOfEachMessageAnew) {
  Peer peer;
  MessageInflater inflater = make({.ratio_max = 20, .ratio_free = 1000});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(text_in(inflater, peer.message(std::string(1000, 'a'))).size(), 1000U);
  }
  EXPECT_EQ(read_one(inflater, peer.message(std::string(1001, 'a'))).code, Errc::kRatio);
}

TEST(MessageInflater, NeverFailsInAnyOtherWayOnRandomBytes) {
  std::mt19937 random(1);
  const std::string good = Peer().message(sample_text(2000));
  MessageInflater inflater = make();
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    inflater.reset({.output_max = 4000});
    std::string bytes = good;
    for (std::size_t i = random() % 4; i > 0; --i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const Outcome outcome = read_one(inflater, bytes);
    ASSERT_LE(outcome.text.size(), 4000U);
    ASSERT_TRUE(!outcome.code || outcome.code == Errc::kCorrupt || outcome.code == Errc::kTooLarge)
        << outcome.code.message();
    accepted += outcome.code ? 0 : 1;
  }
  EXPECT_GT(accepted, 500);
}

TEST(MessageInflater, RefusesBadOptionsAndKnowsWhatItCosts) {
  for (const int bits : {-15, 0, 8, 16, 31}) {
    const auto made = MessageInflater::create(bits, {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Errc::kBadOptions);
  }
  EXPECT_EQ(make().memory_bytes(), (32U << 10) + (8U << 10));
  EXPECT_EQ(make({}, 9).memory_bytes(), 512U + (8U << 10));
}

}  // namespace
}  // namespace ssx::compress

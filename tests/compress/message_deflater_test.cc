#include "ssxrver/compress/message_deflater.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"
#include "tests/support/sample_text.h"

namespace ssx::compress {
namespace {

using test::sample_noise;
using test::sample_text;
using namespace std::string_literals;

MessageDeflater make(const MessageDeflaterOptions& options = {}) {
  return MessageDeflater::create(options).value();
}
std::string write_one(MessageDeflater& deflater, std::string_view text) {
  std::string out;
  deflater.write(as_bytes(text), Piece::kLast, out);
  return out;
}

/// The other side: zlib itself, as RFC 7692 7.2.2 says.
class Peer {
 public:
  explicit Peer(int window_bits) { EXPECT_EQ(::inflateInit2(&stream_, -window_bits), Z_OK); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { ::inflateEnd(&stream_); }

  std::string read(std::string message) {
    message += "\0\0\xFF\xFF"s;
    stream_.next_in = reinterpret_cast<Bytef*>(message.data());
    stream_.avail_in = static_cast<uInt>(message.size());
    std::string text;
    std::array<char, 4096> room;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = room.size();
      const int answer = ::inflate(&stream_, Z_SYNC_FLUSH);
      EXPECT_TRUE(answer == Z_OK || answer == Z_BUF_ERROR) << answer;
      text.append(room.data(), room.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    EXPECT_EQ(stream_.avail_in, 0U);
    EXPECT_EQ(stream_.data_type & 128, 128) << "at the end of a block";
    return text;
  }

 private:
  z_stream stream_{};
};

// RFC 7692 7.2.3.1, .2 and .6.
TEST(MessageDeflater, MakesTheExamplesOfTheRfc) {
  MessageDeflater deflater = make();
  EXPECT_EQ(write_one(deflater, "Hello"), "\xf2\x48\xcd\xc9\xc9\x07\x00"s);
  EXPECT_EQ(write_one(deflater, "Hello"), "\xf2\x00\x11\x00\x00"s);
  deflater.forget();
  EXPECT_EQ(write_one(deflater, "Hello"), "\xf2\x48\xcd\xc9\xc9\x07\x00"s);
  EXPECT_EQ(write_one(deflater, ""), "\0"s);
}

TEST(MessageDeflater, EmptyMessagesLeaveTheContextAsItIs) {
  MessageDeflater deflater = make();
  Peer peer(15);
  for (const std::string_view text : {"", "", "Hello", "", "Hello", "", ""}) {
    EXPECT_EQ(peer.read(write_one(deflater, text)), text);
  }
}

TEST(MessageDeflater, WritesInAnyPieces) {
  const std::string text = sample_text(300);
  test::feed_every_split(text, [&text](const test::Pieces& pieces) {
    MessageDeflater deflater = make();
    Peer peer(15);
    for (int message = 0; message < 2; ++message) {
      std::string out;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        deflater.write(as_bytes(pieces[i]), i + 1 == pieces.size() ? Piece::kLast : Piece::kMore,
                       out);
      }
      EXPECT_EQ(peer.read(out), text);
    }
    // The last piece may be empty.
    std::string out;
    for (const std::string_view piece : pieces) {
      deflater.write(as_bytes(piece), Piece::kMore, out);
    }
    deflater.write({}, Piece::kLast, out);
    EXPECT_EQ(peer.read(out), text);
  });
}

// Every size of the output around what is held back, and every way in which the end may fall.
TEST(MessageDeflater, WorksThroughAnySizeOfOutput) {
  for (std::size_t room_size = kStepOutputMin; room_size < kStepOutputMin + 40; ++room_size) {
    MessageDeflater deflater = make({.level = 1});
    Peer peer(15);
    std::vector<std::byte> room(room_size);
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, room_size, std::size_t{3000}}) {
      const std::string text = sample_noise(size);
      ByteView in = as_bytes(text);
      std::string out;
      for (int steps = 0; steps < 1000; ++steps) {
        const Step step = deflater.step(in, room, Piece::kLast);
        out += as_text({room.data(), step.produced});
        in = in.subspan(step.consumed);
        if (step.done) break;
      }
      EXPECT_EQ(peer.read(out), text) << room_size << " " << size;
    }
  }
}

TEST(MessageDeflater, LooksBackAsFarAsItsWindow) {
  for (int bits = 9; bits <= 15; ++bits) {
    for (const int mem_level : {1, 8, 9}) {
      MessageDeflater deflater = make({.level = 9, .window_bits = bits, .mem_level = mem_level});
      Peer peer(bits);  // a smaller window than said would not do
      for (unsigned message = 0; message < 6; ++message) {
        const std::string text = sample_text(20000, message % 2);
        EXPECT_TRUE(peer.read(write_one(deflater, text)) == text) << bits << " " << message;
      }
    }
  }
}

TEST(MessageDeflater, ForgetsInTheMiddleOfAMessage) {
  MessageDeflater deflater = make();
  std::string lost;
  deflater.write(as_bytes(sample_text(5000)), Piece::kMore, lost);
  deflater.forget();
  EXPECT_EQ(Peer(15).read(write_one(deflater, "Hello")), "Hello");
}

TEST(MessageDeflater, RefusesBadOptions) {
  for (const MessageDeflaterOptions& options :
       {MessageDeflaterOptions{.level = 0}, MessageDeflaterOptions{.level = 10},
        MessageDeflaterOptions{.window_bits = 8}, MessageDeflaterOptions{.window_bits = 16},
        MessageDeflaterOptions{.mem_level = 0}, MessageDeflaterOptions{.mem_level = 10}}) {
    const auto made = MessageDeflater::create(options);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code(), Errc::kBadOptions);
  }
}

// The formula of zconf.h: windowBits = 15 and memLevel = 8 make 128K + 128K.
TEST(MessageDeflater, KnowsWhatItCosts) {
  EXPECT_EQ(make().memory_bytes(), (256U << 10) + (6U << 10));
  EXPECT_EQ(MessageDeflater::memory_bytes({.window_bits = 9, .mem_level = 1}),
            2048U + 1024U + (6U << 10));
}

}  // namespace
}  // namespace ssx::compress

#include "ssxrver/compress/inflater.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "tests/support/feed_every_split.h"
#include "tests/support/sample_text.h"

namespace ssx::compress {
namespace {

using test::sample_text;
using namespace std::string_literals;

std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return out;
}
std::string gzipped(std::string_view text) { return deflated(text, 15 + 16); }

struct Outcome {
  std::string text;
  std::error_code code;
};

Outcome read_pieces(Inflater& inflater, const test::Pieces& pieces) {
  Outcome outcome;
  for (const std::string_view piece : pieces) {
    if (const auto read = inflater.read(as_bytes(piece), outcome.text); !read) {
      outcome.code = read.error().code();
      return outcome;
    }
  }
  if (const auto end = inflater.finish(); !end) outcome.code = end.error().code();
  return outcome;
}
Outcome read_all(std::string_view bytes, InflateFormat format = InflateFormat::kGzip,
                 const InflateLimits& limits = {}) {
  Inflater inflater = Inflater::create(format, limits).value();
  return read_pieces(inflater, {bytes});
}

TEST(Inflater, ReadsEveryFormatInAnyPieces) {
  const std::string text = sample_text(700);
  const struct {
    InflateFormat format;
    std::string bytes;
  } rows[] = {{InflateFormat::kGzip, gzipped(text)},
              {InflateFormat::kGzip,
               gzipped(text.substr(0, 300)) + gzipped("") + gzipped(text.substr(300))},
              {InflateFormat::kZlib, deflated(text, 15)},
              {InflateFormat::kZlib, deflated(text, 9)},
              {InflateFormat::kRaw, deflated(text, -15)}};
  for (const auto& row : rows) {
    Inflater inflater = Inflater::create(row.format, {}).value();
    test::feed_every_split(row.bytes, [&inflater, &row, &text](const test::Pieces& pieces) {
      inflater.reset();
      const Outcome outcome = read_pieces(inflater, pieces);
      EXPECT_FALSE(outcome.code) << outcome.code.message();
      EXPECT_EQ(outcome.text, text);
      EXPECT_EQ(inflater.bytes_in(), row.bytes.size());
      EXPECT_EQ(inflater.bytes_out(), text.size());
    });
  }
}

TEST(Inflater, WorksThroughTheSmallestOutput) {
  const std::string text = sample_text(100000);
  const std::string bytes = gzipped(text);
  Inflater inflater = Inflater::create(InflateFormat::kGzip, {}).value();
  std::array<std::byte, kStepOutputMin> room;
  ByteView in = as_bytes(bytes);
  std::string out;
  for (int steps = 0; steps < 100000; ++steps) {
    const Step step = inflater.step(in, room).value();
    out += as_text({room.data(), step.produced});
    in = in.subspan(step.consumed);
    if (step.done) break;
  }
  EXPECT_TRUE(out == text);
  EXPECT_TRUE(inflater.finish());
}

TEST(Inflater, SaysWhenTheStreamIsNotWhole) {
  const std::string bytes = gzipped(sample_text(300));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(read_all(bytes.substr(0, size)).code, Errc::kTruncated) << size;
  }
  EXPECT_FALSE(read_all(bytes).code);
  EXPECT_EQ(read_all(bytes + bytes.substr(0, 5)).code, Errc::kTruncated);
}

TEST(Inflater, RefusesWhatFollowsTheStream) {
  EXPECT_EQ(read_all(gzipped("a") + "xx").code, Errc::kTrailing);
  EXPECT_EQ(read_all(gzipped("a") + "\0\0\0\0"s).code, Errc::kTrailing);
  EXPECT_EQ(read_all(deflated("a", 15) + "x", InflateFormat::kZlib).code, Errc::kTrailing);
  EXPECT_EQ(read_all(deflated("a", -15) + "x", InflateFormat::kRaw).code, Errc::kTrailing);
  EXPECT_EQ(read_all(gzipped("a") + "x").code, Errc::kTruncated);  // may yet become a member
}

TEST(Inflater, RefusesDamage) {
  const std::string text = sample_text(300);
  const std::string bytes = gzipped(text);
  EXPECT_EQ(read_all("no gzip at all").code, Errc::kCorrupt);
  EXPECT_EQ(read_all(deflated(text, 15)).code, Errc::kCorrupt);
  EXPECT_EQ(read_all(bytes, InflateFormat::kZlib).code, Errc::kCorrupt);
  for (std::size_t at = 10; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0x10);
    // A bit that no symbol of this text uses may change; the text may not.
    const Outcome outcome = read_all(other);
    EXPECT_TRUE(outcome.code || outcome.text == text) << at;
  }
}

TEST(Inflater, StopsAtTheLongestOutput) {
  const std::string text = sample_text(50000);
  const std::string bytes = gzipped(text);
  for (const std::size_t limit : {text.size() - 1, text.size(), text.size() + 1}) {
    Inflater inflater = Inflater::create(InflateFormat::kGzip, {.output_max = limit}).value();
    const Outcome outcome = read_pieces(inflater, {bytes});
    if (limit < text.size()) {
      EXPECT_EQ(outcome.code, Errc::kTooLarge);
      EXPECT_EQ(inflater.bytes_out(), limit);
    } else {
      EXPECT_FALSE(outcome.code) << outcome.code.message();
      EXPECT_TRUE(outcome.text == text);
    }
    EXPECT_LE(outcome.text.size(), limit);
  }
  EXPECT_FALSE(read_all(gzipped(""), InflateFormat::kGzip, {.output_max = 0}).code);
  EXPECT_EQ(read_all(gzipped("a"), InflateFormat::kGzip, {.output_max = 0}).code, Errc::kTooLarge);
}

TEST(Inflater, CountsAllMembersTogether) {
  const std::string bytes = gzipped("abc") + gzipped("def");
  EXPECT_FALSE(read_all(bytes, InflateFormat::kGzip, {.output_max = 6}).code);
  EXPECT_EQ(read_all(bytes, InflateFormat::kGzip, {.output_max = 5}).code, Errc::kTooLarge);
}

// limits.md: 100:1 above 64 KiB.
TEST(Inflater, StopsAtTheRatio) {
  const std::string zeros(1 << 20, '\0');
  const std::string bytes = gzipped(zeros);
  ASSERT_LT(bytes.size() * 100, zeros.size());
  Inflater inflater = Inflater::create(InflateFormat::kGzip, {}).value();
  const Outcome outcome = read_pieces(inflater, {bytes});
  EXPECT_EQ(outcome.code, Errc::kRatio);
  EXPECT_LE(inflater.bytes_out(), (64U << 10) + 16384 + 100 * bytes.size());
  EXPECT_FALSE(read_all(bytes, InflateFormat::kGzip, {.ratio_max = 0}).code);
  // What is short may repeat as it likes.
  EXPECT_FALSE(read_all(gzipped(zeros.substr(0, 64 << 10))).code);
}

TEST(Inflater, MeasuresTheRatioExactly) {
  const std::string zeros(100000, '\0');
  const std::string bytes = gzipped(zeros);
  const std::uint64_t ratio = zeros.size() / bytes.size();
  const auto code = [&bytes](std::uint64_t ratio_max, std::uint64_t free) {
    // In one step, so that nothing but the whole counts.
    Inflater inflater =
        Inflater::create(InflateFormat::kGzip, {.ratio_max = ratio_max, .ratio_free = free})
            .value();
    std::string room(200000, '\0');
    const auto step =
        inflater.step(as_bytes(bytes), {reinterpret_cast<std::byte*>(room.data()), room.size()});
    return step ? std::error_code() : step.error().code();
  };
  EXPECT_FALSE(code(ratio + 1, 0));
  EXPECT_EQ(code(ratio, 0), zeros.size() == ratio * bytes.size() ? Errc::kOk : Errc::kRatio);
  EXPECT_EQ(code(ratio - 1, 0), Errc::kRatio);
  EXPECT_EQ(code(1, zeros.size() - 1), Errc::kRatio);
  EXPECT_FALSE(code(1, zeros.size()));
  EXPECT_FALSE(code(1, zeros.size() + 1));
}

// A bomb of many members and one inside many pieces are the same bomb.
TEST(Inflater, NoticesABombInPieces) {
  const std::string bytes = gzipped(std::string(1 << 20, '\0'));
  Inflater inflater = Inflater::create(InflateFormat::kGzip, {}).value();
  test::feed_every_split(bytes,
                         [&inflater](const test::Pieces& pieces) {
                           inflater.reset();
                           EXPECT_EQ(read_pieces(inflater, pieces).code, Errc::kRatio);
                         },
                         {.random = 5, .every_cut_max = 20});
}

TEST(Inflater, NeverFailsInAnyOtherWayOnRandomBytes) {
  std::mt19937 random(1);
  const std::string good = gzipped(sample_text(2000));
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (std::size_t i = random() % 4; i > 0; --i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const Outcome outcome = read_all(bytes, InflateFormat::kGzip, {.output_max = 4000});
    ASSERT_LE(outcome.text.size(), 4000U);
    accepted += outcome.code ? 0 : 1;
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace ssx::compress

#include "ssxrver/compress/encoder.h"

#include <gtest/gtest.h>
#include <zlib.h>
#if defined(SSX_HAVE_BROTLI)
#include <brotli/decode.h>
#endif
#if defined(SSX_HAVE_ZSTD)
#include <zstd.h>
#endif

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"

namespace ssx::compress {
namespace {

std::string words(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += "word" + std::to_string(random() % 50) + ' ';
  text.resize(size);
  return text;
}
std::string noise(std::size_t size) {
  std::mt19937 random(2);
  std::string text;
  while (text.size() < size) text += static_cast<char>(random());
  return text;
}

// What zlib makes of a gzip stream, its end or not.
std::string gunzipped(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(::inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int answer = ::inflate(&stream, Z_SYNC_FLUSH);
  EXPECT_TRUE(answer == Z_STREAM_END || answer == Z_OK || answer == Z_BUF_ERROR) << answer;
  EXPECT_EQ(stream.avail_in, 0U);
  out.resize(out.size() - stream.avail_out);
  ::inflateEnd(&stream);
  return out;
}

std::string decoded(Coding coding, std::string_view bytes) {
  if (coding == Coding::kGzip) return gunzipped(bytes);
  [[maybe_unused]] std::string out(1 << 22, '\0');
#if defined(SSX_HAVE_BROTLI)
  if (coding == Coding::kBrotli) {
    auto* state = ::BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
    std::size_t given = bytes.size(), room = out.size();
    const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
    auto* to = reinterpret_cast<std::uint8_t*>(out.data());
    EXPECT_NE(::BrotliDecoderDecompressStream(state, &given, &from, &room, &to, nullptr),
              BROTLI_DECODER_RESULT_ERROR);
    ::BrotliDecoderDestroyInstance(state);
    out.resize(out.size() - room);
    return out;
  }
#endif
#if defined(SSX_HAVE_ZSTD)
  if (coding == Coding::kZstd) {
    auto* context = ::ZSTD_createDCtx();
    ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (from.pos < from.size) {
      const std::size_t left = ::ZSTD_decompressStream(context, &to, &from);
      EXPECT_FALSE(::ZSTD_isError(left)) << ::ZSTD_getErrorName(left);
      if (::ZSTD_isError(left) != 0) break;
    }
    ::ZSTD_freeDCtx(context);
    out.resize(to.pos);
    return out;
  }
#endif
  ADD_FAILURE() << "no decoder for " << to_string(coding);
  return {};
}

std::vector<Coding> available() {
  std::vector<Coding> codings;
  for (const Coding coding : kCodings) {
    if (is_available(coding)) codings.push_back(coding);
  }
  return codings;
}

std::string encoded(Encoder& encoder, std::string_view text) {
  std::string out;
  EXPECT_TRUE(encoder.write(as_bytes(text), Flush::kEnd, out));
  return out;
}

TEST(Encoder, WritesWhatOthersRead) {
  for (const Coding coding : available()) {
    for (const std::size_t size : {0, 1, 100, 16383, 16384, 16385, 1 << 20}) {
      for (const std::string& text : {words(size), noise(size)}) {
        Encoder encoder = Encoder::create({.coding = coding}).value();
        EXPECT_EQ(encoder.coding(), coding);
        const std::string bytes = encoded(encoder, text);
        ASSERT_TRUE(decoded(coding, bytes) == text) << to_string(coding) << ' ' << size;
        const bool is_text = size > 16000 && text[0] == 'w';
        EXPECT_LT(bytes.size(), is_text ? size / 3 : size + size / 500 + 64) << to_string(coding);
      }
    }
  }
}

TEST(Encoder, TakesItsInputInAnyPieces) {
  const std::string text = words(600);
  for (const Coding coding : available()) {
    Encoder encoder = Encoder::create({.coding = coding, .level = 1}).value();
    test::feed_every_split(text,
                           [&encoder, &text, coding](const test::Pieces& pieces) {
                             ASSERT_TRUE(encoder.reset());
                             std::string out;
                             for (const std::string_view piece : pieces) {
                               ASSERT_TRUE(encoder.write(as_bytes(piece), Flush::kNone, out));
                             }
                             ASSERT_TRUE(encoder.write({}, Flush::kEnd, out));
                             EXPECT_EQ(decoded(coding, out).substr(0, text.size()), text);
                           },
                           {.random = 5, .every_cut_max = 40});
  }
}

TEST(Encoder, WorksThroughTheSmallestOutput) {
  const std::string text = words(20000) + noise(20000);
  for (const Coding coding : available()) {
    Encoder encoder = Encoder::create({.coding = coding}).value();
    std::array<std::byte, kStepOutputMin> room;
    std::string out;
    ByteView in = as_bytes(text);
    for (int steps = 0; steps < 100000; ++steps) {
      const Step step = encoder.step(in, room, Flush::kEnd).value();
      out += as_text({room.data(), step.produced});
      in = in.subspan(step.consumed);
      if (step.done) break;
    }
    EXPECT_TRUE(in.empty());
    EXPECT_TRUE(decoded(coding, out) == text) << to_string(coding);
  }
}

TEST(Encoder, ShowsEverythingAfterASync) {
  for (const Coding coding : available()) {
    Encoder encoder = Encoder::create({.coding = coding}).value();
    std::string out, shown;
    for (int i = 0; i < 50; ++i) {
      const std::string text = "data: tick " + std::to_string(i) + "\n\n";
      shown += text;
      ASSERT_TRUE(encoder.write(as_bytes(text), Flush::kSync, out));
      EXPECT_EQ(decoded(coding, out), shown) << to_string(coding);
    }
    // A second sync with nothing in between adds nothing that matters.
    ASSERT_TRUE(encoder.write({}, Flush::kSync, out));
    ASSERT_TRUE(encoder.write({}, Flush::kEnd, out));
    EXPECT_EQ(decoded(coding, out), shown) << to_string(coding);
  }
}

TEST(Encoder, BeginsAgainInTheMiddleOfAStream) {
  for (const Coding coding : available()) {
    Encoder encoder = Encoder::create({.coding = coding}).value();
    const std::string first = encoded(encoder, "first");
    ASSERT_TRUE(encoder.reset());
    std::string lost;
    ASSERT_TRUE(encoder.write(as_bytes(noise(5000)), Flush::kNone, lost));
    ASSERT_TRUE(encoder.reset());
    EXPECT_EQ(encoded(encoder, "first"), first) << to_string(coding);
    EXPECT_EQ(decoded(coding, first), "first");
  }
}

TEST(Encoder, KnowsTheEndsOfItsOptions) {
  const struct {
    Coding coding;
    int level_min, level_max, bits_min, bits_max;
  } rows[] = {{Coding::kGzip, 1, 9, 9, 15},
              {Coding::kBrotli, 0, 11, 10, 22},
              {Coding::kZstd, 1, 19, 10, 23}};
  for (const auto& row : rows) {
    if (!is_available(row.coding)) continue;
    const auto works = [&row](int level, int bits) {
      auto encoder = Encoder::create({.coding = row.coding, .level = level, .window_bits = bits});
      const bool says_why = encoder || encoder.error() == make_error_code(Errc::kBadOptions);
      EXPECT_TRUE(says_why) << to_string(row.coding);
      return encoder.has_value() && decoded(row.coding, encoded(*encoder, "abc")) == "abc";
    };
    EXPECT_FALSE(works(row.level_min - 1, row.bits_min)) << to_string(row.coding);
    EXPECT_TRUE(works(row.level_min, row.bits_min)) << to_string(row.coding);
    EXPECT_TRUE(works(row.level_max, row.bits_max)) << to_string(row.coding);
    EXPECT_FALSE(works(row.level_max + 1, row.bits_max)) << to_string(row.coding);
    EXPECT_FALSE(works(row.level_min, row.bits_min - 1)) << to_string(row.coding);
    EXPECT_FALSE(works(row.level_min, row.bits_max + 1)) << to_string(row.coding);
  }
}

TEST(Encoder, WritesAGzipHeaderThatTellsNothing) {
  Encoder encoder = Encoder::create({}).value();
  // No name, no time: two equal texts give equal bytes (and an ETag may be a hash of them).
  EXPECT_EQ(encoded(encoder, "a").substr(0, 8), std::string_view("\x1f\x8b\x08\0\0\0\0\0", 8));
}

}  // namespace
}  // namespace ssx::compress

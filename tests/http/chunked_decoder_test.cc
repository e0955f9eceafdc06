#include "http/chunked_decoder.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "tests/http/parse_support.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;
using test::Body;
using test::decode;
using test::decode_every_split;

std::string hex(std::size_t value) {
  std::string digits;
  do digits.insert(0, 1, "0123456789abcdef"[value % 16]);
  while ((value /= 16) != 0);
  return digits;
}

std::string chunk(const std::string& data) { return hex(data.size()) + "\r\n" + data + "\r\n"; }

constexpr std::string_view kEnd = "0\r\n\r\n";

TEST(ChunkedDecoder, HandsOutTheDataOfAllChunksAtEverySplit) {
  const std::string bytes = chunk("hello") + chunk(std::string(300, 'x')) + chunk("\r\n0\r\n\r\n") +
                            "A\r\n0123456789\r\n" + "00a\r\n0123456789\r\n" + std::string(kEnd);
  const Body body = decode_every_split(bytes);
  EXPECT_EQ(body.progress, Progress::kDone);
  EXPECT_EQ(body.consumed, bytes.size());
  EXPECT_EQ(body.data, "hello" + std::string(300, 'x') + "\r\n0\r\n\r\n" + "01234567890123456789");
}

TEST(ChunkedDecoder, DoesNotCopy) {
  const std::string bytes = chunk("hello") + std::string(kEnd);
  const ParserLimits limits;
  ChunkedDecoder decoder(limits);
  const auto step = decoder.next(bytes);
  EXPECT_EQ(step.progress, Progress::kNeedMore);
  EXPECT_EQ(step.data, "hello");
  EXPECT_EQ(step.data.data(), bytes.data() + 3);
  EXPECT_EQ(step.consumed, 8);
}

TEST(ChunkedDecoder, LeavesTheNextRequestWhereItIs) {
  const std::string body = chunk("hello") + std::string(kEnd);
  const Body decoded = decode(body + "GET / HTTP/1.1\r\n");
  EXPECT_EQ(decoded.progress, Progress::kDone);
  EXPECT_EQ(decoded.consumed, body.size());
}

TEST(ChunkedDecoder, DecodesAnotherBodyAfterReset) {
  const ParserLimits limits;
  ChunkedDecoder decoder(limits);
  for (int round = 0; round < 3; ++round) {
    std::string_view in = "3\r\nabc\r\n0\r\nA: b\r\n\r\n";
    Progress progress = Progress::kNeedMore;
    while (!in.empty()) {
      const auto step = decoder.next(in);
      progress = step.progress;
      in.remove_prefix(step.consumed);
    }
    EXPECT_EQ(progress, Progress::kDone);
    EXPECT_EQ(decoder.body_size(), 3);
    decoder.reset();
    EXPECT_EQ(decoder.body_size(), 0);
  }
}

TEST(ChunkedDecoder, ReadsAndForgetsExtensionsAndTrailers) {
  for (const std::string_view bytes :
       {"5;a\r\nhello\r\n0\r\n\r\n", "5;a=b;c=\"d e\"\r\nhello\r\n0;x\r\n\r\n",
        "5 ; a = b\r\nhello\r\n0\r\n\r\n", "5\t;a=\"\\\"\\\\\"\r\nhello\r\n0\r\n\r\n",
        "5;a=\"\"\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nA: b\r\n\r\n",
        "5\r\nhello\r\n000\r\nA:\r\nB: c\x80 d\t\r\nContent-Length: 9\r\n\r\n"}) {
    const Body body = decode_every_split(bytes);
    EXPECT_EQ(body.progress, Progress::kDone) << bytes << to_string(body.error);
    EXPECT_EQ(body.data, "hello") << bytes;
    EXPECT_EQ(body.consumed, bytes.size()) << bytes;
  }
}

// A06: nothing but the grammar of RFC 9112 7.1. Every table is tried whole first, since the splits
// stop at a failure.
struct Refused {
  std::string bytes;
  Errc error;
};

constexpr Errc kSize = Errc::kBadChunkSize;
constexpr Errc kExtension = Errc::kBadChunkExtension;
constexpr Errc kEndOfData = Errc::kBadChunkEnd;
constexpr Errc kTrailer = Errc::kBadTrailer;

// clang-format off
const Refused kBadSizes[] = {
    {"\r\n", kSize}, {" \r\n", kSize}, {" 5\r\n", kSize}, {"-5\r\n", kSize}, {"+5\r\n", kSize},
    {"0x5\r\n", kSize}, {"5_0\r\n", kSize}, {":\r\n", kSize}, {"@\r\n", kSize}, {"g\r\n", kSize},
    {"G\r\n", kSize}, {"`\r\n", kSize}, {"/\r\n", kSize}, {"5g\r\n", kSize}, {"5\n", kSize},
    {"5\r\r\n", kSize}, {"5\rx", kSize}, {"\n", kSize}, {"5\0\r\n"s, kSize},
    {"5\x80\r\n", kSize}, {"5.0\r\n", kSize}, {"8000000000000000\r\n", kSize},
    {"ffffffffffffffff\r\n", kSize}, {"00000000000000005\r\n", kSize},
    {"10000000000000000\r\n", kSize}, {"5,a\r\n", kSize}, {"5\r\nhello\r\n\r\n", kSize},
    {"5\r\nhello\r\nx", kSize}};

const Refused kBadExtensions[] = {
    {"1 2\r\n", kExtension}, {"5 \r\n", kExtension}, {"5\t\r\n", kExtension},
    {"5;\r\n", kExtension}, {"5; \r\n", kExtension}, {"5;;a\r\n", kExtension},
    {"5;a=\r\n", kExtension}, {"5;=b\r\n", kExtension}, {"5;a b\r\n", kExtension},
    {"5;a\n", kExtension}, {"5;a\rX", kExtension}, {"5;a\0b\r\n"s, kExtension},
    {"5;a=\"b\r\n", kExtension}, {"5;a=\"\n\"\r\n", kExtension},
    {"5;a=\"\r\n\"\r\n", kExtension}, {"5;a=\"\\\r\n\"\r\n", kExtension},
    {"5;a=\"\0\"\r\n"s, kExtension}, {"5;a=\"b\"c\r\n", kExtension},
    {"5;a=b\"c\"\r\n", kExtension}, {"5;a \r\n", kExtension}, {"5;\x80\r\n", kExtension},
    {"5;a\r\r\n", kExtension}};

const Refused kBadEnds[] = {
    {"5\r\nhelloX", kEndOfData}, {"5\r\nhello\n", kEndOfData}, {"5\r\nhello\rX", kEndOfData},
    {"5\r\nhello0\r\n\r\n", kEndOfData}, {"5\r\nhello\r\r\n", kEndOfData},
    {"0\r\nXX\r\n", kTrailer}, {"0\r\nX\n", kTrailer}, {"0\r\n\n", kTrailer},
    {"0\r\n: a\r\n", kTrailer}, {"0\r\nA : b\r\n", kTrailer}, {"0\r\n A: b\r\n", kTrailer},
    {"0\r\nA: b\r\n c\r\n", kTrailer}, {"0\r\nA: b\n\r\n", kTrailer},
    {"0\r\nA: \0\r\n"s, kTrailer}, {"0\r\nA: b\rX", kTrailer}, {"0\r\n\rX", kTrailer},
    {"0\r\nA\x80: b\r\n", kTrailer}, {"0\r\nA: b\x7f\r\n", kTrailer}};
// clang-format on

void expect_refused(std::span<const Refused> rows) {
  for (const Refused& row : rows) {
    EXPECT_EQ(to_string(decode(row.bytes).error), to_string(row.error)) << row.bytes;
  }
  for (const Refused& row : rows) {
    if (::testing::Test::HasFailure()) return;
    decode_every_split(row.bytes + "more");
  }
}

TEST(ChunkedDecoder, RefusesBadSizes) { expect_refused(kBadSizes); }
TEST(ChunkedDecoder, RefusesBadExtensions) { expect_refused(kBadExtensions); }
TEST(ChunkedDecoder, RefusesBadEndsOfDataAndBadTrailers) { expect_refused(kBadEnds); }

TEST(ChunkedDecoder, TakesSixteenDigitsUpToTwoToTheSixtyThird) {
  const ParserLimits limits;
  for (const std::string_view size : {"7fffffffffffffff", "7FFFFFFFFFFFFFFF", "0000000000000005"}) {
    ChunkedDecoder decoder(limits);
    EXPECT_EQ(decoder.next(std::string(size) + "\r\nx").data, "x") << size;
  }
  EXPECT_EQ(decode("0000000000000000\r\n\r\n").progress, Progress::kDone);
}

// --- limits: one below, exactly, one above ---

template <class Make>
void expect_limit(std::size_t limit, const ParserLimits& limits, Errc error, Make make) {
  if (limit > 0) {
    EXPECT_EQ(decode_every_split(make(limit - 1), limits).progress, Progress::kDone);
  }
  EXPECT_EQ(decode_every_split(make(limit), limits).progress, Progress::kDone);
  EXPECT_EQ(decode_every_split(make(limit + 1), limits).error, error);
  EXPECT_EQ(status_of(error), Status::kBadRequest);
}

TEST(ChunkedDecoderLimit, Extension) {
  const auto make = [](std::size_t size) {
    return "5" + (size == 0 ? "" : ";" + std::string(size - 1, 'x')) + "\r\nhello\r\n0\r\n\r\n";
  };
  const ParserLimits some{.chunk_extension_max = 40};
  expect_limit(40, some, Errc::kChunkExtensionTooLong, make);
  expect_limit(256, {}, Errc::kChunkExtensionTooLong, make);
  const ParserLimits none{.chunk_extension_max = 0};
  EXPECT_EQ(decode_every_split(make(0), none).progress, Progress::kDone);
  EXPECT_EQ(decode_every_split(make(2), none).error, Errc::kChunkExtensionTooLong);
}

TEST(ChunkedDecoderLimit, TrailerBytes) {
  const ParserLimits limits{.trailer_max = 100};
  expect_limit(100, limits, Errc::kTrailerTooLong, [](std::size_t size) {
    return "0\r\nA: 1\r\nB: " + std::string(size - 11, 'x') + "\r\n\r\n";
  });
}

TEST(ChunkedDecoderLimit, TrailerCount) {
  expect_limit(32, {}, Errc::kTooManyTrailers, [](std::size_t count) {
    std::string lines;
    for (std::size_t i = 0; i < count; ++i) lines += "A: 1\r\n";
    return "0\r\n" + lines + "\r\n";
  });
}

TEST(ChunkedDecoderLimit, Overhead) {
  const ParserLimits limits{.chunk_overhead_base = 200, .chunk_overhead_ratio = 4};
  // One byte of data costs five of framing: the base pays for one of them each time. The last
  // chunk, "0" CRLF CRLF, needs five as well.
  const auto make = [](std::size_t chunks) {
    std::string bytes;
    for (std::size_t i = 0; i < chunks; ++i) bytes += "1\r\nx\r\n";
    return bytes + std::string(kEnd);
  };
  expect_limit(195, limits, Errc::kChunkOverhead, make);
  const ParserLimits whole{.chunk_overhead_base = 5, .chunk_overhead_ratio = 0};
  EXPECT_EQ(decode_every_split("0\r\n\r\n", whole).progress, Progress::kDone);
  EXPECT_EQ(decode_every_split("00\r\n\r\n", whole).error, Errc::kChunkOverhead);
}

// --- A07: bombs ---

TEST(ChunkedDecoderBomb, AMillionChunksOfOneByteEndAtTheOverhead) {
  std::string bytes;
  for (int i = 0; i < 1000000; ++i) bytes += "1\r\nx\r\n";
  const Body body = decode(bytes);
  EXPECT_EQ(body.error, Errc::kChunkOverhead);
  // 5 n <= 64 KiB + 4 (n - 1): the data that was let through is bounded by the base.
  EXPECT_LE(body.data.size(), std::size_t{64} << 10);
}

TEST(ChunkedDecoderBomb, ExtensionsAndTrailersEndAtTheirLimits) {
  EXPECT_EQ(decode("5;" + std::string(64 << 10, 'x')).error, Errc::kChunkExtensionTooLong);
  std::string trailers = "0\r\n";
  for (int i = 0; i < 1000000; ++i) trailers += "A: 1\r\n";
  EXPECT_EQ(decode(trailers).error, Errc::kTooManyTrailers);
  EXPECT_EQ(decode("0\r\nA: " + std::string(1 << 20, 'x')).error, Errc::kTrailerTooLong);
}

TEST(ChunkedDecoderBomb, LargeChunksCostNoOverhead) {
  const std::string data(1 << 20, 'x');
  const Body body = decode(chunk(data) + chunk(data) + std::string(kEnd));
  EXPECT_EQ(body.progress, Progress::kDone);
  EXPECT_EQ(body.data.size(), 2 * data.size());
}

TEST(ChunkedDecoderDeathTest, RefusesToGoOnBehindTheEnd) {
  const ParserLimits limits;
  ChunkedDecoder decoder(limits);
  ASSERT_EQ(decoder.next("0\r\n\r\n").progress, Progress::kDone);
  EXPECT_DEATH(static_cast<void>(decoder.next("0\r\n\r\n")), "kDone");
}

}  // namespace
}  // namespace ssx::http

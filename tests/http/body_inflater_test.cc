#include "http/body_inflater.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/http/middleware/unzip.h"
#include "tests/support/feed_every_split.h"

namespace ssx::http {
namespace {

using compress::InflateFormat;

/// What Content-Encoding lines of these values ask for.
BodyCoding coding_of(const std::vector<std::string_view>& values) {
  std::string text;
  Fields fields;
  for (const std::string_view value : values) {
    Fields::Entry& line = fields.add(FieldName::kContentEncoding);
    line.name_offset = line.name_size = 0;
    line.value_offset = static_cast<std::uint16_t>(text.size());
    line.value_size = static_cast<std::uint16_t>(value.size());
    text += value;
  }
  fields.bind(text.data());
  return BodyCoding::of(fields);
}

TEST(BodyCoding, IsGzipOrDeflateOrNone) {
  EXPECT_EQ(coding_of({}).format, std::nullopt);
  EXPECT_EQ(coding_of({"identity"}).format, std::nullopt);
  EXPECT_EQ(coding_of({""}).error, Errc::kOk);
  for (const char* gzip : {"gzip", "GZip", "x-gzip", "identity, gzip", ", gzip ,"}) {
    EXPECT_EQ(coding_of({gzip}).format, InflateFormat::kGzip) << gzip;
    EXPECT_EQ(coding_of({gzip}).error, Errc::kOk) << gzip;
  }
  EXPECT_EQ(coding_of({"deflate"}).format, InflateFormat::kZlib);
}

TEST(BodyCoding, IsRefusedWhenItIsAnotherOrMoreThanOne) {
  for (const char* bad : {"br", "zstd", "compress", "gzip, gzip", "deflate, gzip", "br, gzip",
                          "gzip, br", "gzip;q=1", "*"})
    EXPECT_EQ(coding_of({bad}).error, Errc::kUnknownContentCoding) << bad;
  EXPECT_EQ(coding_of({"gzip", "gzip"}).error, Errc::kUnknownContentCoding);
  EXPECT_EQ(coding_of({"identity", "gzip"}).error, Errc::kOk);
}

struct BodyInflaterTest : testing::Test {
  Errc take(std::string_view bytes) { return inflater.take(bytes, sink); }

  BodyDecodingOptions options;
  BodyInflater inflater{options};
  std::string text;
  BodyInflater::Sink sink = [this](std::string_view piece) {
    EXPECT_LE(piece.size(), BodyInflater::kPieceBytes);
    text += piece;
    return Errc::kOk;
  };
};

TEST_F(BodyInflaterTest, GivesWhatIsInside) {
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take(test::zip("hello")), Errc::kOk);
  EXPECT_EQ(inflater.finish(), Errc::kOk);
  EXPECT_EQ(text, "hello");
}

TEST_F(BodyInflaterTest, BeginsAgainWhateverBecameOfTheLast) {
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take("nonsense, and no gzip"), Errc::kBadContentCoding);
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take(test::zip("second").substr(0, 12)), Errc::kOk);
  EXPECT_EQ(inflater.finish(), Errc::kBadContentCoding);
  ASSERT_EQ(inflater.begin(InflateFormat::kZlib), Errc::kOk);
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  text.clear();
  EXPECT_EQ(take(test::zip("third")), Errc::kOk);
  EXPECT_EQ(inflater.finish(), Errc::kOk);
  EXPECT_EQ(text, "third");
}

TEST_F(BodyInflaterTest, FindsEveryDamage) {
  const std::string good = test::zip("some text that is long enough to be worth it");
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (i >= 4 && i <= 9) continue;  // time, flags of speed, system: of no consequence
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
    Errc error = take(bad);
    if (error == Errc::kOk) error = inflater.finish();
    EXPECT_EQ(error, Errc::kBadContentCoding) << i;
  }
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take(good + "xx"), Errc::kBadContentCoding) << "something behind it";
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take(good + "x"), Errc::kOk) << "it could be the first half of a magic number";
  EXPECT_EQ(inflater.finish(), Errc::kBadContentCoding);
}

TEST_F(BodyInflaterTest, SaysWhatTheSinkSays) {
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  int pieces = 0;
  BodyInflater::Sink full = [&pieces](std::string_view) {
    return ++pieces == 2 ? Errc::kBodyTooLarge : Errc::kOk;
  };
  EXPECT_EQ(inflater.take(test::zip(std::string(60'000, 'x')), full), Errc::kBodyTooLarge);
  EXPECT_EQ(pieces, 2) << "nothing more is inflated";
}

TEST_F(BodyInflaterTest, TakesSoMuchOutOfAByteAndNoMore) {
  options.ratio_free = 0;
  std::size_t size = 2000;
  std::string coded;
  do {
    coded = test::zip(std::string(++size, 'x'));
  } while (size % coded.size() != 0);
  ASSERT_LT(size, BodyInflater::kPieceBytes);
  const std::uint64_t exact = size / coded.size();
  for (const std::uint64_t ratio : {exact - 1, exact, exact + 1}) {
    options.ratio_max = ratio;
    BodyInflater one(options);
    ASSERT_EQ(one.begin(InflateFormat::kGzip), Errc::kOk);
    EXPECT_EQ(one.take(coded, sink), ratio < exact ? Errc::kContentRatio : Errc::kOk) << ratio;
  }
}

TEST_F(BodyInflaterTest, LetsAShortBodyRepeatItself) {
  const std::string coded = test::zip(std::string(64 << 10, 'x'));
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take(coded), Errc::kOk);
  const std::string more = test::zip(std::string((64 << 10) + 1, 'x'));
  ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
  EXPECT_EQ(take(more), Errc::kContentRatio);
}

TEST_F(BodyInflaterTest, DoesNotCareWhereTheNetworkCuts) {
  const std::string expected = "a text, a text, a text and a little more of a text";
  ssx::test::feed_every_split(test::zip(expected), [&](const ssx::test::Pieces& pieces) {
    text.clear();
    ASSERT_EQ(inflater.begin(InflateFormat::kGzip), Errc::kOk);
    for (const std::string_view piece : pieces) EXPECT_EQ(take(piece), Errc::kOk);
    EXPECT_EQ(inflater.finish(), Errc::kOk);
    EXPECT_EQ(text, expected);
  });
}

}  // namespace
}  // namespace ssx::http

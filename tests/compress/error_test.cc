#include "ssxrver/compress/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace ssx::compress {
namespace {

TEST(CompressError, HasASentenceOfItsOwnForEveryValue) {
  std::set<std::string_view> texts;
  for (int i = 0; i < kErrcCount; ++i) {
    const std::string_view text = to_string(static_cast<Errc>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_TRUE(texts.insert(text).second) << text;
    EXPECT_EQ(make_error_code(static_cast<Errc>(i)).message(), text);
  }
  EXPECT_EQ(to_string(Errc::kTooLarge), "decompressed data too long");
  EXPECT_EQ(to_string(Errc::kNoMemory), "no memory for a compressor");
}

TEST(CompressError, IsAnErrorCodeOfItsOwnCategory) {
  const std::error_code code = Errc::kRatio;
  EXPECT_STREQ(code.category().name(), "compress");
  EXPECT_EQ(compress_category().message(-1), "unknown error");
  EXPECT_EQ(compress_category().message(kErrcCount), "unknown error");
}

}  // namespace
}  // namespace ssx::compress

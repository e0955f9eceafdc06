#include "ssxrver/compress/coding.h"

#include <gtest/gtest.h>

#include "ssxrver/compress/encoder.h"

namespace ssx::compress {
namespace {

TEST(Coding, HasTheNameOfTheHeaderField) {
  EXPECT_EQ(to_string(Coding::kGzip), "gzip");
  EXPECT_EQ(to_string(Coding::kBrotli), "br");
  EXPECT_EQ(to_string(Coding::kZstd), "zstd");
  for (const Coding coding : kCodings) EXPECT_EQ(find_coding(to_string(coding)), coding);
}

TEST(Coding, IsFoundWhateverItsCase) {
  EXPECT_EQ(find_coding("GZip"), Coding::kGzip);
  EXPECT_EQ(find_coding("x-gzip"), Coding::kGzip);
  EXPECT_EQ(find_coding("BR"), Coding::kBrotli);
  for (const auto* name : {"", "deflate", "identity", "gzip ", "brotli", "*"}) {
    EXPECT_EQ(find_coding(name), std::nullopt) << name;
  }
}

TEST(Coding, IsAvailableExactlyWhenAnEncoderCanBeMade) {
  EXPECT_TRUE(is_available(Coding::kGzip));
  for (const Coding coding : kCodings) {
    const auto encoder = Encoder::create({.coding = coding});
    EXPECT_EQ(encoder.has_value(), is_available(coding)) << to_string(coding);
    const bool says_why =
        encoder.has_value() || encoder.error() == make_error_code(Errc::kUnavailable);
    EXPECT_TRUE(says_why) << to_string(coding);
  }
}

}  // namespace
}  // namespace ssx::compress

// What a gzip stream holds, by our inflater; an unfinished one up to where it ends.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/compress/encoder.h"
#include "ssxrver/compress/inflater.h"

namespace ssx::http::test {

enum class Whole : bool { kNo, kYes };

inline std::string unzip(std::string_view bytes, Whole whole = Whole::kYes) {
  auto inflater = compress::Inflater::create(compress::InflateFormat::kGzip,
                                             {.output_max = 64 << 20, .ratio_max = 0});
  std::string text;
  const auto read = inflater->read(as_bytes(bytes), text);
  EXPECT_TRUE(read) << read.error().message();
  EXPECT_EQ(inflater->finish().has_value(), whole == Whole::kYes);
  return text;
}

inline std::string zip(std::string_view text, compress::Coding coding = compress::Coding::kGzip) {
  auto encoder = compress::Encoder::create({.coding = coding, .level = 9});
  std::string coded;
  EXPECT_TRUE(encoder->write(as_bytes(text), compress::Flush::kEnd, coded));
  return coded;
}

}  // namespace ssx::http::test

#include "http/client/client_request.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx::http {
namespace {

Task<Result<void>> write_nothing(UploadWriter&) { co_return Result<void>(); }

TEST(RequestBody, KnowsItsLength) {
  EXPECT_TRUE(RequestBody().is_empty());
  EXPECT_EQ(RequestBody().length(), 0U);
  const RequestBody text = "hello";
  EXPECT_FALSE(text.is_empty() || text.is_streamed());
  EXPECT_EQ(text.length(), 5U);
  EXPECT_EQ(text.text(), "hello");
  const RequestBody chunked = RequestBody::streamed(&write_nothing);
  EXPECT_TRUE(chunked.is_streamed());
  EXPECT_FALSE(chunked.is_empty());
  EXPECT_FALSE(chunked.length());
  EXPECT_EQ(RequestBody::streamed(&write_nothing, 7).length(), 7U);
}

TEST(RequestBody, IsSharedAndNotCopied) {
  const RequestBody text = std::string(100'000, 'x');
  const RequestBody again = text;
  EXPECT_EQ(again.text().data(), text.text().data());
  EXPECT_TRUE(again.keep());
}

}  // namespace
}  // namespace ssx::http

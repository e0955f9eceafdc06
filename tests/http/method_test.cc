#include "http/method.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ssx::http {
namespace {

TEST(Method, IsReadAsItIsWritten) {
  for (int i = 1; i < kMethodCount; ++i) {
    const auto method = static_cast<Method>(i);
    ASSERT_FALSE(to_string(method).empty());
    EXPECT_EQ(parse_method(to_string(method)), method);
  }
  EXPECT_EQ(to_string(Method::kUnknown), "");
}

TEST(Method, IsNoPrefixNoOtherCaseAndNothingLonger) {
  for (int i = 1; i < kMethodCount; ++i) {
    const std::string text(to_string(static_cast<Method>(i)));
    for (std::size_t size = 0; size < text.size(); ++size) {
      EXPECT_EQ(parse_method(text.substr(0, size)), Method::kUnknown) << text.substr(0, size);
    }
    EXPECT_EQ(parse_method(text + "X"), Method::kUnknown);
    EXPECT_EQ(parse_method(text + '\0'), Method::kUnknown);
    std::string lower = text;
    lower[0] = static_cast<char>(lower[0] | 0x20);
    EXPECT_EQ(parse_method(lower), Method::kUnknown);
  }
  for (const std::string_view text : {"", "X", "GOT", "HEED", "PING", "COPY", "TEST"}) {
    EXPECT_EQ(parse_method(text), Method::kUnknown) << text;
  }
}

TEST(Method, IsSafeWhenItOnlyReads) {
  EXPECT_TRUE(is_safe(Method::kGet));
  EXPECT_TRUE(is_safe(Method::kHead));
  EXPECT_TRUE(is_safe(Method::kOptions));
  EXPECT_TRUE(is_safe(Method::kTrace));
  EXPECT_FALSE(is_safe(Method::kPost));
  EXPECT_FALSE(is_safe(Method::kDelete));
  EXPECT_FALSE(is_safe(Method::kUnknown));
}

}  // namespace
}  // namespace ssx::http

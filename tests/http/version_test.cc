#include "http/version.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(Version, IsWrittenAsInARequestLine) {
  EXPECT_EQ(to_string(Version::kHttp10), "HTTP/1.0");
  EXPECT_EQ(to_string(Version::kHttp11), "HTTP/1.1");
}

TEST(Version, IsOrdered) { EXPECT_LT(Version::kHttp10, Version::kHttp11); }

}  // namespace
}  // namespace ssx::http

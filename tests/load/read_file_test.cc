#include "ssxrver/load/read_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace ssx::load {
namespace {

TEST(ReadFile, HasAllOfItUpToItsLimit) {
  const test::TempDir folder;
  const std::string path = folder.path() + "/bytes";
  const std::string text(3'000'000, 'x');
  std::ofstream(path) << text;
  EXPECT_EQ(read_file(path, 3'000'000).value_or(""), text);
  EXPECT_EQ(read_file(path, 3'000'001).value_or(""), text);
  const auto refused = read_file(path, 2'999'999);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_errno(EFBIG));
}

TEST(ReadFile, ReadsWhatIsMadeWhenItIsRead) {
  EXPECT_NE(read_file("/proc/self/status", 1 << 20).value_or(""), "");
}

TEST(ReadFile, SaysWhyNot) {
  const auto refused = read_file("/there/is/none", 10);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_errno(ENOENT));
}

}  // namespace
}  // namespace ssx::load

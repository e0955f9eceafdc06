#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace ssx::test {
namespace {

TEST(TempDir, IsGoneWithEverythingInIt) {
  std::string path;
  {
    const TempDir directory;
    path = directory.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
    EXPECT_EQ(directory.write("a/b/c.txt", std::string("x\0y", 3)), path + "/a/b/c.txt");
    EXPECT_EQ(directory.read("a/b/c.txt"), std::string("x\0y", 3));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDir, TwoAreNeverTheSame) {
  const TempDir first;
  const TempDir second;
  EXPECT_NE(first.path(), second.path());
}

}  // namespace
}  // namespace ssx::test

#include "ssxrver/plugin/file/library_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/peer.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using ::testing::HasSubstr;

class LibraryPath : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.write("lib.so", "x");
    ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  }
  static std::string why(const std::string& name, const std::vector<std::string>& folders = {}) {
    const auto found = find_library(name, folders);
    return found ? "found " + found->path : found.error();
  }

  test::TempDir folder_;
  std::string path_;
};

TEST_F(LibraryPath, IsThatOfTheFirstFolderThatHasIt) {
  const test::TempDir other;
  const std::string& here = folder_.path();
  EXPECT_EQ(why(path_), "found " + path_);
  EXPECT_EQ(why("lib.so", {other.path(), here}), "found " + path_);
  EXPECT_EQ(why("lib.so", {here + "/"}), "found " + path_);
  EXPECT_EQ(why("lib.so", {path_, here}), "found " + path_);
  EXPECT_EQ(why("none.so", {other.path(), here}),
            "there is no \"none.so\" in \"" + other.path() + "\" or \"" + here + "\"");
  EXPECT_THAT(why("lib.so", {}), HasSubstr("no folder to look in"));
  EXPECT_EQ(why(folder_.file("none.so")),
            "\"" + folder_.file("none.so") + "\": No such file or directory");
}

TEST_F(LibraryPath, LeadsToNoFileThatOthersMayWriteTo) {
  for (const unsigned mode : {0664U, 0646U, 0666U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_THAT(why(path_), HasSubstr("can be written to by others (mode 06")) << mode;
  }
  for (const unsigned mode : {0400U, 0644U, 0755U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(why(path_), "found " + path_) << mode;
  }
}

TEST_F(LibraryPath, LeadsIntoNoFolderThatOthersMayWriteTo) {
  for (const unsigned mode : {0770U, 0707U, 0777U}) {
    ASSERT_EQ(::chmod(folder_.path().c_str(), mode), 0);
    EXPECT_EQ(why("lib.so", {folder_.path()}).find("\"" + folder_.path() + "\" can be"), 0) << mode;
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 01777), 0);
  EXPECT_EQ(why(path_), "found " + path_);
}

TEST_F(LibraryPath, LeadsToAFileOfOurs) {
  SSX_NEEDS_SYSTEM(::geteuid() == 0, "root here");
  ASSERT_EQ(::chown(path_.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  EXPECT_EQ(why(path_), "\"" + path_ + "\" belongs to user 12345; wanted root or user 0");
  ASSERT_EQ(::chown(path_.c_str(), 0, static_cast<gid_t>(-1)), 0);
  ASSERT_EQ(::chown(folder_.path().c_str(), 12345, static_cast<gid_t>(-1)), 0);
  EXPECT_THAT(why(path_), HasSubstr("belongs to user 12345"));
}

TEST_F(LibraryPath, LeadsToAFileAlone) {
  const std::string link = folder_.file("link.so");
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_EQ(why(link), "\"" + link + "\" is a symbolic link: name the file itself");
  EXPECT_THAT(why("link.so", {folder_.path()}), HasSubstr("is a symbolic link"));
  EXPECT_THAT(why(folder_.path() + "/."), HasSubstr("is no regular file"));
  const std::string pipe = folder_.file("pipe.so");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(why(pipe), HasSubstr("is no regular file"));
}

}  // namespace
}  // namespace ssx

#include "ssxrver/plugin/manager/file_watch.h"

#include <gtest/gtest.h>

namespace ssx::plugins {
namespace {

FileStamp stamp(std::int64_t changed, std::int64_t size = 10, std::uint64_t inode = 1) {
  return {.device = 1, .inode = inode, .size = size, .changed_ns = changed};
}

TEST(FileWatch, TellsOfAFileThatHasBecomeAnotherAndKeepsStill) {
  FileWatch watch;
  watch.know(stamp(1));
  EXPECT_FALSE(watch.look(stamp(1)));
  EXPECT_FALSE(watch.look(stamp(1)));
  EXPECT_FALSE(watch.look(stamp(2))) << "it may still be written";
  EXPECT_FALSE(watch.look(stamp(3, 20)));
  EXPECT_FALSE(watch.look(stamp(3, 30))) << "it grows within one tick of the clock";
  EXPECT_TRUE(watch.look(stamp(3, 30)));
  EXPECT_TRUE(watch.look(stamp(3, 30))) << "until somebody knows it";
  watch.know(stamp(3, 30));
  EXPECT_FALSE(watch.look(stamp(3, 30)));
}

TEST(FileWatch, SeesWhatHasChangedBeforeItsFirstLook) {
  FileWatch watch;
  watch.know(stamp(1));
  EXPECT_FALSE(watch.look(stamp(2)));
  EXPECT_TRUE(watch.look(stamp(2)));
}

TEST(FileWatch, SeesAnotherFileOfTheSameTime) {
  FileWatch watch;
  watch.know(stamp(1));
  EXPECT_FALSE(watch.look(stamp(1, 10, 2)));
  EXPECT_TRUE(watch.look(stamp(1, 10, 2)));
}

TEST(FileWatch, SeesTheOldOnePutBack) {
  FileWatch watch;
  watch.know(stamp(1));
  watch.know(stamp(2));
  EXPECT_FALSE(watch.look(stamp(1)));
  EXPECT_TRUE(watch.look(stamp(1)));
}

}  // namespace
}  // namespace ssx::plugins

// D09 on a real file system of 1 MiB, where root may make one. The twins that need no rights are
// LoggerTest.FullDiskLosesCountedLinesAndRecovers and those of rolling_file_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "ssxrver/base/log.h"
#include "ssxrver/log/logger.h"
#include "tests/log/log_folder.h"
#include "tests/support/manual_clock.h"

namespace ssx::log {
namespace {

using std::chrono::seconds;

/// A tmpfs on a folder; false where that is not allowed.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  explicit operator bool() const { return mounted_; }

 private:
  const std::string path_;
  bool mounted_ = false;
};

TEST(FullDisk, LinesAreCountedExactlyAndComeBackWithTheRoom) {
  const LogFolder folder;
  const std::string disk = folder.path() + "/disk";
  const SmallDisk mounted(disk);
  if (!mounted) {
    RecordProperty("needs", "the right to mount; its twins have run");
    return;
  }
  const std::string ballast = disk + "/ballast";
  std::ofstream(ballast) << std::string(512 << 10, 'x');

  test::ManualClock clock;
  LogOptions options;
  options.async = true;
  options.path = disk;
  options.base_name = "t";
  options.pattern = "%v";
  options.overflow = Overflow::kBlock;
  auto installed = Logger::install(options, clock);
  ASSERT_TRUE(installed);
  const auto logger = *std::move(installed);
  constexpr int kLines = 20'000;  // 1 MiB is full in the middle of them
  for (int n = 0; n < kLines; ++n) SSX_LOG_INFO("line {} {:>60}", n, "of some length");
  EXPECT_FALSE(logger->flush(seconds(30)));
  EXPECT_GT(logger->stats().file_failures, 0U);
  EXPECT_GT(logger->stats().lost_file, 0U);

  std::filesystem::remove(ballast);
  clock.advance(seconds(31));
  SSX_LOG_INFO("after");
  EXPECT_TRUE(logger->flush(seconds(30)));

  std::uint64_t kept = 0;
  std::uint64_t reported = 0;
  int last = -1;
  for (const auto& entry : std::filesystem::directory_iterator(disk)) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::uint64_t lost = 0;
      int n = 0;
      if (std::sscanf(line.c_str(), "%lu lines lost here: write: No space", &lost) == 1) {
        reported += lost;
      } else if (std::sscanf(line.c_str(), "line %d", &n) == 1) {
        ASSERT_TRUE(line.ends_with(" of some length")) << line;
        ASSERT_GT(n, last);
        last = n;
        ++kept;
      }
    }
  }
  EXPECT_EQ(kept + reported, kLines);
  EXPECT_EQ(logger->stats().lost_file, reported);
}

}  // namespace
}  // namespace ssx::log

#include "ssxrver/net/memory_meter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

class ControlGroup : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = dir.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] std::optional<std::uint64_t> found() const {
    return control_group_memory(dir.path());
  }
  const test::TempDir dir;
};

TEST(MemoryMeter, SeesWhatIsAllocatedAndTouched) {
  const auto before = resident_memory();
  ASSERT_TRUE(before.has_value());
  EXPECT_GT(*before, 1U << 16);
  const std::vector<char> large(64 << 20, 'x');
  const auto after = resident_memory();
  ASSERT_TRUE(after.has_value());
  EXPECT_GE(*after, *before + (60 << 20));
  EXPECT_EQ(large.back(), 'x');
}

TEST_F(ControlGroup, NoneMeansNoLimit) {
  EXPECT_EQ(found(), std::nullopt);
  write("/proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(found(), std::nullopt);
  write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(found(), std::nullopt);
}

TEST_F(ControlGroup, TheLeastOfThePathCounts) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  write("/sys/fs/cgroup/a/memory.max", "1048576\n");
  EXPECT_EQ(found(), 1048576U);
  write("/sys/fs/cgroup/a/b/memory.max", "2097152\n");
  EXPECT_EQ(found(), 1048576U);
  write("/sys/fs/cgroup/a/b/memory.max", "4096\n");
  EXPECT_EQ(found(), 4096U);
}

TEST_F(ControlGroup, InAContainerItIsTheRoot) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/memory.max", "268435456\n");
  EXPECT_EQ(found(), 268435456U);
}

TEST_F(ControlGroup, OfVersionOneToo) {
  write("/proc/self/cgroup", "12:cpu,cpuacct:/x\n7:memory:/docker/1\n0::/\n");
  write("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(found(), std::nullopt);
  write("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "65536\n");
  EXPECT_EQ(found(), 65536U);
}

TEST_F(ControlGroup, WhatIsNoNumberIsNoLimit) {
  write("/proc/self/cgroup", "nonsense\n0:\n:\n\n0::/\n");
  write("/sys/fs/cgroup/memory.max", "-1\n");
  EXPECT_EQ(found(), std::nullopt);
}

}  // namespace
}  // namespace ssx::net

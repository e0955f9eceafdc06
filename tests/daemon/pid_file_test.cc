#include "ssxrver/daemon/pid_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "ssxrver/sys/process.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

class PidFileTest : public testing::Test {
 protected:
  test::TempDir folder;
  const std::string path = folder.path() + "/ssxrver.pid";
};

TEST_F(PidFileTest, NamesThisProcessUntilItGoes) {
  {
    const auto file = PidFile::create(path);
    ASSERT_TRUE(file);
    EXPECT_EQ(PidFile::read_owner(path).value(), sys::process_id());
  }
  EXPECT_FALSE(std::ifstream(path).good()) << "removed with its owner";
}

TEST_F(PidFileTest, ASecondOwnerIsRefusedWithTheFirstOnesNumber) {
  const auto first = PidFile::create(path);
  ASSERT_TRUE(first);
  const auto second = PidFile::create(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ExitCode::kUnavailable);
  EXPECT_NE(second.error().text().find(std::to_string(sys::process_id())), std::string::npos);
}

TEST_F(PidFileTest, AFileThatNobodyHoldsIsStale) {
  std::ofstream(path) << "4194303\n";
  const auto owner = PidFile::read_owner(path);
  ASSERT_FALSE(owner);
  EXPECT_NE(owner.error().text().find("stale"), std::string::npos);
  EXPECT_TRUE(PidFile::create(path)) << "and is taken over";
}

TEST_F(PidFileTest, AFileWithoutANumberIsToldSo) {
  std::ofstream(path) << "nonsense\n";
  EXPECT_FALSE(PidFile::read_owner(path));
}

TEST_F(PidFileTest, AFolderThatIsNotThereCannotHoldIt) {
  const auto file = PidFile::create(folder.path() + "/nowhere/ssxrver.pid");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code(), ExitCode::kCannotCreate);
}

}  // namespace
}  // namespace ssx

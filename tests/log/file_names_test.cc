#include "ssxrver/log/file_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/log/log_folder.h"
#include "tests/support/sim/kernel.h"

namespace ssx::log {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;

const WallTime kNow{seconds(784111777)};  // 1994-11-06 08:49:37

TEST(FileNames, AreThoseOfTheProgramOf2021) {
  EXPECT_EQ(file_path("logs/", "ssxrver", kNow, 0), "logs/ssxrver.19941106-084937.log");
  EXPECT_EQ(file_path("", "s", kNow, 12), "s.19941106-084937.log.12");
}

TEST(FileNames, AFolderNeedsNoSlash) {
  EXPECT_EQ(as_folder("logs"), "logs/");
  EXPECT_EQ(as_folder("logs/"), "logs/");
  EXPECT_EQ(as_folder(""), "");
}

TEST(FileNames, KnowsItsOwnAndNoOther) {
  EXPECT_TRUE(is_file_of("a", "a.19941106-084937.log"));
  EXPECT_TRUE(is_file_of("a", "a.19941106-084937.log.10"));
  EXPECT_TRUE(is_file_of("a.b", "a.b.19941106-084937.log"));
  for (const char* other :
       {"a", "a.", "a.log", "a.19941106-084937", "a.19941106-084937.lo", "a.19941106-084937.logs",
        "a.19941106-084937.log.", "a.19941106-084937.log.x", "a.19941106-084937.log.gz",
        "a.1994110a-084937.log", "a.19941106 084937.log", "b.19941106-084937.log",
        "aa.19941106-084937.log", "a.b.19941106-084937.log"}) {
    EXPECT_FALSE(is_file_of("a", other)) << other;
  }
}

class Retire : public testing::Test {
 protected:
  Retire() {
    make("a.19941101-000000.log", 100, hours(120));
    make("a.19941102-000000.log", 100, hours(96));
    make("a.19941102-000000.log.2", 100, hours(96));
    make("a.19941102-000000.log.10", 100, hours(72));
    make("a.19941106-084937.log", 100, hours(0));
    make("b.19900101-000000.log", 100, hours(9999));
    make("a.19900101-000000.log.gz", 100, hours(9999));
  }

  void make(const std::string& name, std::size_t size, hours age) {
    std::ofstream(folder_.path() + "/" + name) << std::string(size, 'x');
    std::filesystem::last_write_time(folder_.path() + "/" + name,
                                     std::chrono::file_clock::from_sys(kNow - age));
  }

  std::size_t run(const Retention& keep) {
    const std::string folder = folder_.path() + "/";
    return retire(folder, "a", folder + "a.19941106-084937.log", keep, kNow);
  }

  std::vector<std::string> left() const {
    std::vector<std::string> ours;
    for (const std::string& name : folder_.files()) {
      if (is_file_of("a", name)) ours.push_back(name.substr(2));
    }
    return ours;
  }

  LogFolder folder_;
};

TEST_F(Retire, WithoutLimitsEverythingStays) {
  EXPECT_EQ(run({}), 0U);
  EXPECT_EQ(left().size(), 5U);
}

TEST_F(Retire, KeepsTheNewestFiles) {
  EXPECT_EQ(run({.files = 3}), 2U);
  EXPECT_THAT(left(), ElementsAre("19941102-000000.log.2", "19941102-000000.log.10",
                                  "19941106-084937.log"));
}

TEST_F(Retire, CurrentFileStaysWhateverTheLimit) {
  EXPECT_EQ(run({.files = 1, .bytes = 1, .age = hours(1)}), 4U);
  EXPECT_THAT(left(), ElementsAre("19941106-084937.log"));
}

TEST_F(Retire, TotalSizeIsALimitInclusive) {
  EXPECT_EQ(run({.bytes = 500}), 0U);
  EXPECT_EQ(run({.bytes = 499}), 1U);
  EXPECT_EQ(run({.bytes = 200}), 2U);
  EXPECT_THAT(left(), ElementsAre("19941102-000000.log.10", "19941106-084937.log"));
}

TEST_F(Retire, AgeCountsFromTheLastLine) {
  EXPECT_EQ(run({.age = hours(96)}), 1U);
  EXPECT_EQ(run({.age = hours(95)}), 2U);
}

TEST_F(Retire, TouchesNoFileOfAnother) {
  run({.files = 1});
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/b.19900101-000000.log"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/a.19900101-000000.log.gz"));
}

TEST_F(Retire, WhatCannotBeRemovedStays) {
  sim::FaultPlan plan;
  plan.fail(sim::Call::kUnlink, EACCES);
  EXPECT_EQ(run({.files = 3}), 2U);  // the next older ones instead
  EXPECT_EQ(left().size(), 3U);
}

TEST_F(Retire, AFolderThatCannotBeReadIsNoReasonToFail) {
  sim::FaultPlan plan;
  plan.fail(sim::Call::kListDirectory, EACCES);
  EXPECT_EQ(run({.files = 1}), 0U);
}

}  // namespace
}  // namespace ssx::log

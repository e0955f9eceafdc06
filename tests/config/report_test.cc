#include "ssxrver/config/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx::config {
namespace {

using ::testing::ElementsAre;

Sources two_sources() {
  Sources sources;
  sources.add({"a.json", "{\n  \"x\": 1\n}", 0644, false});
  sources.add({"-g port=1", "1", 0600, true});
  return sources;
}

TEST(Sources, NameThePlace) {
  const Sources sources = two_sources();
  EXPECT_EQ(sources.place({0, 0}), "a.json:1:1");
  EXPECT_EQ(sources.place({0, 4}), "a.json:2:3");
  EXPECT_EQ(sources.place({1, 0}), "-g port=1");
  EXPECT_EQ(sources.at({0, 0}).mode, 0644u);
}

TEST(Problems, StandInTheOrderOfTheText) {
  Problems problems;
  problems.add_error({1, 0}, "/port", "third");
  problems.add_slip({0, 9}, "/x", "second");
  problems.add_error({0, 4}, "", "first");
  problems.add_warning({0, 0}, "/y", "a warning");
  EXPECT_THAT(
      problems.errors(two_sources(), Strictness::kError),
      ElementsAre("a.json:2:3: first", "a.json:2:8: /x: second", "-g port=1: /port: third"));
}

TEST(Problems, StrictDecidesWhatASlipIs) {
  Problems problems;
  problems.add_slip({0, 4}, "/x", "slip");
  problems.add_warning({0, 4}, "/x", "warning");
  const Sources sources = two_sources();
  EXPECT_THAT(problems.errors(sources, Strictness::kError), ElementsAre("a.json:2:3: /x: slip"));
  EXPECT_THAT(problems.warnings(sources, Strictness::kError),
              ElementsAre("a.json:2:3: /x: warning"));
  EXPECT_THAT(problems.errors(sources, Strictness::kWarn), ElementsAre());
  EXPECT_THAT(problems.warnings(sources, Strictness::kWarn),
              ElementsAre("a.json:2:3: /x: slip", "a.json:2:3: /x: warning"));
  EXPECT_THAT(problems.errors(sources, Strictness::kOff), ElementsAre());
  EXPECT_THAT(problems.warnings(sources, Strictness::kOff), ElementsAre("a.json:2:3: /x: warning"));
}

TEST(Problems, KeepSoManyAndCountTheRest) {
  Problems problems;
  for (std::size_t i = 0; i < Problems::kProblemsMax; ++i) problems.add_error({0, 0}, "", "e");
  EXPECT_EQ(problems.errors(two_sources(), Strictness::kOff).size(), Problems::kProblemsMax);
  problems.add_error({0, 0}, "", "e");
  problems.add_error({0, 0}, "", "e");
  const auto lines = problems.errors(two_sources(), Strictness::kOff);
  EXPECT_EQ(lines.size(), Problems::kProblemsMax + 1);
  EXPECT_EQ(lines.back(), "and 2 more like these");
}

TEST(Problems, OfOneKindCannotHideAnother) {
  Problems problems;
  for (std::size_t i = 0; i < 2 * Problems::kProblemsMax; ++i) problems.add_slip({0, 0}, "", "s");
  problems.add_error({0, 0}, "", "the error");
  EXPECT_THAT(problems.errors(two_sources(), Strictness::kOff),
              ElementsAre("a.json:1:1: the error"));
}

}  // namespace
}  // namespace ssx::config

#include "ssxrver/base/startup_error.h"

#include <gtest/gtest.h>

namespace ssx {
namespace {

StartupResult<int> start(bool works) {
  if (works) return 1;
  return fail_start(ExitCode::kUnavailable, "port 80 is taken: choose another with -g port=N");
}

TEST(StartupError, CarriesASentenceAndItsExitCode) {
  EXPECT_EQ(*start(true), 1);
  const auto failed = start(false);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ExitCode::kUnavailable);
  EXPECT_EQ(failed.error().exit_status(), 69);
  EXPECT_EQ(failed.error().text(), "port 80 is taken: choose another with -g port=N");
}

TEST(StartupError, PutsEachSentenceOnALineOfItsOwn) {
  const StartupError error(ExitCode::kConfig, std::vector<std::string>{"a", "b"});
  EXPECT_EQ(error.sentences().size(), 2u);
  EXPECT_EQ(error.text(), "a\nb");
  EXPECT_EQ(error.exit_status(), 78);
}

}  // namespace
}  // namespace ssx

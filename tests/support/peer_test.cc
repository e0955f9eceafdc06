#include "tests/support/peer.h"

#include <gtest/gtest-spi.h>

#include "tests/support/scoped_variable.h"

namespace ssx::test {
namespace {

TEST(Peer, IsRequiredOnlyWhereTheVariableSaysSo) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "0"}) {
    const ScopedVariable variable("SSX_REQUIRE_PEERS", value);
    EXPECT_FALSE(peers_required());
  }
  const ScopedVariable variable("SSX_REQUIRE_PEERS", "1");
  EXPECT_TRUE(peers_required());
}

TEST(Peer, AMissingOneFailsTheTestWhereItIsRequired) {
  const ScopedVariable variable("SSX_REQUIRE_PEERS", "1");
  EXPECT_FATAL_FAILURE(SSX_NEEDS_PEER(false, "nginx"), "SSX_REQUIRE_PEERS is set: nginx");
}

TEST(Peer, AMissingOneSkipsTheTestElsewhere) {
  const ScopedVariable variable("SSX_REQUIRE_PEERS", nullptr);
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    [] { SSX_NEEDS_PEER(false, "nginx"); }();
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
}

TEST(Peer, APresentOneLetsTheTestGoOn) {
  bool went_on = false;
  [&went_on] {
    SSX_NEEDS_PEER(true, "nginx");
    SSX_NEEDS_SYSTEM(true, "kernel");
    went_on = true;
  }();
  EXPECT_TRUE(went_on);
}

TEST(Peer, ProgramsAreFoundOnThePath) {
  EXPECT_NE(find_program("sh"), "");
  EXPECT_EQ(find_program("no-such-program-of-ssxrver"), "");
  const ScopedVariable variable("PATH", "/nowhere:/bin");
  EXPECT_EQ(find_program("sh"), "/bin/sh");
  const ScopedVariable none("PATH", nullptr);
  EXPECT_EQ(find_program("sh"), "");
}

}  // namespace
}  // namespace ssx::test

#include "tests/support/full_size.h"

#include <gtest/gtest.h>

#include "tests/support/scoped_variable.h"

namespace ssx::test {
namespace {

TEST(FullSize, IsForThoseWhoAskForIt) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "0"}) {
    const ScopedVariable variable("SSX_FULL_SIZE", value);
    EXPECT_EQ(full_size(60, 1'000'000), 60);
  }
  const ScopedVariable variable("SSX_FULL_SIZE", "1");
  EXPECT_EQ(full_size(60, 1'000'000), 1'000'000);
}

}  // namespace
}  // namespace ssx::test

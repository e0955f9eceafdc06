#include "ssxrver/base/nearest.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("port", "prot"), 1u);
  EXPECT_EQ(edit_distance("max_body_siz", "max_body_size"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("PORT", "port"), 0u);
}

TEST(Nearest, FindsTheNeighbourWithinAThird) {
  EXPECT_EQ(nearest("prot", {"path", "port", "mode"}), "port");
  EXPECT_EQ(nearest("worker_proceses", {"worker_connections", "worker_processes"}),
            "worker_processes");
  EXPECT_EQ(nearest("async_started", {"ansync_started", "path"}), "ansync_started");
}

TEST(Nearest, FindsNothingFarAway) {
  EXPECT_EQ(nearest("colour", {"port", "address"}), "");
  EXPECT_EQ(nearest("ab", {"xy"}), "");
  EXPECT_EQ(nearest("", {"a"}), "");
  EXPECT_EQ(nearest("port", {}), "");
}

TEST(Nearest, LeavesLongWordsAlone) {
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  EXPECT_EQ(nearest(longest, {longest}), longest);
  EXPECT_EQ(nearest(longer, {longer}), "");
  EXPECT_EQ(nearest(longest, {longer}), "");
}

}  // namespace
}  // namespace ssx

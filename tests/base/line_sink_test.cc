#include "ssxrver/base/line_sink.h"

#include <gtest/gtest.h>

#include <string>

namespace ssx {
namespace {

TEST(LineSink, HandsLinesToItsFunction) {
  std::string taken;
  const LineSink sink(
      [](void* context, std::string_view line) noexcept {
        static_cast<std::string*>(context)->append(line).append("|");
      },
      &taken);
  EXPECT_TRUE(sink);
  sink.write("one");
  sink.write("two");
  EXPECT_EQ(taken, "one|two|");
}

TEST(LineSink, SwallowsLinesWhenThereIsNobody) {
  const LineSink sink;
  EXPECT_FALSE(sink);
  sink.write("into the void");
}

}  // namespace
}  // namespace ssx

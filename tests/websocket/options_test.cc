#include "websocket/options.h"

#include <gtest/gtest.h>

namespace ssx::websocket {
namespace {

// A header tells the length of a frame before there is memory for it, so no frame may be longer
// than what a message may have.
TEST(WebSocketOptions, LetAFrameBeAsLongAsAMessage) {
  const Options options;
  EXPECT_EQ(options.frame_max, options.message_max);
  EXPECT_LE(options.message_max, options.backpressure.max) << "an echo of the longest has room";
  EXPECT_LT(options.backpressure.low, options.backpressure.high);
}

}  // namespace
}  // namespace ssx::websocket

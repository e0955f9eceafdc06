#include "websocket/client/answer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "http/client/response_parser.h"
#include "http/options.h"

namespace ssx::websocket {
namespace {

TEST(ClientAnswer, KeepsWhatItWasMadeOf) {
  const http::ParserLimits limits;
  http::ResponseParser parser(limits);
  http::ResponseHead head;
  std::optional<std::string> bytes(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX-Name: value\r\n\r\n");
  ASSERT_EQ(parser.parse(*bytes, head).progress, http::Progress::kDone);
  ClientAnswer answer(*bytes, head);
  bytes.reset();
  const ClientAnswer moved = std::move(answer);
  EXPECT_EQ(moved.status(), 101);
  EXPECT_EQ(moved.reason(), "Switching Protocols");
  EXPECT_EQ(moved.field("x-name"), "value");
  EXPECT_EQ(moved.field("x-other"), "");
  EXPECT_EQ(moved.fields()->size(), 2U);
}

TEST(ClientAnswer, MayBeOfNobody) {
  const ClientAnswer none;
  EXPECT_EQ(none.status(), 0);
  EXPECT_EQ(none.field("upgrade"), "");
  EXPECT_EQ(none.reason(), "");
  EXPECT_EQ(none.fields(), nullptr);
}

}  // namespace
}  // namespace ssx::websocket

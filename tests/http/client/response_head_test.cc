#include "http/client/response_head.h"

#include <gtest/gtest.h>

#include <string>

#include "http/client/response_parser.h"

namespace ssx::http {
namespace {

TEST(ResponseHead, FollowsItsBytes) {
  const ParserLimits limits;
  ResponseParser parser(limits);
  ResponseHead head;
  auto first = std::make_unique<std::string>("HTTP/1.1 200 Fine\r\nETag: \"x\"\r\n\r\n");
  ASSERT_EQ(parser.parse(*first, head).progress, Progress::kDone);
  const std::string second = *first;
  head.rebase(second.data());
  first.reset();
  EXPECT_EQ(head.reason, "Fine");
  EXPECT_EQ(head.fields.find("etag"), "\"x\"");
}

TEST(ResponseHead, KnowsWhatIsOnlyOnTheWay) {
  ResponseHead head;
  for (const int status : {100, 102, 103, 199}) {
    head.status = static_cast<std::uint16_t>(status);
    EXPECT_TRUE(head.is_interim()) << status;
  }
  for (const int status : {101, 200, 204, 304, 404, 999}) {
    head.status = static_cast<std::uint16_t>(status);
    EXPECT_FALSE(head.is_interim()) << status;
  }
}

}  // namespace
}  // namespace ssx::http

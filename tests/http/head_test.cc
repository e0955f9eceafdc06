#include "http/head.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "http/request_parser.h"
#include "tests/http/parse_support.h"

namespace ssx::http {
namespace {

TEST(Head, FollowsItsBytesToAnotherPlace) {
  for (const std::string target : {"/a/b?c=d", "*", "http://h/x?y", "http://h"}) {
    const std::string method = target == "*" ? "OPTIONS" : "GET";
    auto bytes = std::make_unique<std::string>(method + " " + target +
                                               " HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n\r\n");
    const ParserLimits limits;
    RequestParser parser(limits);
    Head head;
    const auto parsed = parser.parse(*bytes, head);
    ASSERT_EQ(parsed.progress, Progress::kDone);
    const test::Outcome before = test::outcome_of(parsed, head);

    const auto moved = std::make_unique<std::string>(*bytes);
    Head copy = head;
    copy.rebase(moved->data());
    bytes->assign(bytes->size(), '\xA5');  // whoever still looks here sees it
    EXPECT_EQ(test::outcome_of(parsed, copy), before) << target;
    EXPECT_EQ(copy.fields.find("x-a"), "1");
  }
}

TEST(Head, IsEmptyAgainAfterClear) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  const std::string bytes =
      "POST /x?y HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n";
  ASSERT_EQ(parser.parse(bytes, head).progress, Progress::kDone);
  EXPECT_TRUE(head.has_body());
  head.clear();
  EXPECT_EQ(head.method, Method::kUnknown);
  EXPECT_EQ(head.path, "");
  EXPECT_EQ(head.host, "");
  EXPECT_EQ(head.size, 0);
  EXPECT_FALSE(head.expect_continue);
  EXPECT_FALSE(head.has_body());
  EXPECT_TRUE(head.fields.empty());
}

TEST(Head, HasABodyWhenTheFramingSaysSo) {
  const auto has_body = [](const std::string& line) {
    const ParserLimits limits;
    RequestParser parser(limits);
    Head head;
    const std::string bytes = "POST / HTTP/1.1\r\nHost: h\r\n" + line + "\r\n";
    EXPECT_EQ(parser.parse(bytes, head).progress, Progress::kDone);
    return head.has_body();
  };
  EXPECT_FALSE(has_body(""));
  EXPECT_FALSE(has_body("Content-Length: 0\r\n"));
  EXPECT_TRUE(has_body("Content-Length: 1\r\n"));
  EXPECT_TRUE(has_body("Transfer-Encoding: chunked\r\n"));
}

}  // namespace
}  // namespace ssx::http

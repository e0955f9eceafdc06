#include "http/middleware/authorization.h"

#include <gtest/gtest.h>

#include "http/request_parser.h"

namespace ssx::http {
namespace {

using What = Authorization::What;

/// "token" or "none" or "malformed", of these field lines.
std::string bearer(const std::string& lines) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  EXPECT_EQ(parser.parse(text, head).progress, Progress::kDone);
  const Params params;
  const Body body;
  const net::SocketAddress peer;
  const Request request(head, "/", params, body, peer, 0);
  const auto given = Authorization::of(request, "Bearer");
  if (given.what == What::kNone) return "none";
  return given.what == What::kMalformed ? "malformed" : std::string(given.token);
}

TEST(Authorization, FindsTheCredentials) {
  EXPECT_EQ(bearer("Authorization: Bearer abc\r\n"), "abc");
  EXPECT_EQ(bearer("authorization: bEARER   aB9-._~+/==\r\n"), "aB9-._~+/==");
}

TEST(Authorization, IsNoneForOtherSchemes) {
  EXPECT_EQ(bearer(""), "none");
  EXPECT_EQ(bearer("Authorization: Basic abc\r\n"), "none");
  EXPECT_EQ(bearer("Authorization: Bearerx abc\r\n"), "none");
  EXPECT_EQ(bearer("Authorization: \r\n"), "none");
}

TEST(Authorization, IsMalformedWhenTwoCouldReadItInTwoWays) {
  for (const char* lines :
       {"Authorization: Bearer\r\n", "Authorization: Bearer =\r\n", "Authorization: Bearer a b\r\n",
        "Authorization: Bearer a=b\r\n", "Authorization: Bearer a,b\r\n",
        "Authorization: Bearer a\xc3\xa4\r\n", "Authorization: Bearer a\tb\r\n",
        "Authorization: Bearer a\r\nAuthorization: Bearer a\r\n",
        "Authorization: Basic a\r\nAuthorization: Bearer b\r\n"})
    EXPECT_EQ(bearer(lines), "malformed") << lines;
}

TEST(Authorization, QuotesTexts) {
  EXPECT_EQ(quoted("a b"), "\"a b\"");
  EXPECT_EQ(quoted("\"a\\"), "\"\\\"a\\\\\"");
}

}  // namespace
}  // namespace ssx::http

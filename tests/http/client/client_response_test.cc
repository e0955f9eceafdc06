#include "http/client/client_response.h"

#include <gtest/gtest.h>

#include "tests/http/client/client_fixture.h"

namespace ssx::http::test {
namespace {

class ClientResponseTest : public ClientTest {};

TEST_F(ClientResponseTest, ShowsEveryPart) {
  exchange(kUrl,
           "HTTP/1.0 206 Partly\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 2\r\n\r\nhi");
  ClientResponse& response = **answer;
  EXPECT_EQ(response.status(), 206);
  EXPECT_TRUE(response.is_success());
  EXPECT_EQ(response.version(), Version::kHttp10);
  EXPECT_EQ(response.reason(), "Partly");
  EXPECT_EQ(response.field("set-cookie"), "a");
  EXPECT_EQ(response.fields().size(), 3U);
  EXPECT_EQ(response.content_length(), 2U);
  EXPECT_TRUE(response.trailers().empty());
  EXPECT_EQ(response.take_body(), "hi");
}

TEST_F(ClientResponseTest, OpensFirstAndReadsLater) {
  open(request(kUrl), answer);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->body(), "");
  std::optional<Result<void>> whole;
  const auto read = [](ClientResponse& response, auto& into) -> Task<> {
    into = co_await response.read_all();
  };
  start(read(**answer, whole));
  EXPECT_FALSE(whole);
  reply("llo");
  ASSERT_TRUE(whole && *whole);
  EXPECT_EQ((*answer)->body(), "hello");
}

}  // namespace
}  // namespace ssx::http::test

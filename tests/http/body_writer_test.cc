#include "http/body_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

class BodyWriterTest : public SessionTest {
 protected:
  /// What the client gets of a body that `make` writes.
  std::string sent(Response::BodyMaker make) {
    on(Method::kGet, "/", [&make](const Request&) { return Response::stream(std::move(make)); });
    const std::string all = talk(get("/"));
    return all.substr(all.find("\r\n\r\n") + 4);
  }
};

TEST_F(BodyWriterTest, WritesNothingForNothing) {
  // An empty chunk would be the end of the body.
  EXPECT_EQ(sent([](BodyWriter& body) -> Task<> {
              co_await body.write("");
              co_await body.write("x");
            }),
            "1\r\nx\r\n0\r\n\r\n");
}

TEST_F(BodyWriterTest, WritesSizesInHex) {
  const std::string body = pattern(0x1A2B);
  EXPECT_EQ(sent([&body](BodyWriter& out) -> Task<> { co_await out.write(body); }),
            "1a2b\r\n" + body + "\r\n0\r\n\r\n");
}

TEST_F(BodyWriterTest, CountsWhatWasWritten) {
  std::uint64_t written = 0;
  sent([&written](BodyWriter& out) -> Task<> {
    co_await out.write("four");
    co_await out.write("five5");
    written = out.written();
  });
  EXPECT_EQ(written, 9u);
}

TEST_F(BodyWriterTest, HasNoTrailersWithoutChunks) {
  bool could = true;
  on(Method::kGet, "/", [&could](const Request&) {
    return Response::stream(1, [&could](BodyWriter& out) -> Task<> {
      co_await out.write("x");
      could = out.trailer("X-Field", "value").has_value();
    });
  });
  EXPECT_NE(talk(get("/")).find("\r\n\r\nx"), std::string::npos);
  EXPECT_FALSE(could);
}

}  // namespace
}  // namespace ssx::http::test

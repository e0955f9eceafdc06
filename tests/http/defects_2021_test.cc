// What the program of 2021 did wrong with HTTP, one test each: none of it may come back.
#include <gtest/gtest.h>

#include <string>

#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

class Defects2021 : public SessionTest {
 protected:
  Defects2021() {
    options.body_max = 1000;
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kGet, "/field",
       [](const Request& r) { return std::string(r.header("X-Some-Field").value_or("none")); });
    on(Method::kPost, "/", [](const Request& r) { return std::string(r.body().text); });
  }
};

// A header that was cut between two reads lost what the parser had marked.
TEST_F(Defects2021, AHeaderMayBeSplitBetweenTwoReads) {
  const std::string bytes = get("/field", "X-Some-Field: some value\r\n");
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    Client client = connect();
    tell(client, bytes.substr(0, cut));
    EXPECT_EQ(ask(client, bytes.substr(cut)).body, "some value") << cut;
  }
}

// Only the first request of a read was answered; the second waited for more bytes.
TEST_F(Defects2021, TwoPipelinedRequestsInOnePacketAreBothAnswered) {
  Client client = connect();
  tell(client, get("/") + get("/field", "X-Some-Field: 2\r\n"));
  EXPECT_EQ(client.read_response().body, "hello\n");
  EXPECT_EQ(client.read_response().body, "2");
}

// Names of fields were compared with their case.
TEST_F(Defects2021, FieldNamesHaveNoCase) {
  Client client = connect();
  for (const char* line : {"x-some-field: v\r\n", "X-SOME-FIELD: v\r\n", "x-SoMe-FiElD: v\r\n"}) {
    EXPECT_EQ(ask(client, get("/field", line)).body, "v");
  }
  EXPECT_EQ(ask(client, "POST / HTTP/1.1\r\nHOST: a\r\ncontent-LENGTH: 3\r\n\r\nabc").body, "abc");
  EXPECT_EQ(ask(client, get("/", "CONNECTION: Close\r\n")).field("Connection"), "close");
}

// HEAD was answered with a body, which the client took for the beginning of the next answer.
TEST_F(Defects2021, HeadGetsNoBody) {
  Client client = connect();
  const Answer answer = ask(client, head("/"));
  EXPECT_EQ(answer.field("Content-Length"), "6");
  EXPECT_EQ(client.read_available(), "");
  EXPECT_EQ(ask(client, get("/")).body, "hello\n");
}

// http.max_body_size was read and forgotten.
TEST_F(Defects2021, TheBodyLimitIsEnforced) {
  Client client = connect();
  EXPECT_EQ(ask(client, post("/", pattern(1000))).body, pattern(1000));
  EXPECT_EQ(ask(client, post("/", pattern(1001))).status, 413);
}

// There were no limits on heads at all: memory grew with what a client sent.
TEST_F(Defects2021, HeadsAndTargetsHaveLimits) {
  Client long_target = connect();
  EXPECT_EQ(ask(long_target, get("/" + std::string(9000, 'x'))).status, 414);
  Client long_line = connect();
  EXPECT_EQ(ask(long_line, get("/", "X: " + std::string(9000, 'x') + "\r\n")).status, 431);
  Client many_lines = connect();
  std::string lines;
  for (int i = 0; i < 101; ++i) lines += "X: y\r\n";
  EXPECT_EQ(ask(many_lines, get("/", lines)).status, 431);
  Client endless = connect();
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  tell(endless, "GET / HTTP/1.1\r\n");
  for (int i = 0; i < 100 && !is_gone(endless); ++i) tell(endless, line);
  EXPECT_EQ(refused(Errc::kHeadTooLong), 1u);
}

// A connection that said nothing, or one byte a minute, stayed for ever.
TEST_F(Defects2021, ASlowHeaderAndAnIdleConnectionEnd) {
  Client silent = connect();
  Client slow = connect();
  tell(slow, "GET /");
  Client idle_one = connect();
  ask(idle_one, get("/"));
  advance(11s);
  EXPECT_TRUE(is_gone(silent));
  EXPECT_EQ(slow.read_response().status, 408);
  EXPECT_FALSE(is_gone(idle_one));
  advance(60s);
  EXPECT_TRUE(is_gone(idle_one));
}

// 404 had no Content-Length: clients waited for the end of a connection that was kept.
TEST_F(Defects2021, NotFoundHasALength) {
  Client client = connect();
  const Answer answer = ask(client, get("/nothing"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.field("Content-Length"), std::to_string(answer.body.size()));
  EXPECT_EQ(ask(client, get("/")).status, 200);
}

}  // namespace
}  // namespace ssx::http::test

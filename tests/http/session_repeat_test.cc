// Requests that come again, byte for byte, on one connection: they are not parsed again, and nobody
// can tell.
#include <gtest/gtest.h>

#include <string>

#include "tests/http/middleware/unzip.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

class Repeat : public SessionTest {
 protected:
  Repeat() {
    on(Method::kGet, "/users/{id}", [](const Request& r) {
      return std::string(r.param("id")) + " " + std::string(r.query()) + " " +
             std::string(r.header("X-A").value_or("none"));
    });
    on(Method::kPost, "/echo", [](const Request& r) { return r.body().text; });
  }
};

TEST_F(Repeat, AreAnsweredAlike) {
  Client client = connect();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ask(client, get("/users/7?b=c", "X-A: d\r\n")).body, "7 b=c d");
  }
  EXPECT_EQ(counters().requests.value(), 5U);
}

TEST_F(Repeat, AreToldFromOthersOnTheSameConnection) {
  Client client = connect();
  for (int i = 0; i < 40; ++i) {
    const std::string id = std::to_string(i / 3);
    EXPECT_EQ(ask(client, get("/users/" + id, "X-A: d\r\n")).body, id + "  d");
    EXPECT_EQ(ask(client, get("/users/" + id, i % 2 == 0 ? "X-A: e\r\n" : "")).body,
              id + (i % 2 == 0 ? "  e" : "  none"));
  }
}

TEST_F(Repeat, HaveBodiesOfTheirOwn) {
  Client client = connect();
  for (const std::string body : {"one", "two", "six", "ten"}) {
    EXPECT_EQ(ask(client, post("/echo", body)).body, body);
    EXPECT_EQ(ask(client, post_chunks("/echo", {body, "!"})).body, body + "!");
    EXPECT_EQ(ask(client, post("/echo", body)).body, body);
  }
}

TEST_F(Repeat, AreTakenInEveryPiece) {
  Client client = connect();
  const std::string request = get("/users/7?b=c", "X-A: d\r\n");
  for (std::size_t at = 1; at < request.size(); ++at) {
    EXPECT_EQ(ask(client, request).body, "7 b=c d");
    tell(client, std::string_view(request).substr(0, at));
    EXPECT_EQ(ask(client, std::string_view(request).substr(at)).body, "7 b=c d") << at;
  }
}

TEST_F(Repeat, ArePipelined) {
  Client client = connect();
  std::string all;
  for (int i = 0; i < 10; ++i) all += get("/users/7") + post("/echo", "x") + get("/users/8");
  tell(client, all);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(client.read_response().body, "7  none");
    EXPECT_EQ(client.read_response().body, "x");
    EXPECT_EQ(client.read_response().body, "8  none");
  }
}

TEST_F(Repeat, OfTwoConnectionsAreNotMixed) {
  Client one = connect();
  Client two = connect();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ask(one, get("/users/1")).body, "1  none");
    EXPECT_EQ(ask(two, get("/users/2")).body, "2  none");
  }
}

// A handler sees a decoded body without the fields that tell of the coding; the next request still
// has them.
TEST_F(Repeat, AreDecodedEachTime) {
  options.body_decoding.enabled = true;
  on(Method::kPost, "/decoded",
     [](const Request& r) { return r.header("Content-Encoding") ? "coded" : r.body().text; });
  Client client = connect();
  const std::string zipped = zip("what was sent");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(client, post("/decoded", zipped, "Content-Encoding: gzip\r\n")).body,
              "what was sent");
  }
}

TEST_F(Repeat, CountToTheLimitOfRequests) {
  options.keepalive_requests = 3;
  Client client = connect();
  EXPECT_EQ(ask(client, get("/users/7")).field("Connection"), "");
  EXPECT_EQ(ask(client, get("/users/7")).field("Connection"), "");
  EXPECT_EQ(ask(client, get("/users/7")).field("Connection"), "close");
  EXPECT_TRUE(is_gone(client));
}

}  // namespace
}  // namespace ssx::http::test

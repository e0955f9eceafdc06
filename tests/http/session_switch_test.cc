// Sessions that hand over their connection: RFC 9110 7.8 and 15.2.2.
#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <string>
#include <string_view>

#include "http/session.h"
#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

constexpr std::string_view kUpgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: shout\r\n";

/// Says everything again, and louder.
class Shout final : public net::Protocol {
 public:
  explicit Shout(int& closed) : closed_(closed) {}
  void on_open(net::Connection& connection) override {
    connection.out().append_static(as_bytes("HELLO "));
  }
  void on_data(net::Connection& connection, InBuffer& in) override {
    std::string text(in.text());
    for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
    connection.out().append_copy(as_bytes(text));
    in.consume(in.size());
  }
  void on_close(net::Connection&, const Error&) override { ++closed_; }

 private:
  int& closed_;
};

class SessionSwitch : public SessionTest {
 protected:
  SessionSwitch() {
    on(Method::kGet, "/shout", [this](const Request&) { return shout(); });
    on(Method::kGet, "/later", [this](const Request&) -> Task<Response> {
      co_await net::sleep_for(1s);
      co_return shout();
    });
  }
  Response shout() {
    Response answer = Response::switch_protocols(
        "shout", [this](net::Connection&) { return std::make_unique<Shout>(closed); });
    answer.set("X-Volume", "11");
    return answer;
  }

  int closed = 0;
};

constexpr std::string_view kFields =
    "X-Volume: 11\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n";

TEST_F(SessionSwitch, SaysSoAndLeavesTheRestToItsSuccessor) {
  options.server_header.clear();
  options.date_header = false;
  Client client = connect();
  tell(client, get("/shout", kUpgrade) + "what came with it");
  EXPECT_EQ(hear(client), "HTTP/1.1 101 Switching Protocols\r\n" + std::string(kFields) +
                              "HELLO WHAT CAME WITH IT");
  tell(client, " and after");
  EXPECT_EQ(hear(client), " AND AFTER");
  EXPECT_EQ(counters().answers[0].value(), 1U);
  EXPECT_EQ(closed, 0);
  client.half_close();
  EXPECT_TRUE(is_gone(client));
  EXPECT_EQ(closed, 1);
}

TEST_F(SessionSwitch, DoesSoForACoroutineToo) {
  Client client = connect();
  tell(client, get("/later", kUpgrade) + "early");
  EXPECT_EQ(hear(client), "");
  advance(1s);
  const std::string said = hear(client);
  EXPECT_TRUE(said.starts_with("HTTP/1.1 101 ")) << said;
  EXPECT_TRUE(said.ends_with("\r\n\r\nHELLO EARLY")) << said;
}

TEST_F(SessionSwitch, AnswersWhatWasAskedBefore) {
  on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
  Client client = connect();
  tell(client, get("/") + get("/shout", kUpgrade) + get("/"));
  EXPECT_EQ(client.read_response().body, "hello\n");
  EXPECT_TRUE(hear(client).ends_with("HELLO GET / HTTP/1.1\r\nHOST: A.EXAMPLE\r\n\r\n"));
}

// The times of HTTP are over.
TEST_F(SessionSwitch, LeavesNoDeadlineBehind) {
  Client client = connect();
  tell(client, get("/shout", kUpgrade));
  hear(client);
  advance(24h);
  tell(client, "still here");
  EXPECT_EQ(hear(client), "STILL HERE");
}

TEST_F(SessionSwitch, IsA500WhereNobodyHasAskedForIt) {
  EXPECT_TRUE(talk(get("/shout")).starts_with("HTTP/1.1 500 "));
  EXPECT_TRUE(talk(get("/shout", "Upgrade: shout\r\n")).starts_with("HTTP/1.1 500 "));
  std::string old = get("/shout", kUpgrade);
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  EXPECT_TRUE(talk(old).starts_with("HTTP/1.1 500 "));
  const std::string body = "Content-Length: 1\r\n" + std::string(kUpgrade);
  EXPECT_TRUE(talk(get("/shout", body) + "x").starts_with("HTTP/1.1 500 "));
  EXPECT_EQ(closed, 0);
}

TEST_F(SessionSwitch, TellsHandlersWhoWantsIt) {
  on(Method::kGet, "/wants",
     [](const Request& request) { return request.wants_upgrade() ? "yes" : "no"; });
  EXPECT_TRUE(talk(get("/wants", kUpgrade)).ends_with("yes"));
  EXPECT_TRUE(talk(get("/wants", "Upgrade: shout\r\n")).ends_with("no"));
  EXPECT_TRUE(talk(get("/wants")).ends_with("no"));
}

}  // namespace
}  // namespace ssx::http::test

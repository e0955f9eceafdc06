#include "http/session.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

class Session : public SessionTest {
 protected:
  Session() {
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kGet, "/who", [](const Request& r) { return std::string(r.host()); });
    on(Method::kGet, "/path/*", [](const Request& r) { return std::string(r.path()); });
    on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
  }
};

// ---- one request

TEST_F(Session, AnswersARequest) {
  Client client = connect();
  const Answer answer = ask(client, get("/"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.head,
            "HTTP/1.1 200 OK\r\nServer: ssxrver\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\n");
  EXPECT_EQ(answer.body, "hello\n");
  EXPECT_EQ(counters().requests.value(), 1u);
  EXPECT_EQ(counters().answers[1].value(), 1u);
}

TEST_F(Session, AnswersHeadWithTheFieldsOfGetAndNoBody) {
  Client client = connect();
  const Answer to_get = ask(client, get("/"));
  const Answer to_head = ask(client, head("/"));
  EXPECT_EQ(to_head.head, to_get.head);
  EXPECT_EQ(ask(client, get("/")).body, "hello\n");  // nothing of a body lies between
}

TEST_F(Session, AnswersHeadWithoutABodyHoweverItGoesWrong) {
  on(Method::kGet, "/throw", [](const Request&) -> Response { throw 1; });
  for (const std::string& bytes :
       {head("/nothing"), head("/echo"), head("/throw"), head("/", "X\r\n"),
        head("/", "Content-Length: x\r\n"), head("/", "Content-Length: 99999999999\r\n"),
        std::string("HEAD / HTTP/1.1\r\n\r\n")}) {
    const std::string said = talk(bytes);
    EXPECT_TRUE(said.starts_with("HTTP/1.1 ")) << bytes;
    EXPECT_EQ(said.find("\r\n\r\n"), said.size() - 4) << bytes << said;
    EXPECT_NE(said.find("Content-Length: "), std::string::npos) << bytes;
  }
}

TEST_F(Session, GivesTheHandlerTheDecodedPathAndTheHost) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/path/a%20b/./c/../d?x=1")).body, "/path/a b/d");
  EXPECT_EQ(ask(client, get("/who")).body, "a.example");
}

TEST_F(Session, TakesTheHostOfAnAbsoluteTarget) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("http://a.example/who")).body, "a.example");
  EXPECT_EQ(ask(client, get("http://A.EXAMPLE")).body, "hello\n");
  EXPECT_EQ(ask(client, "GET http://b.example/who HTTP/1.1\r\nHost: c\r\n\r\n").body, "b.example");
  EXPECT_EQ(ask(client, "GET http://b.example/who HTTP/1.0\r\n\r\n").body, "b.example");
}

TEST_F(Session, KeepsTheDateFresh) {
  Client client = connect();
  EXPECT_EQ(ask(client, get("/")).field("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  advance(999ms);
  EXPECT_EQ(ask(client, get("/")).field("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  advance(1ms);
  EXPECT_EQ(ask(client, get("/")).field("Date"), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST_F(Session, KeepsTheDateFreshInAnswersThatNoRequestCaused) {
  Client client = connect();
  tell(client, "GET / HT");
  advance(options.timeouts.header + 100ms);
  EXPECT_EQ(client.read_response().field("Date"), "Sun, 06 Nov 1994 08:49:47 GMT");
}

TEST_F(Session, FollowsTheWallClockWhenSomebodySetsIt) {
  Client client = connect();
  ask(client, get("/"));
  clock.set_wall(WallTime(std::chrono::seconds(784111777 + 3600)));
  advance(1s);
  EXPECT_EQ(ask(client, get("/")).field("Date"), "Sun, 06 Nov 1994 09:49:38 GMT");
}

TEST_F(Session, LeavesOutServerAndDateWhenAsked) {
  options.server_header = "";
  options.date_header = false;
  Client client = connect();
  const Answer answer = ask(client, get("/"));
  EXPECT_EQ(answer.count("Server") + answer.count("Date"), 0u);
  EXPECT_EQ(answer.status, 200);
}

// ---- the connection

TEST_F(Session, KeepsAConnectionOfHttp11) {
  Client client = connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(client, get("/")).count("Connection"), 0u);
  EXPECT_FALSE(client.ended());
  EXPECT_EQ(table->size(), 1u);
}

TEST_F(Session, EndsWhenTheClientAsksForTheEnd) {
  Client client = connect();
  const Answer answer = ask(client, get("/", "Connection: close\r\n"));
  EXPECT_EQ(answer.field("Connection"), "close");
  client.expect_end();
  EXPECT_TRUE(table->empty());
}

TEST_F(Session, IgnoresWhatFollowsARequestToEnd) {
  const std::string said = talk(get("/", "Connection: close\r\n") + get("/path/canary"));
  EXPECT_EQ(said.find("canary"), std::string::npos);
  EXPECT_EQ(counters().requests.value(), 1u);
}

TEST_F(Session, EndsAConnectionOfHttp10) {
  Client client = connect();
  const Answer answer = ask(client, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(answer.field("Connection"), "close");
  EXPECT_EQ(answer.head.substr(0, 9), "HTTP/1.1 ");  // our own version: RFC 9110 2.5
  client.expect_end();
}

TEST_F(Session, KeepsAConnectionOfHttp10WhenAsked) {
  Client client = connect();
  const std::string keep = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";
  EXPECT_EQ(ask(client, keep).field("Connection"), "keep-alive");
  const std::string post10 =
      "POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc";
  EXPECT_EQ(ask(client, post10).body, "abc");
  EXPECT_EQ(ask(client, keep).status, 200);
}

TEST_F(Session, KeepsNoConnectionWhenKeepAliveIsOff) {
  options.keepalive = false;
  Client client = connect();
  EXPECT_EQ(ask(client, get("/")).field("Connection"), "close");
  client.expect_end();
}

TEST_F(Session, EndsWhenTheHandlerAsksForTheEnd) {
  on(Method::kGet, "/bye",
     [](const Request&) { return std::move(Response("bye").close_connection()); });
  Client client = connect();
  const Answer answer = ask(client, get("/bye"));
  EXPECT_EQ(answer.field("Connection"), "close");
  EXPECT_EQ(answer.body, "bye");
  client.expect_end();
}

TEST_F(Session, AnswersEverythingThatCameBeforeAHalfClose) {
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += get("/path/" + std::to_string(i));
  Client client = connect();
  const std::string said = hear_to_end(client, requests);
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(said.find("/path/" + std::to_string(i)), std::string::npos) << i;
  }
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(table->empty());
  EXPECT_EQ(counters().cut_requests.value(), 0u);
}

TEST_F(Session, CountsARequestThatIsCut) {
  EXPECT_EQ(talk("GET / HT"), "");
  EXPECT_EQ(counters().cut_requests.value(), 1u);
  EXPECT_EQ(talk(without_end(post("/echo", "abc"))), "");
  EXPECT_EQ(counters().cut_requests.value(), 2u);
  Client client = connect_tcp();
  tell(client, "GET / HT");
  client.reset();
  idle();
  EXPECT_EQ(counters().cut_requests.value(), 3u);
  EXPECT_TRUE(table->empty());
}

TEST_F(Session, SaysNothingToAClientThatSaysNothing) {
  EXPECT_EQ(talk(""), "");
  EXPECT_EQ(talk("\r\n"), "");
  EXPECT_TRUE(table->empty());
}

// ---- what there is no route for

TEST_F(Session, AnswersWhatIsNotThereWith404) {
  Client client = connect();
  const Answer answer = ask(client, get("/nothing"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(answer.body.find("404 Not Found"), std::string::npos);
  EXPECT_EQ(ask(client, get("/")).status, 200);  // and the connection is none the worse
}

TEST_F(Session, AnswersAnotherMethodWith405AndWhatIsAllowed) {
  Client client = connect();
  const Answer answer = ask(client, request("DELETE", "/"));
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_NE(answer.body.find("405 Method Not Allowed"), std::string::npos);
  EXPECT_EQ(ask(client, get("/echo")).field("Allow"), "POST, OPTIONS");
}

TEST_F(Session, AnswersOptions) {
  Client client = connect();
  const Answer answer = ask(client, request("OPTIONS", "/"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(answer.count("Content-Length"), 0u);
  EXPECT_EQ(ask(client, request("OPTIONS", "/nothing")).status, 404);
}

TEST_F(Session, AnswersOptionsForTheServerItselfWithoutAHandler) {
  bool called = false;
  any("/*", [&called](const Request&) {
    called = true;
    return Response("");
  });
  Client client = connect();
  const Answer answer = ask(client, request("OPTIONS", "*"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("Allow"), "GET, HEAD, POST, PUT, DELETE, OPTIONS, TRACE, PATCH");
  EXPECT_FALSE(called);
}

// However much of it is here: the answer must not depend on how the network cut the bytes.
TEST_F(Session, EndsInsteadOfReadingABodyThatNobodyWants) {
  const std::string bodies[] = {post("/nothing", "abc"), without_end(post("/nothing", "abc")),
                                post_chunks("/nothing", {"abc"}), post("/", "abc")};
  for (const std::string& bytes : bodies) {
    Client client = connect();
    const Answer answer = ask(client, bytes + get("/path/canary"));
    EXPECT_EQ(answer.status, &bytes == &bodies[3] ? 405 : 404);
    EXPECT_EQ(answer.field("Connection"), "close");
    client.expect_end();
  }
  EXPECT_EQ(counters().requests.value(), 4u);
}

TEST_F(Session, ChoosesRoutesByHost) {
  on(
      Method::kGet, "/", [](const Request&) { return "b"; }, RouteLimits(), "B.example:8080");
  Client client = connect();
  const auto from = [](std::string_view host) {
    return "GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n";
  };
  EXPECT_EQ(ask(client, from("b.example")).body, "b");
  EXPECT_EQ(ask(client, from("b.EXAMPLE:81")).body, "b");
  EXPECT_EQ(ask(client, from("b.example.")).body, "b");
  EXPECT_EQ(ask(client, from("c.example")).body, "hello\n");
  EXPECT_EQ(ask(client, "GET http://b.example/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").body,
            "b");
}

// ---- handlers that misbehave

TEST_F(Session, AnswersForAHandlerThatThrows) {
  on(Method::kGet, "/throw", [](const Request&) -> Response { throw std::runtime_error("no"); });
  on(Method::kGet, "/throw/int", [](const Request&) -> Response { throw 1; });
  Client client = connect();
  for (const char* target : {"/throw", "/throw/int"}) {
    const Answer answer = ask(client, get(target));
    EXPECT_EQ(answer.status, 500);
    EXPECT_NE(answer.body.find("500 Internal Server Error"), std::string::npos);
    EXPECT_EQ(answer.body.find("no\n"), std::string::npos);  // nobody outside learns why
  }
  EXPECT_EQ(counters().handler_errors.value(), 2u);
  EXPECT_EQ(counters().answers[4].value(), 2u);
  EXPECT_EQ(ask(client, get("/")).status, 200);
}

TEST_F(Session, SendsNoAnswerThatBreaksTheFraming) {
  on(Method::kGet, "/inject", [](const Request& r) {
    return std::move(
        Response("x").set("X", std::string("a\r\nSet-Cookie: ") + std::string(r.query())));
  });
  on(Method::kGet, "/length",
     [](const Request&) { return std::move(Response("x").set("Content-Length", "1000")); });
  on(Method::kGet, "/nameless",
     [](const Request&) { return std::move(Response("x").set("", "y")); });
  on(Method::kGet, "/type",
     [](const Request&) { return std::move(Response("x").content_type("text/plain\r\nX: y")); });
  on(Method::kGet, "/continue", [](const Request&) { return Status::kContinue; });
  on(Method::kGet, "/zero", [](const Request&) { return static_cast<Status>(0); });
  on(Method::kGet, "/huge", [](const Request&) { return static_cast<Status>(600); });
  Client client = connect();
  for (const char* target :
       {"/inject?evil", "/length", "/nameless", "/type", "/continue", "/zero", "/huge"}) {
    const Answer answer = ask(client, get(target));
    EXPECT_EQ(answer.status, 500) << target;
    EXPECT_EQ(answer.head.find("evil"), std::string::npos) << target;
    EXPECT_EQ(answer.count("Content-Length"), 1u) << target;
  }
}

TEST_F(Session, SendsAStatusThatNobodyHasRegistered) {
  on(Method::kGet, "/teapot", [](const Request&) { return static_cast<Status>(418); });
  Client client = connect();
  const Answer answer = ask(client, get("/teapot"));
  EXPECT_EQ(answer.status, 418);
  EXPECT_TRUE(answer.head.starts_with("HTTP/1.1 418 \r\n")) << answer.head;
}

TEST_F(Session, GivesErrorsABodyUnlessTheHandlerSaysWhatItIs) {
  on(Method::kGet, "/page", [](const Request&) { return Status::kForbidden; });
  on(Method::kGet, "/fields", [](const Request&) {
    return std::move(Response(Status::kServiceUnavailable).set("Retry-After", "5"));
  });
  on(Method::kGet, "/own",
     [](const Request&) { return std::move(Response::json("{}").status(Status::kNotFound)); });
  on(Method::kGet, "/empty", [](const Request&) {
    return std::move(Response(Status::kNotFound).set("Content-Type", "image/png"));
  });
  Client client = connect();
  EXPECT_NE(ask(client, get("/page")).body.find("403 Forbidden"), std::string::npos);
  const Answer fields = ask(client, get("/fields"));
  EXPECT_EQ(fields.field("Retry-After"), "5");
  EXPECT_NE(fields.body.find("503"), std::string::npos);
  EXPECT_EQ(ask(client, get("/own")).body, "{}");
  const Answer empty = ask(client, get("/empty"));
  EXPECT_EQ(empty.body, "");
  EXPECT_EQ(empty.count("Content-Type"), 1u);
}

}  // namespace
}  // namespace ssx::http::test

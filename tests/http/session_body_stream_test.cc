// Bodies that a coroutine reads while they arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

using testing::HasSubstr;

class BodyStreams : public SessionTest {
 protected:
  BodyStreams() { options.body_max = 1'000'000; }

  void on_stream(std::string_view path, Handler handler) {
    Route route{std::move(handler), RouteLimits::from(options), std::string(path)};
    route.body_mode = BodyMode::kStream;
    ASSERT_TRUE(router.add("", {Method::kPost}, path, std::move(route)));
  }
  Client connect() {
    if (service != nullptr) return SessionTest::connect();
    on_stream("/take", [this](const Request& r) -> Task<Response> {
      ++begun;
      while (true) {
        const auto piece = co_await r.body().read();
        if (!piece || piece->empty()) break;
        pieces.emplace_back(*piece);
        if (pause > 0ms) co_await net::sleep_for(pause);
      }
      ++ended;
      co_return std::to_string(r.body().size);
    });
    on_stream("/ignore", [](const Request&) -> Task<Response> { co_return "not read"; });
    on(Method::kGet, "/", [](const Request&) { return "plain"; });
    on(Method::kPost, "/whole", [this](const Request& r) -> Task<Response> {
      while (true) {
        const auto piece = co_await r.body().read();
        if (!piece || piece->empty()) break;
        pieces.emplace_back(*piece);
      }
      co_return std::to_string(pieces.size());
    });
    return SessionTest::connect();
  }
  std::string all() const {
    std::string text;
    for (const auto& piece : pieces) text += piece;
    return text;
  }

  std::vector<std::string> pieces;
  milliseconds pause{0};
  int begun = 0;
  int ended = 0;
};

TEST_F(BodyStreams, BeginBeforeTheBodyIsThere) {
  Client client = connect();
  const std::string bytes = post("/take", "first second third");
  tell(client, without_end(bytes).substr(0, bytes.size() - 18));
  EXPECT_EQ(begun, 1);
  tell(client, "first ");
  EXPECT_EQ(pieces, std::vector<std::string>{"first "});
  tell(client, "second ");
  EXPECT_EQ(pieces.size(), 2u);
  EXPECT_EQ(ended, 0);
  tell(client, "third");
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(client.read_response().body, "18");
  EXPECT_EQ(ask(client, get("/")).body, "plain");
}

TEST_F(BodyStreams, TakeWhatCameWithTheHead) {
  Client client = connect();
  EXPECT_EQ(ask(client, post("/take", "at once") + get("/")).body, "7");
  EXPECT_EQ(all(), "at once");
  EXPECT_EQ(client.read_response().body, "plain");
}

TEST_F(BodyStreams, TakeChunks) {
  Client client = connect();
  EXPECT_EQ(ask(client, post_chunks("/take", {"in ", "three ", "chunks"})).body, "15");
  EXPECT_EQ(all(), "in three chunks");
}

TEST_F(BodyStreams, AreTheSameHoweverTheyAreCut) {
  const std::string bytes = post_chunks("/take", {"in ", "three ", "chunks"}) + get("/");
  for (std::size_t at = 1; at < bytes.size(); ++at) {
    Client client = connect();
    pieces.clear();
    tell(client, std::string_view(bytes).substr(0, at));
    tell(client, std::string_view(bytes).substr(at));
    EXPECT_EQ(client.read_response().body, "15") << at;
    EXPECT_EQ(client.read_response().body, "plain") << at;
    EXPECT_EQ(all(), "in three chunks") << at;
  }
}

TEST_F(BodyStreams, HoldUpAClientThatIsFasterThanTheHandler) {
  pause = 10ms;
  Client client = connect();
  const std::string body = pattern(900'000);
  const std::string bytes = post("/take", body);
  std::string_view rest = bytes;
  int stuck = 0;
  while (!rest.empty()) {
    const std::size_t sent = client.send_without_waiting(rest);
    rest.remove_prefix(sent);
    if (sent == 0) ++stuck;
    advance(10ms);
    // A piece is being looked at, and no more waits than the bound and one read.
    EXPECT_LE(table->counters().bytes_in.value() - all().size(),
              2 * BodyStream::kPendingMax + (512 << 10));
  }
  EXPECT_GT(stuck, 0);
  for (int i = 0; i < 100; ++i) advance(10ms);
  EXPECT_EQ(client.read_response().body, "900000");
  EXPECT_EQ(all(), body);
}

TEST_F(BodyStreams, AskForTheBodyWhenItIsWanted) {
  on_stream("/late", [](const Request& r) -> Task<Response> {
    co_await net::sleep_for(10ms);
    const auto piece = co_await r.body().read();
    co_return std::string(piece.value_or("nothing"));
  });
  Client client = connect();
  client.send(request("POST", "/late", "Content-Length: 4\r\nExpect: 100-continue\r\n"));
  idle();
  EXPECT_EQ(client.read_available(), "");
  advance(10ms);
  EXPECT_EQ(client.read_available(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(ask(client, "body").body, "body");
}

TEST_F(BodyStreams, ThatNobodyReadsEndTheConnection) {
  Client client = connect();
  const auto answer = ask(client, request("POST", "/ignore", "Content-Length: 100\r\n"));
  EXPECT_EQ(answer.body, "not read");
  EXPECT_EQ(answer.field("connection"), "close");
}

TEST_F(BodyStreams, HaveTheLimitOfTheRoute) {
  options.body_max = 100;
  for (const std::size_t size : {99, 100, 101}) {
    Client client = connect();
    const std::string body(size, 'x');
    EXPECT_EQ(ask(client, post("/take", body)).status, size > 100 ? 413 : 200) << size;
    Client chunked = connect();
    EXPECT_EQ(ask(chunked, post_chunks("/take", {body.substr(50), body.substr(0, 50)})).status,
              size > 100 ? 413 : 200)
        << size;
  }
  EXPECT_EQ(refused(Errc::kBodyTooLarge), 2u);
}

TEST_F(BodyStreams, ThatAreMalformedEndTheHandler) {
  Client client = connect();
  client.send(request("POST", "/take", "Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\nzz\r\n");
  idle();
  EXPECT_EQ(client.read_response().status, 400);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(refused(Errc::kBadChunkSize), 1u);
}

TEST_F(BodyStreams, ThatBreakOffEndTheHandler) {
  {
    Client client = connect();
    client.send(without_end(post("/take", "hello")));
    idle();
    EXPECT_EQ(all(), "hell");
  }
  idle();
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(counters().cut_requests.value(), 1u);
}

TEST_F(BodyStreams, ThatDoNotComeAreAnswered408) {
  Client client = connect();
  client.send(without_end(post("/take", "hello")));
  idle();
  advance(29s);
  EXPECT_EQ(client.read_available(), "");
  advance(2s);
  EXPECT_EQ(client.read_response().status, 408);
  EXPECT_EQ(refused(Errc::kBodyTimedOut), 1u);
}

TEST_F(BodyStreams, DoNotCountTheTimeThatTheHandlerTakes) {
  pause = 25s;
  Client client = connect();
  tell(client, request("POST", "/take", "Content-Length: 10\r\n") + "01234");
  advance(26s);
  advance(20s);
  tell(client, "56789");
  advance(26s);
  EXPECT_EQ(client.read_response().body, "10");
}

TEST_F(BodyStreams, AHandlerThatDawdlesBetweenPiecesIsCancelled) {
  pause = 1h;
  Client client = connect();
  tell(client, request("POST", "/take", "Content-Length: 10\r\n") + "01234");
  advance(31s);
  EXPECT_EQ(client.read_response().status, 503);
}

TEST_F(BodyStreams, MayBeWholeAsWell) {
  options.body_spool_threshold = 100'000;
  Client client = connect();
  EXPECT_EQ(ask(client, post("/whole", "short")).body, "1");
  EXPECT_EQ(all(), "short");
  pieces.clear();
  EXPECT_EQ(ask(client, post("/whole", pattern(150'000))).body, "3");
  EXPECT_EQ(all(), pattern(150'000));
}

}  // namespace
}  // namespace ssx::http::test

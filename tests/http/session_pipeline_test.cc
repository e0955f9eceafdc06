// Many requests in one packet, and a server that ends meanwhile.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/files/static_handler.h"
#include "tests/http/session_fixture.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using sim::Call;

class Pipeline : public SessionTest {
 protected:
  Pipeline() {
    options.date_header = false;
    directory.write("small.txt", pattern(700));
    directory.write("large.bin", pattern(200 << 10));
    StaticOptions files;
    files.root = directory.path();
    on(Method::kGet, "/number/{n}", [](const Request& r) { return std::string(r.param("n")); });
    on(Method::kPost, "/echo", [](const Request& r) { return std::string(r.body().text); });
    on(Method::kGet, "/big", [](const Request&) { return pattern(100 << 10); });
    EXPECT_TRUE(router.add("", {Method::kGet}, "/files/*",
                           {*make_static_handler(files), RouteLimits::from(options), "files"}));
  }
  std::string numbers(int count) {
    std::string requests;
    for (int i = 0; i < count; ++i) requests += get("/number/" + std::to_string(i));
    return requests;
  }
  void expect_numbers(Client& client, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(client.read_response().body, std::to_string(i));
    }
    EXPECT_EQ(client.read_available(), "");
  }

  ssx::test::TempDir directory;
};

TEST_F(Pipeline, AnswersInTheOrderOfTheRequests) {
  for (const int count : {2, 16, 17, 1000}) {
    SCOPED_TRACE(count);
    Client client = connect();
    tell(client, numbers(count));
    expect_numbers(client, count);
  }
}

TEST_F(Pipeline, RestsAfterAsManyRequestsAsMayBePipelined) {
  for (const int count : {15, 16, 17, 33}) {
    Client client = connect();
    const auto before = counters().pipeline_limit_hit.value();
    tell(client, numbers(count));
    expect_numbers(client, count);
    EXPECT_EQ(counters().pipeline_limit_hit.value() - before,
              static_cast<std::uint64_t>((count - 1) / 16))
        << count;
  }
}

TEST_F(Pipeline, LetsOtherConnectionsHaveTheirTurn) {
  options.pipeline_limit = 1;
  std::vector<std::string> order;
  on(Method::kGet, "/note/{who}", [&order](const Request& r) {
    order.emplace_back(r.param("who"));
    return "";
  });
  Client greedy = connect();
  Client modest = connect();
  greedy.send(get("/note/g") + get("/note/g") + get("/note/g"));
  modest.send(get("/note/m"));
  idle();
  const std::vector<std::string> expected{"g", "m", "g", "g"};
  EXPECT_EQ(order, expected);
}

TEST_F(Pipeline, SendsABatchInOneCall) {
  Client client = connect();
  tell(client, numbers(16));
  expect_numbers(client, 16);
  const sim::CallWatch watch;
  tell(client, numbers(16));
  EXPECT_EQ(watch.of(Call::kReceive), 1u);
  EXPECT_EQ(watch.of(Call::kSend) + watch.of(Call::kSendVector), 1u);
  expect_numbers(client, 16);
}

TEST_F(Pipeline, MixesAnswersOfEveryKindInOrder) {
  const std::string small = directory.read("small.txt");
  const std::string large = directory.read("large.bin");
  Client client = connect();
  std::string requests;
  for (int i = 0; i < 5; ++i) {
    requests += get("/files/large.bin") + get("/number/7") + get("/nothing") +
                post("/echo", "posted") + head("/files/large.bin") + get("/files/small.txt") +
                post_chunks("/echo", {"in ", "chunks"}) + get("/big") + request("PUT", "/big");
  }
  tell(client, requests);
  const std::string said = hear(client);
  const auto step = [&said](std::size_t at, std::string_view expected) {
    const auto found = said.find(expected, at);
    EXPECT_NE(found, std::string::npos) << expected.substr(0, 50);
    return found + expected.size();
  };
  std::size_t at = 0;
  for (int i = 0; i < 5; ++i) {
    at = step(at, "\r\n\r\n" + large);
    at = step(at, "\r\n\r\n7");
    at = step(at, "HTTP/1.1 404 ");
    at = step(at, "\r\n\r\nposted");
    at = step(at, "Content-Length: 204800\r\n\r\nHTTP/1.1 200 OK");
    at = step(at, "\r\n\r\n" + small);
    at = step(at, "\r\n\r\nin chunks");
    at = step(at, "\r\n\r\n" + pattern(100 << 10));
    at = step(at, "HTTP/1.1 405 ");
  }
  EXPECT_EQ(said.find("HTTP/1.1 ", at), std::string::npos);
}

TEST_F(Pipeline, StopsAtTheFirstRequestThatIsNone) {
  Client client = connect();
  tell(client, numbers(3) + "nonsense\r\n\r\n" + numbers(3));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read_response().body, std::to_string(i));
  EXPECT_EQ(client.read_response().status, 400);
  client.expect_end();
  EXPECT_EQ(counters().requests.value(), 3u);
}

// ---- the server ends

TEST_F(Pipeline, IsAnsweredToItsEndWhenTheServerDrains) {
  options.pipeline_limit = 4;
  const std::string requests = numbers(20);
  Client client = connect();
  tell(client, numbers(2));
  expect_numbers(client, 2);
  table->drain(1h);
  tell(client, requests);
  for (int i = 0; i < 20; ++i) {
    const Answer answer = client.read_response();
    EXPECT_EQ(answer.body, std::to_string(i));
    EXPECT_EQ(answer.field("Connection"), i == 19 ? "close" : "");
  }
  client.expect_end();
}

TEST_F(Pipeline, IsNotTakenForIdleBetweenItsTurns) {
  options.pipeline_limit = 1;
  bool drained = false;
  on(Method::kGet, "/drain", [this, &drained](const Request&) {
    if (!std::exchange(drained, true)) table->drain(0ms);
    return "drained";
  });
  Client client = connect();
  tell(client, get("/drain") + numbers(5));
  EXPECT_EQ(client.read_response().body, "drained");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.read_response().body, std::to_string(i));
  client.expect_end();
}

TEST_F(Pipeline, DrainingEndsIdleConnectionsAfterTheGrace) {
  Client idle_one = connect();
  ask(idle_one, get("/number/1"));
  Client silent = connect();
  Client busy = connect();
  tell(busy, without_end(post("/echo", "abc")));
  table->drain(5s);
  EXPECT_EQ(table->size(), 3u);
  advance(5s - 1ms);
  EXPECT_EQ(table->size(), 3u);
  advance(1ms);
  EXPECT_EQ(table->size(), 1u);
  idle_one.expect_end();
  silent.expect_end();
  const Answer answer = ask(busy, "c");
  EXPECT_EQ(answer.body, "abc");
  EXPECT_EQ(answer.field("Connection"), "close");
}

TEST_F(Pipeline, DrainingAnswersARequestThatComesInTheGrace) {
  Client client = connect();
  table->drain(5s);
  advance(4s);
  const Answer answer = ask(client, get("/number/1"));
  EXPECT_EQ(answer.body, "1");
  EXPECT_EQ(answer.field("Connection"), "close");
  client.expect_end();
}

TEST_F(Pipeline, DrainingEndsAConnectionOnceItsAnswerHasLeft) {
  on(Method::kGet, "/huge", [](const Request&) { return pattern(2 << 20); });
  Client client = connect();
  tell(client, get("/huge"));
  table->drain(1s);
  advance(10s);
  EXPECT_EQ(table->size(), 1u);
  const std::string said = hear(client);
  EXPECT_TRUE(said.ends_with(pattern(2 << 20)));
  advance(net::Connections::kDrainLook);
  EXPECT_TRUE(table->empty());
}

}  // namespace
}  // namespace ssx::http::test

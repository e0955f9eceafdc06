#include "http/client/connection_pool.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/http/client/client_fixture.h"

namespace ssx::http::test {
namespace {

class ConnectionPoolTest : public ClientTest {
 protected:
  using Answers = std::vector<std::optional<Answer>>;
  void fetch_all(Answers& answers, const std::string& url = kUrl) {
    for (auto& one : answers) fetch(request(url), one);
  }
};

TEST_F(ConnectionPoolTest, MakesSoManyConnectionsToAHost) {
  for (const std::size_t count : {2U, 3U, 4U}) {
    stack.servers.clear();
    make_client({.connections_per_host = 3});
    Answers answers(count);
    fetch_all(answers);
    EXPECT_EQ(stack.servers.size(), std::min<std::size_t>(count, 3));
    EXPECT_EQ(client->counters().waited.value(), count > 3 ? 1U : 0U);
    for (std::size_t i = 0; i < stack.servers.size(); ++i) reply(ok("x"), i);
    if (count > 3) reply(ok("y"), 0);
    for (const auto& one : answers) EXPECT_TRUE(one && *one);
    EXPECT_EQ(client->idle_connections(), std::min<std::size_t>(count, 3));
  }
}

TEST_F(ConnectionPoolTest, CountsEachHostByItself) {
  make_client({.connections_per_host = 1});
  Answers answers(3);
  fetch(request("http://10.0.0.1/"), answers[0]);
  fetch(request("http://10.0.0.2/"), answers[1]);
  fetch(request("http://10.0.0.1:81/"), answers[2]);
  EXPECT_EQ(stack.servers.size(), 3U);
}

TEST_F(ConnectionPoolTest, ServesThoseWhoWaitInTheirOrder) {
  make_client({.connections_per_host = 1});
  Answers answers(4);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    fetch(request(kUrl + std::to_string(i)), answers[i]);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(first_line(received()), "GET /" + std::to_string(i) + " HTTP/1.1");
    // Every second connection ends: the next one gets the place instead of the connection.
    reply(i % 2 == 0 ? ok("x")
                     : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    ASSERT_TRUE(answers[i] && *answers[i]);
  }
  EXPECT_EQ(stack.servers.size(), 2U);
}

TEST_F(ConnectionPoolTest, LetsSoManyWait) {
  for (const std::size_t waiting : {1U, 2U, 3U}) {
    stack.servers.clear();
    make_client({.connections_per_host = 1, .waiting_per_host = 2});
    Answers answers(1 + waiting);
    fetch_all(answers);
    for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].has_value(), i > 2) << i;
    EXPECT_EQ(failures(Errc::kTooManyWaiting), waiting > 2 ? 1U : 0U);
    if (waiting > 2) {
      EXPECT_EQ(answers[3]->error(), make_error_code(Errc::kTooManyWaiting));
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(answers.size(), 3); ++i) {
      reply(ok("x"));
      EXPECT_TRUE(answers[i] && *answers[i]) << i;
    }
  }
}

TEST_F(ConnectionPoolTest, LetsThemWaitSoLong) {
  make_client({.connections_per_host = 1});
  Answers answers(2);
  fetch_all(answers);
  advance(10s - 1ns);
  EXPECT_FALSE(answers[1]);
  advance(kTick);
  ASSERT_TRUE(answers[1]);
  EXPECT_EQ(answers[1]->error(), make_error_code(Errc::kConnectTimedOut));
  EXPECT_FALSE(answers[0]) << "its time is another";
}

TEST_F(ConnectionPoolTest, GivesAPlaceOnWhenItsOwnerHasGone) {
  make_client({.connections_per_host = 1});
  open(request(kUrl), answer);
  reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  ASSERT_TRUE(answer && *answer);
  std::optional<Answer> next;
  fetch(request(kUrl), next);
  EXPECT_EQ(stack.servers.size(), 1U);
  loop->post([this] { answer.reset(); });
  idle();
  ASSERT_EQ(stack.servers.size(), 2U);
  reply(ok("x"));
  EXPECT_TRUE(next && *next);
}

TEST_F(ConnectionPoolTest, KeepsSoManyOfAHost) {
  for (const std::size_t count : {1U, 2U, 3U}) {
    stack.servers.clear();
    make_client({.idle_per_host = 2});
    Answers answers(count);
    fetch_all(answers);
    for (std::size_t i = 0; i < count; ++i) reply(ok("x"), i);
    EXPECT_EQ(client->idle_connections(), std::min<std::size_t>(count, 2));
    EXPECT_EQ(client->counters().idle_per_host_hit.value(), count > 2 ? 1U : 0U);
  }
}

TEST_F(ConnectionPoolTest, KeepsSoManyOfAllHostsAndClosesTheOldest) {
  for (const std::size_t hosts : {1U, 2U, 3U}) {
    stack.servers.clear();
    make_client({.idle_max = 2});
    for (std::size_t host = 1; host <= hosts; ++host)
      exchange("http://10.0.0." + std::to_string(host) + "/", ok("x"));
    EXPECT_EQ(client->idle_connections(), std::min<std::size_t>(hosts, 2));
    EXPECT_EQ(client->counters().idle_max_hit.value(), hosts > 2 ? 1U : 0U);
    EXPECT_EQ(is_closed(0), hosts > 2);
    EXPECT_FALSE(is_closed(hosts - 1));
  }
}

TEST_F(ConnectionPoolTest, KeepsThemSoLong) {
  exchange(kUrl, ok("x"));
  advance(30s - 1ns);
  EXPECT_EQ(client->idle_connections(), 1U);
  advance(1s);
  EXPECT_EQ(client->idle_connections(), 0U);
  EXPECT_EQ(client->counters().idle_timeouts.value(), 1U);
  EXPECT_TRUE(is_closed());
  exchange(kUrl, ok("x"));
  EXPECT_EQ(stack.servers.size(), 2U);
}

TEST_F(ConnectionPoolTest, UsesTheOneThatWasUsedLast) {
  Answers answers(2);
  fetch_all(answers);
  reply(ok("x"), 0);
  reply(ok("x"), 1);
  answer.reset();
  fetch(kUrl);
  std::ignore = received(1);
  reply(ok("from the second"), 1);
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->body(), "from the second");
}

TEST_F(ConnectionPoolTest, GivesUpConnectingInTime) {
  stack.silent = true;
  fetch(kUrl);
  advance(10s - 1ns);
  EXPECT_FALSE(answer);
  advance(kTick);
  EXPECT_EQ(error(), make_error_code(Errc::kConnectTimedOut));
  EXPECT_EQ(failures(Errc::kConnectTimedOut), 1U);
}

TEST_F(ConnectionPoolTest, TheWholeTimeMayBeShorter) {
  stack.silent = true;
  ClientRequest asked = request(kUrl);
  asked.total = 5s;
  fetch(asked, answer);
  advance(5s);
  EXPECT_EQ(error(), make_error_code(Errc::kExchangeTimedOut));
}

TEST_F(ConnectionPoolTest, TellsWhatTheSystemSays) {
  stack.errors = {ECONNREFUSED};
  fetch(kUrl);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->error().is_errno(ECONNREFUSED));
  EXPECT_EQ(client->counters().failed_otherwise.value(), 1U);
}

// --- names ---

class NamesTest : public ConnectionPoolTest {
 protected:
  void SetUp() override {
    tasks = *net::TaskPool::start({.threads = 1});
    resolver = std::make_unique<net::Resolver>(
        *tasks, [](const std::string& host) -> Result<std::vector<sys::RawAddress>> {
          if (host != "three.example") return fail(ssx::Errc::kNotFound, "look_up");
          std::vector<sys::RawAddress> found;
          for (std::uint8_t last = 1; last <= 3; ++last) {
            found.push_back(sys::make_ipv4({{10, 0, 0, last}, 0}));
          }
          return found;
        });
    make_client({});
  }
  void fetch_and_wait(const std::string& url, std::size_t asked) {
    spawn(*loop, run(client->fetch(request(url)), answer), &net::log_failure);
    loop->run_until([this, asked] { return answer || stack.asked.size() == asked; });
    idle();
  }
};

TEST_F(NamesTest, TriesEveryAddressInItsOrder) {
  stack.errors = {ECONNREFUSED, EHOSTUNREACH};
  fetch_and_wait("http://three.example:81/", 3);
  EXPECT_EQ(stack.asked, (std::vector<std::string>{"10.0.0.1:81", "10.0.0.2:81", "10.0.0.3:81"}));
  EXPECT_NE(received().find("Host: three.example:81\r\n"), std::string::npos);
  reply(ok("x"));
  ASSERT_TRUE(answer && *answer);
  exchange("http://three.example:81/again", ok("x"));
  EXPECT_EQ(stack.asked.size(), 3U) << "the connection is kept by the name";
}

TEST_F(NamesTest, TellsTheLastErrorWhenNoneAnswers) {
  stack.errors = {ECONNREFUSED, ECONNREFUSED, EHOSTUNREACH};
  fetch_and_wait("http://three.example/", 99);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->error().is_errno(EHOSTUNREACH));
}

TEST_F(NamesTest, SharesTheTimeBetweenTheAddresses) {
  stack.silent = true;
  fetch_and_wait("http://three.example/", 1);
  advance(3334ms);
  EXPECT_EQ(stack.asked.size(), 2U);
  stack.silent = false;
  advance(3334ms);
  ASSERT_EQ(stack.asked.size(), 3U);
  reply(ok("x"));
  EXPECT_TRUE(answer && *answer);
}

TEST_F(NamesTest, TellsThatThereIsNoSuchHost) {
  fetch_and_wait("http://nobody.example/", 99);
  EXPECT_EQ(error(), make_error_code(ssx::Errc::kNotFound));
  EXPECT_TRUE(stack.asked.empty());
}

}  // namespace
}  // namespace ssx::http::test

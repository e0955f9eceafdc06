// http/middleware/htpasswd_auth.h needs loops, and task threads beside them.
#include "http/middleware/htpasswd_auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/middleware/login_cache.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/net/task_pool.h"
#include "tests/app/app_fixture.h"

namespace ssx {
namespace {

using http::Request;

// Of "Open, Sesame", made by htpasswd.
const std::map<std::string, std::string> kUsers = {
    {"apr1", "$apr1$qvgwKDAd$3.tzr24SeCC1aY05PDkis1"},
    {"bcrypt", "$2y$05$89cVY3mh1uJepooGFigOxu75G7XzmQz9p4e6ErU9vorakl0aTDBr6"},
    {"plain", "Open, Sesame"},
    {"sha", "{sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08}"},  // test
};

class HtpasswdAuth : public test::AppTest {
 protected:
  HtpasswdAuth() {
    app->workers(1);
    app->options().tasks.threads = 1;
  }
  std::uint16_t serve() {
    auto made =
        http::htpasswd_auth({.realm = "staff", .users = kUsers}, [this]() -> net::TaskPool& {
          ++hashes;
          return app->tasks();
        });
    EXPECT_TRUE(made);
    app->listen(0).get(
        "/", [](const Request& r) { return std::string(r.attribute("user").value_or("nobody")); },
        {.middleware = {*made}});
    return port = start();
  }
  test::RawResponse come(std::string_view pair) const {
    test::RawClient client = test::RawClient::tcp(port);
    client.send(get(
        "/", "Authorization: Basic " + base64_encode(as_bytes(pair), Base64::kStandard) + "\r\n"));
    return client.read_response();
  }
  /// Of a queue of one before one thread: both are busy until the latch opens.
  std::shared_ptr<std::latch> fill_queue() {
    net::TaskPool& pool = app->tasks();
    auto release = std::make_shared<std::latch>(1);
    const auto then = [](const Result<void>&) {};
    pool.run(
        app->loop(), [release] { release->wait(); }, then);
    while (pool.counters().queued.value() > 0) std::this_thread::yield();
    pool.run(
        app->loop(), [] {}, then);
    return release;
  }
  std::uint16_t port = 0;
  std::atomic<unsigned> hashes = 0;  ///< that a task thread was asked for
};

TEST_F(HtpasswdAuth, LetsInWhoKnowsAPassword) {
  serve();
  for (const char* name : {"apr1", "bcrypt", "plain"})
    EXPECT_EQ(come(name + std::string(":Open, Sesame")).body, name);
  EXPECT_EQ(come("sha:test").body, "sha");
}

TEST_F(HtpasswdAuth, AsksOthersForTheirNames) {
  serve();
  for (const char* pair : {"apr1:", "apr1:Open", "bcrypt:test", "plain:x", "sha:Open, Sesame",
                           "nobody:Open, Sesame", "nobody:test", ":", "apr1"}) {
    const auto answer = come(pair);
    EXPECT_EQ(answer.status, 401) << pair;
    EXPECT_EQ(answer.field("WWW-Authenticate"), "Basic realm=\"staff\", charset=\"UTF-8\"");
  }
  EXPECT_EQ(ask(port, "/").status, 401);
}

TEST_F(HtpasswdAuth, RemembersWhoWasRightAndNobodyElse) {
  serve();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(come("bcrypt:Open, Sesame").status, 200);
  EXPECT_EQ(hashes, 1u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(come("bcrypt:Open").status, 401);
  EXPECT_EQ(hashes, 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(come("nobody:Open, Sesame").status, 401);
  EXPECT_EQ(hashes, 7u);  // who is not known costs as much as who is
  EXPECT_EQ(come("bcrypt:Open, Sesame").status, 200);
  EXPECT_EQ(hashes, 7u);
}

TEST_F(HtpasswdAuth, NeverComputesOnALoop) {
  app->options().tasks = {
      .threads = 1, .queue_limit = 1, .overflow = net::TaskOverflow::kRunOnLoop};
  serve();
  const auto release = fill_queue();
  const auto answer = come("plain:Open, Sesame");
  release->count_down();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("Retry-After"), "1");
  EXPECT_EQ(app->tasks().counters().ran_on_loop.value(), 1u);
}

TEST_F(HtpasswdAuth, IsAFaultOfTheServerWithoutATaskThread) {
  for (const auto overflow : {net::TaskOverflow::kReject, net::TaskOverflow::kRunOnLoop}) {
    app->options().tasks = {.threads = 0, .overflow = overflow};
    serve();
    EXPECT_EQ(come("plain:Open, Sesame").status, 500);
    end();
    app = std::make_unique<App>();
  }
}

TEST_F(HtpasswdAuth, ManyWorkersAskAtOnce) {
  app->workers(4);
  app->options().tasks.threads = 2;
  serve();
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([this] {
      for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(come("bcrypt:Open, Sesame").body, "bcrypt");
        EXPECT_EQ(come("apr1:wrong").status, 401);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(HtpasswdAuthOptions, AreRefusedWhenTheyCannotBe) {
  const auto pool = []() -> net::TaskPool& { std::abort(); };
  const auto refused = [&pool](const http::BasicAuthOptions& options) {
    return !http::htpasswd_auth(options, pool).has_value();
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({.realm = "a\nb", .users = kUsers}));
  EXPECT_TRUE(refused({.users = {{"a:b", "c"}}}));
  EXPECT_TRUE(refused({.users = {{"a", "{sha256:12}"}}}));
  std::map<std::string, std::string> many;
  for (std::size_t i = 1; i <= http::BasicAuthOptions::kUsersMax; ++i)
    many.emplace("u" + std::to_string(i), "x");
  EXPECT_FALSE(refused({.users = many}));
  many.emplace("one more", "x");
  EXPECT_TRUE(refused({.users = many}));
}

}  // namespace
}  // namespace ssx

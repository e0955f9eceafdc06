// Routes of a running App that are replaced: what users of App::replace() rely on.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/middleware.h"
#include "http/middleware/compression.h"
#include "http/service.h"
#include "ssxrver/net/awaitables.h"
#include "tests/app/app_fixture.h"
#include "tests/support/full_size.h"
#include "tests/support/temp_dir.h"
#include "tests/websocket/frames.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using http::Middleware;
using http::Request;
using http::Response;
using test::RawClient;
using test::RawResponse;
using websocket::Message;
using websocket::test::closing;
using websocket::test::show;
using websocket::test::text;

/// Says where and when it ends, with the handlers that share it.
class Life {
 public:
  Life() = default;
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  ~Life() { (net::EventLoop::current() == control ? ends : wrong_ends).fetch_add(1); }

  static std::atomic<const net::EventLoop*> control;
  static std::atomic<int> ends;        ///< on the control loop
  static std::atomic<int> wrong_ends;  ///< elsewhere
};
std::atomic<const net::EventLoop*> Life::control = nullptr;
std::atomic<int> Life::ends = 0;
std::atomic<int> Life::wrong_ends = 0;

class ReplacedRoutes : public test::AppTest {
 protected:
  ReplacedRoutes() {
    Life::ends = Life::wrong_ends = 0;
    app->options().tasks.threads = 1;
    app->listen(0);
  }
  ~ReplacedRoutes() override { EXPECT_EQ(Life::wrong_ends, 0); }

  std::uint16_t start() {
    const std::uint16_t port = test::AppTest::start();
    Life::control = &app->loop();
    return port;
  }
  static std::string handshake(const std::string& path) {
    return "GET " + path +
           " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  }
  static RouteSet one(std::string_view pattern, std::string says) {
    RouteSet set;
    set.get(pattern, [says = std::move(says)](const Request&) { return says; });
    return set;
  }
  /// With handlers that share a Life.
  RouteSet living(std::string says) {
    RouteSet set;
    const auto life = std::make_shared<Life>();
    set.get("/live", [life, says](const Request&) { return says; });
    set.ws("/ws", {.on_message = [life, says](auto& socket, const Message& message) {
             socket.send(says + " " + std::string(message.payload));
           }});
    set.get("/task/{id}",
            [life, says, this](const Request& r) {
              ++begun;
              while (holds_tasks) std::this_thread::yield();
              said_by_task = std::string(r.route()) + " " + std::string(r.param("id"));
              ++ended;
              return says;
            },
            {.run_on = RunOn::kTasks});
    return set;
  }
  /// "" when it was done; else what was wrong.
  std::string replace(std::string_view name, RouteSet set) {
    std::promise<std::string> done;
    app->replace(name, std::move(set), [this, &done](const RoutesResult& result) {
      EXPECT_EQ(net::EventLoop::current(), &app->loop());
      done.set_value(result ? "" : result.error().text());
    });
    return done.get_future().get();
  }
  static void wait_for(const std::atomic<int>& count, int value) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (count != value && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    EXPECT_EQ(count, value);
  }

  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  std::atomic<bool> holds_tasks = false;
  std::string said_by_task;
};

TEST_F(ReplacedRoutes, ComeChangeAndGoUnderAConnection) {
  app->get("/", [](const Request&) { return "app"; }).mount("set", one("/a", "first"));
  RawClient client = RawClient::tcp(start());
  const auto ask = [&client](std::string_view target) {
    client.send(get(target));
    const RawResponse answer = client.read_response();
    return answer.status == 200 ? answer.body : std::to_string(answer.status);
  };
  EXPECT_EQ(ask("/a"), "first");
  EXPECT_EQ(replace("set", one("/a", "second")), "");
  EXPECT_EQ(ask("/a"), "second");
  EXPECT_EQ(replace("set", one("/b", "third")), "");
  EXPECT_EQ(ask("/a"), "404");
  EXPECT_EQ(ask("/b"), "third");
  EXPECT_EQ(replace("other", one("/a", "other")), "");
  client.send(get("/a") + get("/b") + get("/"));
  EXPECT_EQ(client.read_response().body, "other");
  EXPECT_EQ(client.read_response().body, "third");
  EXPECT_EQ(client.read_response().body, "app");
  EXPECT_EQ(replace("set", {}), "");
  EXPECT_EQ(replace("never there", {}), "");
  EXPECT_EQ(ask("/b"), "404");
  EXPECT_EQ(ask("/a"), "other");
  EXPECT_EQ(replace("", one("/", "another app")), "");  // those of the App itself
  EXPECT_EQ(ask("/"), "another app");
}

TEST_F(ReplacedRoutes, AreInTheSurroundingsOfTheApp) {
  app->use(Middleware::hooks(
      nullptr, [](const Request&, Response& answer) { answer.set("X-Mark", "app"); }));
  app->options().http.body_max = 4;
  const auto port = start();
  RouteSet set;
  set.post("/post", [](const Request&) { return "posted"; });
  set.post("/large", [](const Request&) { return "posted"; }, {.body_max = 5});
  set.rewrite({}, "/old", "/large");
  ASSERT_EQ(replace("set", std::move(set)), "");
  const auto post = [port](std::string_view target) {
    RawClient client = RawClient::tcp(port);
    client.send("POST " + std::string(target) +
                " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345");
    return client.read_response();
  };
  EXPECT_EQ(post("/post").status, 413);
  EXPECT_EQ(post("/large").body, "posted");
  EXPECT_EQ(post("/old").body, "posted");
  EXPECT_EQ(post("/old").field("x-mark"), "app");
  EXPECT_EQ(ask(port, "/post").status, 405);
  EXPECT_EQ(ask(port, "/post").field("x-mark"), "app");
}

TEST_F(ReplacedRoutes, StayWhenTheNewOnesCannotBe) {
  app->get("/", [](const Request&) { return "app"; });
  app->mount("set", one("/a", "set")).mount("other", one("/b", "other"));
  const auto port = start();
  EXPECT_EQ(replace("set", one("/b", "in the way")),
            "route \"/b\" of \"other\": route defined twice: invalid argument, by route \"/b\" of "
            "\"set\"");
  EXPECT_EQ(replace("new", one("/", "in the way")),
            "route \"/\" of \"new\": route defined twice: invalid argument, by route \"/\"");
  const std::string said = replace("set", one("no-slash", "nowhere"));
  EXPECT_NE(said.find("route \"no-slash\" of \"set\": "), std::string::npos) << said;
  RouteSet files;
  files.files("/*", "/does/not/exist");
  EXPECT_NE(replace("set", std::move(files)), "");
  EXPECT_EQ(ask(port, "/a").body, "set");
  EXPECT_EQ(ask(port, "/b").body, "other");
  EXPECT_EQ(ask(port, "/").body, "app");
}

TEST_F(ReplacedRoutes, TakeEffectInTheOrderOfTheCalls) {
  const auto port = start();
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    app->replace("set", one("/a", std::to_string(i)), [&order, i](const RoutesResult& done) {
      EXPECT_TRUE(done);
      order.push_back(i);
    });
  }
  ASSERT_EQ(replace("last", {}), "");
  ASSERT_EQ(order.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(ask(port, "/a").body, "19");
}

TEST_F(ReplacedRoutes, AreRefusedWhenNobodyServes) {
  std::string said;
  const auto note = [&said](const RoutesResult& done) {
    said = done ? "done" : done.error().text();
  };
  app->replace("set", one("/a", "early"), note);
  EXPECT_EQ(said, "the server does not run, or ends");
  app->get("/slow", [this](const Request&) -> Task<Response> {
    ++begun;
    while (holds_tasks) co_await net::sleep_for(1ms);
    co_return "slow";
  });
  holds_tasks = true;
  RawClient client = RawClient::tcp(start());
  client.send(get("/slow"));
  wait_for(begun, 1);
  app->drain();
  EXPECT_EQ(replace("set", one("/a", "late")), "the server does not run, or ends");
  holds_tasks = false;
  EXPECT_EQ(client.read_response().body, "slow");
  app->wait();
  said.clear();
  app->replace("set", one("/a", "too late"), note);
  EXPECT_EQ(said, "the server does not run, or ends");
}

// ---- the end of the old ones

TEST_F(ReplacedRoutes, EndOnTheControlLoop) {
  app->mount("set", living("first"));
  const auto port = start();
  EXPECT_EQ(ask(port, "/live").body, "first");
  EXPECT_EQ(replace("set", living("second")), "");
  wait_for(Life::ends, 1);
  EXPECT_EQ(ask(port, "/live").body, "second");
  RouteSet refused = living("refused");
  refused.files("/x/*", "/does/not/exist");
  EXPECT_NE(replace("set", std::move(refused)), "");
  wait_for(Life::ends, 2);  // that of the refused one
  EXPECT_EQ(ask(port, "/live").body, "second");
  EXPECT_EQ(replace("set", {}), "");
  wait_for(Life::ends, 3);
}

TEST_F(ReplacedRoutes, OfOthersAreTheSameObjects) {
  app->mount("set", living("first"));
  start();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(replace("other", one("/a", "x")), "");
  EXPECT_EQ(Life::ends, 0);
}

TEST_F(ReplacedRoutes, LiveOnInTheirWebSockets) {
  app->mount("set", living("old"));
  const auto port = start();
  const auto open = [port] {
    RawClient client = RawClient::tcp(port);
    client.send(handshake("/ws"));
    EXPECT_EQ(client.read_response().status, 101);
    return client;
  };
  std::vector<RawClient> old;
  for (int i = 0; i < 3; ++i) old.push_back(open());
  ASSERT_EQ(replace("set", living("new")), "");
  RawClient young = open();
  for (RawClient& client : old) {
    client.send(text("x"));
    EXPECT_EQ(show(client.read(7)), "text old x|");
  }
  young.send(text("x"));
  EXPECT_EQ(show(young.read(7)), "text new x|");
  EXPECT_EQ(Life::ends, 0);
  for (RawClient& client : old) {
    EXPECT_EQ(Life::ends, 0);
    client.send(closing(1000));
    (void)client.read_to_end();
  }
  wait_for(Life::ends, 1);
  ASSERT_EQ(replace("set", {}), "");
  young.send(text("y"));
  EXPECT_EQ(show(young.read(7)), "text new y|");
}

// The client has gone, the routes too; what runs on the task thread has all that it needs.
TEST_F(ReplacedRoutes, LiveOnInTheirTasks) {
  app->mount("set", living("old"));
  holds_tasks = true;
  const auto port = start();
  {
    RawClient client = RawClient::tcp(port);
    client.send(get("/task/seven"));
    wait_for(begun, 1);
  }
  const auto cancelled = [this](std::uint32_t worker) {
    return app->service().worker(worker).counters.cancelled.value();
  };
  while (cancelled(0) + cancelled(1) == 0) std::this_thread::yield();
  ASSERT_EQ(replace("set", {}), "");
  ASSERT_EQ(replace("set", {}), "");  // the first has gone through the loops
  EXPECT_EQ(Life::ends, 0);
  holds_tasks = false;
  wait_for(ended, 1);
  wait_for(Life::ends, 1);
  EXPECT_EQ(said_by_task, "GET /task/{id} seven");
}

// Answers that are still being sent share what they send with the caches of their worker.
TEST_F(ReplacedRoutes, LetTheirFilesBeSentToTheEnd) {
  test::TempDir directory;
  const std::string small(12'000, 's');
  directory.write("small.txt", small);
  const auto files = [&directory] {
    RouteSet set;
    set.files("/files/*", directory.path(), {.middleware = {http::compression({.min_size = 100})}});
    return set;
  };
  app->mount("set", files());
  const auto port = start();
  std::string wanted;
  for (int i = 0; i < 200; ++i) wanted += get("/files/small.txt");
  for (int round = 0; round < 5; ++round) {
    RawClient plain = RawClient::tcp(port, {.receive_buffer_bytes = 4096});
    RawClient coded = RawClient::tcp(port);
    plain.send(wanted);
    coded.send(get("/files/small.txt", "Accept-Encoding: gzip\r\n"));
    EXPECT_EQ(replace("set", files()), "");
    for (int i = 0; i < 200; ++i) ASSERT_EQ(plain.read_response().body, small);
    EXPECT_EQ(coded.read_response().field("content-encoding"), "gzip");
  }
}

// ---- under load

TEST_F(ReplacedRoutes, FailNoRequestHoweverOftenTheyAreReplaced) {
  const int rounds = test::full_size(100, 1000);
  const auto version = [](int number) {
    RouteSet set;
    const auto says = std::make_shared<const std::string>(std::to_string(number));
    set.get("/now", [says](const Request&) { return *says; });
    set.get("/later", [says](const Request&) -> Task<Response> {
      co_await net::yield();
      co_return *says;
    });
    set.get("/made", [says](const Request&) {
      return Response::stream([says](http::BodyWriter& body) -> Task<> {
        co_await body.write(*says);
        co_await net::yield();
        co_await body.write("!");
      });
    });
    set.get("/on-" + std::to_string(number % 7) + "/{x}", [](const Request&) { return "x"; });
    return set;
  };
  app->options().http.keepalive_requests = 1'000'000'000;
  app->mount("set", version(0));
  const auto port = start();
  std::atomic<bool> goes_on{true};
  std::atomic<int> asked = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&goes_on, &asked, port] {
      RawClient client = RawClient::tcp(port);
      int latest = 0;
      while (goes_on) {
        client.send(get("/now") + get("/later") + get("/made"));
        for (int k = 0; k < 3; ++k) {
          const RawResponse answer = client.read_response();
          ASSERT_EQ(answer.status, 200);
          const int now = std::stoi(answer.body);
          ASSERT_GE(now, latest);  // one connection, one worker: never back to an older table
          latest = now;
          ++asked;
        }
      }
    });
  }
  for (int i = 1; i <= rounds && goes_on; ++i) {
    const int before = asked;
    EXPECT_EQ(replace("set", version(i)), "");
    EXPECT_EQ(ask(port, "/now").body, std::to_string(i));
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (i % 10 == 0 && asked == before) {
      goes_on = goes_on && std::chrono::steady_clock::now() < until;
      if (!goes_on) break;
      std::this_thread::yield();
    }
  }
  EXPECT_TRUE(goes_on) << "a client has heard no answer";
  goes_on = false;
  for (std::thread& client : clients) client.join();
  EXPECT_GE(asked, rounds / 10);
}

}  // namespace
}  // namespace ssx

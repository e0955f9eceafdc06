#include "ssxrver/app/app.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "http/middleware/compression.h"
#include "http/service.h"
#include "ssxrver/net/awaitables.h"
#include "ssxrver/net/connections.h"
#include "tests/app/app_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using http::Request;
using http::Response;
using test::RawClient;
using test::RawResponse;

using AppRuns = test::AppTest;

// ---- routes and listeners

TEST_F(AppRuns, AndAnswers) {
  app->get("/", [](const Request&) { return "hello\n"; })
      .post("/", [](const Request& r) { return std::string(r.body().text); })
      .put("/put", [](const Request&) { return "put"; })
      .patch("/patch", [](const Request&) { return "patch"; })
      .del("/del", [](const Request&) { return "del"; })
      .any("/any/{x}", [](const Request& r) { return std::string(r.param("x")); })
      .listen(0);
  RawClient client = RawClient::tcp(start());
  const auto ask = [&client](std::string_view line) {
    client.send(std::string(line) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    return client.read_response().body;
  };
  client.send(get("/"));
  EXPECT_EQ(client.read_response().body, "hello\n");
  EXPECT_EQ(ask("POST /"), "x");
  EXPECT_EQ(ask("PUT /put"), "put");
  EXPECT_EQ(ask("PATCH /patch"), "patch");
  EXPECT_EQ(ask("DELETE /del"), "del");
  EXPECT_EQ(ask("OPTIONS /any/7"), "7");
}

TEST_F(AppRuns, AndServesFiles) {
  test::TempDir directory;
  directory.write("index.html", "home");
  app->files("/*", directory.path()).listen(0);
  const auto port = start();
  EXPECT_EQ(ask(port, "/").body, "home");
  EXPECT_EQ(ask(port, "/nothing").status, 404);
}

TEST_F(AppRuns, AndGivesUpEncodersWhenThereIsNoMemory) {
  std::atomic<std::uint64_t> used{50};
  app->options().server.memory.max = 100;
  app->options().server.memory_meter = [&used]() -> Result<std::uint64_t> { return used.load(); };
  app->workers(1).use(http::compression()).listen(0);
  app->get("/text", [](const Request&) { return std::string(5000, 'x'); });
  app->get("/last", [this, &used](const Request&) -> Task<Response> {
    used = 95;
    const auto& counters = app->service().worker(0).counters;
    while (counters.encoders_dropped.value() == 0)
      co_await net::sleep_for(std::chrono::milliseconds(10));
    co_return std::string(5000, 'x');
  });
  RawClient client = RawClient::tcp(start());
  client.send(get("/text", "Accept-Encoding: gzip\r\n"));
  EXPECT_EQ(client.read_response().field("Content-Encoding"), "gzip");
  client.send(get("/last", "Accept-Encoding: gzip\r\n"));
  const RawResponse last = client.read_response();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.body, std::string(5000, 'x'));
  const auto& counters = app->service().worker(0).counters;
  EXPECT_EQ(counters.encoders_dropped.value(), 1u);
  EXPECT_EQ(counters.memory_not_compressed.value(), 1u);
  end();  // before what it measures
}

TEST_F(AppRuns, WithAnAccessLog) {
  std::vector<std::string> lines;  // of one worker, read when it has ended
  const LineSink sink(
      [](void* context, std::string_view line) noexcept {
        static_cast<std::vector<std::string>*>(context)->emplace_back(line);
      },
      &lines);
  http::AccessLogOptions access;
  access.format = "$remote_addr $request $status";
  app->workers(1).get("/", [](const Request&) { return "x"; }).log_accesses(sink, access).listen(0);
  const auto port = start();
  ask(port, "/");
  ask(port, "/none");
  end();
  EXPECT_EQ(lines, (std::vector<std::string>{"127.0.0.1 GET / HTTP/1.1 200",
                                             "127.0.0.1 GET /none HTTP/1.1 404"}));
}

TEST_F(AppRuns, WithAnAccessLogThatCannotBe) {
  http::AccessLogOptions access;
  access.format = "$nothing";
  app->log_accesses(LineSink([](void*, std::string_view) noexcept {}, nullptr), access).listen(0);
  const auto started = app->start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().text().find("log.access.format"), std::string::npos);
}

TEST_F(AppRuns, OnSeveralListeners) {
  test::TempDir directory;
  net::ListenOptions of_options;
  of_options.port = 0;
  AppOptions options;
  options.server.listeners.push_back(of_options);
  app = std::make_unique<App>(std::move(options));
  net::ListenOptions unix_socket;
  unix_socket.unix_path = directory.file("socket");
  app->get("/", [](const Request&) { return "http"; }).listen(0);
  app->tcp(0, [](net::TcpStream peer) -> Task<> {
    std::ignore = co_await peer.write_all(as_bytes(std::string_view("stream")));
  });
  app->listen(unix_socket).workers(1);
  // The options may still change, and listeners of theirs come first.
  app->options().server.listeners.push_back(of_options);
  start();
  for (const std::size_t listener : {0, 1, 2}) EXPECT_EQ(ask(port_of(listener), "/").body, "http");
  EXPECT_EQ(RawClient::tcp(port_of(3)).read_to_end(), "stream");
  RawClient local = RawClient::unix_socket(unix_socket.unix_path);
  local.send(get("/"));
  EXPECT_EQ(local.read_response().body, "http");
}

TEST_F(AppRuns, ACoroutineForEachConnection) {
  app->tcp(0, [](net::TcpStream peer) -> Task<> {
    std::array<std::byte, 100> chunk;
    while (auto count = co_await peer.read_some(chunk)) {
      if (!co_await peer.write_all(std::span(chunk).first(*count))) break;
    }
  });
  const auto port = start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(RawClient::tcp(port));
  for (RawClient& client : clients) {
    client.send("echo");
    EXPECT_EQ(client.read(4), "echo");
    client.half_close();
    client.expect_end();
  }
}

class AcceptModes : public test::AppTest,
                    public testing::WithParamInterface<std::tuple<net::AcceptMode, unsigned>> {};

TEST_P(AcceptModes, ServeOnEveryWorker) {
  const auto [mode, workers] = GetParam();
  app->options().server.workers.accept = mode;
  std::array<std::atomic<int>, 3> answered{};
  app->get("/", [&answered](const Request& r) {
    ++answered.at(r.worker());
    return "hello";
  });
  app->listen(0).workers(workers);
  const auto port = start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(RawClient::tcp(port));
    clients.back().send(get("/") + get("/"));
  }
  for (RawClient& client : clients) {
    EXPECT_EQ(client.read_response().body, "hello");
    EXPECT_EQ(client.read_response().body, "hello");
  }
  int sum = 0;
  for (const auto& count : answered) sum += count;
  EXPECT_EQ(sum, 120);
  if (mode == net::AcceptMode::kThread) {  // the balance is exact
    for (unsigned i = 0; i < workers; ++i)
      EXPECT_EQ(answered.at(i), static_cast<int>(120 / workers));
  }
  end();
  EXPECT_EQ(app->server().accepted(), 60u);
}

INSTANTIATE_TEST_SUITE_P(All, AcceptModes,
                         testing::Combine(testing::Values(net::AcceptMode::kThread,
                                                          net::AcceptMode::kReusePort,
                                                          net::AcceptMode::kExclusive),
                                          testing::Values(1, 2, 3)));

// D08: none of the server's system calls is worth less for being interrupted.
TEST_F(AppRuns, ThroughAStormOfSignals) {
  struct sigaction harmless {};
  harmless.sa_handler = [](int) {};  // without SA_RESTART: calls end with EINTR
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR2, &harmless, &before), 0);
  const std::string big(4 << 20, 'x');
  std::atomic<pthread_t> worker{};
  app->get("/worker",
           [&worker](const Request&) {
             worker = ::pthread_self();
             return "";
           })
      .get("/big", [&big](const Request&) { return big; })
      .post("/size", [](const Request& r) { return std::to_string(r.body().size); })
      .workers(1)
      .listen(0);
  const auto port = start();
  EXPECT_EQ(ask(port, "/worker").status, 200);
  std::atomic<bool> over{false};
  std::thread storm([&over, thread = worker.load()] {
    while (!over) ::pthread_kill(thread, SIGUSR2);
  });
  RawClient client = RawClient::tcp(port);
  const std::string upload = "POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" +
                             std::string(3'000'000, 'y');
  for (int i = 0; i < 5; ++i) {
    client.send(get("/big"));
    EXPECT_TRUE(client.read_response().body == big);
    client.send(upload);
    EXPECT_EQ(client.read_response().body, "3000000");
    EXPECT_EQ(ask(port, "/nothing").status, 404);
  }
  over = true;
  storm.join();
  end();
  ::sigaction(SIGUSR2, &before, nullptr);
}

// ---- ending: E05, from wherever it is stopped, and however often

TEST_F(AppRuns, UntilItIsStopped) {
  app->get("/", [](const Request&) { return "hello"; }).listen(0);
  RawClient client = RawClient::tcp(start());
  client.send(get("/"));
  EXPECT_EQ(client.read_response().status, 200);
  end();
  client.expect_end();
  app->stop();  // again, and after the end
  app->drain();
  app->wait();
}

TEST_F(AppRuns, UntilAHandlerStopsIt) {
  app->get("/stop", [this](const Request&) {
    app->stop();
    return "stopping";
  });
  app->listen(0);
  RawClient client = RawClient::tcp(start());
  client.send(get("/stop"));
  app->wait();
  client.read_to_end();
}

TEST_F(AppRuns, UntilManyThreadsStopIt) {
  app->listen(0);
  start();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { app->stop(); });
  app->wait();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(AppRuns, NotAtAllWhenItWasStoppedBefore) {
  app->listen(0);
  app->stop();
  EXPECT_EQ(app->run(), 0);
}

TEST_F(AppRuns, NotAtAllWhenItWasDrainedBefore) {
  app->listen(0);
  app->drain();
  EXPECT_EQ(app->run(), 0);
}

TEST_F(AppRuns, AndEndsWhenItIsDestroyed) {
  app->get("/", [](const Request&) { return "hello"; }).listen(0);
  RawClient client = RawClient::tcp(start());
  client.send(get("/"));
  EXPECT_EQ(client.read_response().status, 200);
  app.reset();
  client.expect_end();
}

TEST_F(AppRuns, InRunUntilAnotherThreadStopsIt) {
  app->get("/", [](const Request&) { return "hello"; }).listen(0);
  ASSERT_TRUE(app->bind());
  const auto port = app->server().address().port();
  std::thread thread([this, port] {
    EXPECT_EQ(ask(port, "/").body, "hello");
    app->stop();
  });
  EXPECT_TRUE(app->serve());  // on the thread that called bind()
  thread.join();
}

TEST_F(AppRuns, OnWhileItDrainsUntilEverythingIsAnswered) {
  app->workers(1);  // the one whose idle connection has ended knows of the drain
  app->options().drain_idle_grace = std::chrono::milliseconds(0);
  app->post("/", [](const Request& r) { return std::string(r.body().text); });
  app->get("/", [](const Request&) { return "hello"; }).listen(0);
  const auto port = start();
  RawClient idle = RawClient::tcp(port);
  idle.send(get("/"));
  EXPECT_EQ(idle.read_response().status, 200);
  RawClient busy = RawClient::tcp(port);
  busy.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(busy.read_response().status, 100);  // it is under way
  app->drain();
  idle.expect_end();
  busy.send("abc");
  const RawResponse answer = busy.read_response();
  EXPECT_EQ(answer.body, "abc");
  EXPECT_EQ(answer.field("Connection"), "close");
  busy.expect_end();
  busy.close();
  app->wait();
}

TEST_F(AppRuns, NoLongerAfterASecondDrain) {
  app->post("/", [](const Request&) { return "never"; }).listen(0);
  RawClient busy = RawClient::tcp(start());
  busy.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(busy.read_response().status, 100);
  app->drain();
  app->drain();
  app->wait();
  EXPECT_EQ(busy.read_to_end(), "");
}

TEST_F(AppRuns, NoLongerThanItMayDrain) {
  app->options().shutdown_timeout = std::chrono::milliseconds(50);
  app->post("/", [](const Request&) { return "never"; }).listen(0);
  RawClient busy = RawClient::tcp(start());
  busy.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(busy.read_response().status, 100);
  app->drain();
  app->wait();
}

TEST_F(AppRuns, WhatIsPostedToAConnection) {
  std::atomic<bool> known{false};
  net::ConnectionId id;
  app->tcp(0, [&](net::TcpStream peer) -> Task<> {
    std::array<std::byte, 100> chunk;
    id = peer.id();
    known = true;
    known.notify_all();
    while (co_await peer.read_some(chunk)) continue;
  });
  RawClient client = RawClient::tcp(start());
  known.wait(false);
  EXPECT_TRUE(app->post(id, [](net::Connection& connection) {
    connection.out().append_copy(as_bytes(std::string_view("posted")));
  }));
  EXPECT_EQ(client.read(6), "posted");
  client.close();
  // Once it has ended its id is stale: that is counted, and nothing else happens.
  auto& worker = *app->server().workers()[id.worker];
  while (worker.counters().stale_ids.value() == 0) {
    EXPECT_TRUE(app->post(id, [](net::Connection&) {}));
    std::this_thread::yield();
  }
  EXPECT_FALSE(app->post({99, id.slot}, [](net::Connection&) {}));
  end();
  EXPECT_FALSE(app->post(id, [](net::Connection&) {}));
}

TEST_F(AppRuns, NothingThatIsPostedBeforeItHasBegun) {
  EXPECT_FALSE(app->post({}, [](net::Connection&) {}));
}

// ---- what goes wrong at the start

class AppFails : public test::AppTest {
 protected:
  /// What run() prints; its exit code is `code`.
  std::string run(ExitCode code) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(app->run(), static_cast<int>(code));
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(AppFails, WithoutAListener) {
  EXPECT_EQ(run(ExitCode::kConfig), "ssxrver: nothing to listen on: call listen(port)\n");
}

TEST_F(AppFails, WithoutAWorker) {
  app->listen(0).workers(0);
  EXPECT_NE(run(ExitCode::kConfig).find("at least one worker"), std::string::npos);
}

TEST_F(AppFails, AndTellsOfEveryBadRouteAtOnce) {
  app->get("nonsense", [](const Request&) { return ""; })
      .get("/{a", [](const Request&) { return ""; })
      .get("/twice", [](const Request&) { return ""; })
      .get("/twice", [](const Request&) { return ""; })
      .files("/*", "/nowhere/at/all")
      .listen(0);
  const std::string said = run(ExitCode::kConfig);
  for (const char* what :
       {"route \"nonsense\"", "route \"/{a\"", "route \"/twice\"", "files \"/nowhere/at/all\""}) {
    EXPECT_NE(said.find(what), std::string::npos) << said;
  }
}

TEST_F(AppFails, WhenThePortIsInUse) {
  for (const auto mode :
       {net::AcceptMode::kThread, net::AcceptMode::kReusePort, net::AcceptMode::kExclusive}) {
    App first;
    first.options().server.workers.accept = mode;
    const auto address = first.listen(0).workers(1).start();
    ASSERT_TRUE(address);
    app = std::make_unique<App>();
    app->options().server.workers.accept = mode;
    app->listen(address->port());
    const std::string said = run(ExitCode::kUnavailable);
    EXPECT_EQ(said,
              "ssxrver: " + address->to_string() +
                  " is in use: stop the program that listens there, or choose another port\n");
  }
}

TEST_F(AppFails, InStartAsInRun) {
  const auto started = app->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ExitCode::kConfig);
  app->wait();
}

TEST_F(AppFails, WhenTheAddressIsNone) {
  net::ListenOptions where;
  where.address = "nonsense";
  app->listen(where);
  EXPECT_NE(run(ExitCode::kConfig).find("is not an address"), std::string::npos);
}

}  // namespace
}  // namespace ssx

// Clients on loops of their own against a server of ours, on the real loopback.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/address.h"
#include "tests/app/app_fixture.h"
#include "tests/http/client/client_loop.h"
#include "tests/support/raw_client.h"
#include "tests/support/resident_bytes.h"

namespace ssx::http::test {
namespace {

class ClientThreads : public ssx::test::AppTest {
 protected:
  void SetUp() override {
    app->options().server.workers.count = 2;
    app->get("/hello", [](const Request&) { return "Hello, world!\n"; });
    app->get("/users/{id}", [](const Request& request) {
      return "user " + std::string(request.param("id")) + "\n";
    });
    app->post("/echo", [](const Request& request) { return std::string(request.body().text); });
    app->get("/away", [](const Request&) { return Response::redirect("/hello"); });
    app->listen(0);
    const std::uint16_t port = start();
    url = "http://127.0.0.1:" + std::to_string(port);
    by_name = "http://localhost:" + std::to_string(port);
  }
  void TearDown() override { end(); }

  std::unique_ptr<net::TaskPool> tasks = *net::TaskPool::start({.threads = 2});
  net::Resolver resolver{
      *tasks, [](const std::string&) {
        return Result<std::vector<sys::RawAddress>>({sys::make_ipv4({{127, 0, 0, 1}, 0})});
      }};
  std::string url, by_name;
};

TEST_F(ClientThreads, TalksToOurOwnServer) {
  ClientLoop own(resolver);
  const auto hello = own.get(url + "/hello");
  ASSERT_TRUE(hello) << hello.error().message();
  EXPECT_EQ(hello->status(), 200);
  EXPECT_EQ(hello->body(), "Hello, world!\n");
  const auto user = own.get(by_name + "/users/7");
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->body(), "user 7\n");
  const auto away = own.get(url + "/away");
  ASSERT_TRUE(away) << away.error().message();
  EXPECT_EQ(away->body(), "Hello, world!\n");
  EXPECT_EQ(own.get(url + "/nowhere")->status(), 404);
  EXPECT_EQ(own.client().counters().connected.value(), 2U) << "one by the address, one by the name";
}

TEST_F(ClientThreads, SendsBodiesToOurOwnServer) {
  ClientLoop own(resolver);
  for (const std::size_t size : {0U, 1U, 100'000U, 900'000U}) {
    ClientRequest request;
    request.method = "POST";
    request.url = url + "/echo";
    request.expect_continue = size > 1000;
    request.body = std::string(size, 'x');
    const auto whole = own.fetch(request);
    ASSERT_TRUE(whole) << whole.error().message();
    EXPECT_EQ(whole->body(), std::string(size, 'x'));
    request.body = RequestBody::streamed([size](UploadWriter& writer) -> Task<Result<void>> {
      const std::string piece(1000, 'x');
      for (std::size_t sent = 0; sent < size; sent += 1000) {
        const auto written = co_await writer.write(piece.substr(0, size - sent));
        if (!written) co_return written;
      }
      co_return Result<void>();
    });
    const auto streamed = own.fetch(request);
    ASSERT_TRUE(streamed) << streamed.error().message();
    EXPECT_EQ(streamed->body().size(), size);
  }
  EXPECT_EQ(own.client().counters().connected.value(), 1U);
}

Task<> ask_many(Client& client, const std::string& url, int count, std::atomic<int>& good) {
  for (int i = 0; i < count; ++i) {
    const auto answer = co_await client.get(url + "/users/" + std::to_string(i));
    good += answer && answer->body() == "user " + std::to_string(i) + "\n" ? 1 : 0;
  }
}

constexpr int kLoops = 4;
constexpr int kTasks = 20;
constexpr int kRequests = 50;

TEST_F(ClientThreads, RunOnSeveralLoopsAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kLoops; ++i) {
    threads.emplace_back([&] {
      ClientLoop own(resolver);
      std::atomic<int> mine = 0;
      for (int task = 0; task < kTasks; ++task) {
        net::spawn(own.loop(),
                   ask_many(own.client(), task % 2 == 0 ? url : by_name, kRequests, mine),
                   &net::log_failure);
      }
      own.loop().run_until([&mine] { return mine == kTasks * kRequests; });
      good += mine;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kLoops * kTasks * kRequests);
}

// --- a long answer ---

constexpr std::uint64_t kLong = 500'000'000;

// On a plain socket: what it costs is not the client's.
void serve_long(int listener) {
  ssx::test::RawClient peer(::accept(listener, nullptr, nullptr));
  peer.read_until("\r\n\r\n");
  peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kLong) + "\r\n\r\n");
  const std::string block(250'000, 'x');
  for (std::uint64_t sent = 0; sent < kLong && peer.send(block);) sent += block.size();
}

Task<> read_long(Client& client, std::string url, std::uint64_t& got, std::size_t& growth) {
  ClientRequest request;
  request.url = std::move(url);
  auto response = co_await client.open(std::move(request));
  EXPECT_TRUE(response);
  std::size_t before = 0;
  for (;;) {
    const auto piece = co_await response->read();
    EXPECT_TRUE(piece);
    if (!piece || piece->empty()) break;
    got += piece->size();
    if (before == 0 && got > 50'000'000) before = ssx::test::resident_bytes();
  }
  const std::size_t after = ssx::test::resident_bytes();
  growth = after - std::min(before, after);
}

TEST(ClientMemory, IsFlatHoweverLongAnAnswerIs) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sys::RawAddress address = sys::make_ipv4({{127, 0, 0, 1}, 0});
  ASSERT_EQ(::bind(listener, address.get(), address.size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, address.get(), &address.size), 0);
  std::thread server(&serve_long, listener);

  const auto tasks = *net::TaskPool::start({});
  const net::Resolver resolver(*tasks);
  std::uint64_t got = 0;
  std::size_t growth = 0;
  {
    ClientLoop own(resolver);
    const std::uint16_t port = sys::ipv4_of(address)->port;
    own.run(read_long(own.client(), "http://127.0.0.1:" + std::to_string(port) + "/", got, growth));
  }
  server.join();
  ::close(listener);
  EXPECT_EQ(got, kLong);
  EXPECT_LT(growth, std::size_t{16} << 20);
}

}  // namespace
}  // namespace ssx::http::test

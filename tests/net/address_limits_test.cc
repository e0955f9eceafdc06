// Limits per address, lists and the PROXY protocol at a server's door, in each of the three ways to
// accept. G06, G07.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "tests/net/server_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/support/temp_dir.h"

namespace ssx::net {
namespace {

using test::RawClient;

class AddressLimits : public EveryMode {
 protected:
  [[nodiscard]] std::uint64_t sum(metrics::Counter AcceptCounters::*counter) const {
    std::uint64_t sum = (server->accept_counters().*counter).value();
    for (const auto& worker : server->workers())
      sum += (worker->accept_counters().*counter).value();
    return sum;
  }
  /// Somebody comes who is accepted and reset.
  void expect_reset() const {
    auto client = try_to_dial(port());
    if (!client.connected()) return;  // connect() has told it already
    EXPECT_EQ(client.read_to_end(), "");
    EXPECT_TRUE(client.was_reset());
  }
  /// dial() and echo() run while the main loop accepts.
  void in_background(const std::function<void()>& client) {
    std::atomic<bool> done{false};
    std::thread thread([&client, &done] {
      client();
      done = true;
    });
    run_until([&done] { return done.load(); });
    thread.join();
  }
  [[nodiscard]] std::uint32_t here() const {
    return server->admission().connections_of(*SocketAddress::parse("127.0.0.1", 0));
  }

  const test::CapturedLog log;
};

INSTANTIATE_TEST_SUITE_P(Accept, AddressLimits, all_modes(), mode_name);

TEST_P(AddressLimits, AnAddressHasAsManyConnectionsAsItMayAndNotOneMore) {
  options.access.connections_per_ip = 3;
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(connect());
  in_background([this] { expect_reset(); });
  EXPECT_EQ(sum(&AcceptCounters::limit_connections_per_ip_hit), 1U);
  EXPECT_EQ(here(), 3U);
  for (int round = 0; round < 20; ++round) {  // counted back each time
    clients.erase(clients.begin());
    run_until([this] { return here() == 2; });
    clients.push_back(connect());
    EXPECT_EQ(here(), 3U);
  }
  clients.clear();
  run_until([this] { return here() == 0 && server->limits().total() == 0; });
}

TEST_P(AddressLimits, OthersAreNotConcerned) {
  options.access.connections_per_ip = 1;
  options.listeners[0].address = "::";
  options.listeners[0].ipv6_only = false;
  start();
  auto first = connect();  // ::ffff:127.0.0.1
  in_background([this] { expect_reset(); });
  auto other = RawClient::tcp(port(), {.address = "::1"});
  run_until([this] { return counts.opened == 2; });
  EXPECT_EQ(echo(other, "x"), "x");
  EXPECT_EQ(here(), 1U);
}

TEST_P(AddressLimits, AnAddressConnectsNoMoreOftenThanItMay) {
  options.access.accept_rate_per_ip = {.events = 1, .per = std::chrono::seconds(60), .burst = 3};
  start();
  for (int i = 0; i < 3; ++i) connect().close();
  in_background([this] { expect_reset(); });
  EXPECT_EQ(sum(&AcceptCounters::limit_accept_rate_per_ip_hit), 1U);
  EXPECT_EQ(counts.opened, 3);
}

TEST_P(AddressLimits, PlacesComeBackWhenTheServerStops) {
  options.access.connections_per_ip = 100;
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(dial());
  server->stop();
  EXPECT_EQ(here(), 0U);
  EXPECT_EQ(server->limits().total(), 0U);
}

TEST_P(AddressLimits, AFactoryThatRefusesGivesThePlaceBack) {
  options.access.connections_per_ip = 2;
  std::atomic<int> asked{0};
  factory = [&asked](Worker&, std::uint32_t) -> std::unique_ptr<Protocol> {
    ++asked;
    return nullptr;
  };
  start();
  for (int i = 1; i <= 5; ++i) {
    auto client = dial();
    run_until([&asked, i] { return asked == i; });
    run_until([this] { return here() == 0; });
  }
  EXPECT_EQ(sum(&AcceptCounters::limit_connections_per_ip_hit), 0U);
}

TEST_P(AddressLimits, OneWhoWaitsForAPlaceHoldsHisOwn) {
  options.access.connections_per_ip = 2;
  options.workers.connections = 1;
  options.workers.overload_percent = 100;
  start();
  auto first = connect();
  auto second = dial();
  second.send("patient");
  first.close();
  run_until([this] { return counts.opened == 2; });
  EXPECT_EQ(second.read(7), "patient");
  second.close();
  run_until([this] { return here() == 0; });
}

TEST_P(AddressLimits, WhoIsDeniedOrNotAllowedIsReset) {
  options.access.deny = {"127.0.0.0/8"};
  start();
  in_background([this] { expect_reset(); });
  EXPECT_EQ(sum(&AcceptCounters::denied), 1U);
  server.reset();
  options.access = {.allow = {"10.0.0.0/8"}};
  start();
  in_background([this] { expect_reset(); });
  EXPECT_EQ(sum(&AcceptCounters::denied), 1U);
  server.reset();
  options.access = {.allow = {"10.0.0.0/8", "127.0.0.1"}};
  start();
  auto client = connect();
  EXPECT_EQ(echo(client, "x"), "x");
}

TEST_P(AddressLimits, ABlockedOneIsResetAsIn2021) {
  options.workers.blocked = {"127.0.0.1"};
  options.access.allow = {"127.0.0.1"};
  start();
  in_background([this] { expect_reset(); });
  EXPECT_EQ(sum(&AcceptCounters::blocked), 1U);
}

// G06: who may use a unix socket is up to its permissions.
TEST_P(AddressLimits, UnixSocketsHaveNoAddress) {
  const test::TempDir dir;
  options.access = {
      .allow = {"10.0.0.0/8"},
      .deny = {"0.0.0.0/0", "::/0"},
      .connections_per_ip = 1,
      .accept_rate_per_ip = {.events = 1, .per = std::chrono::seconds(60), .burst = 1}};
  for (const std::string& path : {dir.file("a.sock"), "@ssxrver-" + std::to_string(::getpid())}) {
    options.listeners[0].unix_path = path;
    start();
    std::vector<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
      clients.push_back(try_to_dial(0, path));
      ASSERT_TRUE(clients.back().connected());
    }
    run_until([this] { return counts.opened >= 3; });
    for (RawClient& client : clients) EXPECT_EQ(echo(client, "x"), "x");
    EXPECT_EQ(sum(&AcceptCounters::denied), 0U);
    server.reset();
    counts.opened = 0;
  }
}

TEST_P(AddressLimits, AProxyNamesItsClients) {
  options.listeners[0].proxy = ProxyMode::kOn;
  options.access.trusted_proxies = {"127.0.0.1"};
  options.access.connections_per_ip = 1;
  start();
  const auto say = [this](const std::string& client) {
    auto proxy = dial();
    proxy.send("PROXY TCP4 " + client + " 10.0.0.1 1 80\r\nhello");
    return proxy;
  };
  in_background([&say] {
    auto a = say("192.0.2.1");
    EXPECT_EQ(a.read(5), "hello");
    auto b = say("192.0.2.2");
    EXPECT_EQ(b.read(5), "hello");
    auto again = say("192.0.2.1");
    EXPECT_EQ(again.read_to_end(), "");
    EXPECT_TRUE(again.was_reset());
  });
  EXPECT_EQ(sum(&AcceptCounters::limit_connections_per_ip_hit), 1U);
  const auto of = [this](const char* ip) {
    return server->admission().connections_of(*SocketAddress::parse(ip, 0));
  };
  run_until([&of] { return of("192.0.2.1") == 0 && of("192.0.2.2") == 0; });
  EXPECT_EQ(of("127.0.0.1"), 0U);
}

TEST_P(AddressLimits, G07WhoIsNoProxyIsResetWhereOnlyProxiesCome) {
  options.listeners[0].proxy = ProxyMode::kOn;
  options.access.trusted_proxies = {"10.0.0.1"};
  start();
  in_background([this] { expect_reset(); });
  EXPECT_EQ(sum(&AcceptCounters::proxy_untrusted), 1U);
}

TEST_P(AddressLimits, G07WhoIsNoProxyIsAClientWhereTheHeaderIsOptional) {
  options.listeners[0].proxy = ProxyMode::kOptional;
  options.access.trusted_proxies = {"10.0.0.1"};
  start();
  auto client = connect();
  const std::string forged = "PROXY TCP4 192.0.2.1 10.0.0.1 1 80\r\n";
  EXPECT_EQ(echo(client, forged), forged);  // bytes like any others
}

TEST_P(AddressLimits, ShortOfMemoryNobodyIsAccepted) {
  std::atomic<std::uint64_t> used{94};
  options.memory.max = 100;
  options.memory_meter = [&used]() -> Result<std::uint64_t> { return used.load(); };
  start();
  auto first = connect();
  used = 95;
  run_until([this] { return server->overload().level() == OverloadLevel::kStop; });
  auto second = dial();
  second.send("patient");
  run_until([this] { return sum(&AcceptCounters::limit_memory_hit) > 0; });
  EXPECT_EQ(counts.opened, 1);
  EXPECT_EQ(echo(first, "x"), "x");  // who is there is served
  used = 50;
  run_until([this] { return counts.opened == 2; });
  EXPECT_EQ(second.read(7), "patient");
  EXPECT_EQ(server->overload().level(), OverloadLevel::kNone);
}

TEST_P(AddressLimits, ShortOfMemoryIdleConnectionsEndAfterHalfTheirTime) {
  std::atomic<std::uint64_t> used{79};
  options.memory.max = 100;
  options.memory.idle_timeout = 200ms;
  options.memory_meter = [&used]() -> Result<std::uint64_t> { return used.load(); };
  start();
  auto client = connect();
  const TimePoint end = loop->clock().now() + 1s;
  run_until([this, end] { return loop->clock().now() > end; });
  EXPECT_EQ(counts.closed, 0);  // with enough memory it is the protocol's business
  used = 80;
  run_until([this] { return counts.closed == 1; });
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_P(AddressLimits, OutOfMemoryEachWorkerIsToldToFreeSome) {
  std::atomic<std::uint64_t> used{94};
  options.memory.max = 100;
  options.memory.idle_timeout = 0ms;
  options.memory_meter = [&used]() -> Result<std::uint64_t> { return used.load(); };
  std::array<std::atomic<int>, 2> told{};
  create();
  server->on_memory_stop([&told](Worker& worker) {
    worker.loop().assert_in_loop_thread();
    ++told.at(worker.index());
  });
  start();
  const auto least = [&told] { return std::min(told[0].load(), told[1].load()); };
  const auto wait = [this](Duration time) {
    const TimePoint end = loop->clock().now() + time;
    run_until([this, end] { return loop->clock().now() > end; });
  };
  wait(1s);
  EXPECT_EQ(told[0] + told[1], 0);
  used = 95;
  run_until([&least] { return least() >= 2; });  // again and again
  used = 96;
  const int before = least();
  run_until([&least, before] { return least() > before + 1; });
  used = 92;  // well below
  run_until([this] { return server->overload().level() == OverloadLevel::kRefuse; });
  std::atomic<std::size_t> passed{0};  // what was posted before is before this
  for (const auto& worker : server->workers()) worker->loop().post([&passed] { ++passed; });
  run_until([&passed, this] { return passed == server->workers().size(); });
  const int after = told[0] + told[1];
  wait(1s);
  EXPECT_EQ(told[0] + told[1], after);
}

}  // namespace
}  // namespace ssx::net

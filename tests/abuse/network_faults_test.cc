// Group G of the abuse tests: a server on the real loopback, and between it and its clients a gate
// that does what bad networks do. After each test the server has closed every connection once, has
// all its descriptors back, and answers.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/net/worker.h"
#include "ssxrver/ssxrver.h"
#include "ssxrver/sys/address.h"
#include "tests/app/app_fixture.h"
#include "tests/support/fault_gate.h"
#include "tests/support/full_size.h"
#include "tests/support/open_files.h"
#include "tests/support/peer.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using ssx::test::FaultGate;
using ssx::test::full_size;
using ssx::test::RawClient;
using Cut = FaultGate::Cut;

/// A few requests on one connection, which the last one ends.
const std::string& conversation() {
  static const std::string text = [] {
    const std::string host = " HTTP/1.1\r\nHost: a\r\n";
    std::string all = "GET /small" + host + "\r\nHEAD /small" + host + "\r\n";
    all += "POST /echo" + host + "Content-Length: 10\r\n\r\n0123456789";
    all += "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n" +
           "0\r\nT: u\r\n\r\n";
    return all + "GET /stream" + host + "Connection: close\r\n\r\n";
  }();
  return text;
}

class NetworkFaults : public ssx::test::AppTest {
 protected:
  void SetUp() override { serve(5s); }
  void TearDown() override {
    expect_healthy();
    end();
  }
  /// `patience`: for whatever a client owes.
  void serve(std::chrono::milliseconds patience) {
    calls = 0;
    auto& http = app->options().http;
    http.date_header = false;  // so that answers can be compared
    http.timeouts.first_byte = http.timeouts.header = http.timeouts.body = patience;
    http.timeouts.idle = http.timeouts.write = patience;
    http.timeouts.linger = 100ms;
    app->get("/small", [this](const Request&) {
      ++calls;
      return "small\n";
    });
    app->post("/echo", [this](const Request& request) {
      ++calls;
      return std::string(request.body().text);
    });
    app->get("/stream", [this](const Request&) {
      ++calls;
      return http::Response::stream([](http::BodyWriter& body) -> Task<> {
        for (int i = 0; i < 20; ++i) {
          const std::string piece(100, static_cast<char>('a' + i));
          if (!co_await body.write(piece)) co_return;
        }
      });
    });
    app->get("/large", [this](const Request&) {
      ++calls;
      return large;
    });
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i * i % 23);
    app->listen(0);
    port = start();
    files = ssx::test::open_files();
    exact = talk(port, conversation());
    ASSERT_EQ(calls, 5);
    ASSERT_TRUE(exact.ends_with("\r\n0\r\n\r\n"));
  }

  /// All that a server, or a gate, says to these bytes.
  static std::string talk(std::uint16_t to, std::string_view bytes) {
    auto client = RawClient::tcp(to);
    client.send(bytes);
    return client.read_to_end();
  }
  /// The sum over all workers of one of their counters.
  std::uint64_t sum(metrics::Counter net::Counters::*counter) {
    std::uint64_t all = 0;
    for (const auto& worker : app->server().workers()) all += (worker->counters().*counter).value();
    return all;
  }
  void wait_for(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    bool is_met = condition();
    while (!is_met && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
      is_met = condition();
    }
    EXPECT_TRUE(is_met);
  }
  void expect_healthy() {
    wait_for([this] { return sum(&net::Counters::opened) == sum(&net::Counters::closed); });
    EXPECT_EQ(ask(port, "/small").body, "small\n");
    wait_for([this] { return ssx::test::open_files() == files; });
  }

  std::atomic<int> calls = 0;
  std::string large = std::string(std::size_t{1} << 20, ' ');
  std::uint16_t port = 0;
  std::size_t files = 0;
  std::string exact;  ///< what conversation() is answered
};

// ---- G01: the gate

TEST_F(NetworkFaults, G01WhatOnlyTakesTimeChangesNoByte) {
  const std::vector<FaultGate::Faults> faults = {
      {.piece = 1},
      {.piece = 7},
      {.delay = 5ms},
      {.piece = 100, .delay = 2ms},
      {.bytes_per_second = 50'000},
      {.merge = 1000},
      {.piece = 1, .merge = 500},
  };
  FaultGate gate(port);
  for (const auto& forth : faults) {
    for (const auto& back : faults) {
      gate.set({.to_server = forth, .to_client = back});
      EXPECT_EQ(talk(gate.port(), conversation()), exact);
    }
  }
}

TEST_F(NetworkFaults, G01RandomWeatherChangesNoByte) {
  FaultGate gate(port);
  for (unsigned seed = 1; seed <= full_size(30U, 1000U); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto weather = [&random] {
      return FaultGate::Faults{
          .piece = random() % 200,
          .delay = std::chrono::milliseconds(random() % 4),
          .bytes_per_second = random() % 2 == 0 ? 0 : 20'000 + random() % 99'999,
          .merge = random() % 300};
    };
    const FaultGate::Faults forth = weather();
    gate.set({.to_server = forth, .to_client = weather()});
    EXPECT_EQ(talk(gate.port(), conversation()), exact);
  }
}

TEST_F(NetworkFaults, G01ALargeAnswerArrivesThroughATightNetwork) {
  FaultGate gate(port);
  gate.set({.to_client = {.piece = 1000, .bytes_per_second = 4 << 20}});
  const std::string said =
      talk(gate.port(), "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(said.ends_with("\r\n\r\n" + large));
}

TEST_F(NetworkFaults, G01OneWrongByteIsAnAnswerOrACleanEnd) {
  FaultGate gate(port);
  for (std::size_t at = 0; at < conversation().size(); ++at) {
    SCOPED_TRACE(at);
    gate.set({.to_server = {.corrupt_at = at}});
    auto client = RawClient::tcp(gate.port());
    client.send(conversation());
    client.half_close();  // so that nobody waits for what is no longer asked for
    const std::string said = client.read_to_end();
    EXPECT_TRUE(said.empty() || said.starts_with("HTTP/1.1 ")) << said;
    if (HasFailure()) return;
  }
}

TEST_F(NetworkFaults, G01AnAnswerThatIsCutIsCutThereAndNowhereElse) {
  FaultGate gate(port);
  for (std::size_t at = 0; at <= exact.size(); at += full_size<std::size_t>(7, 1)) {
    gate.set({.to_client = {.cut_at = at}});
    EXPECT_EQ(talk(gate.port(), conversation()), exact.substr(0, at));
  }
}

TEST_F(NetworkFaults, G01ARequestThatIsCutIsAnsweredUpToThere) {
  FaultGate gate(port);
  for (std::size_t at = 0; at <= conversation().size(); ++at) {
    SCOPED_TRACE(at);
    gate.set({.to_server = {.cut_at = at}});
    const std::string said = talk(gate.port(), conversation());
    std::size_t same = 0;
    while (same < said.size() && same < exact.size() && said[same] == exact[same]) ++same;
    if (same < said.size()) {  // complete requests, then the refusal of the cut one
      EXPECT_EQ(said.substr(same - std::string_view("HTTP/1.1 ").size(), 12), "HTTP/1.1 400");
    }
    if (HasFailure()) return;
  }
}

TEST_F(NetworkFaults, G01SilenceEndsWithTheTimes) {
  // With so little patience a busy machine is silent, too: so this test alone has it.
  end();
  app = std::make_unique<App>();
  app->workers(2);
  serve(300ms);
  // One gate each, so that they all wait at the same time.
  std::vector<std::unique_ptr<FaultGate>> gates;
  std::vector<RawClient> clients;
  for (std::size_t at = 0; at < conversation().size(); at += full_size<std::size_t>(29, 3)) {
    gates.push_back(std::make_unique<FaultGate>(port));
    gates.back()->set({.to_server = {.cut_at = at, .cut = Cut::kSilence}});
    clients.push_back(RawClient::tcp(gates.back()->port()));
    clients.back().send(conversation());
  }
  for (RawClient& client : clients) {
    const std::string said = client.read_to_end();
    EXPECT_TRUE(said.empty() || said.starts_with("HTTP/1.1 ")) << said;
  }
  gates.clear();
}

// ---- G02: resets

TEST_F(NetworkFaults, G02AResetAtEveryByteEndsTheConnectionOnce) {
  {
    FaultGate gate(port);
    for (std::size_t at = 0; at <= conversation().size(); ++at) {
      gate.set({.to_server = {.cut_at = at, .cut = Cut::kReset}});
      const std::string said = talk(gate.port(), conversation());
      EXPECT_TRUE(exact.starts_with(said)) << at;
    }
    for (std::size_t at = 0; at < exact.size(); at += full_size<std::size_t>(5, 1)) {
      gate.set({.to_client = {.cut_at = at, .cut = Cut::kReset}});
      EXPECT_TRUE(exact.starts_with(talk(gate.port(), conversation()))) << at;
    }
  }
}

TEST_F(NetworkFaults, G02ResetsInTheAcceptQueueHarmNobody) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 300; ++i) {
    RawClient client = RawClient::tcp(port);
    if (i % 2 == 0) client.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n");
    client.reset();
    if (i % 50 == 0) {
      EXPECT_EQ(ask(port, "/small").body, "small\n");
    }
  }
}

// ---- G04: an end wherever one can be

TEST_F(NetworkFaults, G04WhoeverEndsInsideARequestGetsNoHandler) {
  const std::string host = " HTTP/1.1\r\nHost: a\r\n";
  struct Row {
    const char* name;
    std::string bytes;
    int status;  ///< 0: nothing is said
    int handlers;
  };
  for (const Row& row : {
           Row{"before the head", "", 0, 0},
           Row{"in the request line", "GET /sm", 400, 0},
           Row{"in the fields", "GET /small" + host + "X: y\r\n", 400, 0},
           Row{"before the last byte of the head", "GET /small" + host + "\r", 400, 0},
           Row{"after the head", "GET /small" + host + "\r\n", 200, 1},
           Row{"before the body", "POST /echo" + host + "Content-Length: 3\r\n\r\n", 400, 0},
           Row{"in the body", "POST /echo" + host + "Content-Length: 3\r\n\r\nab", 400, 0},
           Row{"after the body", "POST /echo" + host + "Content-Length: 3\r\n\r\nabc", 200, 1},
           Row{"in a chunk size", "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\n3", 400,
               0},
           Row{"in a chunk", "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nab", 400,
               0},
           Row{"between chunks",
               "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 400, 0},
           Row{"in the trailers",
               "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n", 400, 0},
       }) {
    calls = 0;
    auto client = RawClient::tcp(port);
    client.send(row.bytes);
    client.half_close();
    const std::string said = client.read_to_end();
    EXPECT_FALSE(client.was_reset()) << row.name;
    EXPECT_EQ(calls, row.handlers) << row.name;
    // Nobody is left who could want an answer to half a request, so silence will do.
    const std::string expected = "HTTP/1.1 " + std::to_string(row.status);
    if (row.status == 400) {
      EXPECT_TRUE(said.empty() || said.starts_with(expected)) << row.name << ": " << said;
    } else {
      EXPECT_EQ(said.substr(0, 12), row.status == 0 ? "" : expected) << row.name;
    }
  }
}

// ---- G05: both at once

TEST_F(NetworkFaults, G05EndsOfBothSidesAtOnceHarmNobody) {
  const std::string host = " HTTP/1.1\r\nHost: a\r\n";
  for (int round = 0; round < full_size(40, 2000); ++round) {
    for (const char* const lines : {"Connection: close\r\n\r\n", "\r\n"}) {
      for (const int way : {0, 1, 2, 3}) {
        RawClient client = RawClient::tcp(port);
        client.send("GET /small" + host + lines);
        if (round % 2 == 0 && way != 3) client.read(1);
        if (way == 0) client.close();
        if (way == 1) client.reset();
        if (way == 2) client.half_close();
        if (way == 3) client.read_response();
      }
    }
  }
}

// ---- G06: every kind of address

class Addresses : public ssx::test::AppTest {
 protected:
  Addresses() {
    app->get("/", [](const Request& request) { return request.peer().to_string(); });
  }
  void listen(const std::string& address) {
    net::ListenOptions where;
    where.address = address;
    where.port = 0;
    where.ipv6_only = false;
    app->listen(where);
  }
  void listen_unix(const std::string& path) {
    net::ListenOptions where;
    where.unix_path = path;
    app->listen(where);
  }
  static std::string peer_seen_by(RawClient client) {
    client.send(get("/", "Connection: close\r\n"));
    const auto answer = client.read_response();
    EXPECT_EQ(answer.status, 200);
    return answer.body;
  }
  static std::string own_address(const RawClient& client, const std::string& host) {
    return host + ":" + std::to_string(client.local_port());
  }
  void TearDown() override {
    if (!ended) end();
  }

  bool ended = false;
};

TEST_F(Addresses, G06HandlersSeeThePeerAsItIs) {
  const ssx::test::TempDir folder;
  listen("127.0.0.1");
  listen("::1");
  listen("*");
  listen_unix(folder.file("socket"));
  start();
  for (const std::size_t listener : {0U, 2U}) {  // on a dual-stack socket it is IPv4 all the same
    auto v4 = RawClient::tcp(port_of(listener));
    const std::string expected = own_address(v4, "127.0.0.1");
    EXPECT_EQ(peer_seen_by(std::move(v4)), expected);
  }
  for (const std::size_t listener : {1U, 2U}) {
    auto v6 = RawClient::tcp(port_of(listener), {.address = "::1"});
    const std::string expected = own_address(v6, "[::1]");
    EXPECT_EQ(peer_seen_by(std::move(v6)), expected);
  }
  const std::string local = peer_seen_by(RawClient::unix_socket(folder.file("socket")));
  EXPECT_EQ(local, "unix");
}

TEST_F(Addresses, G06AnAbstractSocketServes) {
  const std::string name = "@ssxrver-g06-" + std::to_string(::getpid());
  listen_unix(name);
  start();
  const auto at = *sys::make_unix(name);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(fd, at.get(), at.size), 0);
  EXPECT_EQ(peer_seen_by(RawClient(fd)), "unix");
}

TEST_F(Addresses, G06ABlockedIpv4AddressIsBlockedOnADualStackSocketToo) {
  app->options().server.workers.blocked = {"127.0.0.0/8"};
  listen("*");
  const std::uint16_t port = start();
  auto v4 = RawClient::tcp(port);
  EXPECT_EQ(v4.read_to_end(), "");
  EXPECT_NE(peer_seen_by(RawClient::tcp(port, {.address = "::1"})), "");
}

/// "fe80::1%eth0" of some interface, or nothing.
std::optional<std::string> link_local() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return std::nullopt;
  std::optional<std::string> found;
  for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET6) continue;
    const auto& address = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
    char text[INET6_ADDRSTRLEN];
    if (IN6_IS_ADDR_LINKLOCAL(&address) == 0) continue;
    found = std::string(::inet_ntop(AF_INET6, &address, text, sizeof text)) + "%" + entry->ifa_name;
  }
  ::freeifaddrs(all);
  return found;
}

TEST_F(Addresses, G06ALinkLocalAddressKeepsItsScope) {
  ended = true;
  const auto address = link_local();
  SSX_NEEDS_SYSTEM(address.has_value(), "interface with a link-local address");
  ended = false;
  listen(*address);
  const std::uint16_t port = start();
  const auto at = net::SocketAddress::parse(*address, port)->to_raw();
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(fd, at.get(), at.size), 0);
  RawClient client(fd);
  const auto percent = address->find('%');
  const unsigned scope = ::if_nametoindex(address->c_str() + percent + 1);
  const std::string expected = "[" + address->substr(0, percent) + "%" + std::to_string(scope) +
                               "]:" + std::to_string(client.local_port());
  EXPECT_EQ(peer_seen_by(std::move(client)), expected);
}

}  // namespace
}  // namespace ssx

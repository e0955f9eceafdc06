// A load of datagrams against servers that do as a test wants.
#include "ssxrver/load/udp_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ssxrver/load/echo_command.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/sys/socket.h"
#include "ssxrver/sys/unique_fd.h"
#include "tests/load/fake_server.h"
#include "tests/load/measured.h"

namespace ssx::load {
namespace {

using test::count;
using test::expect_all_well;
using test::measured;

/// Answers each datagram with as many as `answer` has.
class FakeUdpServer {
 public:
  using Answers = std::vector<std::string>;
  explicit FakeUdpServer(std::function<Answers(const std::string&)> answer)
      : answer_(std::move(answer)) {
    socket_ = *sys::socket(AF_INET, SOCK_DGRAM);
    EXPECT_TRUE(sys::bind(socket_.get(), net::SocketAddress::parse("127.0.0.1", 0)->to_raw()));
    address_ = net::SocketAddress::from_raw(*sys::local_address(socket_.get()));
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeUdpServer() {
    is_ending_ = true;
    thread_.join();
  }
  [[nodiscard]] std::string address() const { return address_.to_string(); }
  [[nodiscard]] std::set<std::string> hosts() { return guests_.hosts(); }

 private:
  void serve() {
    while (!is_ending_) {
      pollfd waiting{socket_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 5) < 1) continue;
      char room[4096];
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      auto* const address = reinterpret_cast<sockaddr*>(&from);
      const ssize_t got = ::recvfrom(socket_.get(), room, sizeof room, 0, address, &size);
      if (got < 0) continue;
      const std::string guest = net::SocketAddress::from_raw({from, size}).to_string();
      guests_.note(guest.substr(0, guest.rfind(':')));
      for (const std::string& text : answer_(std::string(room, static_cast<std::size_t>(got))))
        (void)::sendto(socket_.get(), text.data(), text.size(), 0, address, size);
    }
  }

  const std::function<Answers(const std::string&)> answer_;
  test::Guests guests_;
  std::atomic<bool> is_ending_ = false;
  sys::UniqueFd socket_;
  net::SocketAddress address_;
  std::thread thread_;
};

class UdpLoads : public testing::Test {
 protected:
  Outcome run(const std::string& address) {
    options.url = address;
    const auto plan = make_plan(options);
    EXPECT_TRUE(plan) << plan.error().text();
    return measured(*plan, peer_loads(*plan, make_udp_peers(*plan)));
  }

  UdpOptions options = [] {
    UdpOptions made;
    made.connections = 3;
    made.size = 40;
    return made;
  }();
  int seen = 0;
};

TEST_F(UdpLoads, SendADatagramWhenTheLastHasComeBack) {
  const FakeUdpServer server([](const std::string& text) { return FakeUdpServer::Answers{text}; });
  expect_all_well(run(server.address()));
}

TEST_F(UdpLoads, ComeFromTheAddressesThatAreNamed) {
  options.sources = {"127.0.0.2", "127.0.0.3"};
  FakeUdpServer server([](const std::string& text) { return FakeUdpServer::Answers{text}; });
  expect_all_well(run(server.address()));
  EXPECT_THAT(server.hosts(), testing::ElementsAre("127.0.0.2", "127.0.0.3"));
}

TEST_F(UdpLoads, SendSeveralAtOnceWhichMayComeTwice) {
  options.depth = 5;
  const FakeUdpServer server([](const std::string& text) {
    return FakeUdpServer::Answers{text, text};
  });
  expect_all_well(run(server.address()));
}

TEST_F(UdpLoads, HaveASocketForEach) {
  options.each = true;
  const FakeUdpServer server([](const std::string& text) { return FakeUdpServer::Answers{text}; });
  const Outcome outcome = run(server.address());
  expect_all_well(outcome);
  EXPECT_GE(outcome.tally.connects, outcome.tally.answered);
}

TEST_F(UdpLoads, CountWhatIsLostAndGoOn) {
  options.timeout = 0.01;
  const FakeUdpServer server([this](const std::string& text) {
    return ++seen % 10 == 0 ? FakeUdpServer::Answers{} : FakeUdpServer::Answers{text};
  });
  const Outcome outcome = run(server.address());
  EXPECT_GT(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kTimeout), 0U);
  EXPECT_EQ(outcome.tally.failed(), count(outcome, Failure::kTimeout));
}

TEST_F(UdpLoads, CountWhatIsNotWhatWasSent) {
  const FakeUdpServer server([](const std::string& text) {
    return FakeUdpServer::Answers{text.substr(0, UdpPeer::kNumberSize) + "what?"};
  });
  EXPECT_GT(count(run(server.address()), Failure::kMalformed), 0U);
}

TEST_F(UdpLoads, CountWhatIsTooShortForANumber) {
  const FakeUdpServer server([](const std::string&) { return FakeUdpServer::Answers{"?"}; });
  EXPECT_GT(count(run(server.address()), Failure::kMalformed), 0U);
}

TEST_F(UdpLoads, CountThatNobodyIsThere) {
  std::string address;
  {
    const FakeUdpServer server([](const std::string&) { return FakeUdpServer::Answers{}; });
    address = server.address();
  }
  const Outcome outcome = run(address);
  EXPECT_EQ(outcome.tally.answered, 0U);
  EXPECT_GT(count(outcome, Failure::kConnect), 0U);
}

}  // namespace
}  // namespace ssx::load

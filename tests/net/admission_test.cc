#include "ssxrver/net/admission.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/captured_log.h"
#include "tests/support/manual_clock.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only
using Verdict = Admission::Verdict;

SocketAddress address(const std::string& ip) { return *SocketAddress::parse(ip, 1234); }
const SocketAddress kUnixPeer = SocketAddress::from_raw({});

class AdmissionTest : public testing::Test {
 protected:
  Admission& make() {
    admission = *Admission::create(blocked, options);
    return *admission;
  }
  [[nodiscard]] Verdict judge(const SocketAddress& peer, ProxyMode mode = ProxyMode::kOff) {
    if (admission == nullptr) make();
    return admission->judge_peer(peer, mode, clock.now());
  }
  [[nodiscard]] Verdict judge(const std::string& ip, ProxyMode mode = ProxyMode::kOff) {
    return judge(address(ip), mode);
  }

  test::ManualClock clock;
  std::vector<std::string> blocked;
  AccessOptions options;
  std::unique_ptr<Admission> admission;
};

TEST_F(AdmissionTest, EverybodyIsWelcomeByDefault) {
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcome);
  EXPECT_EQ(judge("::1"), Verdict::kWelcome);
  EXPECT_EQ(judge(kUnixPeer), Verdict::kWelcome);
  EXPECT_EQ(admission->connections_of(address("192.0.2.1")), 0U);
}

TEST_F(AdmissionTest, DenyWinsOverAllow) {
  options.allow = {"10.0.0.0/8", "2001:db8::/32"};
  options.deny = {"10.1.0.0/16"};
  EXPECT_EQ(judge("10.0.0.1"), Verdict::kWelcome);
  EXPECT_EQ(judge("::ffff:10.0.0.1"), Verdict::kWelcome);
  EXPECT_EQ(judge("2001:db8::5"), Verdict::kWelcome);
  EXPECT_EQ(judge("10.1.0.1"), Verdict::kDenied);
  EXPECT_EQ(judge("11.0.0.1"), Verdict::kDenied);
  EXPECT_EQ(judge("2001:db9::5"), Verdict::kDenied);
}

TEST_F(AdmissionTest, OnlyDenyLeavesTheRest) {
  options.deny = {"10.1.0.0/16"};
  blocked = {"192.0.2.7"};
  EXPECT_EQ(judge("10.1.0.1"), Verdict::kDenied);
  EXPECT_EQ(judge("192.0.2.7"), Verdict::kBlocked);
  EXPECT_EQ(judge("10.2.0.1"), Verdict::kWelcome);
}

TEST_F(AdmissionTest, AUnixSocketHasNoAddressToBeListed) {
  options.allow = {"10.0.0.0/8"};
  options.deny = {"0.0.0.0/0", "::/0"};
  options.connections_per_ip = 1;
  options.accept_rate_per_ip = {.events = 1, .burst = 1};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(judge(kUnixPeer), Verdict::kWelcome);
}

TEST_F(AdmissionTest, CountsConnectionsOfAnAddress) {
  options.connections_per_ip = 2;
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcomeCounted);
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcomeCounted);
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kTooMany);
  EXPECT_EQ(judge("192.0.2.2"), Verdict::kWelcomeCounted);
  EXPECT_EQ(admission->connections_of(address("192.0.2.1")), 2U);
  admission->leave(address("192.0.2.1"));
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcomeCounted);
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kTooMany);
}

TEST_F(AdmissionTest, CountsAnIpv6NetworkAsOne) {
  options.connections_per_ip = 1;
  EXPECT_EQ(judge("2001:db8:1:2::1"), Verdict::kWelcomeCounted);
  EXPECT_EQ(judge("2001:db8:1:2::2"), Verdict::kTooMany);
  EXPECT_EQ(judge("2001:db8:1:3::1"), Verdict::kWelcomeCounted);
}

TEST_F(AdmissionTest, LimitsHowOftenAnAddressConnects) {
  options.accept_rate_per_ip = {.events = 2, .per = 1s, .burst = 3};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcome) << i;
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kTooFast);
  EXPECT_EQ(judge("192.0.2.2"), Verdict::kWelcome);
  clock.advance(500ms);
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcome);
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kTooFast);
}

TEST_F(AdmissionTest, WhoIsRefusedTakesNoPlace) {
  options.connections_per_ip = 1;
  options.accept_rate_per_ip = {.events = 1, .per = 1s, .burst = 1};
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kWelcomeCounted);
  admission->leave(address("192.0.2.1"));
  EXPECT_EQ(judge("192.0.2.1"), Verdict::kTooFast);
  EXPECT_EQ(admission->connections_of(address("192.0.2.1")), 0U);
}

TEST_F(AdmissionTest, AProxySpeaksForOthersAndIsNotCounted) {
  options.trusted_proxies = {"10.0.0.1"};
  options.allow = {"192.0.2.0/24"};
  options.connections_per_ip = 1;
  options.accept_rate_per_ip = {.events = 1, .per = 1s, .burst = 1};
  for (const ProxyMode mode : {ProxyMode::kOff, ProxyMode::kOn, ProxyMode::kOptional}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(judge("10.0.0.1", mode), Verdict::kWelcome);
  }
  EXPECT_EQ(judge("10.0.0.2"), Verdict::kDenied);
  const auto client = [this](const char* ip) {
    return admission->judge_client(address(ip), clock.now());
  };
  EXPECT_EQ(client("192.0.2.9"), Verdict::kWelcomeCounted);
  clock.advance(1s);
  EXPECT_EQ(client("192.0.2.9"), Verdict::kTooMany);
  EXPECT_EQ(client("192.0.2.9"), Verdict::kTooFast);
  EXPECT_EQ(client("198.51.100.1"), Verdict::kDenied);
  EXPECT_TRUE(admission->is_allowed(address("192.0.2.1")));
  EXPECT_FALSE(admission->is_allowed(address("198.51.100.1")));
}

TEST_F(AdmissionTest, AProxyThatIsDeniedIsNoProxy) {
  options.trusted_proxies = {"10.0.0.0/8"};
  options.deny = {"10.0.0.1"};
  blocked = {"10.0.0.2"};
  EXPECT_EQ(judge("10.0.0.1", ProxyMode::kOn), Verdict::kDenied);
  EXPECT_EQ(judge("10.0.0.2", ProxyMode::kOn), Verdict::kBlocked);
  EXPECT_EQ(judge("10.0.0.3", ProxyMode::kOn), Verdict::kWelcome);
}

// An untrusted peer of a proxy's listener.
TEST_F(AdmissionTest, G07WhoIsNoProxyIsRefusedWhereOnlyProxiesCome) {
  options.trusted_proxies = {"10.0.0.1"};
  EXPECT_EQ(judge("10.0.0.2", ProxyMode::kOn), Verdict::kUntrusted);
  EXPECT_EQ(judge("10.0.0.2", ProxyMode::kOptional), Verdict::kWelcome);
  EXPECT_EQ(judge(kUnixPeer, ProxyMode::kOn), Verdict::kUntrusted);
  options.trusted_proxies = {"unix"};
  make();
  EXPECT_EQ(judge(kUnixPeer, ProxyMode::kOn), Verdict::kWelcome);
}

TEST_F(AdmissionTest, EveryRefusalHasItsCounter) {
  const test::CapturedLog log;
  AcceptCounters counters;
  const auto from = address("192.0.2.1");
  note_refusal(counters, Verdict::kWelcome, from);
  note_refusal(counters, Verdict::kWelcomeCounted, from);
  EXPECT_TRUE(log.lines().empty());
  note_refusal(counters, Verdict::kBlocked, from);
  note_refusal(counters, Verdict::kDenied, from);
  note_refusal(counters, Verdict::kUntrusted, from);
  note_refusal(counters, Verdict::kTooFast, from);
  note_refusal(counters, Verdict::kTooMany, from);
  for (const auto* counter :
       {&counters.blocked, &counters.denied, &counters.proxy_untrusted,
        &counters.limit_accept_rate_per_ip_hit, &counters.limit_connections_per_ip_hit}) {
    EXPECT_EQ(counter->value(), 1U);
  }
  EXPECT_FALSE(log.lines().empty());
}

TEST_F(AdmissionTest, RefusesListsThatCannotBeRead) {
  EXPECT_FALSE(Admission::create({"x"}, {}));
  EXPECT_FALSE(Admission::create({}, {.allow = {"x"}}));
  EXPECT_FALSE(Admission::create({}, {.deny = {"x"}}));
  EXPECT_FALSE(Admission::create({}, {.trusted_proxies = {"x"}}));
}

}  // namespace
}  // namespace ssx::net

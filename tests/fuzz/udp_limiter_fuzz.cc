// K14: whatever arrives in whatever order, nobody is sent more than he has earned.
//
// The input is a list of datagrams; each has its source, its length, how much time has passed since
// the one before, and the replies that a handler tries to send. Beside the filter runs a ledger
// that never forgets.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "ssxrver/base/assert.h"
#include "ssxrver/net/udp_filter.h"

namespace {

using ssx::Duration;
using ssx::TimePoint;
using ssx::net::Arrival;
using ssx::net::SocketAddress;
using ssx::net::UdpFilter;
using ssx::net::UdpOptions;
using ssx::net::UdpVerdict;

struct Account {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : left_(bytes) {}
  [[nodiscard]] bool at_end() const { return left_.empty(); }
  std::uint32_t take(std::size_t bytes) {
    std::uint32_t value = 0;
    for (; bytes > 0 && !left_.empty(); --bytes) {
      value = value << 8 | left_.front();
      left_ = left_.subspan(1);
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> left_;
};

// Few enough networks to meet again, on ports and in hosts that should not matter.
std::string source_text(std::uint32_t pick) {
  const auto host = std::to_string(pick % 3);
  if (pick % 2 == 0) return "192.0.2." + std::to_string(pick / 2 % 8);
  return "2001:db8:0:" + std::to_string(pick / 2 % 8) + "::" + host;
}

// What the ledger holds accounts for: the address, or the /64 network.
std::string network_of(const SocketAddress& address) {
  const auto bytes = address.bytes();
  const auto shown = bytes.first(bytes.size() == 16 ? 8 : 4);
  return {shown.begin(), shown.end()};
}

UdpOptions options_from(Input& input) {
  UdpOptions options;
  options.reply_ratio = input.take(1) % 101;
  options.rate_per_source = {.events = input.take(2), .burst = input.take(2)};
  options.source_port_min = static_cast<std::uint16_t>(input.take(2));
  return options;
}

Arrival arrival_from(Input& input) {
  const auto text = source_text(input.take(1));
  const auto port = static_cast<std::uint16_t>(input.take(2));
  const auto flags = input.take(1);
  return {.from = SocketAddress::parse(text, port).value(),
          .bytes = input.take(2),
          .truncated = flags % 16 == 1,
          .from_ourselves = flags % 16 == 2};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({data, size});
  const UdpOptions options = options_from(input);
  const std::uint32_t seed = input.take(4);
  UdpFilter filter(options, seed, seed % 16 + 1);  // so few that sources are forgotten
  std::map<std::string, Account> ledger;
  TimePoint now{std::chrono::hours(1)};
  while (!input.at_end()) {
    now += Duration(input.take(4));
    const Arrival arrival = arrival_from(input);
    Account& account = ledger[network_of(arrival.from)];
    if (filter.judge(arrival, now) == UdpVerdict::kPass) {
      SSX_ASSERT(!arrival.truncated && !arrival.from_ourselves);
      SSX_ASSERT(arrival.bytes > 0);
      SSX_ASSERT(arrival.from.port() != 0);
      SSX_ASSERT(arrival.from.port() >= options.source_port_min, arrival.from.port());
      account.in += arrival.bytes;
    }
    for (auto replies = input.take(1) % 4; replies > 0; --replies) {
      const std::size_t bytes = input.take(3);
      if (filter.may_send(arrival.from, bytes)) account.out += bytes;
    }
    const bool has_limit = options.reply_ratio != 0;
    SSX_ASSERT(!has_limit || account.out <= account.in * options.reply_ratio, account.out);
  }
  return 0;
}

// K13: what proxies say about clients. The first byte of the input chooses: a header of the PROXY
// protocol, or the fields of a request. However it is cut, a header is read the same, never beyond
// its bound; and the client of a request is one that a chain of trusted proxies names.
#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "http/forwarded.h"
#include "http/request_parser.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/proxy_header.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx::http;
using ssx::net::ProxyHeader;
using ssx::net::SocketAddress;
using ssx::net::TrustedProxies;
using Progress = ProxyHeader::Progress;

bool is_same(const ProxyHeader& a, const ProxyHeader& b) {
  return a.progress == b.progress && a.size == b.size && a.client == b.client &&
         a.server == b.server;
}

void check_header(std::string_view bytes) {
  const ProxyHeader whole = ssx::net::parse_proxy_header(ssx::as_bytes(bytes));
  if (whole.progress == Progress::kDone) {
    SSX_ASSERT(whole.size <= bytes.size());
    SSX_ASSERT(whole.size <= ProxyHeader::kV2Max);
    SSX_ASSERT(whole.client.has_value() == whole.server.has_value());
    SSX_ASSERT(!whole.client || !whole.client->bytes().empty());
    // What follows does not matter, and nothing of the header was superfluous.
    const auto alone = ssx::net::parse_proxy_header(ssx::as_bytes(bytes.substr(0, whole.size)));
    SSX_ASSERT(is_same(alone, whole));
    const auto less = ssx::net::parse_proxy_header(ssx::as_bytes(bytes.substr(0, whole.size - 1)));
    SSX_ASSERT(less.progress == Progress::kNeedMore);
  } else {
    SSX_ASSERT(!whole.client && !whole.server && whole.size == 0);
  }
  SSX_ASSERT(whole.progress != Progress::kNeedMore || bytes.size() < ProxyHeader::kV2Max);
  for (const auto& pieces : ssx::fuzz::splits(bytes)) {
    std::string seen;
    ProxyHeader in_pieces;
    for (const std::string_view piece : pieces) {
      seen += piece;
      in_pieces = ssx::net::parse_proxy_header(ssx::as_bytes(seen));
      if (in_pieces.progress != Progress::kNeedMore) break;
    }
    SSX_ASSERT(is_same(in_pieces, whole) || in_pieces.progress == whole.progress);
  }
}

const SocketAddress kProxy = *SocketAddress::parse("10.0.0.1", 1);
const SocketAddress kStranger = *SocketAddress::parse("192.0.2.9", 1);

// Written a second time, slowly, with regular expressions.
std::optional<SocketAddress> read_node_slowly(const std::string& text) {
  static const std::regex kV4(R"((\d+\.\d+\.\d+\.\d+)(?::(_[A-Za-z0-9._-]+|\d{1,5}))?)");
  static const std::regex kV6(R"(([0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*))");
  static const std::regex kBracketed(
      R"(\[([0-9a-fA-F.]*:[0-9a-fA-F:.]*)\](?::(_[A-Za-z0-9._-]+|\d{1,5}))?)");
  std::smatch match;
  if (!std::regex_match(text, match, kV4) && !std::regex_match(text, match, kV6) &&
      !std::regex_match(text, match, kBracketed)) {
    return std::nullopt;
  }
  const std::string port = match.size() > 2 ? match[2].str() : "";
  if (!port.empty() && port[0] != '_' && std::stoul(port) > 65535) return std::nullopt;
  const auto address = SocketAddress::parse(match[1].str(), 0);
  return address ? std::optional(address->unmapped()) : std::nullopt;
}

// The members of all lines, from the last to the first.
SocketAddress walk_slowly(const std::vector<std::string>& members, const TrustedProxies& proxies) {
  SocketAddress client = kProxy.with_port(0);
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const auto address = read_node_slowly(*member);
    if (!proxies.contains(client) || !address) break;
    client = *address;
  }
  return client;
}

std::vector<std::string> members_of(const Fields& fields) {
  std::vector<std::string> members;
  for (const Field field : fields) {
    if (field.id != FieldName::kXForwardedFor) continue;
    ssx::for_each_part(field.value, ',', [&members](std::string_view part) {
      members.emplace_back(ssx::trim(part));
    });
  }
  return members;
}

void check_fields(RealIpHeader header, std::string_view bytes) {
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(bytes) + "\r\n\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  if (parser.parse(request, head).progress != ssx::http::Progress::kDone) return;
  const ProxyTrust nobody{TrustedProxies(), header};
  const ProxyTrust some{*TrustedProxies::create({"10.0.0.0/8", "2001:db8::/32"}), header};
  SSX_ASSERT(client_address(kProxy, head.fields, nobody) == kProxy);
  SSX_ASSERT(client_address(kStranger, head.fields, some) == kStranger);
  SSX_ASSERT(!forwarded_proto(kStranger, head.fields, some));
  SSX_ASSERT(!forwarded_host(kStranger, head.fields, some));
  const SocketAddress client = client_address(kProxy, head.fields, some);
  SSX_ASSERT(!client.bytes().empty());
  SSX_ASSERT(client == client.unmapped());
  if (const auto host = forwarded_host(kProxy, head.fields, some)) {
    SSX_ASSERT(host->find_first_of(" \t\r\n\"\\/@,;") == host->npos);
  }
  (void)forwarded_proto(kProxy, head.fields, some);
  if (header != RealIpHeader::kXForwardedFor) return;
  auto members = members_of(head.fields);
  if (members.size() > kHopsMax) return;  // it does not walk so far
  std::erase(members, "");
  const SocketAddress slow = walk_slowly(members, some.proxies);
  SSX_ASSERT(client.with_port(0) == slow, client.to_string(), slow.to_string());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = ssx::fuzz::text(data + 1, size - 1);
  switch (data[0]) {
    case 'f':
      check_fields(RealIpHeader::kForwarded, "Forwarded: " + std::string(bytes));
      break;
    case 'x':
      check_fields(RealIpHeader::kXForwardedFor, "X-Forwarded-For: " + std::string(bytes));
      break;
    case 'r':
      check_fields(RealIpHeader::kXRealIp, "X-Real-IP: " + std::string(bytes));
      break;
    default:
      check_header(bytes);
  }
  return 0;
}

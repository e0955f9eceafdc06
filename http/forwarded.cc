#include "http/forwarded.h"

#include <algorithm>
#include <array>

#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

using net::SocketAddress;

/// The members of a list, of which a long one keeps its last kHopsMax.
class LastMembers {
 public:
  void add(std::string_view member) noexcept { members_[count_++ % kHopsMax] = trim(member); }
  [[nodiscard]] std::size_t size() const noexcept { return std::min(count_, kHopsMax); }
  [[nodiscard]] bool has_lost_some() const noexcept { return count_ > kHopsMax; }
  /// From the right, beginning with 0.
  [[nodiscard]] std::string_view from_right(std::size_t index) const noexcept {
    return members_[(count_ - 1 - index) % kHopsMax];
  }

 private:
  std::array<std::string_view, kHopsMax> members_;
  std::size_t count_ = 0;
};

/// Calls visit(part) for each part between separators that stand outside of quoted strings
/// (RFC 9110 5.6.4). False: a quoted string does not end.
template <class Visit>
bool for_each_unquoted(std::string_view text, char separator, Visit&& visit) {
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (text[i] == separator && !is_quoted) {
      visit(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  visit(text.substr(begin));
  return !is_quoted;
}

/// What is between the quotes; nothing when the value has escapes, which no address needs.
std::optional<std::string_view> unquote(std::string_view value) noexcept {
  if (!value.starts_with('"'))
    return value.find('"') == value.npos ? std::optional(value) : std::nullopt;
  if (value.size() < 2 || !value.ends_with('"')) return std::nullopt;
  const auto inside = value.substr(1, value.size() - 2);
  return inside.find_first_of("\"\\") == inside.npos ? std::optional(inside) : std::nullopt;
}

struct Element {
  std::string_view node;
  std::string_view proto;
  std::string_view host;
};

// RFC 7239 4: forwarded-pair *( ";" forwarded-pair ), each name once.
std::optional<Element> parse_element(std::string_view text) noexcept {
  Element element;
  bool is_good = true;
  const bool ends = for_each_unquoted(text, ';', [&element, &is_good](std::string_view pair) {
    const auto equals = pair.find('=');
    if (equals == pair.npos) {
      is_good = is_good && trim(pair).empty();
      return;
    }
    const auto name = trim(pair.substr(0, equals));
    std::string_view* const into = ascii_iequals(name, "for")     ? &element.node
                                   : ascii_iequals(name, "proto") ? &element.proto
                                   : ascii_iequals(name, "host")  ? &element.host
                                                                  : nullptr;
    if (into == nullptr) return;
    const auto value = unquote(trim(pair.substr(equals + 1)));
    is_good = is_good && value && into->empty();
    if (value) *into = *value;
  });
  return ends && is_good ? std::optional(element) : std::nullopt;
}

// RFC 7239 6.3: "_" and at least one letter, digit, ".", "_" or "-".
bool is_obfuscated(std::string_view text) noexcept {
  return text.size() > 1 && text.front() == '_' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '.' || c == '_' || c == '-';
         });
}

// RFC 7239 6.2: digits, or an obfuscated name, which is no number.
std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  if (is_obfuscated(text)) return std::uint16_t{0};
  const auto number = text.size() <= 5 ? parse_uint(text) : std::nullopt;
  if (!number || *number > UINT16_MAX) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::optional<SocketAddress> parse_ip(std::string_view ip, std::string_view port) noexcept {
  const auto number = port.empty() ? std::optional(std::uint16_t{0}) : parse_port(port);
  if (!number || ip.find('%') != ip.npos) return std::nullopt;  // zones are the proxy's own
  const auto address = SocketAddress::parse(ip, *number);
  return address ? std::optional(address->unmapped()) : std::nullopt;
}

/// "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:80", and without brackets where
/// there is no port.
std::optional<SocketAddress> parse_node(std::string_view text) noexcept {
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == text.npos) return std::nullopt;
    const auto behind = text.substr(close + 1);
    if (!behind.empty() && (behind.front() != ':' || behind.size() == 1)) return std::nullopt;
    const auto ip = text.substr(1, close - 1);
    if (ip.find(':') == ip.npos) return std::nullopt;  // brackets are for IPv6
    return parse_ip(ip, behind.empty() ? behind : behind.substr(1));
  }
  const auto colon = text.find(':');
  const bool is_v6 = colon != text.npos && text.find(':', colon + 1) != text.npos;
  if (is_v6 || colon == text.npos) return parse_ip(text, {});
  if (colon + 1 == text.size()) return std::nullopt;
  return parse_ip(text.substr(0, colon), text.substr(colon + 1));
}

/// Where the walk has ended.
struct Hop {
  SocketAddress client;
  Element element;  ///< what the last trusted proxy has said of that client; of Forwarded only
};

class Walk {
 public:
  Walk(const SocketAddress& peer, const ProxyTrust& trust) noexcept
      : trust_(trust), hop_{peer, {}} {}

  /// One field line; false when the walk has ended.
  bool take_line(std::string_view line) noexcept {
    const bool is_forwarded = trust_.header == RealIpHeader::kForwarded;
    LastMembers members;
    const auto add = [&members](std::string_view member) { members.add(member); };
    if (!is_forwarded) {
      for_each_part(line, ',', add);
    } else if (!for_each_unquoted(line, ',', add)) {
      return false;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      // RFC 9110 5.6.1: empty members do not count.
      if (!members.from_right(i).empty() && !take(members.from_right(i), is_forwarded))
        return false;
    }
    return !members.has_lost_some();
  }
  [[nodiscard]] const Hop& hop() const noexcept { return hop_; }

 private:
  bool take(std::string_view member, bool is_forwarded) noexcept {
    std::string_view node = member;
    if (is_forwarded) {
      const auto element = parse_element(member);
      if (!element) return false;
      hop_.element = *element;
      node = element->node;
    }
    const auto address = parse_node(node);
    if (!address) return false;
    hop_.client = *address;
    return ++steps_ < kHopsMax && trust_.proxies.contains(*address);
  }

  const ProxyTrust& trust_;
  Hop hop_;
  std::size_t steps_ = 0;
};

FieldName name_of(RealIpHeader header) noexcept {
  switch (header) {
    case RealIpHeader::kXForwardedFor:
      return FieldName::kXForwardedFor;
    case RealIpHeader::kForwarded:
      return FieldName::kForwarded;
    case RealIpHeader::kXRealIp:
      return FieldName::kXRealIp;
    case RealIpHeader::kNone:
      break;
  }
  return FieldName::kOther;
}

// The peer is trusted.
Hop walk_back(const SocketAddress& peer, const Fields& fields, const ProxyTrust& trust) noexcept {
  const FieldName name = name_of(trust.header);
  Walk walk(peer, trust);
  if (name == FieldName::kOther || !fields.contains(name)) return walk.hop();
  for (std::size_t i = fields.size(); i > 0; --i) {
    const Field field = fields[i - 1];
    if (field.id != name) continue;
    if (trust.header == RealIpHeader::kXRealIp) {  // one address, not a list: the last line's
      return {parse_node(field.value).value_or(peer), {}};
    }
    if (!walk.take_line(field.value)) break;
  }
  return walk.hop();
}

std::string_view last_member(const Fields& fields, FieldName name) noexcept {
  std::string_view last;
  for (std::size_t i = fields.next(name, 0); i < fields.size(); i = fields.next(name, i + 1)) {
    const auto value = fields[i].value;
    const auto comma = value.rfind(',');
    last = trim(comma == value.npos ? value : value.substr(comma + 1));
  }
  return last;
}

// One of the element or, where X-Forwarded-For is read, of a field beside it.
std::string_view said(const SocketAddress& peer, const Fields& fields, const ProxyTrust& trust,
                      std::string_view Element::*member, FieldName beside) noexcept {
  if (trust.header == RealIpHeader::kNone || !trust.proxies.contains(peer)) return {};
  if (trust.header != RealIpHeader::kForwarded) return last_member(fields, beside);
  return walk_back(peer, fields, trust).element.*member;
}

constexpr std::string_view kHostBytes =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:[]";

}  // namespace

SocketAddress client_address(const SocketAddress& peer, const Fields& fields,
                             const ProxyTrust& trust) noexcept {
  return trust.proxies.contains(peer) ? walk_back(peer, fields, trust).client : peer;
}

std::optional<std::string_view> forwarded_proto(const SocketAddress& peer, const Fields& fields,
                                                const ProxyTrust& trust) noexcept {
  const auto proto = said(peer, fields, trust, &Element::proto, FieldName::kXForwardedProto);
  if (ascii_iequals(proto, "https")) return "https";
  if (ascii_iequals(proto, "http")) return "http";
  return std::nullopt;
}

std::optional<std::string_view> forwarded_host(const SocketAddress& peer, const Fields& fields,
                                               const ProxyTrust& trust) noexcept {
  const auto host = said(peer, fields, trust, &Element::host, FieldName::kXForwardedHost);
  const bool is_good = !host.empty() && host.find_first_not_of(kHostBytes) == host.npos;
  return is_good ? std::optional(host) : std::nullopt;
}

}  // namespace ssx::http

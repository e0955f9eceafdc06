#include "ssxrver/net/socks5.h"

#include <cerrno>
#include <utility>

#include "ssxrver/net/socket_address.h"

namespace ssx::net {
namespace {

using Progress = TunnelStep::Progress;

constexpr char kVersion = 5;
constexpr char kLoginVersion = 1;
constexpr char kConnect = 1;
constexpr char kNoLogin = 0;
constexpr char kWithLogin = 2;
enum : char { kIpv4 = 1, kName = 3, kIpv6 = 4 };

bool is_octet_string(std::string_view text) noexcept { return !text.empty() && text.size() <= 255; }

void append_counted(std::string& out, std::string_view text) {
  out.push_back(static_cast<char>(text.size()));
  out.append(text);
}

// RFC 1928 6.
Error reply_error(char reply) noexcept {
  constexpr const char* kWhere = "socks5 proxy";
  switch (reply) {
    case 3:
      return Error::from_errno(ENETUNREACH, kWhere);
    case 4:
      return Error::from_errno(EHOSTUNREACH, kWhere);
    case 5:
      return Error::from_errno(ECONNREFUSED, kWhere);
    case 6:
      return Error::from_errno(ETIMEDOUT, kWhere);
    default:
      return {Errc::kProxyRefused, kWhere};
  }
}

}  // namespace

Result<Socks5> Socks5::create(std::string_view host, std::uint16_t port, std::string_view user,
                              std::string_view password) {
  if (!is_octet_string(host)) return fail(Errc::kBadAddress, "socks5");
  Socks5 made;
  if (const auto literal = SocketAddress::parse(host, port)) {
    made.address_.push_back(literal->family() == SocketAddress::Family::kIpv4 ? kIpv4 : kIpv6);
    for (const std::uint8_t byte : literal->bytes())
      made.address_.push_back(static_cast<char>(byte));
  } else {
    made.address_.push_back(kName);
    append_counted(made.address_, host);
  }
  made.address_.push_back(static_cast<char>(port >> 8));
  made.address_.push_back(static_cast<char>(port & 0xFF));
  if (user.empty()) return made;
  if (!is_octet_string(user) || !is_octet_string(password))
    return fail(ssx::Errc::kInvalidArgument, "socks5");
  made.login_.push_back(kLoginVersion);
  append_counted(made.login_, user);
  append_counted(made.login_, password);
  return made;
}

void Socks5::begin(std::string& out) {
  out.push_back(kVersion);
  out.push_back(login_.empty() ? 1 : 2);
  out.push_back(kNoLogin);
  if (!login_.empty()) out.push_back(kWithLogin);
}

TunnelStep Socks5::feed(std::string_view bytes, std::string& out) {
  std::size_t consumed = 0;
  TunnelStep step;
  do {
    const std::string_view rest = bytes.substr(consumed);
    switch (state_) {
      case State::kMethod:
        step = take_method(rest, out);
        break;
      case State::kLogin:
        step = take_login(rest, out);
        break;
      case State::kReply:
        step = take_reply(rest);
        break;
      case State::kOver:
        step = {Progress::kDone};
        break;
    }
    consumed += step.consumed;
  } while (step.progress == Progress::kNeedMore && step.consumed > 0);
  step.consumed = consumed;
  return step;
}

TunnelStep Socks5::failed(const Error& error) {
  state_ = State::kOver;
  return {Progress::kFailed, 0, error};
}

void Socks5::ask(std::string& out) {
  out.push_back(kVersion);
  out.push_back(kConnect);
  out.push_back(0);
  out.append(address_);
  state_ = State::kReply;
}

// RFC 1928 3: version, method.
TunnelStep Socks5::take_method(std::string_view bytes, std::string& out) {
  if (!bytes.empty() && bytes[0] != kVersion) return failed({Errc::kBadProxyAnswer, "socks5"});
  if (bytes.size() < 2) return {};
  if (bytes[1] == kWithLogin && !login_.empty()) {
    out.append(login_);
    state_ = State::kLogin;
  } else if (bytes[1] == kNoLogin) {
    ask(out);
  } else {
    return failed({Errc::kProxyLogin, "socks5"});
  }
  return {Progress::kNeedMore, 2};
}

// RFC 1929 2: version, status.
TunnelStep Socks5::take_login(std::string_view bytes, std::string& out) {
  if (!bytes.empty() && bytes[0] != kLoginVersion) return failed({Errc::kBadProxyAnswer, "socks5"});
  if (bytes.size() < 2) return {};
  if (bytes[1] != 0) return failed({Errc::kProxyLogin, "socks5"});
  ask(out);
  return {Progress::kNeedMore, 2};
}

// RFC 1928 6: version, reply, 0, and the address that the proxy uses, which nobody needs.
TunnelStep Socks5::take_reply(std::string_view bytes) {
  if (!bytes.empty() && bytes[0] != kVersion) return failed({Errc::kBadProxyAnswer, "socks5"});
  if (bytes.size() < 2) return {};
  if (bytes[1] != 0) return failed(reply_error(bytes[1]));
  if (bytes.size() < 5) return {};
  std::size_t size = 0;
  switch (bytes[3]) {
    case kIpv4:
      size = 4 + 4 + 2;
      break;
    case kIpv6:
      size = 4 + 16 + 2;
      break;
    case kName:
      size = 5 + static_cast<unsigned char>(bytes[4]) + std::size_t{2};
      break;
    default:
      return failed({Errc::kBadProxyAnswer, "socks5"});
  }
  if (bytes.size() < size) return {};
  state_ = State::kOver;
  return {Progress::kDone, size};
}

}  // namespace ssx::net

#include "http/origin.h"

#include <algorithm>

#include "http/target.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

// RFC 3986 3.1.
bool is_scheme(std::string_view text) noexcept {
  const auto is_alpha = [](char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; };
  return !text.empty() && is_alpha(text.front()) &&
         std::all_of(text.begin(), text.end(), [is_alpha](char c) {
           return is_alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

std::uint16_t usual_port(std::string_view scheme) noexcept {
  if (ascii_iequals(scheme, "http") || ascii_iequals(scheme, "ws")) return 80;
  if (ascii_iequals(scheme, "https") || ascii_iequals(scheme, "wss")) return 443;
  return 0;
}

}  // namespace

std::optional<Origin> Origin::parse(std::string_view text) noexcept {
  const auto colon = text.find("://");
  if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon))) return std::nullopt;
  Authority authority;
  if (parse_authority(text.substr(colon + 3), authority) != Errc::kOk) return std::nullopt;
  const std::string_view scheme = text.substr(0, colon);
  const std::uint16_t port = authority.port == 0 ? usual_port(scheme) : authority.port;
  return Origin{scheme, authority.host, port};
}

bool operator==(const Origin& left, const Origin& right) noexcept {
  return left.port == right.port && ascii_iequals(left.scheme, right.scheme) &&
         ascii_iequals(left.host, right.host);
}

bool is_origin_of(const Origin& origin, std::string_view host_field, bool secure) noexcept {
  const bool is_https = ascii_iequals(origin.scheme, "https");
  if (!is_https && (secure || !ascii_iequals(origin.scheme, "http"))) return false;
  Authority host;
  if (parse_authority(host_field, host) != Errc::kOk) return false;
  const std::uint16_t port = host.port == 0 ? usual_port(origin.scheme) : host.port;
  return port == origin.port && ascii_iequals(host.host, origin.host);
}

}  // namespace ssx::http

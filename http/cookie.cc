#include "http/cookie.h"

#include <algorithm>

#include "http/date.h"
#include "http/field_rules.h"
#include "http/target.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr auto npos = std::string_view::npos;

// RFC 6265bis 4.1.1
bool is_cookie_octet(char byte) noexcept {
  return byte > 0x20 && byte < 0x7F && byte != '"' && byte != ',' && byte != ';' && byte != '\\';
}
bool is_attribute_byte(char byte) noexcept { return byte >= 0x20 && byte < 0x7F && byte != ';'; }

bool has_prefix(std::string_view name, std::string_view prefix) noexcept {
  return name.size() >= prefix.size() && ascii_iequals(name.substr(0, prefix.size()), prefix);
}

bool is_domain(std::string_view domain) noexcept {
  Authority authority;
  return domain.size() <= SetCookie::kAttributeMax && !domain.starts_with('.') &&
         parse_authority(domain, authority) == Errc::kOk && authority.host == domain;
}

bool is_path(std::string_view path) noexcept {
  return path.starts_with('/') && path.size() <= SetCookie::kAttributeMax &&
         std::ranges::all_of(path, is_attribute_byte);
}

bool is_allowed(const SetCookie& cookie) noexcept {
  if (!is_token(cookie.name) || !std::ranges::all_of(cookie.value, is_cookie_octet)) return false;
  if (cookie.name.size() + cookie.value.size() > SetCookie::kPairMax) return false;
  if (!cookie.path.empty() && !is_path(cookie.path)) return false;
  if (!cookie.domain.empty() && !is_domain(cookie.domain)) return false;
  const bool needs_secure = cookie.same_site == SameSite::kNone || cookie.partitioned ||
                            has_prefix(cookie.name, "__Secure-") ||
                            has_prefix(cookie.name, "__Host-");
  if (needs_secure && !cookie.secure) return false;
  // RFC 6265bis 4.1.3.2, whatever the case of the prefix (5.4).
  return !has_prefix(cookie.name, "__Host-") || (cookie.path == "/" && cookie.domain.empty());
}

std::string_view to_text(SameSite same_site) noexcept {
  switch (same_site) {
    case SameSite::kUnset:
      return "";
    case SameSite::kStrict:
      return "; SameSite=Strict";
    case SameSite::kLax:
      return "; SameSite=Lax";
    case SameSite::kNone:
      return "; SameSite=None";
  }
  return "";
}

}  // namespace

Result<Cookies> Cookies::parse(std::string_view field_value, std::size_t pairs_max) noexcept {
  Cookies cookies;
  cookies.text_ = field_value;
  std::size_t count = 0;
  for (auto pair = cookies.begin(); pair != end(); ++pair) ++count;
  if (count > pairs_max) return fail(Errc::kTooManyCookies, "Cookies::parse");
  return cookies;
}

std::optional<std::string_view> Cookies::find(std::string_view name) const noexcept {
  for (const Pair& pair : *this) {
    if (pair.name == name) return pair.value;
  }
  return std::nullopt;
}

Cookies::Iterator& Cookies::Iterator::operator++() noexcept {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find(';'), rest_.size());
    const std::string_view part = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    const std::size_t equals = part.find('=');
    if (equals == npos) continue;
    pair_ = {trim(part.substr(0, equals)), trim(part.substr(equals + 1))};
    // "=__Host-a=b" would be taken for a cookie with a prefix by who splits later than we do (5.4).
    if (!pair_.name.empty()) return *this;
  }
  is_end_ = true;
  return *this;
}

Result<std::string> SetCookie::text() const {
  if (!is_allowed(*this)) return fail(Errc::kBadCookie, "SetCookie::text");
  std::string out = name + '=' + value;
  if (!path.empty()) out.append("; Path=").append(path);
  if (!domain.empty()) out.append("; Domain=").append(domain);
  if (max_age) out.append("; Max-Age=").append(std::to_string(max_age->count()));
  if (expires) {
    const auto since = std::chrono::floor<std::chrono::seconds>(expires->time_since_epoch());
    out.append("; Expires=").append(view(format_date(since.count())));
  }
  if (secure) out.append("; Secure");
  if (http_only) out.append("; HttpOnly");
  out.append(to_text(same_site));
  if (partitioned) out.append("; Partitioned");
  return out;
}

}  // namespace ssx::http

#include "http/url.h"

#include <algorithm>

#include "http/scan.h"
#include "http/target.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_alpha(char byte) noexcept {
  const char lower = ascii_lower(byte);
  return lower >= 'a' && lower <= 'z';
}
bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }
bool is_hex(char byte) noexcept {
  const char lower = ascii_lower(byte);
  return is_digit(byte) || (lower >= 'a' && lower <= 'f');
}

// The size of "scheme" in "scheme:...", npos when the text begins with none (RFC 3986 3.1).
std::size_t scheme_size(std::string_view text) noexcept {
  if (text.empty() || !is_alpha(text[0])) return npos;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':') return i;
    const bool is_inside = is_alpha(text[i]) || is_digit(text[i]) || text[i] == '+' ||
                           text[i] == '-' || text[i] == '.';
    if (!is_inside) return npos;
  }
  return npos;
}

// Resolvers read "127.1", "0x7f000001" and "017700000001" as addresses, so a host that ends in a
// number must be an address in the one form that everybody reads alike (RFC 3986 3.2.2).
bool is_ambiguous_number(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  const bool is_hexadecimal = last.size() >= 2 && last[0] == '0' && ascii_lower(last[1]) == 'x' &&
                              std::ranges::all_of(last.substr(2), is_hex);
  if (!is_hexadecimal && !std::ranges::all_of(last, is_digit)) return false;
  int groups = 0;
  bool is_address = true;
  for_each_part(host, '.', [&groups, &is_address](std::string_view part) {
    const auto value = parse_uint(part);
    const bool leading_zero = part.size() > 1 && part.front() == '0';
    is_address = is_address && value.has_value() && *value <= 255 && !leading_zero;
    ++groups;
  });
  return !is_address || groups != 4;
}

// RFC 3986 5.2.4: ".." above the root goes, empty segments stay. `path` begins with "/".
void append_without_dot_segments(std::string& out, std::string_view path) {
  const std::size_t root = out.size();
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, slash);
    const bool is_last = slash == path.size();
    path.remove_prefix(slash);
    if (segment == "..") {
      const std::size_t before = out.rfind('/');
      if (before != std::string::npos && before >= root) out.resize(before);
    } else if (segment != ".") {
      out.append(1, '/').append(segment);
      continue;
    }
    if (is_last) out += '/';
  }
  if (out.size() == root) out += '/';
}

struct Parts {
  std::string_view path;
  std::string_view query;  // with its "?"
};

// What stands behind the authority, without the fragment.
Parts split_path(std::string_view text) noexcept {
  text = text.substr(0, text.find('#'));
  const std::size_t question = std::min(text.find('?'), text.size());
  return {text.substr(0, question), text.substr(question)};
}

// The bytes of a URI, and of one "#" before the fragment, which nobody will see.
Errc check_bytes(std::string_view text) noexcept {
  text = text.substr(0, text.find('#'));
  const char* const last = text.data() + text.size();
  if (skip_target(best_isa(), text.data(), last) != last) return Errc::kBadUrl;
  for (std::size_t at = text.find('%'); at != npos; at = text.find('%', at + 3)) {
    const bool is_escape = text.size() - at >= 3 && is_hex(text[at + 1]) && is_hex(text[at + 2]);
    if (!is_escape) return Errc::kBadEscape;
  }
  return Errc::kOk;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  if (text.size() > kSizeMax) return fail(Errc::kUrlTooLong, "Url::parse");
  const std::size_t colon = scheme_size(text);
  if (colon == npos) return fail(Errc::kBadUrl, "Url::parse");
  const std::string_view scheme = text.substr(0, colon);
  const bool secure = ascii_iequals(scheme, "https");
  if (!secure && !ascii_iequals(scheme, "http")) {
    return fail(Errc::kUnsupportedScheme, "Url::parse");
  }
  if (const Errc code = check_bytes(text); code != Errc::kOk) return fail(code, "Url::parse");
  text.remove_prefix(colon + 1);
  if (!text.starts_with("//")) return fail(Errc::kBadUrl, "Url::parse");
  text.remove_prefix(2);

  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  Authority authority;
  if (parse_authority(text.substr(0, end), authority) != Errc::kOk ||
      authority.host.size() > kHostMax ||
      (!authority.host.starts_with('[') && is_ambiguous_number(authority.host))) {
    return fail(Errc::kBadUrl, "Url::parse");
  }

  Url url;
  const std::uint16_t usual = secure ? 443 : 80;
  url.port_ = authority.port == 0 ? usual : authority.port;
  url.text_ = secure ? "https://" : "http://";
  for (const char byte : authority.host) url.text_ += ascii_lower(byte);
  if (url.port_ != usual) url.text_.append(1, ':').append(std::to_string(url.port_));
  url.origin_size_ = url.text_.size();
  const Parts parts = split_path(text.substr(end));
  append_without_dot_segments(url.text_, parts.path);
  url.text_.append(parts.query);
  if (url.text_.size() > kSizeMax) return fail(Errc::kUrlTooLong, "Url::parse");
  return url;
}

Result<Url> Url::resolve(std::string_view reference) const {
  if (reference.size() > kSizeMax) return fail(Errc::kUrlTooLong, "Url::resolve");
  if (scheme_size(reference) != npos) return parse(reference);
  if (reference.starts_with("//"))
    return parse(std::string(scheme()) + ':' + std::string(reference));

  const Parts parts = split_path(reference);
  std::string whole(origin());
  if (parts.path.starts_with('/')) {
    whole.append(parts.path).append(parts.query);
  } else if (!parts.path.empty()) {
    // RFC 3986 5.2.3: behind everything of our path up to its last "/".
    whole.append(path().substr(0, path().rfind('/') + 1)).append(parts.path).append(parts.query);
  } else {
    whole.append(parts.query.empty() ? target() : path()).append(parts.query);
  }
  return parse(whole);
}

std::string_view Url::host() const noexcept {
  const std::string_view whole = authority();
  if (whole.starts_with('[')) return whole.substr(1, whole.find(']') - 1);
  return whole.substr(0, whole.find(':'));
}

std::string_view Url::query() const noexcept {
  const std::size_t question = target().find('?');
  return question == npos ? std::string_view() : target().substr(question + 1);
}

}  // namespace ssx::http

#include "http/target.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "http/scan.h"
#include "http/scan_inline.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/base/utf8.h"

namespace ssx::http {
namespace {

constexpr std::uint8_t kNoDigit = 16;

constexpr std::array<std::uint8_t, 256> kHexDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (unsigned i = 0; i < 16; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    digits[static_cast<unsigned char>("0123456789abcdef"[i])] = value;
    digits[static_cast<unsigned char>("0123456789ABCDEF"[i])] = value;
  }
  return digits;
}();

// The byte that the escape at `at` stands for; false when it is none.
bool read_escape(std::string_view text, std::size_t at, char& byte) noexcept {
  if (text.size() - at < 3) return false;
  const unsigned high = kHexDigits[static_cast<unsigned char>(text[at + 1])];
  const unsigned low = kHexDigits[static_cast<unsigned char>(text[at + 2])];
  if (high == kNoDigit || low == kNoDigit) return false;
  byte = static_cast<char>(high << 4 | low);
  return true;
}

// Decodes a path byte by byte into `emit`, and refuses what normalise_path refuses.
template <class Emit>
Errc decode_path(std::string_view path, Emit&& emit) noexcept {
  Utf8Steps utf8;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char byte = path[i];
    const bool escaped = byte == '%';
    if (escaped) {
      if (!read_escape(path, i, byte)) return Errc::kBadEscape;
      i += 2;
    }
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x20 || value == 0x7F) return Errc::kEncodedControl;
    if (byte == '\\' || (byte == '/' && escaped)) return Errc::kEncodedSlash;
    if (!utf8.take(byte)) return Errc::kBadUtf8;
    emit(byte);
  }
  return utf8.complete() ? Errc::kOk : Errc::kBadUtf8;
}

// How deep below the root a path is, for check_path: the walk of remove_dot_segments without
// the bytes.
class Depth {
 public:
  void take(char byte) noexcept {
    if (byte == '/') return end_segment();
    ++size_;
    if (byte == '.') ++dots_;
  }
  void end_segment() noexcept {
    if (dots_ == size_ && size_ == 2) {
      above_root_ = above_root_ || depth_ == 0;
      --depth_;
    } else if (size_ != 0 && !(dots_ == size_ && size_ == 1)) {
      ++depth_;
    }
    size_ = dots_ = 0;
  }
  [[nodiscard]] bool above_root() const noexcept { return above_root_; }

 private:
  std::size_t size_ = 0;
  std::size_t dots_ = 0;
  std::int64_t depth_ = 0;
  bool above_root_ = false;
};

// True for most paths of most peers: nothing to decode, nothing to remove, nothing to refuse.
bool is_normal(std::string_view path) noexcept {
  const Isa isa = best_isa();
  const char* const last = path.data() + path.size();
  return skip_target(isa, path.data(), last) == last && is_plain_path(isa, path.data(), last) &&
         path.find('%') == std::string_view::npos;
}

bool consume_scheme(std::string_view& text, std::string_view scheme) noexcept {
  if (text.size() < scheme.size() || !ascii_iequals(text.substr(0, scheme.size()), scheme)) {
    return false;
  }
  text.remove_prefix(scheme.size());
  return true;
}

// http://authority/path (RFC 9112 3.2.2)
Errc split_absolute(std::string_view text, Method method, Target& target) noexcept {
  target.form = TargetForm::kAbsolute;
  target.secure = consume_scheme(text, "https://");
  if (!target.secure && !consume_scheme(text, "http://")) return Errc::kBadTarget;
  const std::size_t slash = text.find('/');
  target.authority = text.substr(0, slash);
  Authority authority;
  if (parse_authority(target.authority, authority) != Errc::kOk) return Errc::kBadTarget;
  if (slash != std::string_view::npos) {
    target.path = text.substr(slash);
  } else {
    // OPTIONS http://host is how a proxy asks for OPTIONS * (RFC 9112 3.2.4).
    target.path = method == Method::kOptions && !target.has_query ? "*" : "/";
  }
  return Errc::kOk;
}

// 0 for a byte that is in no host name, kDot for ".", 1 for the others.
constexpr std::uint8_t kDot = 2;
constexpr std::array<std::uint8_t, 256> kHostBytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  for (unsigned i = 0; i < bytes.size(); ++i) {
    const bool alnum = (i >= '0' && i <= '9') || (i >= 'A' && i <= 'Z') || (i >= 'a' && i <= 'z');
    bytes[i] =
        i == '.' ? kDot : static_cast<std::uint8_t>(alnum || i == '-' || i == '_' || i == '~');
  }
  return bytes;
}();

// "host" or "1.2.3.4" at the start of `text`: its size, 0 when there is none. No label is empty,
// since "a..b" names nothing; the root's own dot at the end is legal.
std::size_t name_size(std::string_view text) noexcept {
  unsigned equal_neighbours = 0;
  unsigned before = kDot;
  std::size_t size = 0;
  for (; size < text.size(); ++size) {
    const unsigned kind = kHostBytes[static_cast<unsigned char>(text[size])];
    if (kind == 0) break;
    equal_neighbours |= kind & before;
    before = kind;
  }
  return (equal_neighbours & kDot) == 0 ? size : 0;
}

// 1 to 5 digits, 1 to 65535; 0 for everything else.
std::uint16_t read_port(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5) return 0;
  unsigned value = 0;
  for (const char byte : text) {
    if (byte < '0' || byte > '9') return 0;
    value = value * 10 + static_cast<unsigned>(byte - '0');
  }
  return value <= 65535 ? static_cast<std::uint16_t>(value) : std::uint16_t{0};
}

// h16, or the IPv4 tail of an IPv6 address: the bytes it takes, 0 when there is none.
std::size_t hex_group_size(std::string_view text) noexcept {
  std::size_t size = 0;
  while (size < text.size() && size < 4 &&
         kHexDigits[static_cast<unsigned char>(text[size])] != kNoDigit) {
    ++size;
  }
  return size;
}

bool is_ipv4(std::string_view text) noexcept {
  int groups = 0;
  bool good = true;
  for_each_part(text, '.', [&groups, &good](std::string_view part) {
    ++groups;
    const auto value = parse_uint(part);
    const bool leading_zero = part.size() > 1 && part.front() == '0';
    good = good && value.has_value() && *value <= 255 && part.size() <= 3 && !leading_zero;
  });
  return good && groups == 4;
}

// The text between the brackets (RFC 3986 3.2.2): eight groups, or fewer with one "::".
bool is_ipv6(std::string_view text) noexcept {
  constexpr std::size_t kLongest = 45;
  if (text.size() > kLongest) return false;
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (groups <= 6 && is_ipv4(text)) {
      groups += 2;
      break;
    }
    const std::size_t size = hex_group_size(text);
    if (size == 0) return false;
    ++groups;
    text.remove_prefix(size);
    if (text.empty()) break;
    if (text.starts_with("::")) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(2);
    } else if (text.front() == ':' && text.size() > 1) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return gap ? groups <= 7 : groups == 8;
}

// "[2001:db8::1]" at the start of `text`: its size, 0 when it is none. Rare, so kept out of the
// way.
[[gnu::noinline]] std::size_t ip_literal_size(std::string_view text) noexcept {
  const std::size_t bracket = text.find(']');
  if (bracket == std::string_view::npos || !is_ipv6(text.substr(1, bracket - 1))) return 0;
  return bracket + 1;
}

}  // namespace

Errc split_target(std::string_view text, Method method, Target& target) noexcept {
  const char* const last = text.data() + text.size();
  if (skip_target(best_isa(), text.data(), last) != last) return Errc::kBadTarget;
  target = {};
  const std::size_t question = text.find('?');
  target.has_query = question != std::string_view::npos;
  if (target.has_query) {
    target.query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  if (text.starts_with('/')) {
    target.path = text;
    return Errc::kOk;
  }
  if (text == "*") {
    target.form = TargetForm::kAsterisk;
    target.path = text;
    return method == Method::kOptions && !target.has_query ? Errc::kOk : Errc::kBadTarget;
  }
  return split_absolute(text, method, target);
}

// A path has no more segments than bytes, so most are not looked at.
Errc check_path_limits(std::string_view path, const ParserLimits& limits) noexcept {
  if (path.size() > limits.path_max) return Errc::kPathTooLong;
  if (path.size() <= limits.segments_max) return Errc::kOk;
  std::size_t segments = 0;
  for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
    if (++segments > limits.segments_max) return Errc::kTooManySegments;
  }
  return Errc::kOk;
}

Errc check_path(std::string_view path) noexcept {
  if (!path.starts_with('/')) return Errc::kBadTarget;
  Depth depth;
  const Errc code = decode_path(path, [&depth](char byte) { depth.take(byte); });
  if (code != Errc::kOk) return code;
  depth.end_segment();
  return depth.above_root() ? Errc::kAboveRoot : Errc::kOk;
}

Errc check_query(std::string_view query) noexcept {
  for (std::size_t at = query.find('%'); at != std::string_view::npos; at = query.find('%', at)) {
    char byte;
    if (!read_escape(query, at, byte)) return Errc::kBadEscape;
    if (byte == '\0') return Errc::kEncodedControl;
    at += 3;
  }
  return Errc::kOk;
}

Errc remove_dot_segments(std::string_view path, std::span<char> out, std::size_t& size) noexcept {
  SSX_ASSERT(out.size() >= path.size(), out.size(), path.size());
  if (!path.starts_with('/')) return Errc::kBadTarget;
  // Invariant: out[0, size) is a normal path without its final slash, or empty for the root.
  size = 0;
  bool directory = true;
  path.remove_prefix(1);
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    directory = segment.empty() || segment == "." || segment == "..";
    if (segment == "..") {
      if (size == 0) return Errc::kAboveRoot;
      while (out[--size] != '/') continue;
    } else if (!directory) {
      out[size++] = '/';
      std::memmove(out.data() + size, segment.data(), segment.size());
      size += segment.size();
    }
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  if (directory) out[size++] = '/';
  return Errc::kOk;
}

Result<std::string_view> normalise_path(std::string_view path, std::span<char> scratch) noexcept {
  if (!path.starts_with('/')) return fail(Errc::kBadTarget, "normalise_path");
  if (is_normal(path)) return path;
  SSX_ASSERT(scratch.size() >= path.size(), scratch.size(), path.size());
  std::size_t size = 0;
  Errc code = decode_path(path, [&scratch, &size](char byte) { scratch[size++] = byte; });
  if (code == Errc::kOk) {
    code = remove_dot_segments({scratch.data(), size}, scratch, size);
  }
  if (code != Errc::kOk) return fail(code, "normalise_path");
  return std::string_view(scratch.data(), size);
}

Result<std::string_view> decode_component(std::string_view text, Plus plus,
                                          std::span<char> scratch) noexcept {
  const bool spaces = plus == Plus::kSpace && text.find('+') != std::string_view::npos;
  if (!spaces && text.find('%') == std::string_view::npos) return text;
  SSX_ASSERT(scratch.size() >= text.size(), scratch.size(), text.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char byte = text[i];
    if (byte == '%') {
      if (!read_escape(text, i, byte)) return fail(Errc::kBadEscape, "decode_component");
      i += 2;
    } else if (byte == '+' && spaces) {
      byte = ' ';
    }
    scratch[size++] = byte;
  }
  return std::string_view(scratch.data(), size);
}

Errc parse_authority(std::string_view text, Authority& authority) noexcept {
  const std::size_t size = text.starts_with('[') ? ip_literal_size(text) : name_size(text);
  if (size == 0) return Errc::kBadHost;
  authority.host = {text.data(), size};
  authority.port = 0;
  if (size == text.size()) return Errc::kOk;
  if (text[size] != ':') return Errc::kBadHost;
  if (size + 1 == text.size()) return Errc::kOk;  // RFC 3986 3.2.3: the port may be empty
  authority.port = read_port({text.data() + size + 1, text.size() - size - 1});
  return authority.port != 0 ? Errc::kOk : Errc::kBadHost;
}

}  // namespace ssx::http

// An absolute http or https URL, as a client needs it: whom to ask, and for what.
//
// Thread: a value
// Owner:  whoever holds it; one string
// Life:   any; views live as long as the Url
// Bounds: kSizeMax bytes, else kUrlTooLong; linear time
//
// A Url is kept normal (RFC 3986 6.2.2 and 6.2.3): scheme and host in lower case, no default port,
// no dot segments, a path that begins with "/", no fragment (it is never sent). What two programs
// could read in two ways is refused: user information, bytes that no URI holds, malformed escapes,
// and hosts that look like a number but are no dotted IPv4 address ("0x7f.1", "2130706433").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/error.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class Url {
 public:
  static constexpr std::size_t kSizeMax = 8192;
  static constexpr std::size_t kHostMax = 253;  ///< longer names are none (RFC 1035 2.3.4)

  /// kBadUrl, kUnsupportedScheme, kUrlTooLong or kBadEscape.
  static Result<Url> parse(std::string_view text);

  /// What a reference found here means (RFC 3986 5.2), e.g. the Location of a redirect.
  [[nodiscard]] Result<Url> resolve(std::string_view reference) const;

  [[nodiscard]] bool is_secure() const noexcept { return text_[4] == 's'; }
  /// "http" or "https".
  [[nodiscard]] std::string_view scheme() const noexcept {
    return std::string_view(text_).substr(0, is_secure() ? 5 : 4);
  }
  /// A name or an address, an IPv6 address without its brackets: what one connects to.
  [[nodiscard]] std::string_view host() const noexcept;
  /// The port given, or that of the scheme: 80 or 443.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// host [ ":" port ] as the Host field says it (RFC 9110 7.2).
  [[nodiscard]] std::string_view authority() const noexcept {
    return origin().substr(scheme().size() + 3);
  }
  /// "https://a.example:8443": equal for URLs that share scheme, host and port.
  [[nodiscard]] std::string_view origin() const noexcept {
    return std::string_view(text_).substr(0, origin_size_);
  }
  /// Path and query: the request-target in origin-form (RFC 9112 3.2.1).
  [[nodiscard]] std::string_view target() const noexcept {
    return std::string_view(text_).substr(origin_size_);
  }
  [[nodiscard]] std::string_view path() const noexcept {
    return target().substr(0, target().find('?'));
  }
  /// After "?", still encoded; empty when there is none.
  [[nodiscard]] std::string_view query() const noexcept;
  /// The whole: the absolute-form that a proxy is asked with (RFC 9112 3.2.2).
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const Url& left, const Url& right) noexcept {
    return left.text_ == right.text_;
  }

 private:
  Url() = default;

  std::string text_;
  std::size_t origin_size_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace ssx::http

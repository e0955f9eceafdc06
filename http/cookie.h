// Cookies: what a Cookie field holds, and a Set-Cookie field that no byte can break (RFC 6265bis).
//
// Thread: values
// Owner:  Cookies looks into the field's value; a SetCookie owns its texts
// Life:   Cookies not longer than that value
// Bounds: the pairs that parse() is told (HttpOptions::cookie_pairs_max); SetCookie::kPairMax and
//         kAttributeMax, what browsers keep
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/error.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

/// The pairs of a Cookie field, as they were sent: nothing is decoded, quotes belong to the value
/// (4.1.1). Parts without "=" are no pairs. Trivially copyable, allocates nothing.
class Cookies {
 public:
  struct Pair {
    std::string_view name;
    std::string_view value;
  };

  Cookies() = default;
  /// kTooManyCookies.
  static Result<Cookies> parse(std::string_view field_value, std::size_t pairs_max) noexcept;

  /// The first of that name: of two cookies a browser sends the one of the longer path first
  /// (5.8.3).
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

  class Iterator {
   public:
    using value_type = Pair;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(std::string_view rest) noexcept : rest_(rest) { ++*this; }
    const Pair& operator*() const noexcept { return pair_; }
    const Pair* operator->() const noexcept { return &pair_; }
    Iterator& operator++() noexcept;
    void operator++(int) noexcept { ++*this; }
    bool operator==(std::default_sentinel_t) const noexcept { return is_end_; }

   private:
    std::string_view rest_;
    Pair pair_;
    bool is_end_ = false;
  };
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(text_); }
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

 private:
  std::string_view text_;
};

enum class SameSite : std::uint8_t {
  kUnset,  ///< not said; browsers take it for kLax
  kStrict,
  kLax,
  kNone,  ///< needs `secure`
};

struct SetCookie {
  static constexpr std::size_t kPairMax = 4096;       ///< name and value together (5.6)
  static constexpr std::size_t kAttributeMax = 1024;  ///< path, domain (5.6)

  /// A token; with the prefix "__Secure-" or "__Host-" the rules of 4.1.3 hold.
  std::string name = {};
  /// No space, comma, semicolon, quote, backslash or control (4.1.1): encode what has them.
  std::string value = {};
  std::string path = "/";                            ///< empty = the folder of the request
  std::string domain = {};                           ///< empty = this host alone
  std::optional<std::chrono::seconds> max_age = {};  ///< 0 or less removes the cookie
  std::optional<WallTime> expires = {};
  bool secure = false;    ///< only over TLS
  bool http_only = true;  ///< not for scripts
  SameSite same_site = SameSite::kLax;
  bool partitioned = false;  ///< one jar per top-level site; needs `secure`

  /// The value of a Set-Cookie field; kBadCookie when a browser would refuse it or read another
  /// one.
  [[nodiscard]] Result<std::string> text() const;
};

}  // namespace ssx::http

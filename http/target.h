// The request-target: its form, its parts, its Host, and the path a file or a route may see.
//
// Thread: pure functions
// Owner:  -
// Life:   views look into what was handed in
// Bounds: output never longer than input, whose length is the caller's business: ParserLimits
//
// A path is decoded exactly once, in one place (normalise_path), and router, access rules and file
// system all see that one string. What could mean two things to two programs is refused: encoded
// slashes and backslashes, encoded controls, bytes that are not UTF-8, a climb above the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "http/error.h"
#include "http/method.h"
#include "http/options.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

/// RFC 9112 3.2.1 to 3.2.4. CONNECT is not served, so authority-form is never legal here.
enum class TargetForm : std::uint8_t {
  kOrigin,    ///< /path?query
  kAbsolute,  ///< http://host/path?query
  kAsterisk,  ///< * (OPTIONS only)
};

/// A request-target taken apart; nothing is decoded yet.
struct Target {
  TargetForm form = TargetForm::kOrigin;
  bool secure = false;     ///< absolute-form with the scheme https
  bool has_query = false;  ///< "?" was there, even if nothing follows it
  std::string_view path;   ///< begins with "/", or is "*"; "/" for an absolute-form without path
  std::string_view query;  ///< after "?"
  std::string_view authority;  ///< absolute-form only: host [ ":" port ]
};

/// Takes a request-target apart. Refuses bytes that no URI holds (controls, space, non-ASCII,
/// '"', '<', '>', '\' and '#'), schemes other than http and https, user information, "*" with a
/// method other than OPTIONS, and everything that has none of the three forms.
[[nodiscard]] Errc split_target(std::string_view text, Method method, Target& target) noexcept;

/// kPathTooLong or kTooManySegments, by ParserLimits. Of a path as it was sent, so that one that is
/// refused costs no more work: what becomes of it is never longer and never has more segments.
[[nodiscard]] Errc check_path_limits(std::string_view path, const ParserLimits& limits) noexcept;

/// Decodes and normalises: escapes once, then "//", "/./" and "/../". `path` begins with "/".
/// Uses `scratch` (at least path.size() bytes) only when the path needs work: the result is
/// either `path` itself or a view of `scratch`. It begins with "/", holds no NUL, no control, no
/// empty, "." or ".." segment, and is UTF-8. A trailing slash stays ("/a/." is "/a/").
[[nodiscard]] Result<std::string_view> normalise_path(std::string_view path,
                                                      std::span<char> scratch) noexcept;

/// The checks of normalise_path without its work: kOk when it would succeed.
[[nodiscard]] Errc check_path(std::string_view path) noexcept;

/// Every "%" of a query is followed by two hex digits that are not 00.
[[nodiscard]] Errc check_query(std::string_view query) noexcept;

/// Removes empty and dot segments from a decoded path that begins with "/". Idempotent.
/// kAboveRoot when ".." would leave the root.
[[nodiscard]] Errc remove_dot_segments(std::string_view path, std::span<char> out,
                                       std::size_t& size) noexcept;

/// What "+" means: itself, or a space as in the queries that HTML forms make.
enum class Plus : bool { kLiteral, kSpace };

/// Decodes percent escapes, once. Uses `scratch` (at least text.size() bytes) only when there is
/// something to decode. Not for paths: see normalise_path. kBadEscape when an escape is malformed.
[[nodiscard]] Result<std::string_view> decode_component(std::string_view text, Plus plus,
                                                        std::span<char> scratch) noexcept;

/// A Host value or an authority: uri-host [ ":" port ] (RFC 9110 4.2.1 and 7.2).
struct Authority {
  std::string_view host;   ///< as spelled; an IPv6 address keeps its brackets
  std::uint16_t port = 0;  ///< 0 = none given
};

/// kBadHost for an empty host, a list, user information, a path, port 0 or above 65535, an IPv6
/// literal that is none, or a name with bytes other than letters, digits, "-", ".", "_" and "~".
[[nodiscard]] Errc parse_authority(std::string_view text, Authority& authority) noexcept;

}  // namespace ssx::http

// Conditional requests (RFC 9110 13): is what the client has still good, and may the request go on?
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cstdint>
#include <string_view>

#include "http/fields.h"
#include "http/method.h"

namespace ssx::http {

/// What a representation is known by.
struct Validators {
  std::string_view etag;      ///< quoted, perhaps behind "W/"; empty = none
  std::int64_t modified = 0;  ///< seconds, as Last-Modified says it
};

enum class Precondition : std::uint8_t {
  kGoOn,
  kNotModified,  ///< 304
  kFailed,       ///< 412
};

/// If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of RFC 9110
/// 13.2.2, against the current representation of what is there.
[[nodiscard]] Precondition evaluate(const Fields& fields, Method method, const Validators& current);

/// Whether a request may be answered with the ranges that it asks for (RFC 9110 13.1.5): it has no
/// If-Range, or one that is true. A date is only as good as the second it names: the file must not
/// have changed in the second of `now`.
[[nodiscard]] bool if_range_holds(const Fields& fields, const Validators& current,
                                  std::int64_t now);

/// RFC 9110 8.8.3.2: strong wants two strong tags.
enum class Comparison : bool { kWeak, kStrong };

/// Whether a list of entity tags (RFC 9110 13.1.1 and 13.1.2) names this one, or is "*".
[[nodiscard]] bool matches_any(std::string_view list, std::string_view etag,
                               Comparison comparison = Comparison::kWeak);

}  // namespace ssx::http

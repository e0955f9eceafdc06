// "$apr1$SALT$HASH", what htpasswd makes unless it is told otherwise: a thousand rounds of MD5.
//
// Thread: pure function, any thread; takes a fraction of a millisecond: not on a loop
// Owner:  -
// Life:   -
// Bounds: the caller's, for the password; kApr1SaltMax
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ssx::crypt {

inline constexpr std::string_view kApr1Prefix = "$apr1$";
inline constexpr std::size_t kApr1SaltMax = 8;
inline constexpr std::size_t kApr1HashSize = 22;

/// The 22 letters behind the salt.
[[nodiscard]] std::string apr1(std::string_view password, std::string_view salt);

}  // namespace ssx::crypt

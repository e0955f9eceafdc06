// Texts that a client keeps and cannot change: signed with HMAC-SHA-256, for one purpose, until a
// time. The base of signed cookies.
//
// Thread: immutable once made, any thread
// Owner:  whoever holds it; it holds the keys
// Life:   any
// Bounds: kKeysMax keys of at least kKeySizeMin bytes; time depends on sizes alone, not on which
//         key or how much of a signature was right
//
// The format, three parts with dots between them:
//
//   base64url(value) "." expiry "." base64url(HMAC-SHA-256(key, purpose NUL first-two-parts))
//
// expiry is in decimal seconds since 1970. The value can be read by whoever holds it: it is signed,
// not encrypted. The purpose (the name of the cookie) is signed but not sent, so that a value of
// one cookie is worth nothing in another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/error.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/digest.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class ValueSigner {
 public:
  static constexpr std::size_t kKeySizeMin = 16;
  static constexpr std::size_t kKeysMax = 8;

  /// The first key signs, all of them verify: a new key is put in front, and the last one is taken
  /// away when the last value that it signed has expired. kBadSigningKey.
  static Result<ValueSigner> create(const std::vector<std::string>& keys);

  /// `purpose` holds no NUL. Times before 1970 are 1970.
  [[nodiscard]] std::string sign(std::string_view purpose, std::string_view value,
                                 WallTime expires) const;

  /// The value; kBadSignature for everything that sign() has not written for this purpose with one
  /// of these keys, kSignatureExpired once `now` is past its expiry.
  [[nodiscard]] Result<std::string> verify(std::string_view purpose, std::string_view text,
                                           WallTime now) const;

 private:
  ValueSigner() = default;

  std::vector<HmacSha256> keys_;  // each with its key taken in, ready to be copied
};

}  // namespace ssx::http

// A password as htpasswd or crypt(5) write it: bcrypt ("$2y$", "$2b$", "$2a$"), SHA-256 ("$5$"),
// SHA-512 ("$6$"), yescrypt ("$y$"), Apache's MD5 ("$apr1$") and SHA-1 ("{SHA}").
//
// Thread: any thread; matches() takes milliseconds by design: never on a loop
// Owner:  a value
// Life:   -
// Bounds: kTextMax, kPasswordMax; bcrypt with a cost of at most kBcryptCostMax
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ssx::crypt {

class PasswordHash {
 public:
  static constexpr std::size_t kTextMax = 256;
  /// Longer passwords match nothing, as no tool makes a hash of them.
  static constexpr std::size_t kPasswordMax = 511;
  /// About a second and a half; each step doubles it.
  static constexpr int kBcryptCostMax = 14;
  /// "rounds=" of SHA-256 and SHA-512: about a second.
  static constexpr unsigned kRoundsMax = 1'000'000;

  /// The second letter of the parameters: 128 MiB, and about a second. Debian's default is '9'.
  static constexpr char kYescryptMax = 'C';

  /// Nothing, when it is malformed, of a kind that is not listed above, or costs too much.
  [[nodiscard]] static std::optional<PasswordHash> parse(std::string_view text);

  /// In a time that does not tell how much of it was right.
  [[nodiscard]] bool matches(std::string_view password) const;

  bool operator==(const PasswordHash&) const = default;

 private:
  enum class Kind : std::uint8_t { kCrypt, kApr1, kSha1 };
  PasswordHash(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  Kind kind_;
  std::string text_;
};

}  // namespace ssx::crypt

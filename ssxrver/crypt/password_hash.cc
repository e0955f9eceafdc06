#include "ssxrver/crypt/password_hash.h"

#include <crypt.h>

#include <algorithm>
#include <array>
#include <memory>

#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/digest.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/crypt/apr1.h"

namespace ssx::crypt {
namespace {

constexpr std::string_view kSha1Prefix = "{SHA}";
constexpr std::string_view kBcryptPrefixes[] = {"$2a$", "$2b$", "$2y$"};
constexpr std::size_t kBcryptSize = 60;

bool is_letter(char c) noexcept {
  return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '.' ||
         c == '/';
}

bool is_letters(std::string_view text) noexcept { return std::ranges::all_of(text, is_letter); }

bool is_sha1(std::string_view text) {
  const auto digest = base64_decode(text.substr(kSha1Prefix.size()), Base64::kStandard);
  return digest && digest->size() == Sha1::Digest().size();
}

bool is_apr1(std::string_view text) noexcept {
  text.remove_prefix(kApr1Prefix.size());
  const std::size_t end = text.find('$');
  if (end == std::string_view::npos || end > kApr1SaltMax) return false;
  return is_letters(text.substr(0, end)) && is_letters(text.substr(end + 1)) &&
         text.size() - end - 1 == kApr1HashSize;
}

/// "$2y$05$", then 53 letters.
bool is_bcrypt(std::string_view text) noexcept {
  if (text.size() != kBcryptSize || text[6] != '$' || !is_letters(text.substr(7))) return false;
  const auto cost = parse_uint(text.substr(4, 2));
  return cost && *cost >= 4 && *cost <= static_cast<unsigned>(PasswordHash::kBcryptCostMax);
}

/// "$5$", perhaps "rounds=N$", salt, "$", and as many letters as the hash has.
bool is_sha_crypt(std::string_view text, std::size_t hash_size) noexcept {
  constexpr std::string_view kRounds = "rounds=";
  constexpr std::size_t kSaltMax = 16;
  text.remove_prefix(3);
  if (text.starts_with(kRounds)) {
    const std::size_t end = text.find('$');
    if (end == std::string_view::npos) return false;
    const auto rounds = parse_uint(text.substr(kRounds.size(), end - kRounds.size()));
    if (!rounds || *rounds < 1000 || *rounds > PasswordHash::kRoundsMax) return false;
    text.remove_prefix(end + 1);
  }
  const std::size_t end = text.find('$');
  return end != std::string_view::npos && end <= kSaltMax && is_letters(text.substr(0, end)) &&
         is_letters(text.substr(end + 1)) && text.size() - end - 1 == hash_size;
}

/// "$y$", parameters, "$", salt, "$", and 43 letters.
bool is_yescrypt(std::string_view text) noexcept {
  constexpr std::size_t kHashSize = 43;
  text.remove_prefix(3);
  const std::size_t salt = text.find('$');
  // "j", how much work and memory in powers of two, the size of a block (32).
  if (salt != 3 || text[0] != 'j' || !is_letters(text.substr(0, salt)) || text[2] != 'T')
    return false;
  if (text[1] > PasswordHash::kYescryptMax) return false;
  text.remove_prefix(salt + 1);
  const std::size_t end = text.find('$');
  return end != std::string_view::npos && is_letters(text.substr(0, end)) &&
         is_letters(text.substr(end + 1)) && text.size() - end - 1 == kHashSize;
}

bool is_crypt(std::string_view text) noexcept {
  const auto begins = [text](std::string_view prefix) { return text.starts_with(prefix); };
  if (std::ranges::any_of(kBcryptPrefixes, begins)) return is_bcrypt(text);
  if (begins("$5$")) return is_sha_crypt(text, 43);
  if (begins("$6$")) return is_sha_crypt(text, 86);
  return begins("$y$") && is_yescrypt(text);
}

std::string sha1_text(std::string_view password) {
  return std::string(kSha1Prefix) + base64_encode(Sha1::of(as_bytes(password)), Base64::kStandard);
}

std::string apr1_text(std::string_view password, std::string_view like) {
  const std::size_t end = like.find('$', kApr1Prefix.size());
  std::string text(like.substr(0, end + 1));
  return text += apr1(password, like.substr(kApr1Prefix.size(), end - kApr1Prefix.size()));
}

/// "" when libcrypt will not.
std::string crypt_text(const std::string& password, const std::string& like) {
  const auto room = std::make_unique<crypt_data>();  // 32 KiB
  // Not crypt_r(): AddressSanitizer brings one of its own, and the linker would leave out libcrypt.
  const char* const made =
      ::crypt_rn(password.c_str(), like.c_str(), room.get(), sizeof(crypt_data));
  return made == nullptr ? "" : made;
}

}  // namespace

std::optional<PasswordHash> PasswordHash::parse(std::string_view text) {
  if (text.size() > kTextMax) return std::nullopt;
  const auto made = [text](bool is_right, Kind kind) -> std::optional<PasswordHash> {
    if (!is_right) return std::nullopt;
    return PasswordHash(kind, std::string(text));
  };
  if (text.starts_with(kSha1Prefix)) return made(is_sha1(text), Kind::kSha1);
  if (text.starts_with(kApr1Prefix)) return made(is_apr1(text), Kind::kApr1);
  return made(is_crypt(text), Kind::kCrypt);
}

bool PasswordHash::matches(std::string_view password) const {
  // libcrypt ends at the first zero, and would take "right\0wrong" for "right".
  if (password.size() > kPasswordMax || password.find('\0') != std::string_view::npos) return false;
  std::string made;
  switch (kind_) {
    case Kind::kCrypt:
      made = crypt_text(std::string(password), text_);
      break;
    case Kind::kApr1:
      made = apr1_text(password, text_);
      break;
    case Kind::kSha1:
      made = sha1_text(password);
      break;
  }
  return equal_in_constant_time(as_bytes(made), as_bytes(text_));
}

}  // namespace ssx::crypt

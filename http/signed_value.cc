#include "http/signed_value.h"

#include <algorithm>
#include <chrono>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

constexpr auto npos = std::string_view::npos;

std::int64_t seconds_of(WallTime time) noexcept {
  const auto since = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  return std::max<std::int64_t>(since.count(), 0);
}

HmacSha256::Digest digest_of(HmacSha256 hmac, std::string_view purpose,
                             std::string_view signed_part) {
  SSX_ASSERT(purpose.find('\0') == npos);
  hmac.update(as_bytes(purpose));
  hmac.update(as_bytes(std::string_view("\0", 1)));
  hmac.update(as_bytes(signed_part));
  return hmac.finish();
}

}  // namespace

Result<ValueSigner> ValueSigner::create(const std::vector<std::string>& keys) {
  const bool is_good =
      !keys.empty() && keys.size() <= kKeysMax &&
      std::ranges::all_of(keys, [](const std::string& key) { return key.size() >= kKeySizeMin; });
  if (!is_good) return fail(Errc::kBadSigningKey, "ValueSigner::create");
  ValueSigner signer;
  for (const std::string& key : keys) signer.keys_.emplace_back(as_bytes(key));
  return signer;
}

std::string ValueSigner::sign(std::string_view purpose, std::string_view value,
                              WallTime expires) const {
  std::string text = base64_encode(as_bytes(value), Base64::kUrl);
  text.append(1, '.').append(std::to_string(seconds_of(expires)));
  const auto digest = digest_of(keys_.front(), purpose, text);
  text += '.';
  append_base64(text, digest, Base64::kUrl);
  return text;
}

Result<std::string> ValueSigner::verify(std::string_view purpose, std::string_view text,
                                        WallTime now) const {
  const auto refused = [] { return fail(Errc::kBadSignature, "ValueSigner::verify"); };
  const std::size_t dot = text.rfind('.');
  if (dot == npos) return refused();
  const std::string_view signed_part = text.substr(0, dot);
  const auto signature = base64_decode(text.substr(dot + 1), Base64::kUrl);
  if (!signature) return refused();
  bool is_signed = false;
  for (const HmacSha256& key : keys_) {
    const auto digest = digest_of(key, purpose, signed_part);
    is_signed |= equal_in_constant_time(digest, as_bytes(*signature));
  }
  if (!is_signed) return refused();

  // From here on we read what we have written.
  const std::size_t middle = signed_part.find('.');
  if (middle == npos) return refused();
  const auto expiry = parse_uint(signed_part.substr(middle + 1));
  auto value = base64_decode(signed_part.substr(0, middle), Base64::kUrl);
  if (!expiry || !value) return refused();
  if (static_cast<std::uint64_t>(seconds_of(now)) > *expiry) {
    return fail(Errc::kSignatureExpired, "ValueSigner::verify");
  }
  return *std::move(value);
}

}  // namespace ssx::http

#include "http/middleware/basic_login.h"

#include <algorithm>
#include <cstddef>

#include "http/middleware/authorization.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"

namespace ssx::http {
namespace {

constexpr std::string_view kHashPrefix = "{sha256:";

std::optional<unsigned> digit(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<Sha256::Digest> parse_hash(std::string_view text) noexcept {
  Sha256::Digest digest;
  text.remove_prefix(kHashPrefix.size());
  if (text.size() != 2 * digest.size() + 1 || text.back() != '}') return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const auto high = digit(text[2 * i]);
    const auto low = digit(text[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    digest[i] = static_cast<std::byte>(*high << 4 | *low);
  }
  return digest;
}

bool has_control(std::string_view text) noexcept {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

}  // namespace

bool is_login_name(std::string_view name) noexcept {
  return !name.empty() && name.find(':') == std::string_view::npos && !has_control(name);
}

std::optional<Sha256::Digest> hash_of_word(std::string_view word) noexcept {
  return word.starts_with(kHashPrefix) ? parse_hash(word) : Sha256::of(as_bytes(word));
}

std::optional<BasicLogin> BasicLogin::of(const Request& request) {
  const auto given = Authorization::of(request, "Basic");
  if (given.what != Authorization::What::kToken) return std::nullopt;
  auto pair = base64_decode(given.token, Base64::kStandard);
  if (!pair) return std::nullopt;
  const std::size_t colon = pair->find(':');
  if (colon == std::string::npos) return std::nullopt;
  BasicLogin login{.name = pair->substr(0, colon), .password = pair->substr(colon + 1)};
  return login;
}

std::string BasicLogin::challenge(std::string_view realm) {
  return "Basic realm=" + quoted(realm) + ", charset=\"UTF-8\"";
}

Response BasicLogin::refusal(const std::string& challenge) {
  Response answer(Status::kUnauthorized);
  answer.set("WWW-Authenticate", challenge);
  return answer;
}

}  // namespace ssx::http

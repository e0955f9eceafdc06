#include "http/middleware/basic_auth.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "http/field_rules.h"
#include "http/middleware/authorization.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/digest.h"

namespace ssx::http {
namespace {

constexpr std::string_view kHashPrefix = "{sha256:";

struct User {
  Sha256::Digest name;
  Sha256::Digest password;
};

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
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

Result<std::vector<User>> hash_all(const BasicAuthOptions& options) {
  const auto refuse = [](const char* what) { return fail(ssx::Errc::kInvalidArgument, what); };
  if (options.users.size() > BasicAuthOptions::kUsersMax) return refuse("basic_auth: users");
  std::vector<User> users;
  users.reserve(options.users.size());
  for (const auto& [name, password] : options.users) {
    if (name.empty() || name.find(':') != std::string::npos || has_control(name))
      return refuse("basic_auth: name of a user");
    const bool is_hash = password.starts_with(kHashPrefix);
    const auto hash = is_hash ? parse_hash(password) : Sha256::of(as_bytes(password));
    if (!hash) return refuse("basic_auth: hash of a password");
    users.push_back({Sha256::of(as_bytes(name)), *hash});
  }
  return users;
}

/// Hashes are compared, so that sizes do not matter, and all of them, so that the place does not.
bool is_known(const std::vector<User>& users, std::string_view name, std::string_view password) {
  const auto name_hash = Sha256::of(as_bytes(name));
  const auto password_hash = Sha256::of(as_bytes(password));
  unsigned found = 0;
  for (const User& user : users) {
    const auto same_name = static_cast<unsigned>(equal_in_constant_time(user.name, name_hash));
    const auto same_word =
        static_cast<unsigned>(equal_in_constant_time(user.password, password_hash));
    found |= same_name & same_word;
  }
  return found != 0;
}

/// The name of the user, if the request brings the right password.
std::optional<std::string> identify(const Request& request, const std::vector<User>& users) {
  const auto given = Authorization::of(request, "Basic");
  if (given.what != Authorization::What::kToken) return std::nullopt;
  auto pair = base64_decode(given.token, Base64::kStandard);
  if (!pair) return std::nullopt;
  const std::size_t colon = pair->find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string_view both = *pair;
  if (!is_known(users, both.substr(0, colon), both.substr(colon + 1))) return std::nullopt;
  pair->resize(colon);
  return *std::move(pair);
}

}  // namespace

Result<Middleware> basic_auth(const BasicAuthOptions& options) {
  if (!is_field_value(options.realm)) return fail(ssx::Errc::kInvalidArgument, "basic_auth: realm");
  SSX_TRY(auto users, hash_all(options));
  const auto shared = std::make_shared<const std::vector<User>>(std::move(users));
  const std::string challenge = "Basic realm=" + quoted(options.realm) + ", charset=\"UTF-8\"";
  auto before = [shared, challenge](const Request& request) -> std::optional<Response> {
    if (auto user = identify(request, *shared)) {
      request.set_attribute("user", *std::move(user));
      return std::nullopt;
    }
    Response refusal(Status::kUnauthorized);
    refusal.set("WWW-Authenticate", challenge);
    return refusal;
  };
  return Middleware::hooks(std::move(before), nullptr);
}

}  // namespace ssx::http

#include "http/middleware/basic_auth.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "http/field_rules.h"
#include "http/middleware/basic_login.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/digest.h"

namespace ssx::http {
namespace {

struct User {
  Sha256::Digest name;
  Sha256::Digest password;
};

Result<std::vector<User>> hash_all(const BasicAuthOptions& options) {
  const auto refuse = [](const char* what) { return fail(ssx::Errc::kInvalidArgument, what); };
  if (options.users.size() > BasicAuthOptions::kUsersMax) return refuse("basic_auth: users");
  std::vector<User> users;
  users.reserve(options.users.size());
  for (const auto& [name, password] : options.users) {
    if (!is_login_name(name)) return refuse("basic_auth: name of a user");
    const auto hash = hash_of_word(password);
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
  auto login = BasicLogin::of(request);
  if (!login || !is_known(users, login->name, login->password)) return std::nullopt;
  return std::move(login->name);
}

}  // namespace

Result<Middleware> basic_auth(const BasicAuthOptions& options) {
  if (!is_field_value(options.realm)) return fail(ssx::Errc::kInvalidArgument, "basic_auth: realm");
  SSX_TRY(auto users, hash_all(options));
  const auto shared = std::make_shared<const std::vector<User>>(std::move(users));
  const std::string challenge = BasicLogin::challenge(options.realm);
  auto before = [shared, challenge](const Request& request) -> std::optional<Response> {
    if (auto user = identify(request, *shared)) {
      request.set_attribute("user", *std::move(user));
      return std::nullopt;
    }
    return BasicLogin::refusal(challenge);
  };
  return Middleware::hooks(std::move(before), nullptr);
}

}  // namespace ssx::http

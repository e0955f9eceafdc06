#include "http/middleware/htpasswd_auth.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "http/fault.h"
#include "http/field_rules.h"
#include "http/middleware/basic_login.h"
#include "http/middleware/login_cache.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/digest.h"
#include "ssxrver/crypt/password_hash.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/sys/process.h"

namespace ssx::http {
namespace {

constexpr std::size_t kWorkersMax = 1024;  // WorkerOptions::count

struct User {
  Sha256::Digest name;
  std::variant<Sha256::Digest, crypt::PasswordHash> secret;

  [[nodiscard]] bool has(std::string_view password) const {
    if (const auto* slow = std::get_if<crypt::PasswordHash>(&secret))
      return slow->matches(password);
    return equal_in_constant_time(std::get<0>(secret), Sha256::of(as_bytes(password)));
  }
};

/// Shared by all workers; their caches are each its worker's own.
class Logins : public std::enable_shared_from_this<Logins> {
 public:
  static Result<std::shared_ptr<Logins>> create(const BasicAuthOptions& options, TaskPoolOf pool);

  /// The name; an error when it could not be found out.
  [[nodiscard]] Task<Result<std::optional<std::string>>> identify(const Request& request);
  [[nodiscard]] const std::string& challenge() const noexcept { return challenge_; }

 private:
  Logins(std::string_view realm, TaskPoolOf pool)
      : challenge_(BasicLogin::challenge(realm)), pool_(std::move(pool)), caches_(kWorkersMax) {}
  Result<void> add(const std::string& name, std::string_view word);
  [[nodiscard]] bool verify(const BasicLogin& login) const;
  [[nodiscard]] LoginCache& cache_of(unsigned worker);

  const std::string challenge_;
  const TaskPoolOf pool_;
  std::vector<User> users_;
  std::array<std::byte, 32> salt_{};
  std::vector<std::unique_ptr<LoginCache>> caches_;
};

Result<std::shared_ptr<Logins>> Logins::create(const BasicAuthOptions& options, TaskPoolOf pool) {
  const auto refuse = [](const char* what) { return fail(ssx::Errc::kInvalidArgument, what); };
  if (!is_field_value(options.realm)) return refuse("htpasswd_auth: realm");
  if (options.users.empty() || options.users.size() > BasicAuthOptions::kUsersMax)
    return refuse("htpasswd_auth: users");
  const std::shared_ptr<Logins> logins(new Logins(options.realm, std::move(pool)));
  SSX_TRY_VOID(sys::random_bytes(logins->salt_));
  for (const auto& [name, word] : options.users) SSX_TRY_VOID(logins->add(name, word));
  return logins;
}

Result<void> Logins::add(const std::string& name, std::string_view word) {
  const auto refuse = [](const char* what) { return fail(ssx::Errc::kInvalidArgument, what); };
  if (!is_login_name(name)) return refuse("htpasswd_auth: name of a user");
  const auto hashed_name = Sha256::of(as_bytes(name));
  if (auto slow = crypt::PasswordHash::parse(word)) {
    users_.push_back({hashed_name, *std::move(slow)});
    return {};
  }
  const auto hash = hash_of_word(word);
  if (!hash) return refuse("htpasswd_auth: hash of a password");
  users_.push_back({hashed_name, *hash});
  return {};
}

// One hash whoever it is: somebody that is not known gets that of another user, always the same.
bool Logins::verify(const BasicLogin& login) const {
  const auto name = Sha256::of(as_bytes(login.name));
  std::size_t at =
      (std::to_integer<std::size_t>(name[0]) << 8 | std::to_integer<std::size_t>(name[1])) %
      users_.size();
  bool is_known = false;
  for (std::size_t i = 0; i < users_.size(); ++i) {
    const bool is_same = equal_in_constant_time(users_[i].name, name);
    at = is_same ? i : at;
    is_known |= is_same;
  }
  const bool is_right = users_[at].has(login.password);
  return is_known && is_right;
}

LoginCache& Logins::cache_of(unsigned worker) {
  auto& cache = caches_.at(worker);
  if (cache == nullptr) cache = std::make_unique<LoginCache>();
  return *cache;
}

Task<Result<std::optional<std::string>>> Logins::identify(const Request& request) {
  using Answer = Result<std::optional<std::string>>;
  auto login = BasicLogin::of(request);
  if (!login) co_return Answer(std::nullopt);
  LoginCache& cache = cache_of(request.worker());
  const std::string both = login->name + ':' + login->password;
  const LoginCache::Key key = HmacSha256::of(salt_, as_bytes(both));
  const net::EventLoop& loop = *net::EventLoop::current();
  if (cache.knows(key, loop.now())) co_return Answer(std::move(login->name));
  // Work that was begun ends, whatever becomes of its connection and of the server.
  net::TaskPool& pool = pool_();
  if (pool.options().threads == 0) co_return fail(ssx::Errc::kUnsupported, "task threads");
  auto job = pool.run([self = shared_from_this(), login = *login]() -> Result<bool> {
    // `tasks.overflow` may say so, but a hash would hold up all connections of the loop.
    if (net::EventLoop::current() != nullptr)
      return fail(net::Errc::kTaskQueueFull, "htpasswd_auth");
    return self->verify(login);
  });
  const Result<bool> is_right = co_await job;
  if (!is_right) co_return fail(is_right.error());
  if (!*is_right) co_return Answer(std::nullopt);
  cache.remember(key, loop.now());
  co_return Answer(std::move(login->name));
}

}  // namespace

bool is_slow_hash(std::string_view word) { return crypt::PasswordHash::parse(word).has_value(); }

Result<Middleware> htpasswd_auth(const BasicAuthOptions& options, TaskPoolOf pool) {
  SSX_TRY(const auto logins, Logins::create(options, std::move(pool)));
  return Middleware([logins](const Request& request, const AsyncNext& next) -> Task<Response> {
    auto user = co_await logins->identify(request);
    if (!user) co_return answer_to_error(request, user.error());
    if (!*user) co_return BasicLogin::refusal(logins->challenge());
    request.set_attribute("user", **std::move(user));
    co_return co_await next(request);
  });
}

}  // namespace ssx::http

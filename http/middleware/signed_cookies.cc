#include "http/middleware/signed_cookies.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "http/counters.h"
#include "http/options.h"
#include "http/signed_value.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::http {
namespace {

using Options = SignedCookieOptions;
using std::chrono::seconds;

constexpr std::string_view kAttribute = "signed_cookie ";  // a space is in no cookie's name

// base64 of a value, its expiry, the signature, and two dots.
constexpr std::size_t kTextMax = (Options::kValueMax * 4 + 2) / 3 + 20 + 43 + 2;
static_assert(Options::kNameMax + kTextMax <= SetCookie::kPairMax);

// A handler on a task thread has no loop.
WallTime wall_now() noexcept {
  const net::EventLoop* const loop = net::EventLoop::current();
  return loop != nullptr ? loop->clock().wall_now() : SystemClock::instance().wall_now();
}

bool is_age(seconds age) noexcept { return age >= seconds(1) && age <= Options::kMaxAgeMax; }

void count(const Request& request, Errc error) noexcept {
  if (Counters* const counters = counters_of(request)) counters->of(error).add();
}

}  // namespace

struct SignedCookies::State {
  [[nodiscard]] std::size_t index_of(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::find(options.names.begin(), options.names.end(), name) -
                                    options.names.begin());
  }
  [[nodiscard]] bool knows(std::string_view name) const noexcept {
    return index_of(name) < options.names.size();
  }
  [[nodiscard]] SetCookie cookie(std::string_view name, std::string value, seconds age) const {
    return {.name = std::string(name),
            .value = std::move(value),
            .path = options.path,
            .domain = options.domain,
            .max_age = age,
            .secure = options.secure,
            .http_only = options.http_only,
            .same_site = options.same_site};
  }
  void verify(const Request& request) const;

  Options options;
  ValueSigner signer;
};

Result<SignedCookies> SignedCookies::create(const Options& options) {
  const auto& names = options.names;
  if (names.empty() || names.size() > Options::kNamesMax)
    return fail(ssx::Errc::kInvalidArgument, "signed_cookies: names");
  if (!is_age(options.max_age)) return fail(ssx::Errc::kInvalidArgument, "signed_cookies: max_age");
  SSX_TRY(auto signer, ValueSigner::create(options.keys));
  const auto state = std::make_shared<const State>(State{options, std::move(signer)});
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->size() > Options::kNameMax)
      return fail(ssx::Errc::kInvalidArgument, "signed_cookies: name");
    if (std::find(names.begin(), name, *name) != name)
      return fail(Errc::kBadCookie, "signed_cookies: name");
    const SetCookie probe = state->cookie(*name, std::string(kTextMax, 'A'), options.max_age);
    SSX_TRY_VOID(probe.text());
  }
  return SignedCookies(state);
}

// What the values are read from can be as long as a request's head: nothing longer than what we
// write is hashed, and not too much of that.
void SignedCookies::State::verify(const Request& request) const {
  std::array<bool, Options::kNamesMax> is_found{};
  std::size_t tries = 0;
  const Fields& fields = request.fields();
  for (auto i = fields.next(FieldName::kCookie, 0); i < fields.size();
       i = fields.next(FieldName::kCookie, i + 1)) {
    const auto cookies = Cookies::parse(fields[i].value, request.options().cookie_pairs_max);
    if (!cookies) return count(request, Errc::kTooManyCookies);
    for (const Cookies::Pair& pair : *cookies) {
      const std::size_t index = index_of(pair.name);
      if (index == options.names.size() || is_found[index]) continue;
      if (pair.value.size() > kTextMax || ++tries > Options::kTriesMax) {
        count(request, Errc::kBadSignature);
        continue;
      }
      auto value = signer.verify(pair.name, pair.value, wall_now());
      if (!value) {
        const bool is_old = value.error() == make_error_code(Errc::kSignatureExpired);
        count(request, is_old ? Errc::kSignatureExpired : Errc::kBadSignature);
        continue;
      }
      is_found[index] = true;
      request.set_attribute(std::string(kAttribute).append(pair.name), *std::move(value));
    }
  }
}

Middleware SignedCookies::middleware() const {
  auto before = [state = state_](const Request& request) -> std::optional<Response> {
    state->verify(request);
    return std::nullopt;
  };
  return Middleware::hooks(std::move(before), nullptr);
}

Result<void> SignedCookies::set(Response& answer, std::string_view name,
                                std::string_view value) const {
  return set(answer, name, value, state_->options.max_age);
}

Result<void> SignedCookies::set(Response& answer, std::string_view name, std::string_view value,
                                seconds max_age) const {
  if (!state_->knows(name) || value.size() > Options::kValueMax)
    return fail(Errc::kBadCookie, "SignedCookies::set");
  if (!is_age(max_age)) return fail(ssx::Errc::kInvalidArgument, "SignedCookies::set");
  const std::string text = state_->signer.sign(name, value, wall_now() + max_age);
  SSX_TRY(const auto field, state_->cookie(name, text, max_age).text());
  answer.set("Set-Cookie", field);
  return {};
}

Result<void> SignedCookies::clear(Response& answer, std::string_view name) const {
  if (!state_->knows(name)) return fail(Errc::kBadCookie, "SignedCookies::clear");
  SSX_TRY(const auto field, state_->cookie(name, "", seconds(0)).text());
  answer.set("Set-Cookie", field);
  return {};
}

std::optional<std::string_view> signed_cookie(const Request& request,
                                              std::string_view name) noexcept {
  if (name.size() > Options::kNameMax) return std::nullopt;
  std::array<char, kAttribute.size() + Options::kNameMax> key{};
  std::copy(kAttribute.begin(), kAttribute.end(), key.begin());
  std::copy(name.begin(), name.end(), key.begin() + kAttribute.size());
  return request.attribute({key.data(), kAttribute.size() + name.size()});
}

}  // namespace ssx::http

// Cookies that a client keeps and cannot change: who is logged in, say. What is in them can be read
// by whoever has them; it is signed, not encrypted (signed_value.h).
//
// Thread: immutable once made, any thread; copies share everything
// Owner:  whoever adds the middleware; it holds the keys
// Life:   any
// Bounds: SignedCookieOptions::kNamesMax names of kNameMax bytes, kValueMax bytes of a value; of a
//         request kTriesMax values are looked at
//
//   const auto cookies = *SignedCookies::create({.keys = {key}, .names = {"__Host-user"}});
//   app.use(cookies.middleware());
//   app.get("/", [](const Request& request) -> Response {
//     const auto user = signed_cookie(request, "__Host-user");
//     return user ? "hello, " + std::string(*user) + "\n" : "who are you?\n";
//   });
//   app.post("/login", [cookies](const Request& request) -> Response {
//     Response answer = Response::redirect("/", Status::kSeeOther);
//     const auto set = cookies.set(answer, "__Host-user", name_of(request));
//     return set ? std::move(answer) : answer_to_error(request, set.error());
//   });
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/cookie.h"
#include "http/middleware.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

struct SignedCookieOptions {
  static constexpr std::size_t kNamesMax = 16;
  static constexpr std::size_t kNameMax = 64;
  static constexpr std::size_t kValueMax = 2048;
  static constexpr std::size_t kTriesMax = 32;
  /// What browsers keep a cookie for at the most (RFC 6265bis 5.5).
  static constexpr std::chrono::seconds kMaxAgeMax = std::chrono::hours(24) * 400;

  /// The first signs, all of them verify (ValueSigner::create).
  std::vector<std::string> keys = {};
  /// The cookies that are signed; no other may be set.
  std::vector<std::string> names = {};
  /// 1 s .. kMaxAgeMax: in the signature as well, so that no client can keep one for longer.
  std::chrono::seconds max_age = std::chrono::hours(24);
  std::string path = "/";
  std::string domain = {};  ///< empty = this host alone
  bool secure = true;       ///< only over TLS; browsers take their own machine for safe
  bool http_only = true;    ///< not for scripts
  SameSite same_site = SameSite::kLax;
};

class SignedCookies {
 public:
  /// kBadSigningKey; kBadCookie for a name that no cookie with these options may have, or that is
  /// there twice; kInvalidArgument for none, too many or too long names, and for `max_age`.
  static Result<SignedCookies> create(const SignedCookieOptions& options);

  /// Verifies what comes, for signed_cookie(). A value that was changed, that was signed for
  /// another name or with an unknown key, or that is too old is as if it were not there; it is
  /// counted under Errc::kBadSignature or Errc::kSignatureExpired. Of several cookies of one name
  /// the first that is good counts: anybody in the same domain may add others.
  [[nodiscard]] Middleware middleware() const;

  /// Adds a Set-Cookie field. Once for each name and answer: browsers may take either of two.
  /// kBadCookie for a name that is not among the options' and a value of more than kValueMax bytes;
  /// any bytes may be in it.
  Result<void> set(Response& answer, std::string_view name, std::string_view value) const;
  /// The same until `max_age` from now; kInvalidArgument as create().
  Result<void> set(Response& answer, std::string_view name, std::string_view value,
                   std::chrono::seconds max_age) const;
  /// Makes the browser forget it. What was signed stays good until its time for whoever has kept
  /// it: to end it sooner, sign something that the server can look up.
  Result<void> clear(Response& answer, std::string_view name) const;

 private:
  struct State;
  explicit SignedCookies(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// What was signed under this name, if the middleware has found it good. Lives as long as the
/// request.
[[nodiscard]] std::optional<std::string_view> signed_cookie(const Request& request,
                                                            std::string_view name) noexcept;

}  // namespace ssx::http

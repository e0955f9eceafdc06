// Names and passwords that a browser asks its user for (RFC 7617). Only as safe as the way to the
// server: use TLS in front.
//
// Thread: as Middleware
// Owner:  it holds hashes, no passwords
// Life:   -
// Bounds: BasicAuthOptions::kUsersMax users, which are all looked at each time: how long that takes
//         tells neither who exists nor how much of a password was right
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "http/middleware.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

struct BasicAuthOptions {
  static constexpr std::size_t kUsersMax = 1024;

  std::string realm = "restricted";
  /// Name to password, or to "{sha256:" and 64 hexadecimal digits "}". A hash of that kind is
  /// quickly tried: it hides good passwords, not bad ones.
  std::map<std::string, std::string> users = {};
};

/// 401 with WWW-Authenticate for whoever is none of them; otherwise the attribute "user".
/// kInvalidArgument for a name that is empty or holds ":" or a control character (RFC 7617 2), for
/// a malformed hash, a realm that no field may hold, and too many users.
[[nodiscard]] Result<Middleware> basic_auth(const BasicAuthOptions& options);

}  // namespace ssx::http

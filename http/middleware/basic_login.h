// The name and the password that a request brings (RFC 7617 2), how to ask for
// them, and what they are compared with. (i)
//
// Thread: pure functions
// Owner:  the caller
// Life:   values
// Bounds: a field's size
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "ssxrver/base/digest.h"

namespace ssx::http {

struct BasicLogin {
  std::string name;
  std::string password;

  /// Nothing, when there are none, or they are malformed.
  [[nodiscard]] static std::optional<BasicLogin> of(const Request& request);
  /// The value of WWW-Authenticate. `realm` is a value that a field may hold.
  [[nodiscard]] static std::string challenge(std::string_view realm);
  /// 401 with that value.
  [[nodiscard]] static Response refusal(const std::string& challenge);
};

/// Neither empty nor with ":" or a control character (RFC 7617 2).
[[nodiscard]] bool is_login_name(std::string_view name) noexcept;
/// Of a password, or what "{sha256:...}" says; nothing when that is malformed.
[[nodiscard]] std::optional<Sha256::Digest> hash_of_word(std::string_view word) noexcept;

}  // namespace ssx::http

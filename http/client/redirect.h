// What follows from a redirect (RFC 9110 15.4): where to, with which method, and what is left
// behind.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: none of its own
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/client_request.h"
#include "http/client/response_head.h"
#include "http/url.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

/// 301, 302, 303, 307 or 308, with a Location.
[[nodiscard]] bool is_redirect(const ResponseHead& head) noexcept;

/// Where its Location leads. kBadRedirect: two of them, or nowhere a URL could say.
[[nodiscard]] Result<Url> redirect_target(const Url& from, const ResponseHead& head);

/// "GET" where the rules turn the method into that: 303 but for HEAD, 301 and 302 for POST.
[[nodiscard]] std::string_view redirect_method(std::uint16_t status,
                                               std::string_view method) noexcept;

/// To another origin no credentials go along.
void drop_credentials(std::vector<ClientField>& fields);
/// A GET that was a POST says nothing about content.
void drop_content_fields(std::vector<ClientField>& fields);

}  // namespace ssx::http

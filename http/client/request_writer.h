// Writes the head of a request (RFC 9112 3), after checking everything in it that is the caller's.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: linear in the request
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/client_request.h"
#include "http/client/options.h"
#include "http/error.h"
#include "http/url.h"

namespace ssx::http {

/// What is not in the ClientRequest, or no longer as it was there.
struct RequestHead {
  const Url& url;
  std::string_view method;
  const std::vector<ClientField>& fields;
  const RequestBody& body;
  bool expect_continue = false;
  bool to_proxy = false;  ///< absolute-form, and the proxy's credentials
};

/// kBadMethod (CONNECT and what is no token), kBadFieldName, kBadFieldValue, kReservedField: Host,
/// Content-Length, Transfer-Encoding, Connection and its kin (RFC 9110 7.6.1), Expect,
/// Proxy-Authorization.
[[nodiscard]] Errc check_request(std::string_view method,
                                 const std::vector<ClientField>& fields) noexcept;

/// Appends the head; the request must have passed check_request().
void append_request_head(const RequestHead& head, const ClientOptions& options, std::string& out);

}  // namespace ssx::http

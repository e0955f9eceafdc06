// JSON in and out of handlers. The http layer knows nothing of it.
//
// Thread: any thread
// Owner:  values
// Life:   a Value is independent of the request
// Bounds: JsonBodyLimits
//
//   app.post("/users", [](const ssx::Request& request) -> ssx::Response {
//     auto user = ssx::json_body(request);
//     if (!user) return user.error();
//     if (user->find("name") == nullptr) return ssx::Status::kUnprocessableContent;
//     return *user;
//   });
#pragma once

#include <cstddef>
#include <string>

#include "http/request.h"
#include "http/response.h"
#include "ssxrver/base/result.h"
#include "ssxrver/json/json.h"
#include "ssxrver/json/text.h"

namespace ssx {

struct JsonBodyLimits {
  std::size_t bytes_max = 1 << 20;  ///< else 413; a body that went to a file is too large as well
  std::size_t depth_max = 32;       ///< of arrays and objects; else 400
};

/// Why a body is none. It is an answer: `return body.error();`.
struct JsonBodyError {
  http::Status status = http::Status::kBadRequest;
  std::string detail;  ///< "line 1, column 8: unexpected '}'"
};
/// An application/problem+json (RFC 9457).
[[nodiscard]] http::Response to_response(const JsonBodyError& error);

/// The body as RFC 8259 JSON: no comments, no key twice (RFC 7493 2.3). Its type is
/// application/json, or ends with "+json" (RFC 6839 3.1); else 415. 400 says where it is malformed.
[[nodiscard]] Expected<json::Value, JsonBodyError> json_body(const http::Request& request,
                                                             const JsonBodyLimits& limits = {});

namespace json {

/// `return value;` in a handler: application/json without spaces.
[[nodiscard]] http::Response to_response(const Value& value);
/// The same of text that was made without a tree.
[[nodiscard]] http::Response to_response(ObjectText text);
[[nodiscard]] http::Response to_response(ArrayText text);

}  // namespace json
}  // namespace ssx

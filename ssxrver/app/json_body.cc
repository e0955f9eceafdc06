#include "ssxrver/app/json_body.h"

#include <fmt/core.h>

#include <utility>

#include "http/media_type.h"
#include "ssxrver/base/strings.h"

namespace ssx {
namespace {

constexpr std::string_view kSuffix = "+json";

bool is_json(std::string_view content_type) {
  const auto type = http::MediaType::parse(content_type);
  if (!type) return false;
  const std::string_view subtype = type->subtype;
  return type->is("application", "json") ||
         (subtype.size() > kSuffix.size() &&
          ascii_iequals(subtype.substr(subtype.size() - kSuffix.size()), kSuffix));
}

UnexpectedOf<JsonBodyError> refuse(http::Status status, std::string detail) {
  return UnexpectedOf<JsonBodyError>(JsonBodyError{status, std::move(detail)});
}

UnexpectedOf<JsonBodyError> complain(std::string_view text, const json::Origin& origin,
                                     std::string_view what) {
  const auto place = json::locate(text, origin.offset);
  return refuse(http::Status::kBadRequest,
                fmt::format("line {}, column {}: {}", place.line, place.column, what));
}

}  // namespace

http::Response to_response(const JsonBodyError& error) {
  json::Value problem;
  problem.set("title", reason_phrase(error.status));
  problem.set("status", to_int(error.status));
  problem.set("detail", error.detail);
  http::Response response = json::to_response(problem);
  response.status(error.status).content_type("application/problem+json");
  return response;
}

Expected<json::Value, JsonBodyError> json_body(const http::Request& request,
                                               const JsonBodyLimits& limits) {
  if (!is_json(request.header(http::FieldName::kContentType).value_or("")))
    return refuse(http::Status::kUnsupportedMediaType, "the Content-Type is not JSON");
  const http::Body& body = request.body();
  if (body.size > limits.bytes_max || body.text.size() != body.size) {
    return refuse(http::Status::kContentTooLarge,
                  fmt::format("more than {} bytes of JSON", limits.bytes_max));
  }
  const json::ParseLimits bounds{limits.bytes_max, limits.depth_max, true};
  auto document = json::parse(body.text, 0, bounds);
  if (!document) return complain(body.text, document.error().origin, document.error().text);
  if (!document->duplicates.empty())
    return complain(body.text, document->duplicates.front().origin, "a key for the second time");
  return std::move(document->root);
}

namespace json {

http::Response to_response(const Value& value) {
  return http::Response::json(write(value, kCompact));
}

http::Response to_response(ObjectText text) { return http::Response::json(std::move(text).take()); }
http::Response to_response(ArrayText text) { return http::Response::json(std::move(text).take()); }

}  // namespace json
}  // namespace ssx

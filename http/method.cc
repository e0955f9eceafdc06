#include "http/method.h"

namespace ssx::http {

Method parse_method(std::string_view text) noexcept {
  const auto when = [text](std::string_view name, Method method) {
    return text == name ? method : Method::kUnknown;
  };
  if (text.empty()) return Method::kUnknown;
  switch (text.front()) {
    case 'G':
      return when("GET", Method::kGet);
    case 'H':
      return when("HEAD", Method::kHead);
    case 'P':
      if (text == "POST") return Method::kPost;
      if (text == "PUT") return Method::kPut;
      return when("PATCH", Method::kPatch);
    case 'D':
      return when("DELETE", Method::kDelete);
    case 'O':
      return when("OPTIONS", Method::kOptions);
    case 'T':
      return when("TRACE", Method::kTrace);
    case 'C':
      return when("CONNECT", Method::kConnect);
    default:
      return Method::kUnknown;
  }
}

std::string_view to_string(Method method) noexcept {
  switch (method) {
    case Method::kUnknown:
      return {};
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kDelete:
      return "DELETE";
    case Method::kOptions:
      return "OPTIONS";
    case Method::kTrace:
      return "TRACE";
    case Method::kPatch:
      return "PATCH";
    case Method::kConnect:
      return "CONNECT";
  }
  return {};
}

std::string to_allow(MethodSet methods) {
  std::string text;
  for (int method = 0; method < kMethodCount; ++method) {
    if (!(methods >> method & 1)) continue;
    if (!text.empty()) text += ", ";
    text += to_string(static_cast<Method>(method));
  }
  return text;
}

}  // namespace ssx::http

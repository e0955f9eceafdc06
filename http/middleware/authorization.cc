#include "http/middleware/authorization.h"

#include <algorithm>

#include "ssxrver/base/strings.h"

namespace ssx::http {

bool is_token68(std::string_view text) noexcept {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') ||
           std::string_view("-._~+/").find(c) != std::string_view::npos;
  };
  const auto padding = std::find_if_not(text.begin(), text.end(), is_plain);
  return padding != text.begin() &&
         std::all_of(padding, text.end(), [](char c) { return c == '='; });
}

Authorization Authorization::of(const Request& request, std::string_view scheme) noexcept {
  const Fields& fields = request.fields();
  const std::size_t at = fields.next(FieldName::kAuthorization, 0);
  if (at == fields.size()) return {};
  if (fields.next(FieldName::kAuthorization, at + 1) != fields.size()) return {What::kMalformed};
  const std::string_view value = fields[at].value;
  const std::size_t end = std::min(value.find(' '), value.size());
  if (!ascii_iequals(value.substr(0, end), scheme)) return {};
  const std::string_view token =
      value.substr(std::min(value.find_first_not_of(' ', end), value.size()));
  if (!is_token68(token)) return {What::kMalformed};
  return {What::kToken, token};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

}  // namespace ssx::http

#include "http/client/request_writer.h"

#include <algorithm>
#include <array>

#include "http/method.h"
#include "http/scan.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
namespace {

bool is_token(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  return !text.empty() && skip_token(Isa::kScalar, text.data(), end) == end;
}

bool is_field_value(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  return skip_value(Isa::kScalar, text.data(), end) == end;
}

// What frames the message, names its host, or speaks about this connection.
bool is_reserved(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 12> kNames = {
      "connection", "content-length",      "expect",           "host",
      "keep-alive", "proxy-authorization", "proxy-connection", "te",
      "trailer",    "transfer-encoding",   "upgrade",          "http2-settings"};
  return std::ranges::any_of(
      kNames, [name](std::string_view reserved) { return ascii_iequals(name, reserved); });
}

// A server must be told that there is no content where one is expected (RFC 9110 8.6).
bool expects_content(std::string_view method) noexcept {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

bool has_field(const std::vector<ClientField>& fields, std::string_view name) noexcept {
  return std::ranges::any_of(
      fields, [name](const ClientField& field) { return ascii_iequals(field.name, name); });
}

void append_framing(const RequestHead& head, std::string& out) {
  const auto length = head.body.length();
  if (!length) {
    append_field(out, "Transfer-Encoding", "chunked");
  } else if (*length > 0 || head.body.is_streamed() || expects_content(head.method)) {
    append_field(out, "Content-Length", std::to_string(*length));
  }
  if (head.expect_continue) append_field(out, "Expect", "100-continue");
}

}  // namespace

Errc check_request(std::string_view method, const std::vector<ClientField>& fields) noexcept {
  if (!is_token(method) || parse_method(method) == Method::kConnect) return Errc::kBadMethod;
  for (const ClientField& field : fields) {
    if (!is_token(field.name)) return Errc::kBadFieldName;
    if (!is_field_value(field.value)) return Errc::kBadFieldValue;
    if (is_reserved(field.name)) return Errc::kReservedField;
  }
  return Errc::kOk;
}

void append_request_head(const RequestHead& head, const ClientOptions& options, std::string& out) {
  out.append(head.method).append(" ");
  out.append(head.to_proxy ? std::string_view(head.url.text()) : head.url.target());
  out.append(" HTTP/1.1\r\n");
  append_field(out, "Host", head.url.authority());  // first, as RFC 9110 7.2 advises
  if (!options.user_agent.empty() && !has_field(head.fields, "user-agent")) {
    append_field(out, "User-Agent", options.user_agent);
  }
  for (const ClientField& field : head.fields) append_field(out, field.name, field.value);
  if (head.to_proxy && !options.proxy.user.empty()) {
    const std::string credentials = options.proxy.user + ':' + options.proxy.password;
    out.append("Proxy-Authorization: Basic ");
    append_base64(out, as_bytes(credentials), Base64::kStandard);
    out.append("\r\n");
  }
  append_framing(head, out);
  out.append("\r\n");
}

}  // namespace ssx::http

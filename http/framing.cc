#include "http/framing.h"

#include <cstdint>
#include <optional>

#include "http/scan.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/strings.h"

namespace ssx::http {
// 1 to 19 digits, so that the value fits without a look at each multiplication.
Errc read_content_length(std::string_view text, std::optional<std::uint64_t>& length) noexcept {
  constexpr std::size_t kDigitsMax = 19;
  if (text.empty() || text.size() > kDigitsMax) return Errc::kBadContentLength;
  std::uint64_t value = 0;
  for (const char byte : text) {
    if (byte < '0' || byte > '9') return Errc::kBadContentLength;
    value = value * 10 + static_cast<std::uint64_t>(byte - '0');
  }
  length = value;
  return Errc::kOk;
}

// Exactly one coding, "chunked", is served. A list that names it anywhere but once at its end has
// no length that all programs agree on; the rest is well formed and merely unknown to us.
Errc read_transfer_encoding(std::string_view text) noexcept {
  if (ascii_iequals(text, "chunked")) return Errc::kOk;
  bool malformed = false;
  bool chunked = false;
  for_each_part(text, ',', [&](std::string_view part) {
    const std::string_view coding = trim(part);
    const std::string_view name = trim(coding.substr(0, coding.find(';')));
    const char* const end = name.data() + name.size();
    const bool token = !name.empty() && skip_token(Isa::kScalar, name.data(), end) == end;
    const bool parameters = name.size() != coding.size();
    const bool is_chunked = ascii_iequals(name, "chunked");
    malformed = malformed || chunked || !token || (is_chunked && parameters);
    chunked = chunked || is_chunked;
  });
  return malformed ? Errc::kBadTransferEncoding : Errc::kUnknownTransferCoding;
}

void read_connection(std::string_view value, ConnectionOptions& connection) noexcept {
  for_each_part(value, ',', [&connection](std::string_view part) {
    const std::string_view option = trim(part);
    connection.close = connection.close || ascii_iequals(option, "close");
    connection.keep_alive = connection.keep_alive || ascii_iequals(option, "keep-alive");
    connection.upgrade = connection.upgrade || ascii_iequals(option, "upgrade");
  });
}

namespace {

Errc take_host(std::string_view value, Head& head) noexcept {
  if (head.has_host) return Errc::kDuplicateHost;
  Authority authority;
  head.has_host = true;
  head.host = value;
  return parse_authority(value, authority);
}

Errc take_content_length(std::string_view value, Head& head) noexcept {
  if (head.chunked) return Errc::kTransferEncodingAndLength;
  if (head.content_length.has_value()) return Errc::kDuplicateContentLength;
  return read_content_length(value, head.content_length);
}

Errc take_transfer_encoding(std::string_view value, Head& head) noexcept {
  if (head.version == Version::kHttp10) return Errc::kTransferEncodingInHttp10;
  if (head.content_length.has_value()) return Errc::kTransferEncodingAndLength;
  if (head.chunked) return Errc::kBadTransferEncoding;
  head.chunked = true;
  return read_transfer_encoding(value);
}

// HTTP/1.0 does not know Expect (RFC 9110 10.1.1). Empty members are nothing (RFC 9110 5.6.1.2).
Errc take_expect(std::string_view value, Head& head) noexcept {
  if (head.version == Version::kHttp10) return Errc::kOk;
  bool unknown = false;
  for_each_part(value, ',', [&head, &unknown](std::string_view part) {
    const std::string_view expectation = trim(part);
    if (expectation.empty()) return;
    const bool known = ascii_iequals(expectation, "100-continue");
    head.expect_continue = head.expect_continue || known;
    unknown = unknown || !known;
  });
  return unknown ? Errc::kUnknownExpectation : Errc::kOk;
}

// An absolute-form target names the host, and what Host says is ignored (RFC 9112 3.2.2). Nobody
// comes here over TLS, so a target with the scheme https is not for us (RFC 9110 7.4).
[[gnu::noinline]] Errc take_authority(Head& head) noexcept {
  Target target;
  const Errc code = split_target(head.target, head.method, target);
  SSX_ASSERT(code == Errc::kOk, static_cast<int>(code));
  if (target.secure) return Errc::kNotSecure;
  head.has_host = true;
  head.host = target.authority;
  // OPTIONS http://host is OPTIONS * (RFC 9112 3.2.4).
  if (head.path == "*") head.form = TargetForm::kAsterisk;
  return Errc::kOk;
}

// Host comes with every request; the rest is kept out of its way.
[[gnu::noinline]] Errc take_other_field(FieldName name, std::string_view value,
                                        ConnectionOptions& connection, Head& head) noexcept {
  if (name == FieldName::kContentLength) return take_content_length(value, head);
  if (name == FieldName::kTransferEncoding) return take_transfer_encoding(value, head);
  if (name == FieldName::kExpect) return take_expect(value, head);
  read_connection(value, connection);
  return Errc::kOk;
}

}  // namespace

void begin_framing(Head& head) noexcept {
  head.has_host = head.chunked = head.expect_continue = false;
  head.content_length.reset();
  head.host = {};
}

Errc take_framing_field(FieldName name, std::string_view value, ConnectionOptions& connection,
                        Head& head) noexcept {
  SSX_DCHECK(decides_framing(name));
  if (name == FieldName::kHost) return take_host(value, head);
  return take_other_field(name, value, connection, head);
}

Errc conclude_framing(const ConnectionOptions& connection, Head& head) noexcept {
  const bool http11 = head.version == Version::kHttp11;
  if (http11 && !head.has_host) return Errc::kMissingHost;
  if (head.form == TargetForm::kAbsolute) {
    if (const Errc code = take_authority(head); code != Errc::kOk) return code;
  }
  head.keep_alive = !connection.close && (http11 || connection.keep_alive);
  head.upgrade = http11 && connection.upgrade && head.fields.contains(FieldName::kUpgrade);
  return Errc::kOk;
}

}  // namespace ssx::http

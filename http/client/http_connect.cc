#include "http/client/http_connect.h"

#include <algorithm>
#include <utility>

#include "http/url.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/net/error.h"

namespace ssx::http {
namespace {

using Step = net::TunnelStep::Progress;

bool has_control(std::string_view text) noexcept {
  return std::ranges::any_of(
      text, [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; });
}

net::TunnelStep failed(std::error_code code) { return {Step::kFailed, 0, {code, "proxy"}}; }

}  // namespace

HttpConnect::HttpConnect(std::string request) : request_(std::move(request)) {
  parser_.reset(Method::kConnect);
}

Result<HttpConnect> HttpConnect::create(std::string_view host, std::uint16_t port,
                                        std::string_view user, std::string_view password) {
  // RFC 7617 2: nobody could tell a colon of the user from the one behind him.
  if (user.find(':') != std::string_view::npos || has_control(user) || has_control(password))
    return fail(ssx::Errc::kInvalidArgument, "proxy");
  const bool is_v6 = host.find(':') != std::string_view::npos;
  std::string authority = is_v6 ? '[' + std::string(host) + ']' : std::string(host);
  const auto url = Url::parse("http://" + authority + '/');
  if (!url || url->host() != host || url->target() != "/")
    return fail(net::Errc::kBadAddress, "proxy");
  authority += ':' + std::to_string(port);
  std::string request = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
  if (!user.empty()) {
    request += "Proxy-Authorization: Basic ";
    append_base64(request, as_bytes(std::string(user) + ':' + std::string(password)),
                  Base64::kStandard);
    request += "\r\n";
  }
  return HttpConnect(request + "\r\n");
}

net::TunnelStep HttpConnect::feed(std::string_view bytes, std::string&) {
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    const auto parsed = parser_.parse(bytes.substr(consumed), head_);
    if (parsed.progress == Progress::kNeedMore) break;
    if (parsed.progress == Progress::kFailed) return failed(make_error_code(parsed.error));
    consumed += parsed.head_size;
    if (!head_.is_interim()) {
      if (head_.status == 407) return failed(make_error_code(net::Errc::kProxyLogin));
      if (head_.status < 200 || head_.status > 299)
        return failed(make_error_code(net::Errc::kProxyRefused));
      return {Step::kDone, consumed};
    }
    if (++interim_ > kInterimMax) return failed(make_error_code(Errc::kTooManyInterim));
    parser_.reset(Method::kConnect);
  }
  return {Step::kNeedMore, consumed};
}

}  // namespace ssx::http

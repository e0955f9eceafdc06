#include "websocket/client/target.h"

#include <algorithm>
#include <utility>

#include "http/client/request_writer.h"
#include "ssxrver/base/strings.h"
#include "websocket/client_handshake.h"
#include "websocket/error.h"

namespace ssx::websocket {
namespace {

using http::ClientField;

// Written by the handshake, or by an option of its own.
bool is_ours(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "sec-websocket-";
  return ascii_iequals(name.substr(0, kPrefix.size()), kPrefix) || ascii_iequals(name, "origin");
}

http::Errc check_fields(const ClientOptions& options) {
  const http::Errc code = http::check_request("GET", options.fields);
  if (code != http::Errc::kOk) return code;
  const auto ours = [](const ClientField& field) { return is_ours(field.name); };
  if (std::ranges::any_of(options.fields, ours)) return http::Errc::kReservedField;
  return http::check_request("GET", {{.name = "Origin", .value = options.origin},
                                     {.name = "User-Agent", .value = options.user_agent}});
}

// RFC 6455 4.1, item 10: tokens, each of them once.
bool are_good_subprotocols(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (http::check_request("GET", {{.name = names[i], .value = ""}}) ==
        http::Errc::kBadFieldName) {
      return false;
    }
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return false;
    }
  }
  return true;
}

bool has_field(const ClientOptions& options, std::string_view name) noexcept {
  return std::ranges::any_of(
      options.fields, [name](const ClientField& field) { return ascii_iequals(field.name, name); });
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

Result<http::Url> parse_ws_url(std::string_view text) {
  const std::size_t colon = text.find("://");
  const std::string_view scheme = text.substr(0, colon);
  if (colon == std::string_view::npos) return fail(http::Errc::kBadUrl, "url");
  if (ascii_iequals(scheme, "wss")) return fail(http::Errc::kTlsNotBuilt, "url");
  if (!ascii_iequals(scheme, "ws")) return fail(http::Errc::kUnsupportedScheme, "url");
  if (text.find('#') != std::string_view::npos) return fail(http::Errc::kBadUrl, "url");
  return http::Url::parse("http" + std::string(text.substr(colon)));
}

Result<ClientTarget> ClientTarget::create(ClientOptions options) {
  SSX_TRY(auto url, parse_ws_url(options.url));
  if (const http::Errc code = check_fields(options); code != http::Errc::kOk)
    return fail(code, "request");
  if (!are_good_subprotocols(options.limits.subprotocols))
    return fail(Errc::kBadSubprotocols, "request");
  ClientTarget target{std::move(url), std::move(options)};
  SSX_TRY_VOID(target.make_tunnel());
  return target;
}

Result<ClientTunnel> ClientTarget::make_tunnel() const {
  const ClientProxy& proxy = options.proxy;
  switch (proxy.kind) {
    case ClientProxy::Kind::kNone:
      break;
    case ClientProxy::Kind::kHttp: {
      SSX_TRY(auto tunnel,
              http::HttpConnect::create(url.host(), url.port(), proxy.user, proxy.password));
      return ClientTunnel(std::move(tunnel));
    }
    case ClientProxy::Kind::kSocks5: {
      SSX_TRY(auto tunnel, net::Socks5::create(url.host(), url.port(), proxy.user, proxy.password));
      return ClientTunnel(std::move(tunnel));
    }
  }
  return ClientTunnel();
}

std::string_view ClientTarget::host() const noexcept {
  return options.proxy.kind == ClientProxy::Kind::kNone ? url.host() : options.proxy.host;
}
std::uint16_t ClientTarget::port() const noexcept {
  return options.proxy.kind == ClientProxy::Kind::kNone ? url.port() : options.proxy.port;
}

std::string ClientTarget::name() const {
  return "ws://" + std::string(url.authority()) + std::string(url.path());
}

std::string handshake_request(const ClientTarget& target, const HandshakeKey& key) {
  const ClientOptions& options = target.options;
  std::string out;
  out.append("GET ").append(target.url.target()).append(" HTTP/1.1\r\n");
  append_field(out, "Host", target.url.authority());
  append_request_fields(out, key, options.limits);
  if (!options.origin.empty()) append_field(out, "Origin", options.origin);
  if (!options.user_agent.empty() && !has_field(options, "user-agent"))
    append_field(out, "User-Agent", options.user_agent);
  for (const ClientField& field : options.fields) append_field(out, field.name, field.value);
  return out.append("\r\n");
}

}  // namespace ssx::websocket

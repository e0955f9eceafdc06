#include "websocket/client/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "websocket/error.h"

namespace ssx::websocket {
namespace {

ClientOptions to(std::string url) {
  ClientOptions options;
  options.url = std::move(url);
  return options;
}

std::error_code error_of(ClientOptions options) {
  const auto target = ClientTarget::create(std::move(options));
  return target ? std::error_code() : target.error().code();
}
std::error_code error_of(const http::ClientField& field) {
  ClientOptions options = to("ws://a.example/");
  options.fields = {field};
  return error_of(std::move(options));
}

const HandshakeKey kKey = [] {
  HandshakeKey key;
  std::copy_n("dGhlIHNhbXBsZSBub25jZQ==", key.size(), key.begin());
  return key;
}();

TEST(ClientTarget, TakesUrlsOfWebSockets) {
  EXPECT_EQ(parse_ws_url("ws://a.example")->port(), 80);
  EXPECT_EQ(parse_ws_url("WS://A.example:8080/x?y=z")->target(), "/x?y=z");
  EXPECT_EQ(parse_ws_url("ws://[::1]:9/")->host(), "::1");
  const struct {
    const char* url;
    http::Errc error;
  } bad[] = {{"", http::Errc::kBadUrl},
             {"a.example", http::Errc::kBadUrl},
             {"http://a.example/", http::Errc::kUnsupportedScheme},
             {"wss://a.example/", http::Errc::kTlsNotBuilt},
             {"WSS://a.example/", http::Errc::kTlsNotBuilt},
             {"ws://a.example/#x", http::Errc::kBadUrl},
             {"ws://a.example/a\r\nb", http::Errc::kBadUrl},
             {"ws://user@a.example/", http::Errc::kBadUrl},
             {"ws:///x", http::Errc::kBadUrl}};
  for (const auto& row : bad) {
    const auto url = parse_ws_url(row.url);
    ASSERT_FALSE(url) << row.url;
    EXPECT_EQ(url.error(), make_error_code(row.error)) << row.url;
  }
  EXPECT_EQ(error_of(to("wss://a.example/")), make_error_code(http::Errc::kTlsNotBuilt));
}

TEST(ClientTarget, LetsNothingOfTheCallersBreakTheRequest) {
  using http::Errc;
  EXPECT_EQ(error_of({.name = "X-A", .value = "b"}), std::error_code());
  EXPECT_EQ(error_of({.name = "X-A", .value = "b\r\nX-B: c"}),
            make_error_code(Errc::kBadFieldValue));
  EXPECT_EQ(error_of({.name = "X-A", .value = std::string("b\0c", 3)}),
            make_error_code(Errc::kBadFieldValue));
  EXPECT_EQ(error_of({.name = "X-A: b\r\nX-B", .value = "c"}),
            make_error_code(Errc::kBadFieldName));
  EXPECT_EQ(error_of({.name = "", .value = "c"}), make_error_code(Errc::kBadFieldName));
  for (const char* name : {"Host", "connection", "Upgrade", "Content-Length", "Transfer-Encoding",
                           "Sec-WebSocket-Key", "sec-websocket-extensions", "Origin"}) {
    EXPECT_EQ(error_of({.name = name, .value = "x"}), make_error_code(Errc::kReservedField))
        << name;
  }
  ClientOptions options = to("ws://a.example/");
  options.origin = "http://b.example\r\nX: y";
  EXPECT_EQ(error_of(options), make_error_code(Errc::kBadFieldValue));
  options.origin.clear();
  options.user_agent = "a\nb";
  EXPECT_EQ(error_of(options), make_error_code(Errc::kBadFieldValue));
}

TEST(ClientTarget, OffersSubprotocolsThatAreTokensOnce) {
  ClientOptions options = to("ws://a.example/");
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"a b"}, {""}, {"a,b"}, {"a\r\nX: y"}, {"a", "b", "a"}}) {
    options.limits.subprotocols = names;
    EXPECT_EQ(error_of(options), make_error_code(Errc::kBadSubprotocols)) << names[0];
  }
  options.limits.subprotocols = {"a", "A", "b"};
  EXPECT_EQ(error_of(options), std::error_code());
}

TEST(ClientTarget, WritesTheRequest) {
  ClientOptions options = to("ws://A.example:81/chat?x=1");
  EXPECT_EQ(ClientTarget::create(options)->name(), "ws://a.example:81/chat");
  EXPECT_EQ(handshake_request(*ClientTarget::create(options), kKey),
            "GET /chat?x=1 HTTP/1.1\r\nHost: a.example:81\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nUser-Agent: ssxrver\r\n\r\n");
  options.origin = "http://a.example";
  options.user_agent = "";
  options.limits.subprotocols = {"chat"};
  options.fields = {{.name = "Authorization", .value = "Bearer x"},
                    {.name = "User-Agent", .value = "mine"}};
  for (const char* agent : {"", "ssxrver"}) {
    options.user_agent = agent;
    EXPECT_TRUE(handshake_request(*ClientTarget::create(options), kKey)
                    .ends_with("Sec-WebSocket-Protocol: chat\r\nOrigin: http://a.example\r\n"
                               "Authorization: Bearer x\r\nUser-Agent: mine\r\n\r\n"));
  }
}

}  // namespace
}  // namespace ssx::websocket

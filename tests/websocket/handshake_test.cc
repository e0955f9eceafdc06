#include "websocket/handshake.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "tests/support/full_size.h"
#include "tests/websocket/parsed_request.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kUpgrade = "Upgrade: websocket";
constexpr std::string_view kConnection = "Connection: Upgrade";
constexpr std::string_view kVersion = "Sec-WebSocket-Version: 13";
constexpr std::string_view kKey = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

using Lines = std::initializer_list<std::string_view>;

std::string request_of(std::string_view line, Lines fields, std::string_view body = {}) {
  std::string text(line);
  text += "\r\nHost: a.example\r\n";
  for (const std::string_view field : fields) {
    if (!field.empty()) text.append(field).append("\r\n");
  }
  return text.append("\r\n").append(body);
}
std::string good_with(Lines more) {
  std::string text = request_of("GET /chat HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey});
  text.resize(text.size() - 2);
  for (const std::string_view field : more) text.append(field).append("\r\n");
  return text.append("\r\n");
}

Options speaking(std::string_view subprotocol) {
  Options options;
  options.subprotocols = {std::string(subprotocol)};
  return options;
}

Handshake shake(std::string bytes, const Options& options = {}) {
  const test::ParsedRequest request(std::move(bytes));
  return accept_handshake(*request, options, false);
}
Errc error_of(std::string bytes, const Options& options = {}) {
  return shake(std::move(bytes), options).error;
}
std::string fields_of(const Handshake& handshake) {
  EXPECT_EQ(handshake.error, Errc::kOk) << to_string(handshake.error);
  http::Response answer;
  add_fields(answer, handshake);
  return std::string(answer.fields());
}

// RFC 6455 1.3.
TEST(Handshake, AnswersTheExampleOfTheRfc) {
  const Options options = speaking("chat");
  const Handshake handshake = shake(
      good_with({"Origin: http://a.example", "Sec-WebSocket-Protocol: chat, superchat"}), options);
  EXPECT_EQ(fields_of(handshake),
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            "Sec-WebSocket-Protocol: chat\r\n");
  EXPECT_EQ(fields_of(shake(good_with({}))),
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
}

TEST(Handshake, SaysWhatWasAgreedOn) {
  Options options;
  options.deflate.mode = DeflateMode::kBoth;
  const std::string bytes =
      good_with({"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"});
  const Handshake handshake = shake(bytes, options);
  ASSERT_TRUE(handshake.deflate);
  EXPECT_TRUE(handshake.deflate->server_no_context_takeover);
  EXPECT_EQ(fields_of(handshake),
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
            "client_no_context_takeover\r\n");
  options.deflate.mode = DeflateMode::kOff;
  EXPECT_FALSE(shake(bytes, options).deflate);
}

TEST(Handshake, ThePlainOneTakesNoOfferAndRefusesTheSame) {
  Options options;
  options.deflate.mode = DeflateMode::kBoth;
  const auto shake_plainly = [&options](std::string bytes) {
    const test::ParsedRequest request(std::move(bytes));
    return accept_plain_handshake(*request, options, false);
  };
  const Handshake handshake =
      shake_plainly(good_with({"Sec-WebSocket-Extensions: permessage-deflate"}));
  EXPECT_FALSE(handshake.deflate);
  EXPECT_EQ(fields_of(handshake), "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
  EXPECT_EQ(shake_plainly(good_with({"Sec-WebSocket-Extensions: a;"})).error, Errc::kBadExtensions);
  EXPECT_EQ(shake_plainly(good_with({"Origin: http://b.example"})).error, Errc::kForbiddenOrigin);
}

TEST(Handshake, TakesFieldsInEverySpelling) {
  for (const std::string_view upgrade :
       {"Upgrade: websocket", "UPGRADE: WebSocket", "upgrade: h2c, websocket ,x",
        "Upgrade: x\r\nUpgrade: WEBSOCKET"}) {
    for (const std::string_view connection :
         {"Connection: Upgrade", "connection: upgrade", "Connection: keep-alive, Upgrade",
          "Connection: keep-alive\r\nConnection: ,UPGRADE,"}) {
      EXPECT_EQ(error_of(request_of("GET / HTTP/1.1", {upgrade, connection, kVersion, kKey})),
                Errc::kOk)
          << upgrade << connection;
    }
  }
}

TEST(Handshake, B03WhatIsNoHandshakeIsRefused) {
  const struct {
    std::string bytes;
    Errc error;
  } rows[] = {
      {request_of("POST / HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey}), Errc::kNotGet},
      {request_of("HEAD / HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey}), Errc::kNotGet},
      {request_of("OPTIONS / HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey}), Errc::kNotGet},
      {request_of("GET / HTTP/1.0", {kUpgrade, kConnection, kVersion, kKey}), Errc::kNotHttp11},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey, "Content-Length: 1"},
                  "x"),
       Errc::kHasBody},
      {request_of("GET / HTTP/1.1",
                  {kUpgrade, kConnection, kVersion, kKey, "Transfer-Encoding: chunked"},
                  "0\r\n\r\n"),
       Errc::kHasBody},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey, "Content-Length: 0"}),
       Errc::kOk},
      {request_of("GET / HTTP/1.1", {}), Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {kConnection, kVersion, kKey}), Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {kUpgrade, kVersion, kKey}), Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {kUpgrade, "Connection: keep-alive", kVersion, kKey}),
       Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {kUpgrade, "Connection: Upgraded", kVersion, kKey}),
       Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {"Upgrade: h2c", kConnection, kVersion, kKey}),
       Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {"Upgrade: websockets", kConnection, kVersion, kKey}),
       Errc::kNoUpgrade},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kKey}), Errc::kBadVersion},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kVersion, kVersion, kKey}),
       Errc::kBadVersion},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kVersion}), Errc::kBadKey},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kVersion, kKey, kKey}), Errc::kBadKey},
      {request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kVersion, "Sec-WebSocket-Key:"}),
       Errc::kBadKey},
      {request_of("GET / HTTP/1.1",
                  {kUpgrade, kConnection, kVersion, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ="}),
       Errc::kBadKey},
      {good_with({"Sec-WebSocket-Protocol: a b"}), Errc::kBadSubprotocols},
      {good_with({"Sec-WebSocket-Extensions: a;"}), Errc::kBadExtensions},
      {good_with({"Sec-WebSocket-Extensions: a,a,a,a,a,a,a,a,a"}), Errc::kTooManyExtensions},
      {good_with({"Origin: http://b.example"}), Errc::kForbiddenOrigin}};
  for (const auto& row : rows) {
    const Errc error = error_of(row.bytes);
    EXPECT_EQ(error, row.error) << to_string(error) << "\n" << row.bytes;
  }
}

TEST(Handshake, B03KnowsOneVersion) {
  for (const std::string_view version :
       {"0", "7", "8", "12", "14", "25", "013", "13.0", "+13", "13 13", "13, 8", "", "x"}) {
    EXPECT_EQ(
        error_of(request_of("GET / HTTP/1.1", {kUpgrade, kConnection, kKey,
                                               "Sec-WebSocket-Version: " + std::string(version)})),
        Errc::kBadVersion)
        << version;
  }
}

// B03: 10^5 refusals and as many handshakes leave nothing behind; the sanitizers look.
TEST(Handshake, B03NothingIsLeftOfManyHandshakes) {
  const test::ParsedRequest good(good_with({"Sec-WebSocket-Protocol: a, b"}));
  const test::ParsedRequest bad(good_with({"Sec-WebSocket-Protocol: a, a"}));
  const Options options = speaking("b");
  const int rounds = ssx::test::full_size(2000, 100'000);
  for (int i = 0; i < rounds; ++i) {
    ASSERT_EQ(accept_handshake(*good, options, false).subprotocol, "b");
    ASSERT_EQ(accept_handshake(*bad, options, false).error, Errc::kBadSubprotocols);
  }
}

TEST(Handshake, RefusalsSayWhatCouldBeAskedForInstead) {
  const http::Response method = refusal(Errc::kNotGet);
  EXPECT_EQ(method.status(), http::Status::kMethodNotAllowed);
  EXPECT_EQ(method.field("Allow"), "GET");
  for (const Errc error : {Errc::kBadVersion, Errc::kNoUpgrade}) {
    const http::Response version = refusal(error);
    EXPECT_EQ(version.status(), http::Status::kUpgradeRequired);
    EXPECT_EQ(version.prepared_fields(),
              "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
  }
  for (const Errc error : {Errc::kBadKey, Errc::kBadSubprotocols, Errc::kTooManyExtensions}) {
    const http::Response other = refusal(error);
    EXPECT_EQ(other.status(), http::Status::kBadRequest);
    EXPECT_EQ(other.prepared_fields(), "");
    EXPECT_EQ(other.fields(), "");
  }
  EXPECT_EQ(refusal(Errc::kForbiddenOrigin).status(), http::Status::kForbidden);
}

}  // namespace
}  // namespace ssx::websocket

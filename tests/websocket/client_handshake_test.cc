#include "websocket/client_handshake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/websocket/field_lines.h"
#include "tests/websocket/parsed_request.h"
#include "websocket/handshake.h"

namespace ssx::websocket {
namespace {

using http::Status;

HandshakeKey key_of(std::string_view text) {
  HandshakeKey key;
  std::copy_n(text.begin(), key.size(), key.begin());
  return key;
}
const HandshakeKey kKey = key_of("dGhlIHNhbXBsZSBub25jZQ==");
constexpr test::FieldLines::Line kUpgrade{"Upgrade", "websocket"};
constexpr test::FieldLines::Line kConnection{"Connection", "Upgrade"};
constexpr test::FieldLines::Line kAccept{"Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="};

Errc checked(const test::FieldLines& lines, Status status = Status::kSwitchingProtocols,
             const Options& options = {}) {
  return check_answer(status, lines.fields(), kKey, options).error;
}

TEST(ClientHandshake, AsksForAllThatTheOptionsSay) {
  std::string lines;
  append_request_fields(lines, kKey, {});
  EXPECT_EQ(lines,
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  Options options;
  options.subprotocols = {"a", "b"};
  options.deflate = {
      .mode = DeflateMode::kBoth, .server_context_takeover = true, .client_context_takeover = true};
  lines.clear();
  append_request_fields(lines, kKey, options);
  EXPECT_TRUE(
      lines.ends_with("Sec-WebSocket-Protocol: a, b\r\n"
                      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"))
      << lines;
}

TEST(ClientHandshake, TakesTheAnswerToItsKey) {
  EXPECT_EQ(checked({kUpgrade, kConnection, kAccept}), Errc::kOk);
  EXPECT_EQ(checked({{"upgrade", "WebSocket"}, {"CONNECTION", "keep-alive, upgrade"}, kAccept}),
            Errc::kOk);
}

TEST(ClientHandshake, RefusesWhatDoesNotSwitch) {
  EXPECT_EQ(checked({kUpgrade, kConnection, kAccept}, Status::kOk), Errc::kNotSwitched);
  EXPECT_EQ(checked({kUpgrade, kConnection, kAccept}, Status::kForbidden), Errc::kNotSwitched);
  EXPECT_EQ(checked({kConnection, kAccept}), Errc::kNotSwitched);
  EXPECT_EQ(checked({kUpgrade, kAccept}), Errc::kNotSwitched);
  EXPECT_EQ(checked({{"Upgrade", "h2c"}, kConnection, kAccept}), Errc::kNotSwitched);
  EXPECT_EQ(checked({{"Upgrade", "WebSocket"}, kConnection, kAccept}), Errc::kOk);
  EXPECT_EQ(checked({{"Upgrade", "websocket, x"}, kConnection, kAccept}), Errc::kNotSwitched);
  EXPECT_EQ(checked({kUpgrade, {"Connection", "close"}, kAccept}), Errc::kNotSwitched);
}

TEST(ClientHandshake, RefusesAnotherAccept) {
  EXPECT_EQ(checked({kUpgrade, kConnection}), Errc::kBadAccept);
  EXPECT_EQ(checked({kUpgrade, kConnection, kAccept, kAccept}), Errc::kBadAccept);
  for (const std::string_view accept :
       {"", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo", "S3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=x"}) {
    EXPECT_EQ(checked({kUpgrade, kConnection, {"Sec-WebSocket-Accept", accept}}), Errc::kBadAccept)
        << accept;
  }
}

TEST(ClientHandshake, RefusesWhatWasNotOffered) {
  EXPECT_EQ(checked({kUpgrade, kConnection, kAccept, {"Sec-WebSocket-Protocol", "a"}}),
            Errc::kUnaskedSubprotocol);
  const test::FieldLines deflate(
      {kUpgrade, kConnection, kAccept, {"Sec-WebSocket-Extensions", "permessage-deflate"}});
  EXPECT_EQ(checked(deflate), Errc::kUnaskedExtension);
  EXPECT_EQ(checked({kUpgrade, kConnection, kAccept, {"Sec-WebSocket-Extensions", "a;"}}),
            Errc::kBadExtensions);
}

// Two sides of ours, by their options.
TEST(ClientHandshake, AgreesWithOurServer) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    Options client;
    client.subprotocols = {"a", "b"};
    Options server;
    server.subprotocols = {"c", "b", "a"};
    server.deflate.mode = (bits & 1) != 0 ? DeflateMode::kBoth : DeflateMode::kOff;
    client.deflate.mode = (bits & 2) != 0 ? DeflateMode::kReceive : DeflateMode::kOff;
    client.deflate.server_context_takeover = (bits & 4) != 0;
    server.deflate.server_context_takeover = (bits & 8) != 0;
    server.deflate.client_max_window_bits = (bits & 16) != 0 ? 11 : 15;
    std::string bytes = "GET / HTTP/1.1\r\nHost: a.example\r\n";
    append_request_fields(bytes, kKey, client);
    const test::ParsedRequest request(bytes + "\r\n");
    const Handshake answer = accept_handshake(*request, server, false);
    ASSERT_EQ(answer.error, Errc::kOk) << to_string(answer.error);
    test::FieldLines lines({kUpgrade,
                            kConnection,
                            {"Sec-WebSocket-Accept", {answer.accept.data(), answer.accept.size()}},
                            {"Sec-WebSocket-Protocol", answer.subprotocol}});
    if (!answer.extensions.empty()) lines.add("Sec-WebSocket-Extensions", answer.extensions);
    const ClientHandshake taken =
        check_answer(Status::kSwitchingProtocols, lines.fields(), kKey, client);
    EXPECT_EQ(taken.error, Errc::kOk) << to_string(taken.error);
    EXPECT_EQ(taken.subprotocol, "b");
    EXPECT_EQ(taken.deflate, answer.deflate);
    EXPECT_EQ(taken.deflate.has_value(), (bits & 3) == 3);
  }
}

}  // namespace
}  // namespace ssx::websocket

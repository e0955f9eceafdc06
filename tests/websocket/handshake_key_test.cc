#include "websocket/handshake_key.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ssx::websocket {
namespace {

std::string_view text_of(const auto& characters) { return {characters.data(), characters.size()}; }

// RFC 6455 1.3 and 4.1.
TEST(HandshakeKey, HasTheAcceptOfTheRfc) {
  EXPECT_EQ(text_of(accept_key("dGhlIHNhbXBsZSBub25jZQ==")), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  std::array<std::byte, kNonceSize> nonce;
  for (std::size_t i = 0; i < nonce.size(); ++i) nonce[i] = static_cast<std::byte>(i + 1);
  EXPECT_EQ(text_of(make_key(nonce)), "AQIDBAUGBwgJCgsMDQ4PEA==");
}

TEST(HandshakeKey, IsMadeSoThatItIsOne) {
  std::array<std::byte, kNonceSize> nonce;
  for (unsigned value = 0; value <= 0xFF; ++value) {
    nonce.fill(static_cast<std::byte>(value));
    EXPECT_TRUE(is_key(text_of(make_key(nonce))));
  }
}

TEST(HandshakeKey, B03IsSixteenBytesInOneBase64) {
  EXPECT_TRUE(is_key("dGhlIHNhbXBsZSBub25jZQ=="));
  EXPECT_TRUE(is_key("AAAAAAAAAAAAAAAAAAAAAA=="));
  EXPECT_TRUE(is_key("/////////////////////w=="));
  for (const std::string_view text :
       {"", "=", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
        "dGhlIHNhbXBsZSBub25j", "dGhlIHNhbXBsZSBub25jZWU=", "dGhlIHNhbXBsZSBub25jZWVl",
        "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j ZQ==", " GhlIHNhbXBsZSBub25jZQ==",
        "dGhlIHNhbXBsZSBub25jZQ= ", "-GhlIHNhbXBsZSBub25jZQ==", "_GhlIHNhbXBsZSBub25jZQ==",
        "dGhl=HNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ==dGhlIHNhbXBsZSBub25jZQ=="}) {
    EXPECT_FALSE(is_key(text)) << text;
  }
}

}  // namespace
}  // namespace ssx::websocket

#include "websocket/handshake_key.h"

#include <algorithm>
#include <string>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/base64.h"
#include "ssxrver/base/digest.h"

namespace ssx::websocket {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

template <std::size_t Size>
std::array<char, Size> encoded(ByteView bytes) {
  const std::string text = base64_encode(bytes, Base64::kStandard);
  SSX_ASSERT(text.size() == Size, text.size());
  std::array<char, Size> array;
  std::copy(text.begin(), text.end(), array.begin());
  return array;
}

}  // namespace

HandshakeKey make_key(std::span<const std::byte, kNonceSize> nonce) {
  return encoded<std::tuple_size_v<HandshakeKey>>(nonce);
}

bool is_key(std::string_view text) {
  if (text.size() != std::tuple_size_v<HandshakeKey>) return false;
  const auto nonce = base64_decode(text, Base64::kStandard);
  return nonce && nonce->size() == kNonceSize;
}

AcceptKey accept_key(std::string_view key) {
  Sha1 hash;
  hash.update(as_bytes(key));
  hash.update(as_bytes(kGuid));
  return encoded<std::tuple_size_v<AcceptKey>>(hash.finish());
}

}  // namespace ssx::websocket

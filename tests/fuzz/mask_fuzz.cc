// Masks: every instruction set does what RFC 6455 5.3 says, wherever the bytes lie, and in pieces.
//
// The first four bytes of an input are the key, the fifth one is where the bytes lie and where in
// the payload they stand.
#include "websocket/mask.h"

#include <algorithm>
#include <string>

#include "ssxrver/base/assert.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace ssx;
using namespace ssx::websocket;

MutableBytes mutable_bytes(std::string& text) {
  return {reinterpret_cast<std::byte*>(text.data()), text.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5) return 0;
  MaskKey key;
  std::copy_n(as_bytes(fuzz::text(data, 4)).begin(), 4, key.begin());
  const std::size_t alignment = data[4] & 63;
  const std::size_t offset = data[4] >> 6;
  const std::string_view text = fuzz::text(data + 5, size - 5);
  std::string expected(text);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<char>(expected[i] ^ static_cast<char>(key[(i + offset) % 4]));
  }
  for (const ssx::Isa isa : {ssx::Isa::kScalar, ssx::best_isa()}) {
    const std::string before = std::string(alignment, '<') + std::string(text) + ">>>>";
    std::string moved = before;
    std::string placed = before;
    apply_mask(mutable_bytes(placed).subspan(alignment, text.size()), key, offset, isa);
    SSX_ASSERT(placed == std::string(alignment, '<') + expected + ">>>>");
    copy_masked(as_bytes(moved).subspan(alignment, text.size()), mutable_bytes(moved).data(), key,
                offset, isa);
    SSX_ASSERT(moved.substr(0, text.size()) == expected);

    for (const auto& pieces : fuzz::splits(text)) {
      std::string joined;
      for (const std::string_view piece : pieces) {
        std::string copy(piece);
        apply_mask(mutable_bytes(copy), key, offset + joined.size(), isa);
        joined += copy;
      }
      SSX_ASSERT(joined == expected);
    }
  }
  return 0;
}

#include "ssxrver/crypt/md5.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ssx::crypt {
namespace {

std::string hex(const Md5::Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : digest) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string md5(std::string_view text) {
  Md5 hash;
  hash.update(as_bytes(text));
  return hex(hash.finish());
}

// RFC 1321 A.5.
TEST(Md5, GivesTheHashesOfTheRfc) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, DoesNotMindHowItsBytesCome) {
  const std::string text(150, 'x');
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string whole = text.substr(0, size);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      Md5 hash;
      hash.update(as_bytes(std::string_view(whole).substr(0, cut)));
      hash.update(as_bytes(std::string_view(whole).substr(cut)));
      ASSERT_EQ(hex(hash.finish()), md5(whole)) << size << " " << cut;
    }
  }
}

}  // namespace
}  // namespace ssx::crypt

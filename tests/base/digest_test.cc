#include "ssxrver/base/digest.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/feed_every_split.h"
#include "tests/support/guard_page.h"

namespace ssx {
namespace {

std::string hex(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

constexpr std::string_view kTwoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
constexpr std::string_view kLong =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopq"
    "r"
    "smnopqrstnopqrstu";

// The examples that belong to FIPS 180-4.
TEST(Sha1, GivesThePublishedDigests) {
  const auto sha1 = [](std::string_view text) { return hex(Sha1::of(as_bytes(text))); };
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1(kTwoBlocks), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(sha1(kLong), "a49b2446a02c645bf419f995b67091253a04a259");
  EXPECT_EQ(sha1(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha256, GivesThePublishedDigests) {
  const auto sha256 = [](std::string_view text) { return hex(Sha256::of(as_bytes(text))); };
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(kTwoBlocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(kLong), "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

template <class Hash>
std::string hashed(Hash hash, const test::Pieces& pieces) {
  for (const std::string_view piece : pieces) hash.update(as_bytes(piece));
  return hex(hash.finish());
}

TEST(Digest, DoesNotDependOnThePieces) {
  for (const std::size_t size : {0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 200}) {
    std::string text;
    while (text.size() < size) text += static_cast<char>('a' + text.size() % 26);
    const std::string sha1 = hex(Sha1::of(as_bytes(text)));
    const std::string sha256 = hex(Sha256::of(as_bytes(text)));
    test::feed_every_split(text, [&sha1, &sha256](const test::Pieces& pieces) {
      EXPECT_EQ(hashed(Sha1(), pieces), sha1);
      EXPECT_EQ(hashed(Sha256(), pieces), sha256);
    });
  }
}

// RFC 4231 4.2 to 4.8, without 4.6 (a truncated digest).
TEST(HmacSha256, GivesTheDigestsOfRfc4231) {
  const struct {
    std::string key, data, digest;
  } rows[] = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16"
       "\x17\x18\x19",
       std::string(50, '\xcd'), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. The "
       "key needs to be hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"}};
  for (const auto& row : rows) {
    EXPECT_EQ(hex(HmacSha256::of(as_bytes(row.key), as_bytes(row.data))), row.digest) << row.data;
    test::feed_every_split(row.data, [&row](const test::Pieces& pieces) {
      EXPECT_EQ(hashed(HmacSha256(as_bytes(row.key)), pieces), row.digest);
    });
  }
}

TEST(Digest, ReadsOnlyItsBytes) {
  for (const std::size_t size : {0, 1, 63, 64, 65}) {
    const test::GuardedBytes guarded{std::string(size, 'x')};
    EXPECT_EQ(hex(Sha256::of(as_bytes(guarded.text()))),
              hex(Sha256::of(as_bytes(std::string(size, 'x')))));
  }
}

TEST(EqualInConstantTime, ComparesEveryByte) {
  const auto equal = [](std::string_view left, std::string_view right) {
    return equal_in_constant_time(as_bytes(left), as_bytes(right));
  };
  EXPECT_TRUE(equal("", ""));
  EXPECT_TRUE(equal("abc", "abc"));
  EXPECT_FALSE(equal("abc", "ab"));
  EXPECT_FALSE(equal("", "a"));
  const std::string text(40, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ 1 << bit);
      EXPECT_FALSE(equal(text, other)) << i << ' ' << bit;
    }
  }
}

}  // namespace
}  // namespace ssx

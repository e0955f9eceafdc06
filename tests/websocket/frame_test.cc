#include "websocket/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"

namespace ssx::websocket {
namespace {

std::string encoded(const FrameHeader& header) {
  std::array<std::byte, kHeaderMax> bytes;
  const std::size_t size = encode_header(header, bytes);
  return std::string(as_text(ByteView(bytes).first(size)));
}

std::string bytes_of(std::initializer_list<unsigned> values) {
  std::string text;
  for (const unsigned value : values) text.push_back(static_cast<char>(value));
  return text;
}

struct Verdict {
  Errc error = Errc::kOk;
  std::size_t at = 0;  ///< the number of bytes that it took
  bool operator==(const Verdict&) const = default;
};

// Reads growing prefixes until one has a verdict.
Verdict first_verdict(std::string_view bytes, Role role, bool may_compress = false) {
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const DecodedHeader decoded =
        decode_header(as_bytes(bytes.substr(0, size)), role, may_compress);
    if (decoded.error != Errc::kOk) return {decoded.error, size};
    if (decoded.size != 0) return {Errc::kOk, decoded.size};
  }
  return {Errc::kOk, 0};
}

std::vector<FrameHeader> every_good_header() {
  std::vector<FrameHeader> all;
  constexpr MaskKey kKey = {std::byte{1}, std::byte{0xFF}, std::byte{0}, std::byte{0x80}};
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{124}, std::uint64_t{125},
        std::uint64_t{126}, std::uint64_t{127}, std::uint64_t{255}, std::uint64_t{256},
        std::uint64_t{0xFFFF}, std::uint64_t{0x10000}, std::uint64_t{1} << 31,
        std::uint64_t{1} << 32, std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1}) {
    for (const Opcode opcode : {Opcode::kContinuation, Opcode::kText, Opcode::kBinary,
                                Opcode::kClose, Opcode::kPing, Opcode::kPong}) {
      for (unsigned flags = 0; flags < 8; ++flags) {
        const bool masked = (flags & 4) != 0;
        const FrameHeader header{.opcode = opcode,
                                 .fin = (flags & 1) != 0,
                                 .compressed = (flags & 2) != 0,
                                 .masked = masked,
                                 .payload_size = size,
                                 .key = masked ? kKey : MaskKey{}};
        const bool begins = opcode == Opcode::kText || opcode == Opcode::kBinary;
        if (header.compressed && !begins) continue;
        if (is_control(opcode) && (!header.fin || size > kControlPayloadMax)) continue;
        all.push_back(header);
      }
    }
  }
  return all;
}

// RFC 6455 5.7.
TEST(FrameHeader, IsWhatTheExamplesOfTheRfcShow) {
  EXPECT_EQ(encoded({.opcode = Opcode::kText, .payload_size = 5}), bytes_of({0x81, 5}));
  EXPECT_EQ(encoded({.opcode = Opcode::kText,
                     .masked = true,
                     .payload_size = 5,
                     .key = {std::byte{0x37}, std::byte{0xFA}, std::byte{0x21}, std::byte{0x3D}}}),
            bytes_of({0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D}));
  EXPECT_EQ(encoded({.opcode = Opcode::kText, .fin = false, .payload_size = 3}),
            bytes_of({0x01, 3}));
  EXPECT_EQ(encoded({.opcode = Opcode::kContinuation, .payload_size = 2}), bytes_of({0x80, 2}));
  EXPECT_EQ(encoded({.opcode = Opcode::kPing, .payload_size = 5}), bytes_of({0x89, 5}));
  EXPECT_EQ(encoded({.opcode = Opcode::kBinary, .payload_size = 256}),
            bytes_of({0x82, 0x7E, 1, 0}));
  EXPECT_EQ(encoded({.opcode = Opcode::kBinary, .payload_size = 65536}),
            bytes_of({0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(FrameHeader, ComesBackAsItWasWrittenInAsFewBytesAsItNeeds) {
  for (const FrameHeader& header : every_good_header()) {
    const std::string bytes = encoded(header);
    ASSERT_EQ(bytes.size(), header_size(header));
    const Role reader = header.masked ? Role::kServer : Role::kClient;
    const DecodedHeader decoded = decode_header(as_bytes(bytes), reader, header.compressed);
    ASSERT_EQ(decoded.error, Errc::kOk) << to_string(decoded.error);
    ASSERT_EQ(decoded.size, bytes.size());
    EXPECT_EQ(decoded.header, header);
    EXPECT_EQ(first_verdict(bytes, reader, header.compressed), (Verdict{Errc::kOk, bytes.size()}));
  }
}

TEST(FrameHeader, EndsBeforeThePayload) {
  const std::string bytes = encoded({.opcode = Opcode::kText, .payload_size = 300}) + "payload";
  const DecodedHeader decoded = decode_header(as_bytes(bytes), Role::kClient, false);
  EXPECT_EQ(decoded.size, 4U);
  EXPECT_EQ(decoded.header.payload_size, 300U);
}

// Every refusal, and the byte that is the first to prove it.
TEST(FrameHeader, IsRefusedByTheFirstByteThatProvesIt) {
  struct Case {
    std::string bytes;
    Verdict verdict;
    bool may_compress = false;
  };
  const Case cases[] = {
      {bytes_of({0xC1}), {Errc::kReservedBits, 1}},
      {bytes_of({0xA1}), {Errc::kReservedBits, 1}, true},
      {bytes_of({0x91}), {Errc::kReservedBits, 1}, true},
      {bytes_of({0xC0}), {Errc::kReservedBits, 1}, true},
      {bytes_of({0x40}), {Errc::kReservedBits, 1}, true},
      {bytes_of({0xC9}), {Errc::kReservedBits, 1}, true},
      {bytes_of({0x83}), {Errc::kBadOpcode, 1}},
      {bytes_of({0x87}), {Errc::kBadOpcode, 1}},
      {bytes_of({0x8B}), {Errc::kBadOpcode, 1}},
      {bytes_of({0xCF}), {Errc::kBadOpcode, 1}, true},
      {bytes_of({0x08}), {Errc::kFragmentedControl, 1}},
      {bytes_of({0x09}), {Errc::kFragmentedControl, 1}},
      {bytes_of({0x0A}), {Errc::kFragmentedControl, 1}},
      {bytes_of({0x81, 0x00}), {Errc::kUnmasked, 2}},
      {bytes_of({0x89, 0xFE}), {Errc::kControlTooLong, 2}},
      {bytes_of({0x88, 0xFF}), {Errc::kControlTooLong, 2}},
      {bytes_of({0x82, 0xFE, 0, 125}), {Errc::kLengthNotMinimal, 4}},
      {bytes_of({0x82, 0xFE, 0, 0}), {Errc::kLengthNotMinimal, 4}},
      {bytes_of({0x82, 0xFF, 0x80}), {Errc::kLengthTooLarge, 3}},
      {bytes_of({0x82, 0xFF, 0xFF}), {Errc::kLengthTooLarge, 3}},
      {bytes_of({0x82, 0xFF, 0, 0, 0, 0, 0, 0}), {Errc::kLengthNotMinimal, 8}},
  };
  for (const Case& one : cases) {
    const std::string more = one.bytes + std::string(20, '\xFF');
    for (const std::string& bytes : {one.bytes, more}) {
      const Verdict verdict = first_verdict(bytes, Role::kServer, one.may_compress);
      EXPECT_EQ(verdict, one.verdict) << testing::PrintToString(one.bytes) << " "
                                      << to_string(verdict.error) << " at " << verdict.at;
      const auto whole = decode_header(as_bytes(bytes), Role::kServer, one.may_compress);
      EXPECT_EQ(whole.error, one.verdict.error) << testing::PrintToString(one.bytes);
    }
  }
  EXPECT_EQ(first_verdict(bytes_of({0x81, 0x80}), Role::kClient), (Verdict{Errc::kMasked, 2}));
}

// B05: the verdict over a first pair of bytes, as RFC 6455 5.2 and RFC 7692 6 have it, written
// down without a look at the decoder. Nothing: more bytes are needed.
std::optional<Errc> reference_verdict(unsigned first, unsigned second, Role role, bool deflate) {
  const bool fin = first >= 128;
  const bool rsv1 = first / 64 % 2 == 1;
  const bool rsv2 = first / 32 % 2 == 1;
  const bool rsv3 = first / 16 % 2 == 1;
  const unsigned opcode = first % 16;
  const bool mask = second >= 128;
  const unsigned length = second % 128;
  switch (opcode) {
    case 0x0:
    case 0x8:
    case 0x9:
    case 0xA:
      if (rsv1 || rsv2 || rsv3) return Errc::kReservedBits;
      break;
    case 0x1:
    case 0x2:
      if ((rsv1 && !deflate) || rsv2 || rsv3) return Errc::kReservedBits;
      break;
    default:
      if ((rsv1 && !deflate) || rsv2 || rsv3) return Errc::kReservedBits;
      return Errc::kBadOpcode;
  }
  const bool control = opcode >= 8;
  if (control && !fin) return Errc::kFragmentedControl;
  if (role == Role::kServer && !mask) return Errc::kUnmasked;
  if (role == Role::kClient && mask) return Errc::kMasked;
  if (control && length > 125) return Errc::kControlTooLong;
  if (mask || length > 125) return std::nullopt;
  return Errc::kOk;
}

TEST(FrameHeader, B05EveryFirstPairOfBytesGetsTheVerdictOfAnIndependentReader) {
  for (const Role role : {Role::kServer, Role::kClient}) {
    for (const bool deflate : {false, true}) {
      for (unsigned pair = 0; pair < 0x10000; ++pair) {
        const unsigned first = pair >> 8;
        const unsigned second = pair & 0xFF;
        const std::string bytes = bytes_of({first, second});
        const DecodedHeader decoded = decode_header(as_bytes(bytes), role, deflate);
        const std::optional<Errc> expected = reference_verdict(first, second, role, deflate);
        ASSERT_EQ(decoded.error, expected.value_or(Errc::kOk)) << first << " " << second;
        ASSERT_EQ(decoded.size, expected == Errc::kOk ? 2 : 0) << first << " " << second;
        if (decoded.size == 0) continue;
        ASSERT_EQ(static_cast<unsigned>(decoded.header.opcode), first % 16);
        ASSERT_EQ(decoded.header.fin, first >= 128);
        ASSERT_EQ(decoded.header.compressed, first / 64 % 2 == 1);
        ASSERT_EQ(decoded.header.payload_size, second % 128);
        ASSERT_EQ(encoded(decoded.header), bytes);
      }
    }
  }
}

TEST(FrameHeader, B06LengthsHaveOneFormEach) {
  for (unsigned length = 0; length <= 0xFFFF; ++length) {
    const std::string bytes = bytes_of({0x82, 126, length >> 8, length & 0xFF});
    const Verdict expected =
        length < 126 ? Verdict{Errc::kLengthNotMinimal, 4} : Verdict{Errc::kOk, 4};
    ASSERT_EQ(first_verdict(bytes, Role::kClient), expected) << length;
  }
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const unsigned low : {0U, 1U}) {
      std::array<std::byte, 10> bytes = {std::byte{0x82}, std::byte{127}};
      store_big_endian(&bytes[2], std::uint64_t{1} << bit | low);
      const Verdict verdict = first_verdict(as_text(bytes), Role::kClient);
      const Verdict expected = bit == 63   ? Verdict{Errc::kLengthTooLarge, 3}
                               : bit >= 16 ? Verdict{Errc::kOk, 10}
                                           : Verdict{Errc::kLengthNotMinimal, 8};
      EXPECT_EQ(verdict, expected) << bit;
    }
  }
}

}  // namespace
}  // namespace ssx::websocket

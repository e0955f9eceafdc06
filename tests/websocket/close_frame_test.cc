#include "websocket/close_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace ssx::websocket {
namespace {

using namespace std::string_view_literals;

std::string written(CloseCode code, std::string_view reason) {
  std::array<std::byte, kControlPayloadMax> bytes;
  const std::size_t size = write_close(code, reason, bytes);
  return std::string(as_text(ByteView(bytes).first(size)));
}

TEST(CloseFrame, MayBeEmpty) {
  const ParsedClose close = parse_close({});
  EXPECT_EQ(close.error, Errc::kOk);
  EXPECT_EQ(close.code, CloseCode::kNoStatus);
  EXPECT_EQ(close.reason, "");
  EXPECT_EQ(written(CloseCode::kNoStatus, "a reason needs a code"), "");
}

TEST(CloseFrame, HasACodeAndAReason) {
  const ParsedClose close = parse_close(as_bytes("\x03\xe9gone \xe2\x82\xac"sv));
  EXPECT_EQ(close.error, Errc::kOk);
  EXPECT_EQ(close.code, CloseCode::kGoingAway);
  EXPECT_EQ(close.reason, "gone \xe2\x82\xac");
  EXPECT_EQ(written(CloseCode::kGoingAway, "gone \xe2\x82\xac"), "\x03\xe9gone \xe2\x82\xac");
  EXPECT_EQ(written(CloseCode::kNormal, ""), "\x03\xe8"sv);
}

TEST(CloseFrame, B13OneByteIsNoCode) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char payload = static_cast<char>(byte);
    EXPECT_EQ(parse_close(as_bytes({&payload, 1})).error, Errc::kBadCloseSize);
  }
}

// RFC 6455 7.4.2: 0 .. 999 are not used; 1004 has no meaning, 1005, 1006 and 1015 are never sent,
// 1016 .. 2999 are not defined, and nothing says what 5000 and more would be.
TEST(CloseFrame, B13EveryCodeIsTakenOrRefused) {
  for (unsigned code = 0; code <= 0xFFFF; ++code) {
    const std::string payload = {static_cast<char>(code >> 8), static_cast<char>(code), 'x'};
    const bool good =
        (code >= 3000 && code <= 4999) ||
        (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006);
    for (const std::string& bytes : {payload, payload.substr(0, 2)}) {
      const ParsedClose close = parse_close(as_bytes(bytes));
      ASSERT_EQ(close.error, good ? Errc::kOk : Errc::kBadCloseCode) << code;
      ASSERT_EQ(to_int(close.code), code);
      ASSERT_EQ(close.reason, good ? bytes.substr(2) : "");
    }
    ASSERT_TRUE(!good || written(static_cast<CloseCode>(code), "x") == payload);
  }
}

TEST(CloseFrame, B13AReasonIsUtf8) {
  for (const std::string_view reason : {"\xff"sv, "ok\x80"sv, "\xc0\xaf"sv, "\xed\xa0\x80"sv,
                                        "\xf4\x90\x80\x80"sv, "cut \xe2\x82"sv}) {
    const ParsedClose close = parse_close(as_bytes(std::string("\x03\xe8").append(reason)));
    EXPECT_EQ(close.error, Errc::kBadUtf8) << testing::PrintToString(reason);
    EXPECT_EQ(close.reason, "");
  }
  EXPECT_EQ(parse_close(as_bytes("\x03\xe8\xff\xff"sv.substr(0, 2))).error, Errc::kOk);
}

TEST(CloseFrame, IsAsLongAsAControlFrameMayBe) {
  for (const std::size_t size : {kReasonMax - 1, kReasonMax, kReasonMax + 1, kReasonMax + 500}) {
    const std::string payload = written(CloseCode::kNormal, std::string(size, 'r'));
    EXPECT_EQ(payload.size(), 2 + std::min(size, kReasonMax));
    EXPECT_EQ(parse_close(as_bytes(payload)).error, Errc::kOk);
  }
}

TEST(CloseFrame, CutsAReasonBetweenCharacters) {
  for (const std::string_view character : {"\xc3\xa4"sv, "\xe2\x82\xac"sv, "\xf0\x9f\x98\x80"sv}) {
    for (std::size_t before = 0; before < 5; ++before) {
      std::string reason(before, 'a');
      while (reason.size() < 200) reason += character;
      const std::string payload = written(CloseCode::kNormal, reason);
      const std::size_t whole = (kReasonMax - before) / character.size() * character.size();
      EXPECT_EQ(payload.substr(2), reason.substr(0, before + whole));
      EXPECT_EQ(parse_close(as_bytes(payload)).error, Errc::kOk);
    }
  }
  EXPECT_EQ(written(CloseCode::kNormal, "good\xff bad"), "\x03\xe8good");
}

}  // namespace
}  // namespace ssx::websocket

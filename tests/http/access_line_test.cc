#include "http/access_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

std::string value(std::string_view text, bool is_json, std::size_t room = 4096) {
  std::string out(room, '?');
  AccessLine line(out.data(), is_json);
  line.put_value(text, room);
  EXPECT_LE(line.size(), room);
  return out.substr(0, line.size());
}
std::string as_text(std::string_view text) { return value(text, false); }
std::string as_json(std::string_view text) { return value(text, true); }

TEST(AccessLine, WritesNumbers) {
  char room[128];
  AccessLine line(room, false);
  line.put_number(0);
  line.put(' ');
  line.put_number(std::numeric_limits<std::uint64_t>::max());
  line.put(' ');
  line.put_milliseconds(0);
  line.put(' ');
  line.put_milliseconds(12005);
  EXPECT_EQ(std::string_view(room, line.size()), "0 18446744073709551615 0.000 12.005");
}

TEST(AccessLine, EscapesAsNginxDoes) {
  EXPECT_EQ(as_text("GET /a?b=c HTTP/1.1"), "GET /a?b=c HTTP/1.1");
  EXPECT_EQ(as_text("a\"b\\c\n\x7F\xFF"), R"(a\x22b\x5Cc\x0A\x7F\xFF)");
  EXPECT_EQ(as_text("\xC3\xBC"), R"(\xC3\xBC)");
}

TEST(AccessLine, EscapesAsJsonDoes) {
  EXPECT_EQ(as_json("a\"b\\c\n\x7F"), R"(a\"b\\c\u000A\u007F)");
  EXPECT_EQ(as_json("\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(as_json("\xFF\xC3"), R"(\\xFF\\xC3)");
  EXPECT_EQ(as_json("\xC2\x85"), R"(\\xC2\\x85)");  // a C1 control
}

// Every byte at every place of a word of eight: the fast path must let nothing through.
TEST(AccessLine, EscapesEveryByteWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t place = 0; place < 24; ++place) {
      std::string text(24, 'x');
      text[place] = static_cast<char>(byte);
      for (const bool is_json : {false, true}) {
        const std::string line = value(text, is_json);
        const bool is_plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
        EXPECT_EQ(line == text, is_plain) << byte << " at " << place;
        for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << byte;
        const bool is_backslash = is_json && byte == '\\';  // it stands before an x of the text
        const bool is_hex = !is_backslash && line.find("\\x") != std::string::npos;
        EXPECT_EQ(std::count(line.begin(), line.end(), 'x'), 23 + is_hex + (byte == 'x'))
            << byte << " at " << place;
      }
    }
  }
}

TEST(AccessLine, CutsWhatHasNoRoomAndSaysSo) {
  EXPECT_EQ(value("0123456789abcdef", false, 16), "0123456789abcdef");
  EXPECT_EQ(value("0123456789abcdefg", false, 16), "0123456789abc...");
  EXPECT_EQ(value("0123456789abcdef", false, 15), "0123456789ab...");
  EXPECT_EQ(value("abc", false, 3), "abc");
  EXPECT_EQ(value("abcd", false, 3), "...");
  // Never half an escape, nor half a character.
  EXPECT_EQ(value("abcdefghij\n\n", false, 16), "abcdefghij...");
  EXPECT_EQ(value("abcdefghi\n\n", false, 16), R"(abcdefghi\x0A...)");
  EXPECT_EQ(value("abcdefghijkl\xC3\xBC\xC3\xBC\xC3\xBC", true, 16), "abcdefghijkl...");
}

TEST(AccessLine, StaysWithinItsRoom) {
  const std::string texts[] = {std::string(300, 'x'), std::string(300, '\n'),
                               std::string(300, '\xFF'),
                               std::string(7, 'x') + std::string(300, '"')};
  for (std::size_t room = 3; room < 40; ++room) {
    for (const std::string& text : texts) {
      for (const bool is_json : {false, true}) {
        std::vector<char> out(room);  // ASan watches its end
        AccessLine line(out.data(), is_json);
        EXPECT_FALSE(line.put_value(text, room));
        EXPECT_LE(line.size(), room);
        EXPECT_TRUE(std::string_view(out.data(), line.size()).ends_with("..."));
      }
    }
  }
}

TEST(AccessLine, SaysNothingInTwoWays) {
  char room[8];
  AccessLine text(room, false);
  text.put_nothing();
  EXPECT_EQ(std::string_view(room, text.size()), "-");
  AccessLine json(room, true);
  json.put_nothing();
  EXPECT_EQ(json.size(), 0u);
}

}  // namespace
}  // namespace ssx::http

#include "ssxrver/base/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ssx {
namespace {

// What a code point looks like (RFC 3629 3), whether or not there is such a code point.
std::string encoded(unsigned point, unsigned size) {
  constexpr unsigned kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  if (size == 1) return std::string(1, static_cast<char>(point));
  std::string text;
  text.push_back(static_cast<char>(kLead[size] | point >> (6 * (size - 1))));
  for (unsigned left = size - 1; left > 0; --left) {
    text.push_back(static_cast<char>(0x80 | (point >> (6 * (left - 1)) & 0x3F)));
  }
  return text;
}

bool is_whole(std::string_view text) { return utf8_front(text) == text.size(); }

TEST(Utf8Steps, TakeEveryCodePointInItsShortestFormOnly) {
  for (unsigned point = 0; point <= 0x1FFFFF; ++point) {
    const bool exists = point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    const unsigned shortest = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (unsigned size = shortest; size <= 4; ++size) {
      ASSERT_EQ(is_whole(encoded(point, size)), exists && size == shortest)
          << point << " in " << size;
    }
  }
}

TEST(Utf8Steps, RefuseTheFirstByteThatCannotBe) {
  struct Case {
    std::string_view text;
    std::size_t taken;
  };
  for (const Case& one :
       {Case{"\x80", 0}, Case{"\xC0", 0}, Case{"\xC1", 0}, Case{"\xF5", 0}, Case{"\xFF", 0},
        Case{"\xC3(", 1}, Case{"\xE0\x9F", 1}, Case{"\xED\xA0", 1}, Case{"\xF0\x8F", 1},
        Case{"\xF4\x90", 1}, Case{"\xE2\x82(", 2}, Case{"\xF0\x9F\x98\xFF", 3}}) {
    Utf8Steps steps;
    std::size_t taken = 0;
    while (taken < one.text.size() && steps.take(one.text[taken])) ++taken;
    EXPECT_EQ(taken, one.taken) << testing::PrintToString(one.text);
  }
}

TEST(Utf8Front, EndsWithAWholeCharacterBeforeWhatIsNone) {
  EXPECT_EQ(utf8_front(""), 0U);
  EXPECT_EQ(utf8_front("abc"), 3U);
  EXPECT_EQ(utf8_front("a\xE2\x82\xAC"), 4U);
  EXPECT_EQ(utf8_front("a\xE2\x82"), 1U);
  EXPECT_EQ(utf8_front("a\xFFz"), 1U);
  EXPECT_EQ(utf8_front("\xE2(a"), 0U);
}

}  // namespace
}  // namespace ssx

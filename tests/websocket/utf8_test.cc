#include "websocket/utf8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"
#include "tests/support/full_size.h"
#include "tests/support/guard_page.h"
#include "tests/websocket/utf8_oracle.h"

namespace ssx::websocket {
namespace {

using namespace std::string_view_literals;
using test::utf8_of;
using Verdict = test::Utf8Oracle::Verdict;

const test::Utf8Oracle& oracle() {
  static const test::Utf8Oracle only;
  return only;
}

// What this CPU can run; always at least kScalar.
std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2}) {
    if (isa <= best_isa()) all.push_back(isa);
  }
  return all;
}

template <class Pieces>
Verdict judge_pieces(const Pieces& pieces, Isa isa) {
  Utf8Validator validator;
  for (const std::string_view piece : pieces) {
    if (!validator.feed(as_bytes(piece), isa)) return Verdict::kBad;
  }
  return validator.is_complete() ? Verdict::kWhole : Verdict::kBegun;
}

Verdict judge(std::string_view text, Isa isa) { return judge_pieces(std::array{text}, isa); }

// Daily, three bytes stand for all of ASCII, and the instruction sets take turns.
std::vector<char> bytes_to_try() {
  std::vector<char> all;
  for (unsigned value = 0; value < 256; ++value) {
    const bool tried = value == 0 || value == 'A' || value >= 0x7F;
    if (ssx::test::full_size(tried, true)) all.push_back(static_cast<char>(value));
  }
  return all;
}

TEST(Utf8Validator, KnowsEverySequenceOfOneTwoAndThreeBytes) {
  const std::vector<char> tried = bytes_to_try();
  std::string text(17, 'x');  // long enough for the wide ones
  std::size_t count = 0;
  const bool full = ssx::test::full_size(false, true);
  for (const char a : tried) {
    for (const char b : tried) {
      for (const char c : tried) {
        text[14] = a, text[15] = b, text[16] = c;
        const std::string_view three = std::string_view(text).substr(14);
        const Verdict expected = oracle().judge(three);
        ++count;
        if (full || count % 2 == 0) {
          ASSERT_EQ(judge(three, Isa::kScalar), expected) << testing::PrintToString(three);
        }
        if (full || count % 2 != 0) {
          ASSERT_EQ(judge(text, best_isa()), expected) << testing::PrintToString(three);
        }
      }
      const std::string_view two = std::string_view(text).substr(14, 2);
      for (const Isa isa : isas()) {
        ASSERT_EQ(judge(two, isa), oracle().judge(two)) << testing::PrintToString(two);
        ASSERT_EQ(judge(two.substr(0, 1), isa), oracle().judge(two.substr(0, 1)));
        ASSERT_EQ(judge(text.substr(0, 16), isa), oracle().judge(two));
      }
    }
  }
}

// The bytes at which something changes, at every place of two blocks and across their border.
TEST(Utf8Validator, KnowsEverySequenceOfFourBytesAtEveryPlaceOfABlock) {
  constexpr std::string_view kEdges =
      "\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5"
      "\xff"sv;
  const std::string rest(72, '.');
  std::size_t drawn = 0;
  for (const char a : kEdges) {
    for (const char b : kEdges) {
      for (const char c : kEdges) {
        for (const char d : kEdges) {
          const std::string four = {a, b, c, d};
          const Verdict alone = oracle().judge(four);
          ASSERT_EQ(judge(four, Isa::kScalar), alone) << testing::PrintToString(four);
          // Where it stands is drawn: 24^4 times 70 would take minutes.
          const std::size_t at = drawn++ * 37 % (rest.size() - 2);
          std::string text = rest;
          text.replace(at, std::min<std::size_t>(4, text.size() - at), four, 0, text.size() - at);
          const Verdict expected = oracle().judge(text);
          for (const Isa isa : isas()) {
            ASSERT_EQ(judge(text, isa), expected) << testing::PrintToString(four) << " at " << at;
          }
        }
      }
    }
  }
}

TEST(Utf8Validator, TakesEveryCodePointAndNoSurrogate) {
  for (const Isa isa : isas()) {
    std::string text;
    for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
      if (point >= 0xD800 && point <= 0xDFFF) continue;
      text += utf8_of(point);
      if (point % 64 != 63) continue;
      ASSERT_TRUE(is_utf8(as_bytes(text), isa)) << point;
      text.clear();
    }
    for (std::uint32_t point = 0xD800; point <= 0xDFFF; ++point) {
      ASSERT_FALSE(is_utf8(as_bytes(std::string(20, 'x') + utf8_of(point)), isa)) << point;
    }
  }
}

struct Broken {
  std::string_view text;
  std::size_t first_bad;  ///< the first byte with which no text goes on
};

// What Autobahn's section 6 sends, and the edges of the table in RFC 3629 4.
constexpr Broken kBroken[] = {
    {"\x80", 0},
    {"\xbf tail", 0},
    {"\xc0\xaf", 0},
    {"\xc1\xbf", 0},
    {"\xe0\x80\xaf", 1},
    {"\xe0\x9f\xbf", 1},
    {"\xf0\x80\x80\xaf", 1},
    {"\xf0\x8f\xbf\xbf", 1},
    {"\xf8\x88\x80\x80\x80", 0},
    {"\xfc\x84\x80\x80\x80\x80", 0},
    {"\xfe", 0},
    {"\xff", 0},
    {"\xed\xa0\x80", 1},
    {"\xed\xbf\xbf", 1},
    {"\xf4\x90\x80\x80", 1},
    {"\xf5\x80\x80\x80", 0},
    {"\xe2\x82z", 2},
    {"\xf0\x9f\x98z", 3},
    {"\xc3\xc3", 1},
    {"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xf4\x90\x80\x80\x65\x64\x69\x74\x65\x64", 12},
    {"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80\x65\x64\x69\x74\x65\x64", 12},
};

// B08: each behind 0 .. 70 bytes that are good, fed in two pieces cut at every offset: the piece
// that holds the first impossible byte is refused, and none before it.
TEST(Utf8Validator, B08RefusesThePieceThatHoldsTheFirstImpossibleByte) {
  for (const Isa isa : isas()) {
    for (const Broken& broken : kBroken) {
      for (const std::size_t before : {0UL, 1UL, 13UL, 30UL, 31UL, 32UL, 61UL, 62UL, 63UL, 70UL}) {
        std::string text(before, 'g');
        text += broken.text;
        const std::size_t bad = before + broken.first_bad;
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
          Utf8Validator validator;
          ASSERT_EQ(validator.feed(as_bytes(text.substr(0, cut)), isa), cut <= bad)
              << testing::PrintToString(text) << " cut at " << cut;
          ASSERT_FALSE(validator.feed(as_bytes(text.substr(cut)), isa));
          ASSERT_FALSE(validator.feed(as_bytes("good"), isa)) << "it stays so";
          ASSERT_FALSE(validator.is_complete());
        }
      }
    }
  }
}

TEST(Utf8Validator, JudgesTheSameHoweverATextIsCut) {
  const std::string good =
      "ASCII, \xc3\xa4\xc3\xb6\xc3\xbc, \xe2\x82\xac, \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e, "
      "\xf0\x9f\x98\x80\xf0\x9f\x98\x81, \xef\xbf\xbf\xf4\x8f\xbf\xbf, and then more than a block";
  std::vector<std::string> texts = {good, good + "\xf0\x9f\x98"};
  for (const Broken& broken : kBroken) texts.push_back(good + std::string(broken.text));
  for (const std::string& text : texts) {
    const Verdict expected = oracle().judge(text);
    for (const Isa isa : isas()) {
      ssx::test::feed_every_split(text, [&](const ssx::test::Pieces& pieces) {
        EXPECT_EQ(judge_pieces(pieces, isa), expected) << testing::PrintToString(text);
      });
    }
  }
}

// Good characters of all lengths, and now and then a byte that is changed.
TEST(Utf8Validator, AgreesWithTheOracleOnRandomMixes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::size_t size = random() % 300;
    const std::size_t kind = random() % 5;
    while (text.size() < size) {
      constexpr std::uint32_t kPoints[] = {0x80, 0x800, 0xD800, 0x110000};
      const std::size_t length = kind == 4 ? random() % 4 : kind;
      std::uint32_t point = static_cast<std::uint32_t>(random()) % kPoints[length];
      if (point >= 0xD800 && point <= 0xDFFF) point = 0xE000;
      text += utf8_of(point);
    }
    const std::size_t changes = random() % 3;
    for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) text.resize(text.size() - std::min<std::size_t>(text.size(), 2));
    const Verdict expected = oracle().judge(text);
    for (const Isa isa : isas()) {
      ASSERT_EQ(judge(text, isa), expected) << testing::PrintToString(text);
      ASSERT_EQ(is_utf8(as_bytes(text), isa), expected == Verdict::kWhole);
      const std::size_t cut = text.empty() ? 0 : random() % text.size();
      const std::string_view whole = text;
      ASSERT_EQ(judge_pieces(std::array{whole.substr(0, cut), whole.substr(cut)}, isa), expected);
    }
  }
}

TEST(Utf8Validator, ReadsNothingBesideAGuardPage) {
  for (std::size_t size = 0; size <= 200; ++size) {
    ssx::test::GuardedBytes memory(size);
    std::ranges::fill(memory.bytes(), std::byte{'a'});
    for (const Isa isa : isas()) EXPECT_EQ(judge(memory.text(), isa), Verdict::kWhole);
    if (size == 0) continue;
    memory.bytes()[size - 1] = std::byte{0xF0};
    for (const Isa isa : isas()) EXPECT_EQ(judge(memory.text(), isa), Verdict::kBegun);
  }
}

TEST(Utf8Validator, BeginsANewTextAfterAReset) {
  Utf8Validator validator;
  EXPECT_TRUE(validator.is_complete());
  EXPECT_TRUE(validator.feed(as_bytes("\xe2\x82")));
  EXPECT_FALSE(validator.is_complete());
  validator.reset();
  EXPECT_TRUE(validator.is_complete());
  EXPECT_FALSE(validator.feed(as_bytes("\xac")));
  validator.reset();
  EXPECT_TRUE(validator.feed(as_bytes("\xe2\x82\xac")));
  EXPECT_TRUE(validator.is_complete());
}

}  // namespace
}  // namespace ssx::websocket

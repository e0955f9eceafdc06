#include "websocket/frame_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/feed_every_split.h"
#include "tests/websocket/transcript.h"

namespace ssx::websocket {
namespace {

using Found = FrameParser::Found;
using test::frame;
using test::Message;
using test::parse_whole;
using test::Reading;
using test::Transcript;

constexpr Reading kServer;
constexpr Reading kClient{.role = Role::kClient};
constexpr Reading kDeflate{.may_compress = true};

MutableBytes mutable_bytes(std::string& text) {
  return {reinterpret_cast<std::byte*>(text.data()), text.size()};
}

std::string frames(unsigned count, Opcode first, std::string_view payload, bool ends) {
  std::string bytes;
  for (unsigned i = 0; i < count; ++i) {
    bytes += frame(i == 0 ? first : Opcode::kContinuation, payload, ends && i + 1 == count);
  }
  return bytes;
}

Reading with(FrameLimits limits) { return {.limits = limits}; }

constexpr FrameLimits kLimits{
    .frame_max = 100, .message_max = 250, .fragments_max = 8, .empty_fragments_max = 3};

TEST(FrameParser, HandsOnAWholeFrameInPlace) {
  std::string bytes = frame(Opcode::kText, "hello") + "next";
  FrameParser parser(kServer.limits, Role::kServer, false);
  const FrameParser::Parsed parsed = parser.next(mutable_bytes(bytes));
  EXPECT_EQ(parsed.found, Found::kPiece);
  EXPECT_EQ(parsed.consumed, 11U);
  EXPECT_EQ(as_text(parsed.payload), "hello");
  EXPECT_EQ(static_cast<const void*>(parsed.payload.data()), &bytes[6]);
  EXPECT_EQ(parsed.opcode, Opcode::kText);
  EXPECT_TRUE(parsed.begins && parsed.ends);
  EXPECT_EQ(parsed.frame_rest, 0U);
  EXPECT_EQ(bytes.substr(11), "next");
}

TEST(FrameParser, HandsOnWhatHasComeAndSaysHowMuchIsMissing) {
  const std::string whole = frame(Opcode::kBinary, "0123456789");
  FrameParser parser(kServer.limits, Role::kServer, false);
  std::string header = whole.substr(0, 6);
  EXPECT_EQ(parser.next(mutable_bytes(header)).found, Found::kNeedMore);
  EXPECT_TRUE(parser.between_messages());

  std::string first = whole.substr(0, 9);
  FrameParser::Parsed parsed = parser.next(mutable_bytes(first));
  EXPECT_EQ(as_text(parsed.payload), "012");
  EXPECT_TRUE(parsed.begins && !parsed.ends);
  EXPECT_EQ(parsed.frame_rest, 7U);
  EXPECT_EQ(parser.next({}).found, Found::kNeedMore);
  EXPECT_FALSE(parser.between_messages());

  std::string second = whole.substr(9) + "more";
  parsed = parser.next(mutable_bytes(second));
  EXPECT_EQ(as_text(parsed.payload), "3456789");
  EXPECT_EQ(parsed.consumed, 7U);
  EXPECT_TRUE(!parsed.begins && parsed.ends);
  EXPECT_TRUE(parser.between_messages());
}

TEST(FrameParser, EndsAMessageWithAnEmptyPiece) {
  std::string bytes = frame(Opcode::kContinuation, "");
  std::string begun = frame(Opcode::kText, "a", false);
  FrameParser parser(kServer.limits, Role::kServer, false);
  ASSERT_EQ(parser.next(mutable_bytes(begun)).found, Found::kPiece);
  const FrameParser::Parsed parsed = parser.next(mutable_bytes(bytes));
  EXPECT_EQ(parsed.found, Found::kPiece);
  EXPECT_TRUE(parsed.payload.empty());
  EXPECT_TRUE(!parsed.begins && parsed.ends);
  EXPECT_EQ(parsed.opcode, Opcode::kText);
  EXPECT_EQ(parsed.consumed, bytes.size());
}

TEST(FrameParser, LeavesAControlFrameWhereItIsUntilItIsWhole) {
  const std::string whole = frame(Opcode::kPing, std::string(kControlPayloadMax, 'p'));
  ASSERT_EQ(whole.size(), 131U);
  FrameParser parser(kServer.limits, Role::kServer, false);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string bytes = whole.substr(0, size);
    const FrameParser::Parsed parsed = parser.next(mutable_bytes(bytes));
    ASSERT_EQ(parsed.found, Found::kNeedMore) << size;
    ASSERT_EQ(parsed.consumed, 0U);
    ASSERT_EQ(bytes, whole.substr(0, size));
  }
  std::string bytes = whole;
  const FrameParser::Parsed parsed = parser.next(mutable_bytes(bytes));
  EXPECT_EQ(parsed.found, Found::kControl);
  EXPECT_EQ(parsed.opcode, Opcode::kPing);
  EXPECT_EQ(parsed.consumed, 131U);
  EXPECT_EQ(as_text(parsed.payload), std::string(kControlPayloadMax, 'p'));
}

struct Example {
  std::string bytes;
  Reading reading;
  Transcript expected;
};

// RFC 6455 5.4 and 5.5, RFC 7692 6.
std::vector<Example> examples() {
  const std::string ping = frame(Opcode::kPing, "are you there");
  const std::string three = frame(Opcode::kText, "one ", false) +
                            frame(Opcode::kContinuation, "two ", false) +
                            frame(Opcode::kContinuation, "three");
  const std::string with_ping = frame(Opcode::kText, "one ", false) + ping +
                                frame(Opcode::kContinuation, "two ", false) +
                                frame(Opcode::kPong, "") + frame(Opcode::kContinuation, "three");
  const std::string long_text(300, 'l');
  const Message joined{.payload = "one two three"};
  const Message pinged{.opcode = Opcode::kPing, .payload = "are you there"};
  return {
      {frame(Opcode::kText, "hello"), kServer, {{{.payload = "hello"}}}},
      {frame(Opcode::kText, "hello", true, false), kClient, {{{.payload = "hello"}}}},
      {frame(Opcode::kBinary, ""), kServer, {{{.opcode = Opcode::kBinary}}}},
      {three, kServer, {{joined}}},
      {with_ping, kServer, {{joined, pinged, {.opcode = Opcode::kPong}}}},
      {frame(Opcode::kBinary, long_text) + ping,
       kServer,
       {{{.opcode = Opcode::kBinary, .payload = long_text}, pinged}}},
      {frame(Opcode::kText, "", false) + frame(Opcode::kContinuation, "", false) +
           frame(Opcode::kContinuation, ""),
       kServer,
       {{Message{}}}},
      {frame(Opcode::kText, "z", false, true, true) + frame(Opcode::kContinuation, "z") +
           frame(Opcode::kText, "plain"),
       kDeflate,
       {{{.compressed = true, .payload = "zz"}, {.payload = "plain"}}}},
      {frame(Opcode::kText, "not all of it").substr(0, 11),
       kServer,
       {{{.whole = false, .payload = "not a"}}}},
      {frame(Opcode::kText, "a") + frame(Opcode::kContinuation, "b"),
       kServer,
       {{{.payload = "a"}}, Errc::kUnexpectedContinuation}},
      {frame(Opcode::kText, "a", false) + frame(Opcode::kText, "b"),
       kServer,
       {{{.whole = false, .payload = "a"}}, Errc::kExpectedContinuation}},
      {frame(Opcode::kText, "a", false) + ping + frame(Opcode::kBinary, "b"),
       kServer,
       {{{.whole = false, .payload = "a"}, pinged}, Errc::kExpectedContinuation}},
      {frame(Opcode::kText, "hello", true, false), kServer, {{}, Errc::kUnmasked}},
      {frame(Opcode::kText, "hello"), kClient, {{}, Errc::kMasked}},
      {ping + frame(Opcode::kText, "z", true, true, true),
       kServer,
       {{pinged}, Errc::kReservedBits}},
  };
}

TEST(FrameParser, FindsTheSameHoweverItIsCut) {
  for (const Example& example : examples()) {
    EXPECT_EQ(test::read_by_reference(example.bytes, example.reading), example.expected)
        << testing::PrintToString(example.bytes);
    ssx::test::feed_every_split(example.bytes, [&](const ssx::test::Pieces& pieces) {
      EXPECT_EQ(test::parse_pieces(pieces, example.reading), example.expected)
          << testing::PrintToString(example.bytes);
    });
  }
}

TEST(FrameParser, FindsTheSameWhateverTheLengthIs) {
  for (const std::size_t size : {0UL, 1UL, 125UL, 126UL, 127UL, 65535UL, 65536UL, 70000UL}) {
    std::string payload;
    for (std::size_t i = 0; i < size; ++i) payload.push_back(static_cast<char>(i * 7 + i / 256));
    const Transcript expected{{{.opcode = Opcode::kBinary, .payload = payload}}};
    const std::string bytes = frame(Opcode::kBinary, payload);
    const auto check = [&](const ssx::test::Pieces& pieces) {
      EXPECT_TRUE(test::parse_pieces(pieces, kServer) == expected) << size;
    };
    if (size < 1000) {
      ssx::test::feed_every_split(bytes, check);
    } else {
      for (std::size_t cut = 0; cut < bytes.size(); cut = cut < 40 ? cut + 1 : cut + 4999) {
        check({std::string_view(bytes).substr(0, cut), std::string_view(bytes).substr(cut)});
      }
    }
  }
}

// Whatever can stand in the two bytes, with a payload and two more frames behind it.
TEST(FrameParser, B05EveryFirstPairOfBytesIsReadAsTheReferenceReadsIt) {
  const std::string behind(24, '\x01');
  for (unsigned pair = 0; pair < 0x10000; ++pair) {
    std::string bytes = {static_cast<char>(pair >> 8), static_cast<char>(pair)};
    bytes += behind;
    for (const Role role : {Role::kServer, Role::kClient}) {
      const Reading reading{.role = role, .may_compress = (pair & 1) != 0};
      ASSERT_TRUE(parse_whole(bytes, reading) == test::read_by_reference(bytes, reading)) << pair;
    }
  }
}

TEST(FrameParser, B06RefusesALengthBeforeThePayloadComes) {
  struct Case {
    std::string_view length;
    Errc error;
  };
  using namespace std::string_view_literals;
  for (const Case& one :
       {Case{"\x00\x7d"sv, Errc::kLengthNotMinimal}, Case{"\x01\x00"sv, Errc::kFrameTooLong},
        Case{"\x00\x00\x00\x00\x00\x00\xff\xff"sv, Errc::kLengthNotMinimal},
        Case{"\x00\x00\x00\x00\x80\x00\x00\x00"sv, Errc::kFrameTooLong},
        Case{"\x40\x00\x00\x00\x00\x00\x00\x00"sv, Errc::kFrameTooLong},
        Case{"\x7f\xff\xff\xff\xff\xff\xff\xff"sv, Errc::kFrameTooLong},
        Case{"\x80\x00\x00\x00\x00\x00\x00\x00"sv, Errc::kLengthTooLarge}}) {
    for (const bool compressed : {false, true}) {
      std::string bytes = compressed ? "\xC2" : "\x82";
      bytes += one.length.size() == 2 ? '\xFE' : '\xFF';
      bytes.append(one.length).append("mask");
      Reading reading = with(kLimits);
      reading.may_compress = compressed;
      ssx::test::feed_every_split(bytes, [&](const ssx::test::Pieces& pieces) {
        EXPECT_EQ(test::parse_pieces(pieces, reading), (Transcript{{}, one.error}))
            << testing::PrintToString(bytes);
      });
    }
  }
}

TEST(FrameParser, B07WhatBreaksTheProtocolFailsOnceAndForAll) {
  const std::string within = frame(Opcode::kText, "a", false);
  const Message begun{.whole = false, .payload = "a"};
  const std::string behind = frame(Opcode::kPing, "");
  struct Case {
    std::string bytes;
    Errc error;
  };
  const Case cases[] = {
      {frame(Opcode::kContinuation, "b", true, false), Errc::kUnmasked},
      {frame(Opcode::kPing, "b", true, false), Errc::kUnmasked},
      {frame(Opcode::kContinuation, "b", true, true, true), Errc::kReservedBits},
      {frame(Opcode::kClose, "", true, true, true), Errc::kReservedBits},
      {std::string("\xA0\x80"), Errc::kReservedBits},
      {std::string("\x90\x80"), Errc::kReservedBits},
      {frame(static_cast<Opcode>(3), ""), Errc::kBadOpcode},
      {frame(static_cast<Opcode>(7), "x"), Errc::kBadOpcode},
      {frame(static_cast<Opcode>(11), ""), Errc::kBadOpcode},
      {frame(static_cast<Opcode>(15), "x"), Errc::kBadOpcode},
      {frame(Opcode::kPing, "x", false), Errc::kFragmentedControl},
      {frame(Opcode::kClose, "", false), Errc::kFragmentedControl},
      {frame(Opcode::kPong, std::string(126, 'x')), Errc::kControlTooLong},
      {frame(Opcode::kPing, std::string(65536, 'x')), Errc::kControlTooLong},
      {frame(Opcode::kText, "b"), Errc::kExpectedContinuation},
  };
  for (const Case& one : cases) {
    const std::string bytes = within + one.bytes.substr(0, 300) + behind;
    for (const bool may_compress : {false, true}) {
      const Reading reading{.may_compress = may_compress};
      EXPECT_EQ(close_code_of(one.error), CloseCode::kProtocolError);
      ssx::test::feed_every_split(bytes, [&](const ssx::test::Pieces& pieces) {
        EXPECT_EQ(test::parse_pieces(pieces, reading), (Transcript{{begun}, one.error}))
            << to_string(one.error);
      });
    }
  }
}

TEST(FrameParser, B09EndsAFloodOfEmptyFragments) {
  for (const bool ends : {false, true}) {
    const auto error_of = [&](unsigned count) {
      return parse_whole(frames(count, Opcode::kText, "", ends), with(kLimits)).error;
    };
    EXPECT_EQ(error_of(2), Errc::kOk);
    EXPECT_EQ(error_of(3), Errc::kOk);
    EXPECT_EQ(error_of(4), Errc::kTooManyEmptyFragments);
    EXPECT_EQ(error_of(1000), Errc::kTooManyEmptyFragments);
  }
  // In a row, and of one message: one that is not empty is a new beginning, and a new message too.
  std::string bytes;
  for (int i = 0; i < 2; ++i) {
    bytes += frames(3, Opcode::kText, "", false) + frame(Opcode::kContinuation, "x", false) +
             frame(Opcode::kPing, "") + frame(Opcode::kContinuation, "", false) +
             frame(Opcode::kContinuation, "", false) + frame(Opcode::kContinuation, "", true);
  }
  EXPECT_EQ(parse_whole(bytes, with(kLimits)).error, Errc::kOk);
  // A message that is empty is no fragment.
  std::string empty;
  for (int i = 0; i < 20; ++i) empty += frame(Opcode::kText, "");
  EXPECT_EQ(parse_whole(empty, with(kLimits)).messages.size(), 20U);
  FrameLimits none = kLimits;
  none.empty_fragments_max = 0;
  EXPECT_EQ(parse_whole(empty, with(none)).messages.size(), 20U);
  EXPECT_EQ(parse_whole(frames(1, Opcode::kText, "", false), with(none)).error,
            Errc::kTooManyEmptyFragments);
}

TEST(FrameParser, B09EndsAFloodOfFragments) {
  for (const bool ends : {false, true}) {
    const auto error_of = [&](unsigned count) {
      return parse_whole(frames(count, Opcode::kBinary, "x", ends), with(kLimits)).error;
    };
    EXPECT_EQ(error_of(7), Errc::kOk);
    EXPECT_EQ(error_of(8), Errc::kOk);
    EXPECT_EQ(error_of(9), Errc::kTooManyFragments);
    EXPECT_EQ(error_of(1000), Errc::kTooManyFragments);
  }
  std::string bytes;  // of one message, not of all
  for (int i = 0; i < 5; ++i) bytes += frames(8, Opcode::kText, "x", true);
  EXPECT_EQ(parse_whole(bytes, with(kLimits)).messages.size(), 5U);
}

// A million of them, and the parser does not grow and does not find more than its limits allow.
TEST(FrameParser, B09AMillionFragmentsAreNotRead) {
  for (const std::string_view payload : {std::string_view(), std::string_view("x")}) {
    FrameParser parser(kLimits, Role::kServer, false);
    unsigned found = 0;
    for (unsigned i = 0; i < 1'000'000; ++i) {
      std::string bytes = frame(i == 0 ? Opcode::kText : Opcode::kContinuation, payload, false);
      found += parser.next(mutable_bytes(bytes)).found == Found::kPiece ? 1U : 0U;
    }
    EXPECT_EQ(found, payload.empty() ? kLimits.empty_fragments_max : kLimits.fragments_max);
  }
}

TEST(FrameParser, B09BoundsAFrameByItsHeaderAlone) {
  for (const bool compressed : {false, true}) {
    Reading reading = with(kLimits);
    reading.may_compress = compressed;
    for (const std::size_t size : {99UL, 100UL}) {
      const std::string bytes =
          frame(Opcode::kBinary, std::string(size, 'x'), true, true, compressed);
      EXPECT_EQ(parse_whole(bytes, reading).messages.at(0).payload.size(), size);
    }
    const std::string bytes = frame(Opcode::kBinary, std::string(101, 'x'), true, true, compressed);
    EXPECT_EQ(parse_whole(std::string_view(bytes).substr(0, 6), reading),
              (Transcript{{}, Errc::kFrameTooLong}));
  }
  FrameLimits narrow = kLimits;  // control frames have a bound of their own
  narrow.frame_max = 10;
  EXPECT_EQ(parse_whole(frame(Opcode::kPing, std::string(125, 'x')), with(narrow)).error,
            Errc::kOk);
}

TEST(FrameParser, B09BoundsAMessageBeforeItsLastFrameComes) {
  const std::string first = frame(Opcode::kText, std::string(100, 'a'), false) +
                            frame(Opcode::kContinuation, std::string(100, 'b'), false);
  for (const std::size_t size : {49UL, 50UL}) {
    const std::string bytes = first + frame(Opcode::kContinuation, std::string(size, 'c'));
    EXPECT_EQ(parse_whole(bytes, with(kLimits)).messages.at(0).payload.size(), 200 + size);
  }
  const std::string last = frame(Opcode::kContinuation, std::string(51, 'c'));
  const Transcript refused = parse_whole(first + last.substr(0, 6), with(kLimits));
  EXPECT_EQ(refused.error, Errc::kMessageTooLong);
  EXPECT_EQ(refused.messages.at(0).payload.size(), 200U);

  FrameLimits one = kLimits;  // a single frame, too
  one.message_max = 50;
  EXPECT_EQ(parse_whole(frame(Opcode::kText, std::string(50, 'x')), with(one)).error, Errc::kOk);
  EXPECT_EQ(parse_whole(frame(Opcode::kText, std::string(51, 'x')).substr(0, 6), with(one)).error,
            Errc::kMessageTooLong);
  // The next message begins at 0 again.
  const std::string fifty = frame(Opcode::kText, std::string(50, 'x'));
  EXPECT_EQ(parse_whole(fifty + fifty + fifty, with(one)).messages.size(), 3U);
}

// What a compressed message becomes, its inflater knows.
TEST(FrameParser, DoesNotCountTheBytesOfACompressedMessage) {
  Reading reading = with(kLimits);
  reading.may_compress = true;
  std::string bytes = frame(Opcode::kText, std::string(100, 'z'), false, true, true);
  for (int i = 0; i < 3; ++i) {
    bytes += frame(Opcode::kContinuation, std::string(100, 'z'), i == 2);
  }
  const Transcript found = parse_whole(bytes, reading);
  EXPECT_EQ(found.error, Errc::kOk);
  EXPECT_EQ(found.messages.at(0).payload.size(), 400U);
}

}  // namespace
}  // namespace ssx::websocket

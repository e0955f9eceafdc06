#include "websocket/describe.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ssx::websocket {
namespace {

using namespace std::string_view_literals;

TEST(Describe, TellsTypeLengthAndASample) {
  EXPECT_EQ(describe(Opcode::kText, as_bytes("hello there!")), "text, 12 bytes: hello there!");
  EXPECT_EQ(describe(Opcode::kText, as_bytes("x")), "text, 1 byte: x");
  EXPECT_EQ(describe(Opcode::kText, {}), "text, 0 bytes");
  EXPECT_EQ(describe(Opcode::kBinary, as_bytes("\x00\xffz"sv)), "binary, 3 bytes: 00ff7a");
  EXPECT_EQ(describe(Opcode::kPing, as_bytes("hi")), "ping, 2 bytes: 6869");
  EXPECT_EQ(describe(Opcode::kPong, {}), "pong, 0 bytes");
  EXPECT_EQ(describe(Opcode::kContinuation, as_bytes("a")), "continuation, 1 byte: 61");
}

TEST(Describe, ShowsTextThatCannotSteerATerminal) {
  EXPECT_EQ(describe(Opcode::kText, as_bytes("a\n\x1b[2J\xff")),
            "text, 7 bytes: a\\x0a\\x1b[2J\\xff");
  EXPECT_EQ(describe(Opcode::kText, as_bytes("\xc3\xa4")), "text, 2 bytes: \xc3\xa4");
}

TEST(Describe, ShowsTheFirstHundredBytes) {
  const std::string hundred(kSampleMax, 'x');
  EXPECT_EQ(describe(Opcode::kText, as_bytes(hundred)), "text, 100 bytes: " + hundred);
  EXPECT_EQ(describe(Opcode::kText, as_bytes(hundred + "y")),
            "text, 101 bytes: " + hundred + "...");
  std::string hex;
  for (std::size_t i = 0; i < kSampleMax; ++i) hex += "78";
  EXPECT_EQ(describe(Opcode::kBinary, as_bytes(hundred + "y")),
            "binary, 101 bytes: " + hex + "...");
}

TEST(Describe, ReadsTheCodeOfAClose) {
  EXPECT_EQ(describe(Opcode::kClose, {}), "close, 0 bytes");
  EXPECT_EQ(describe(Opcode::kClose, as_bytes("\x03\xe8"sv)), "close, 2 bytes: 1000");
  EXPECT_EQ(describe(Opcode::kClose, as_bytes("\x03\xe9going\n"sv)),
            "close, 8 bytes: 1001 going\\x0a");
  EXPECT_EQ(describe(Opcode::kClose, as_bytes("\x03")), "close, 1 byte: 03");
}

TEST(Describe, NamesTheFlagsOfAFrame) {
  EXPECT_EQ(describe({.opcode = Opcode::kText, .fin = false, .masked = true, .payload_size = 1000},
                     as_bytes("hello")),
            "text, more follows, masked, 1000 bytes: hello...");
  EXPECT_EQ(
      describe({.opcode = Opcode::kText, .compressed = true, .payload_size = 2}, as_bytes("AB")),
      "text, compressed, 2 bytes: 4142");
  EXPECT_EQ(describe(static_cast<Opcode>(5), {}), "unknown, 0 bytes");
}

}  // namespace
}  // namespace ssx::websocket

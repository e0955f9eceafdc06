#include "http/percent.h"

#include <gtest/gtest.h>

#include <string>

#include "http/target.h"

namespace ssx::http {
namespace {

using namespace std::string_literals;

std::string every_byte() {
  std::string all;
  for (int value = 0; value < 256; ++value) all += static_cast<char>(value);
  return all;
}

// The bytes of the set, in order.
std::string literals(PercentSet set) {
  std::string kept;
  for (const char byte : every_byte()) {
    const std::string one(1, byte);
    if (percent_encode(one, set) == one) kept += byte;
  }
  return kept;
}

TEST(Percent, LeavesTheBytesOfTheSet) {
  const std::string upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower = "abcdefghijklmnopqrstuvwxyz";
  EXPECT_EQ(literals(PercentSet::kComponent), "-.0123456789" + upper + "_" + lower + "~");
  EXPECT_EQ(literals(PercentSet::kPath), "!$&'()*+,-./0123456789:;=@" + upper + "_" + lower + "~");
  EXPECT_EQ(literals(PercentSet::kForm), "*-.0123456789" + upper + "_" + lower);
}

TEST(Percent, WritesUpperCaseHexDigits) {
  EXPECT_EQ(percent_encode("\x00\x0a\xab\xff%"s, PercentSet::kComponent), "%00%0A%AB%FF%25");
  EXPECT_EQ(percent_encode("a b+c", PercentSet::kForm), "a+b%2Bc");
  EXPECT_EQ(percent_encode("a b+c", PercentSet::kComponent), "a%20b%2Bc");
  EXPECT_EQ(percent_encode("/caf\xc3\xa9/?#", PercentSet::kPath), "/caf%C3%A9/%3F%23");
  std::string out = "x=";
  append_percent_encoded(out, "1&2", PercentSet::kForm);
  EXPECT_EQ(out, "x=1%262");
}

TEST(Percent, IsUndoneByDecoding) {
  const std::string all = every_byte();
  for (const PercentSet set : {PercentSet::kComponent, PercentSet::kPath, PercentSet::kForm}) {
    const std::string encoded = percent_encode(all, set);
    std::string scratch(encoded.size(), '\0');
    const Plus plus = set == PercentSet::kForm ? Plus::kSpace : Plus::kLiteral;
    EXPECT_EQ(decode_component(encoded, plus, scratch).value(), all);
  }
}

}  // namespace
}  // namespace ssx::http

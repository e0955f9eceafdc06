#include "ssxrver/config/text_values.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

TEST(TextValues, ReadsSwitches) {
  for (const char* on : {"on", "On", "ON", "true", "True"}) EXPECT_EQ(parse_switch(on), true) << on;
  for (const char* off : {"off", "OFF", "false"}) EXPECT_EQ(parse_switch(off), false) << off;
  for (const char* text : {"", "yes", "1", "on ", "o"}) EXPECT_FALSE(parse_switch(text)) << text;
}

TEST(TextValues, ReadsIntegers) {
  EXPECT_EQ(parse_int("0"), 0);
  EXPECT_EQ(parse_int("-1"), -1);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "-", "--1", "+1", "1.0", " 1", "9223372036854775808", "1k"}) {
    EXPECT_FALSE(parse_int(text)) << text;
  }
}

TEST(TextValues, ReadsSizes) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("64K"), 65536u);
  EXPECT_EQ(parse_size("1m"), 1048576u);
  EXPECT_EQ(parse_size("2G"), 2147483648u);
  EXPECT_EQ(parse_size("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const char* text : {"", "k", "-1", "1kb", "1 k", "1.5k", "17179869184G", "1t"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(TextValues, ReadsTimes) {
  EXPECT_EQ(parse_time("0"), 0ms);
  EXPECT_EQ(parse_time("10ms"), 10ms);
  EXPECT_EQ(parse_time("5s"), 5s);
  EXPECT_EQ(parse_time("5S"), 5s);
  EXPECT_EQ(parse_time("1m"), 1min);
  EXPECT_EQ(parse_time("2h"), 2h);
  EXPECT_EQ(parse_time("1d"), 24h);
  for (const char* text : {"", "10", "s", "-1s", "1.5s", "5 s", "5sec", "106751991168d"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(TextValues, ReadsRates) {
  EXPECT_EQ(parse_rate("1000/s burst 2000"), (net::Rate{1000, seconds(1), 2000}));
  EXPECT_EQ(parse_rate("60/m"), (net::Rate{60, seconds(60), 60}));
  EXPECT_EQ(parse_rate(" 60/M  burst  5 "), (net::Rate{60, seconds(60), 5}));
  EXPECT_EQ(parse_rate(""), net::Rate{});
  EXPECT_EQ(parse_rate("4294967295/s"), (net::Rate{4294967295, seconds(1), 4294967295}));
  for (const char* text : {"10", "10/", "10/h", "/s", "0/s", "10/s burst", "10/s burst 0", "10/s5",
                           "10/sburst 5", "4294967296/s", "10/s burst 4294967296", "-1/s"}) {
    EXPECT_FALSE(parse_rate(text)) << text;
  }
}

TEST(TextValues, ReadsCores) {
  EXPECT_EQ(parse_cores("0-3,8"), (std::vector<unsigned>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cores("5, 1"), (std::vector<unsigned>{5, 1}));
  EXPECT_EQ(parse_cores("1023"), (std::vector<unsigned>{1023}));
  for (const char* text :
       {"", ",", "1,", "3-1", "1-", "-1", "1024", "0-1024", "1,1", "0-2,1", "a"}) {
    EXPECT_FALSE(parse_cores(text)) << text;
  }
}

TEST(TextValues, ReadsOctalDigits) {
  EXPECT_EQ(parse_octal("022"), 022u);
  EXPECT_EQ(parse_octal("0660"), 0660u);
  EXPECT_EQ(parse_octal("777"), 0777u);
  EXPECT_EQ(parse_octal("0"), 0u);
  for (const char* text : {"", "8", "1000", "00000", "-1", "0x1"}) {
    EXPECT_FALSE(parse_octal(text)) << text;
  }
}

TEST(TextValues, WritesWhatItReads) {
  for (const std::uint64_t bytes : {0ULL, 1ULL, 1024ULL, 1536ULL, 1048576ULL, 3221225472ULL}) {
    EXPECT_EQ(parse_size(show_size(bytes)), bytes);
  }
  for (const auto time : {0ms, 1ms, 1000ms, 1500ms, 60000ms, 3600000ms, 86400000ms}) {
    EXPECT_EQ(parse_time(show_time(time)), time);
  }
  for (const auto& rate :
       {net::Rate{}, net::Rate{5, seconds(60), 7}, net::Rate{5, seconds(1), 1}}) {
    EXPECT_EQ(parse_rate(show_rate(rate)), rate);
  }
  for (unsigned mode = 0; mode <= 0777; ++mode) EXPECT_EQ(parse_octal(show_octal(mode)), mode);
}

TEST(TextValues, WritesTheLargestUnitWithoutAFraction) {
  EXPECT_EQ(show_size(67108864), "64M");
  EXPECT_EQ(show_size(65535), "65535");
  EXPECT_EQ(show_time(90s), "90s");
  EXPECT_EQ(show_time(48h), "48h");
  EXPECT_EQ(show_time(1500ms), "1500ms");
  EXPECT_EQ(show_octal(022), "022");
  EXPECT_EQ(show_rate(net::Rate{}), "");
}

}  // namespace
}  // namespace ssx::config

// A20, the configuration's side: a JSON text that is made to hurt is an error in words, costs time
// in proportion to its length, and never more stack than its bounded depth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "ssxrver/config/server_config.h"
#include "tests/support/temp_dir.h"
#include "tests/support/thread_time.h"

namespace ssx {
namespace {

using ssx::test::TempDir;
using ::testing::HasSubstr;

std::string problem_of(const std::string& text) {
  const auto config = ServerConfig::parse(text);
  return config ? "" : config.error().text();
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  while (times-- > 0) text += part;
  return text;
}

TEST(AbusedConfig, A20DepthOfAHundredThousandEndsAtItsBound) {
  for (const char* const opening : {"[", "{\"a\":", "[{\"a\":"}) {
    EXPECT_THAT(problem_of("{\"http\": " + repeated(opening, 100'000)),
                HasSubstr("nested more than 32 deep"));
  }
}

TEST(AbusedConfig, A20NumbersThatNothingHoldsAreRefused) {
  for (const char* const number :
       {"1e400", "-1e400", "18446744073709551616", "99999999999999999999999999", "1.5", "0x10",
        "+1", "01", "NaN", "Infinity"}) {
    EXPECT_NE(problem_of("{\"worker_processes\": " + std::string(number) + "}"), "") << number;
  }
  const std::string digits(500'000, '9');
  EXPECT_NE(problem_of("{\"worker_processes\": " + digits + "}"), "");
}

TEST(AbusedConfig, A20DuplicateKeysAreNamed) {
  EXPECT_THAT(problem_of("{\"worker_processes\": 1, \"worker_processes\": 2}"),
              HasSubstr("duplicate key"));
  EXPECT_THAT(problem_of("{\"worker_processes\": 1, \"worker\\u005fprocesses\": 2}"),
              HasSubstr("duplicate key"));
}

TEST(AbusedConfig, A20TextThatIsNoUtf8IsRefused) {
  for (const char* const bytes : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc3",
                                  "\\ud800", "\\udc00\\ud800"}) {
    EXPECT_NE(problem_of("{\"http\": {\"server_header\": \"" + std::string(bytes) + "\"}}"), "")
        << bytes;
    EXPECT_NE(problem_of("{\"" + std::string(bytes) + "\": 1}"), "") << bytes;
  }
}

TEST(AbusedConfig, A20BytesBehindTheEndAreRefused) {
  for (const char* const rest : {"x", "{}", "]", "\x01", "\"\""}) {
    EXPECT_NE(problem_of("{}" + std::string(rest)), "") << rest;
  }
  EXPECT_NE(problem_of(std::string("{}\0", 3)), "");
}

TEST(AbusedConfig, A20AStringOfAHundredMegabytesIsNotReadToItsEnd) {
  const TempDir folder;
  const std::string text =
      "{\"http\": {\"server_header\": \"" + std::string(100 << 20, 'a') + "\"}}";
  EXPECT_THAT(problem_of(text), HasSubstr("longer than 1048576 bytes"));
  const auto config = ServerConfig::load(folder.write("long.json", text));
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().text(), HasSubstr("is too long"));
}

// Eight times the text takes about eight times the time; a quadratic reading would take 64 times.
TEST(AbusedConfig, A20TimeGrowsWithTheLengthAlone) {
  const auto time_of = [](int keys) {
    std::string text = "{";
    for (int i = 0; i < keys; ++i) text += "\"unknown_" + std::to_string(i) + "\": [1, {}],\n";
    text += "\"a\": 1}";
    auto least = std::chrono::nanoseconds::max();
    for (int round = 0; round < 3; ++round) {
      const auto begin = ssx::test::thread_time();
      EXPECT_NE(problem_of(text), "");
      least = std::min(least, ssx::test::thread_time() - begin);
    }
    return least;
  };
  const auto eighth = time_of(200);
  EXPECT_LT(time_of(1600), eighth * 8 * 3);
}

}  // namespace
}  // namespace ssx

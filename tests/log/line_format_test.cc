#include "ssxrver/log/line_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ssxrver/json/json.h"

namespace ssx::log {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;

Line line_with(std::string_view message) {
  return {.time = WallTime(seconds(784111777) + microseconds(123456)),
          .level = Level::kInfo,
          .thread = 4711,
          .module = "net",
          .file = "loop.cc",
          .line = 88,
          .message = message};
}

LogOptions with(LineFormat format, std::string pattern = "") {
  LogOptions options;
  options.format = format;
  options.pattern = std::move(pattern);
  options.time = TimeZone::kUtc;
  options.line_max = 256;
  return options;
}

std::string formatted(const LogOptions& options, const Line& line) {
  LineFormatter formatter(options);
  std::string out;
  formatter.append(line, out);
  return out;
}

TEST(LineFormat, TextHasTimeLevelThreadPlaceAndMessage) {
  EXPECT_EQ(formatted(with(LineFormat::kText), line_with("hello")),
            "1994-11-06 08:49:37.123456Z INFO  4711 net/loop.cc:88: hello\n");
}

TEST(LineFormat, LevelsTakeTheSameWidth) {
  Line line = line_with("x");
  for (const Level level : {Level::kTrace, Level::kInfo, Level::kFatal}) {
    line.level = level;
    EXPECT_EQ(formatted(with(LineFormat::kText), line).find("4711"), 34U);
  }
}

TEST(LineFormat, JsonIsOneObject) {
  EXPECT_EQ(formatted(with(LineFormat::kJson), line_with("say \"hi\" \\ \n")),
            R"({"time":"1994-11-06T08:49:37.123456Z","level":"INFO","thread":4711,"module":"net",)"
            R"("file":"loop.cc","line":88,"message":"say \"hi\" \\ \u000a"})"
            "\n");
}

TEST(LineFormat, PatternIsSpdlogs) {
  EXPECT_EQ(formatted(with(LineFormat::kText, "%Y %l [%t] %s:%# %n %v"), line_with("a\nb")),
            "1994 info [4711] loop.cc:88 net a\\x0ab\n");
}

TEST(LineFormat, KnowsWhereTheLevelStands) {
  LineFormatter formatter(with(LineFormat::kText));
  std::string out;
  formatter.append(line_with("x"), out);
  const LineFormatter::Range level = formatter.level_range();
  EXPECT_EQ(out.substr(level.start, level.end - level.start), "INFO");
}

TEST(LineFormat, CutsAtTheMaximum) {
  const auto message_of = [](std::size_t size) {
    const std::string line = formatted(with(LineFormat::kText), line_with(std::string(size, 'x')));
    return line.substr(line.rfind(": ") + 2);
  };
  EXPECT_EQ(message_of(255), std::string(255, 'x') + "\n");
  EXPECT_EQ(message_of(256), std::string(256, 'x') + "\n");
  EXPECT_EQ(message_of(257), std::string(250, 'x') + " [cut]\n");
}

TEST(LineFormat, CountsWhatItCuts) {
  for (const auto& options :
       {with(LineFormat::kText), with(LineFormat::kJson), with(LineFormat::kText, "%v")}) {
    LineFormatter formatter(options);
    std::string out;
    for (const std::size_t size : {255U, 256U, 257U}) {
      const std::string message(size, 'x');
      formatter.append(line_with(message), out);
      formatter.append_plain(message, false, out);
      EXPECT_EQ(formatter.cut(), size > 256 ? 2U : 0U) << size;
    }
    formatter.append_plain("short", true, out);
    EXPECT_EQ(formatter.cut(), 3U);
  }
}

TEST(LineFormat, CutsBetweenCharactersAndEscapes) {
  const std::string euro = "\xe2\x82\xac";
  std::string text;
  for (int i = 0; i < 100; ++i) text += euro;
  std::string line = formatted(with(LineFormat::kText), line_with(text));
  EXPECT_THAT(line, EndsWith(euro + " [cut]\n"));  // 83 of them are 249 bytes
  line = formatted(with(LineFormat::kText), line_with(std::string(100, '\n')));
  EXPECT_THAT(line, EndsWith("\\x0a [cut]\n"));
}

TEST(LineFormat, MarksWhatWasCutBefore) {
  Line line = line_with("begin");
  line.cut = true;
  EXPECT_THAT(formatted(with(LineFormat::kText), line), EndsWith(": begin [cut]\n"));
}

TEST(LineFormat, PlainLinesHaveOnlyTheMessage) {
  LineFormatter formatter(with(LineFormat::kJson));
  std::string out;
  formatter.append_plain("GET \"/\" \t", false, out);
  EXPECT_EQ(out, "GET \"/\" \\x09\n");
}

// K15 by hand: every pair of bytes.
TEST(LineFormat, NoControlByteBeforeTheEndWhateverTheMessageHolds) {
  for (const LineFormat format : {LineFormat::kText, LineFormat::kJson}) {
    LogOptions options = with(format);
    options.line_max = 65536;
    LineFormatter formatter(options);
    for (int first = 0; first < 256; ++first) {
      std::string message;
      for (int second = 0; second < 256; ++second) {
        message += static_cast<char>(first);
        message += static_cast<char>(second);
      }
      std::string out;
      formatter.append(line_with(message), out);
      ASSERT_EQ(out.back(), '\n');
      out.pop_back();
      ASSERT_TRUE(std::none_of(out.begin(), out.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
      })) << first;
    }
  }
}

TEST(LineFormat, JsonStaysJsonWhateverTheMessageHolds) {
  LineFormatter formatter(with(LineFormat::kJson));
  for (int byte = 0; byte < 256; ++byte) {
    std::string out;
    formatter.append(line_with(std::string("<") + static_cast<char>(byte) + ">"), out);
    EXPECT_TRUE(json::parse(out)) << byte;
  }
}

}  // namespace
}  // namespace ssx::log

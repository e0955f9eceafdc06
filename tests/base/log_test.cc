#include "ssxrver/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/base/error.h"

namespace ssx::log {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Taken {
  std::string message;
  std::string file;
  std::string module;
  Level level;
  std::uint32_t suppressed;
  bool cut;
};
std::vector<Taken>* taken = nullptr;

constexpr Backend kCollect{make_record,
                           +[](const Slot& slot) noexcept {
                             const RecordHeader& header = *header_of(slot);
                             const Site& site = *header.site;
                             std::string text;
                             format_message(header, slot.arguments, text);
                             taken->push_back({.message = text,
                                               .file = site.file,
                                               .module = {site.module, site.module_size},
                                               .level = site.level,
                                               .suppressed = header.suppressed,
                                               .cut = header.cut});
                             free_record(slot);
                           },
                           nullptr};

class Log : public testing::Test {
 protected:
  Log() {
    taken = &lines_;
    set_level(Level::kInfo);
    set_backend(&kCollect);
  }
  ~Log() override {
    set_backend(nullptr);
    set_level(Level::kWarn);
    clear_module_levels();
    set_line_max(8192);
  }

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Taken& line : lines_) all.push_back(line.message);
    return all;
  }

  std::vector<Taken> lines_;
};

enum Colour { kRed, kGreen };
enum class State : std::uint8_t { kIdle = 3 };
struct Point {
  int x;
  int y;
};

}  // namespace
}  // namespace ssx::log

template <>
struct fmt::formatter<ssx::log::Point> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(const ssx::log::Point& point, format_context& context) const {
    if (point.x < 0) throw std::runtime_error("left of the plane");
    for (const char c : std::to_string(point.x) + ";" + std::to_string(point.y)) {
      *context.out()++ = c;
    }
    return context.out();
  }
};

namespace ssx::log {
namespace {

TEST_F(Log, FormatsEveryKindOfArgument) {
  const std::string owned = "owned";
  const char* const text = "pointer";
  char array[16] = "array";
  const char* const null_text = nullptr;
  const auto* const address = reinterpret_cast<const int*>(0x1234);
  const short small = -7;
  const unsigned char byte = 250;
  SSX_LOG_INFO("{} {} {} {} {}", owned, std::string_view("view"), text, array, null_text);
  SSX_LOG_INFO("{} {} {} {} {} {}", true, 'c', small, byte, -5'000'000'000L,
               18446744073709551615ULL);
  SSX_LOG_INFO("{:.2f} {:.1f} {:.1f}", 1.005F, 2.25, 3.5L);
  SSX_LOG_INFO("{} {} {} {:#x}", kGreen, State::kIdle, std::byte{7}, 255U);
  SSX_LOG_INFO("{} {} {}", address, static_cast<const void*>(address), nullptr);
  SSX_LOG_INFO("{:>{}}|{:<5}|{:.3}", 42, 6, "ab", "abcdef");
  SSX_LOG_INFO("no argument");
  SSX_LOG_INFO("{}", std::string_view());
  EXPECT_THAT(messages(), ElementsAre("owned view pointer array (null)",
                                      "true c -7 250 -5000000000 18446744073709551615",
                                      "1.00 2.2 3.5", "1 3 7 0xff", "0x1234 0x1234 0x0",
                                      "    42|ab   |abc", "no argument", ""));
}

TEST_F(Log, CopiesStringsWhenTheLineIsMade) {
  std::string text = "before";
  const Slot* kept = nullptr;
  static std::vector<Slot> slots;
  slots.clear();
  static constexpr Backend kKeep{
      make_record, +[](const Slot& slot) noexcept { slots.push_back(slot); }, nullptr};
  set_backend(&kKeep);
  SSX_LOG_INFO("{}", text);
  text = "after!";
  kept = &slots.at(0);
  std::string message;
  format_message(*header_of(*kept), kept->arguments, message);
  free_record(*kept);
  EXPECT_EQ(message, "before");
}

TEST_F(Log, FormatsOtherTypesInTheCaller) {
  SSX_LOG_INFO("at {} by {}", Point{3, 4}, "me");
  SSX_LOG_INFO("at {}", Point{-1, 0});
  EXPECT_THAT(messages(), ElementsAre("at 3;4 by me", "at {} [left of the plane]"));
}

TEST_F(Log, WritesErrorsAsTheirMessage) {
  SSX_LOG_WARN("{}", Error::from_errno(ENOENT, "open"));
  SSX_LOG_WARN("{}", make_error_code(Errc::kStale));
  EXPECT_THAT(messages(), ElementsAre("open: No such file or directory", "no longer there"));
}

TEST_F(Log, SaysWhenAWidthArgumentIsRefused) {
  SSX_LOG_INFO("{:{}}", 1, -4);
  EXPECT_THAT(messages(), ElementsAre("{:{}} [negative width]"));
}

TEST_F(Log, KnowsWhereItIs) {
  SSX_LOG_ERROR("x");
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].file, "log_test.cc");
  EXPECT_EQ(lines_[0].level, Level::kError);
}

TEST_F(Log, DoesNotEvaluateWhatIsBelowTheLevel) {
  int calls = 0;
  const auto count = [&calls] { return ++calls; };
  SSX_LOG_DEBUG("{}", count());
  EXPECT_EQ(calls, 0);
  SSX_LOG_INFO("{}", count());
  EXPECT_EQ(calls, 1);
  set_level(Level::kOff);
  SSX_LOG_FATAL("{}", count());
  EXPECT_EQ(calls, 1);
}

TEST_F(Log, GivesAModuleItsOwnLevel) {
  SSX_LOG_DEBUG("hidden");
  ASSERT_TRUE(set_module_level("elsewhere", Level::kTrace));
  SSX_LOG_DEBUG("still hidden");
  SSX_LOG_INFO("seen");
  const std::string here = lines_.at(0).module;
  ASSERT_TRUE(set_module_level(here, Level::kDebug));
  SSX_LOG_DEBUG("open");
  ASSERT_TRUE(set_module_level(here, Level::kError));
  SSX_LOG_WARN("closed");
  clear_module_levels();
  SSX_LOG_WARN("as all");
  EXPECT_THAT(messages(), ElementsAre("seen", "open", "as all"));
}

TEST_F(Log, TakesThirtyTwoModuleLevelsAndShortNames) {
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(set_module_level("m" + std::to_string(i), Level::kWarn));
  EXPECT_FALSE(set_module_level("one more", Level::kWarn));
  EXPECT_TRUE(set_module_level("m7", Level::kInfo));
  clear_module_levels();
  EXPECT_TRUE(set_module_level(std::string(31, 'a'), Level::kWarn));
  EXPECT_FALSE(set_module_level(std::string(32, 'a'), Level::kWarn));
}

TEST_F(Log, CutsTextAtTheLineMaximum) {
  set_line_max(8);
  SSX_LOG_INFO("{}", "1234567");
  SSX_LOG_INFO("{}", "12345678");
  SSX_LOG_INFO("{} {}", "12345", "6789");
  EXPECT_THAT(messages(), ElementsAre("1234567", "12345678", "12345 678"));
  EXPECT_FALSE(lines_[1].cut);
  EXPECT_TRUE(lines_[2].cut);
}

TEST_F(Log, HoldsBackARatedLine) {
  for (int i = 0; i < 10; ++i) SSX_LOG_RATED(WARN, std::chrono::hours(1), "again {}", i);
  EXPECT_THAT(messages(), ElementsAre("again 0"));
}

TEST(RateGate, LetsOneThroughPerIntervalAndCountsTheRest) {
  RateGate gate;
  std::uint32_t suppressed = 9;
  EXPECT_TRUE(gate.admit(milliseconds(0), milliseconds(10), suppressed));
  EXPECT_EQ(suppressed, 0U);
  EXPECT_FALSE(gate.admit(milliseconds(1), milliseconds(10), suppressed));
  EXPECT_FALSE(gate.admit(milliseconds(9), milliseconds(10), suppressed));
  EXPECT_TRUE(gate.admit(milliseconds(10), milliseconds(10), suppressed));
  EXPECT_EQ(suppressed, 2U);
}

TEST(RateGate, CountsExactlyFromManyThreads) {
  RateGate gate;
  std::atomic<std::uint32_t> through{0};
  std::atomic<std::uint32_t> told{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&gate, &through, &told] {
      for (int n = 0; n < 1000; ++n) {
        std::uint32_t before = 0;  // held back in the moment in which the first went through
        if (gate.admit(milliseconds(5), milliseconds(10), before)) ++through;
        told += before;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint32_t suppressed = 0;
  EXPECT_TRUE(gate.admit(milliseconds(15), milliseconds(10), suppressed));
  EXPECT_EQ(through + told + suppressed, 4000U);
  EXPECT_EQ(through, 1U);
}

TEST(LogLevel, ReadsNamesInEitherCase) {
  EXPECT_EQ(parse_level("INFO"), Level::kInfo);
  EXPECT_EQ(parse_level("warn"), Level::kWarn);
  EXPECT_EQ(parse_level("Off"), Level::kOff);
  EXPECT_EQ(parse_level("INF"), std::nullopt);
  EXPECT_EQ(parse_level(""), std::nullopt);
  EXPECT_EQ(to_string(Level::kFatal), "FATAL");
}

TEST(LogWithoutBackEnd, PrintsWarningsToStderr) {
  testing::internal::CaptureStderr();
  SSX_LOG_INFO("quiet");
  SSX_LOG_WARN("port {} is\n taken", 80);
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr(" WARN log_test.cc:"));
  EXPECT_THAT(shown, HasSubstr("port 80 is\\x0a taken\n"));
  EXPECT_THAT(shown, Not(HasSubstr("quiet")));
}

}  // namespace
}  // namespace ssx::log

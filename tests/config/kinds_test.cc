#include "ssxrver/config/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ssxrver/sys/process.h"
#include "tests/config/fixture.h"
#include "tests/support/sim/kernel.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using test::complaint;
using test::read;
using test::Reading;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Writes a value and reads the text again.
template <class Kind, class Value>
void expect_round_trip(const Kind& kind, const Value& value) {
  const std::string text = json::write(kind.write(value));
  const auto [again, problem] = read(kind, text);
  EXPECT_EQ(problem, "") << text;
  ASSERT_TRUE(again) << text;
  EXPECT_EQ(*again, value) << text;
}

TEST(SwitchKind, TakesWordsAndBooleans) {
  EXPECT_EQ(read(Switch{}, "\"on\"").first, true);
  EXPECT_EQ(read(Switch{}, "false").first, false);
  EXPECT_EQ(complaint(Switch{}, "1"), "expected \"on\" or \"off\", found 1");
  EXPECT_EQ(complaint(Switch{}, "\"yes\""), "expected \"on\" or \"off\", found \"yes\"");
  expect_round_trip(Switch{}, true);
  expect_round_trip(Switch{}, false);
}

TEST(WholeKind, TakesNumbersAndNumbersAsText) {
  const Whole kind{{.min = -5, .max = 10}};
  EXPECT_EQ(read(kind, "7").first, 7);
  EXPECT_EQ(read(kind, "\"7\"").first, 7);
  EXPECT_EQ(read(kind, "\"-5\"").first, -5);
  EXPECT_EQ(read(kind, "7.0").first, 7);
  EXPECT_EQ(read(kind, "1e1").first, 10);
  for (const char* text : {"7.5", "\"7.5\"", "\"\"", "null", "true", "[7]", "\"1k\""}) {
    Reading reading(text);
    EXPECT_FALSE(kind.read(reading.reader(), reading.root()));
    EXPECT_THAT(reading.complaint(), HasSubstr("expected a number, -5 .. 10, found ")) << text;
    EXPECT_EQ(reading.complaint(Strictness::kOff), "") << text;
  }
  expect_round_trip(kind, std::int64_t{-5});
}

TEST(WholeKind, HoldsItsRangeHoweverLax) {
  const Whole kind{{.min = 1, .max = 10, .special = -1}};
  EXPECT_EQ(read(kind, "-1").first, -1);
  for (const char* text : {"0", "-2", "11", "18446744073709551615", "1e300", "\"11\""}) {
    Reading reading(text);
    EXPECT_FALSE(kind.read(reading.reader(), reading.root()));
    EXPECT_THAT(reading.complaint(Strictness::kOff),
                HasSubstr("expected a number, 1 .. 10, or -1, found "))
        << text;
  }
}

TEST(WholeKind, LetsLowNumbersMeanTheDefault) {
  const Whole from_one{{.min = 1, .max = 10, .low_means_default = true}};
  for (const char* text : {"0", "-1", "\"-9\""}) {
    EXPECT_EQ(read(from_one, text), std::pair(std::optional<std::int64_t>(), std::string()))
        << text;
  }
  const Whole from_hundred{{.min = 100, .max = 200, .low_means_default = true}};
  EXPECT_EQ(complaint(from_hundred, "0"), "");
  EXPECT_EQ(complaint(from_hundred, "1"), "expected a number, 100 .. 200, found 1");
  EXPECT_EQ(complaint(from_hundred, "99"), "expected a number, 100 .. 200, found 99");
}

TEST(SizeKind, TakesUnits) {
  const Size kind{{0, 1 << 20}};
  EXPECT_EQ(read(kind, "\"64k\"").first, 65536);
  EXPECT_EQ(read(kind, "1048576").first, 1 << 20);
  EXPECT_EQ(complaint(kind, "\"1025k\""), "expected a size, 0 .. 1M, found \"1025k\"");
  EXPECT_EQ(complaint(kind, "\"-1\""), "expected a size, 0 .. 1M, found \"-1\"");
  EXPECT_EQ(complaint(kind, "\"18446744073709551615\""),
            "expected a size, 0 .. 1M, found \"18446744073709551615\"");
  EXPECT_EQ(complaint(kind, "\"1x\""), "expected a size, 0 .. 1M, found \"1x\"");
  Facts facts;
  Size{{0, std::int64_t{1} << 62}}.describe(facts);
  EXPECT_EQ(facts.range, "0 .. 2^62");
  expect_round_trip(kind, std::int64_t{1536});
}

TEST(TimeKind, WantsAUnitUnlessItIsZero) {
  const Time kind{.min = 10ms, .max = 1min};
  EXPECT_EQ(read(kind, "\"10ms\"").first, 10ms);
  EXPECT_EQ(read(kind, "\"60s\"").first, 1min);
  EXPECT_EQ(read(kind, "0").first, 0ms);
  EXPECT_EQ(read(kind, "\"0\"").first, 0ms);
  EXPECT_EQ(complaint(kind, "10"), "expected a time such as \"10s\", 10ms .. 1m, or 0, found 10");
  EXPECT_THAT(complaint(kind, "\"10\""), HasSubstr("found \"10\""));
  EXPECT_THAT(complaint(kind, "\"9ms\""), HasSubstr("found \"9ms\""));
  EXPECT_THAT(complaint(kind, "\"61s\""), HasSubstr("found \"61s\""));
  EXPECT_THAT(complaint(kind, "true"), HasSubstr("found true"));
  expect_round_trip(kind, std::chrono::milliseconds(1500));
}

TEST(TimeKind, HoldsItsGrainAndMayHaveNoZero) {
  const Time kind{.min = 1s, .max = 10s, .has_off = false, .grain = 1s};
  EXPECT_EQ(read(kind, "\"1s\"").first, 1s);
  EXPECT_EQ(read(kind, "\"2000ms\"").first, 2s);
  EXPECT_THAT(complaint(kind, "\"1500ms\""), HasSubstr("found \"1500ms\""));
  EXPECT_THAT(complaint(kind, "0"), HasSubstr("found 0"));
}

TEST(TimeKind, TakesBareSecondsWhereTheKeySaysSo) {
  const Time kind{.min = 1s, .max = 1h, .has_off = false, .grain = 1s, .is_seconds = true};
  EXPECT_EQ(read(kind, "3").first, 3s);
  EXPECT_EQ(read(kind, "\"3\"").first, 3s);
  EXPECT_EQ(read(kind, "\"2m\"").first, 2min);
  EXPECT_EQ(read(kind, "3600").first, 1h);
  for (const char* low : {"0", "-1", "\"0\"", "\"-5\"", "-9223372036854775808"}) {
    EXPECT_EQ(complaint(kind, low), "") << low;
    EXPECT_FALSE(read(kind, low).first) << low;
  }
  for (const char* high : {"3601", "9223372036854775807", "18446744073709551615", "1e300"}) {
    EXPECT_THAT(complaint(kind, high), HasSubstr("expected seconds, 1 .. 3600, found")) << high;
  }
  EXPECT_THAT(complaint(kind, "\"500ms\""), HasSubstr("found \"500ms\""));
  EXPECT_EQ(json::write(kind.write(90s)), "90");
  expect_round_trip(kind, std::chrono::milliseconds(3000));
}

TEST(TextKind, HoldsItsLength) {
  const Text kind{.length_max = 3, .what = "a name"};
  EXPECT_EQ(read(kind, "\"abc\"").first, "abc");
  EXPECT_EQ(read(kind, "\"\"").first, "");
  EXPECT_EQ(complaint(kind, "\"abcd\""), "expected at most 3 bytes, found \"abcd\"");
  EXPECT_EQ(complaint(kind, "5"), "expected a name, found 5");
  const Text filled{.may_be_empty = false, .what = "a path"};
  EXPECT_EQ(complaint(filled, "\"\""), "expected a path, not empty, found \"\"");
}

TEST(TextKind, KeepsControlBytesOutOfPathsAndHeaders) {
  const Text kind{.what = "a path"};
  for (const char* text : {R"("a\u0000b")", R"("a\r\nX: y")", R"("\u007f")", R"("\t")"}) {
    EXPECT_THAT(complaint(kind, text), HasSubstr("expected a path without control characters"));
  }
  const Text body{.may_have_control_bytes = true};
  EXPECT_EQ(read(body, R"("a\n\u0000")").first, std::string("a\n\0", 3));
}

TEST(TextKind, TakesNumbersFromTheCommandLine) {
  EXPECT_EQ(complaint(Text{}, "7"), "expected text, found 7");
  Reading number("7", true);
  EXPECT_EQ(Text{}.read(number.reader(), number.root()), "7");
}

TEST(WordsKind, NamesTheWordThatIsWrong) {
  const Words kind{{.length_max = 2, .what = "names"}, 3};
  EXPECT_THAT(*read(kind, R"(["a", "b"])").first, ElementsAre("a", "b"));
  EXPECT_EQ(complaint(kind, R"(["a", "abc"])"), "/1: expected at most 2 bytes, found \"abc\"");
  EXPECT_EQ(complaint(kind, R"(["a", 1])"), "/1: expected names, found 1");
  EXPECT_EQ(complaint(kind, R"(["a", "a", "a"])"), "");
  EXPECT_THAT(complaint(kind, R"(["a", "a", "a", "a"])"),
              HasSubstr("expected a list of at most 3"));
  EXPECT_EQ(complaint(kind, "\"a\""), "expected a list: names, found \"a\"");
  expect_round_trip(kind, std::vector<std::string>{"a", "b"});
}

TEST(DictionaryKind, ChecksKeysAndValues) {
  const Dictionary kind{{.what = "extension", .objection = object_to_extension},
                        {.what = "media type", .objection = object_to_media_type},
                        2};
  EXPECT_EQ(read(kind, R"({"a": "b/c"})").first, (Dictionary::Map{{"a", "b/c"}}));
  EXPECT_THAT(complaint(kind, R"({".a": "b/c"})"),
              HasSubstr("/.a: expected a file name's extension"));
  EXPECT_THAT(complaint(kind, R"({"a": "b"})"), HasSubstr("/a: expected a media type"));
  EXPECT_THAT(complaint(kind, R"({"a": "b/c", "d": "b/c", "e": "b/c"})"),
              HasSubstr("expected at most 2 keys"));
  EXPECT_THAT(complaint(kind, "[]"), HasSubstr("expected an object {extension: media type}"));
  expect_round_trip(kind, Dictionary::Map{{"a", "b/c"}, {"d", "e/f"}});
}

TEST(RateKind, SaysHowARateIsWritten) {
  EXPECT_EQ(read(RateText{}, "\"5/m burst 6\"").first, (net::Rate{5, std::chrono::seconds(60), 6}));
  EXPECT_EQ(complaint(RateText{}, "\"5\""),
            "expected a rate such as \"1000/s burst 2000\", found \"5\"");
  EXPECT_THAT(complaint(RateText{}, "5"), HasSubstr("found 5"));
  expect_round_trip(RateText{}, net::Rate{5, std::chrono::seconds(60), 6});
}

TEST(OctalKind, TakesDigitsAsText) {
  EXPECT_EQ(read(Octal{}, "\"022\"").first, 022u);
  EXPECT_THAT(complaint(Octal{}, "22"), HasSubstr("expected octal digits as text"));
  EXPECT_THAT(complaint(Octal{}, "\"8\""), HasSubstr("\"00\" .. \"0777\""));
  expect_round_trip(Octal{}, 0660u);
}

TEST(CoresKind, TakesSwitchesListsAndRanges) {
  EXPECT_THAT(*read(Cores{}, "\"off\"").first, ElementsAre());
  EXPECT_THAT(*read(Cores{}, "false").first, ElementsAre());
  EXPECT_THAT(*read(Cores{}, "[]").first, ElementsAre());
  EXPECT_EQ(*read(Cores{}, "\"on\"").first, *sys::allowed_cores());
  EXPECT_EQ(*read(Cores{}, "true").first, *sys::allowed_cores());
  EXPECT_THAT(*read(Cores{}, "[2, 0]").first, ElementsAre(2u, 0u));
  EXPECT_THAT(*read(Cores{}, "\"0-1,8\"").first, ElementsAre(0u, 1u, 8u));
  EXPECT_THAT(*read(Cores{}, "[1023]").first, ElementsAre(1023u));
  for (const char* text : {"[1024]", "[1, 1]", "\"3-1\"", "5", "[\"a\"]", "[-1]", "null"}) {
    EXPECT_THAT(complaint(Cores{}, text), HasSubstr("expected \"off\", \"on\", or core numbers"));
  }
  expect_round_trip(Cores{}, std::vector<unsigned>{3, 1});
  expect_round_trip(Cores{}, std::vector<unsigned>{});
}

TEST(CoresKind, TellsWhenTheKernelDoesNotKnow) {
  sim::FaultPlan plan;
  plan.fail(sim::Call::kAllowedCores, EPERM);
  EXPECT_THAT(complaint(Cores{}, "\"on\""), HasSubstr("the cores of this machine are not known"));
}

TEST(ThreadsKind, CountsCoresForAuto) {
  const Threads kind{{.min = 1, .max = 1024, .low_means_default = true}};
  EXPECT_EQ(read(kind, "\"auto\"").first, static_cast<std::int64_t>(sys::allowed_cores()->size()));
  EXPECT_EQ(read(kind, "\"AUTO\"").first, static_cast<std::int64_t>(sys::allowed_cores()->size()));
  EXPECT_EQ(read(kind, "3").first, 3);
  EXPECT_EQ(complaint(kind, "\"many\""),
            "expected a number or \"auto\", 1 .. 1024, found \"many\"");
  sim::FaultPlan plan;
  plan.fail(sim::Call::kAllowedCores, EPERM);
  EXPECT_EQ(read(kind, "\"auto\"").first, 1);
}

enum class Colour { kRed, kBlue };
const Choice<Colour> kColour{{{"red", Colour::kRed}, {"blue", Colour::kBlue}}, {"green"}};

TEST(ChoiceKind, KnowsItsWordsInAnyCase) {
  EXPECT_EQ(read(kColour, "\"red\"").first, Colour::kRed);
  EXPECT_EQ(read(kColour, "\"BLUE\"").first, Colour::kBlue);
  EXPECT_EQ(complaint(kColour, "\"bleu\""),
            "expected \"red\" or \"blue\" (\"blue\"?), found \"bleu\"");
  EXPECT_EQ(complaint(kColour, "\"x\""), "expected \"red\" or \"blue\", found \"x\"");
  EXPECT_EQ(complaint(kColour, "5"), "expected \"red\" or \"blue\", found 5");
  EXPECT_EQ(complaint(kColour, "\"green\""),
            "\"green\" is not in this build; accepted so far: \"red\" or \"blue\"");
  expect_round_trip(kColour, Colour::kBlue);
}

TEST(AnyObjectKind, KeepsAnObjectAsItIs) {
  const auto [object, problem] = read(AnyObject{}, R"({"a": [1, {"b": null}]})");
  EXPECT_EQ(problem, "");
  EXPECT_EQ(json::write(*object, -1), R"({"a": [1, {"b": null}]})");
  EXPECT_EQ(complaint(AnyObject{}, "[]"), "expected an object, found []");
}

TEST(Objections, ToAddresses) {
  for (const char* good : {"127.0.0.1", "::1", "*", "0.0.0.0", "2001:db8::1"}) {
    EXPECT_EQ(object_to_address(good), nullptr) << good;
  }
  for (const char* bad :
       {"", "localhost", "1.2.3", "1.2.3.4:80", "[::1]", "300.0.0.1", "1.2.3.4/8"}) {
    EXPECT_NE(object_to_address(bad), nullptr) << bad;
  }
  EXPECT_EQ(object_to_address_or_none(""), nullptr);
  EXPECT_NE(object_to_address_or_none("x"), nullptr);
}

TEST(Objections, ToBlockedRanges) {
  for (const char* good : {"10.0.0.1", "10.0.0.0/8", "2001:db8::/32", "::1"}) {
    EXPECT_EQ(object_to_blocked(good), nullptr) << good;
  }
  for (const char* bad : {"", "*", "10.0.0.0/33", "10.0.0.0/", "x"}) {
    EXPECT_NE(object_to_blocked(bad), nullptr) << bad;
  }
}

TEST(Objections, ToPathPatterns) {
  for (const char* good :
       {"/", "/*", "/a/b", "/a/{id}", "/{a}/{b}/c", "/files/*", "/f/{rest...}"}) {
    EXPECT_EQ(object_to_path_pattern(good), nullptr) << good;
  }
  for (const char* bad :
       {"", "a", "*", "/*/a", "/a*", "/{a", "/a}", "/{}", "/{a}b", "/{r...}/x", "/{{a}}"}) {
    EXPECT_NE(object_to_path_pattern(bad), nullptr) << bad;
  }
}

TEST(Objections, ToNames) {
  EXPECT_EQ(object_to_method("GET"), nullptr);
  EXPECT_NE(object_to_method("get"), nullptr);
  EXPECT_NE(object_to_method("CONNECT"), nullptr);
  EXPECT_EQ(object_to_host("example.org"), nullptr);
  EXPECT_NE(object_to_host("example.org:80"), nullptr);
  EXPECT_EQ(object_to_media_type("text/html; charset=utf-8"), nullptr);
  for (const char* bad : {"", "text", "/html", "text/"})
    EXPECT_NE(object_to_media_type(bad), nullptr);
  EXPECT_EQ(object_to_extension("wasm"), nullptr);
  for (const char* bad : {"", ".a", "a/b"}) EXPECT_NE(object_to_extension(bad), nullptr);
  EXPECT_EQ(object_to_file_name("index.html"), nullptr);
  for (const char* bad : {"", ".", "..", "a/b"}) EXPECT_NE(object_to_file_name(bad), nullptr);
}

}  // namespace
}  // namespace ssx::config

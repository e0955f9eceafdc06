#include "ssxrver/config/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/fixture.h"

namespace ssx::config {
namespace {

using test::Reading;
using ::testing::ElementsAre;

TEST(Reader, KeepsThePointerOfWhereItIs) {
  Reading reading("{}");
  Reader& reader = reading.reader();
  EXPECT_EQ(reader.pointer(), "");
  {
    const Reader::Step outer(reader, "a/b");
    const Reader::Step inner(reader, "0");
    EXPECT_EQ(reader.pointer(), "/a~1b/0");
  }
  EXPECT_EQ(reader.pointer(), "");
}

TEST(Reader, TellsTheTypeAndTheRangeApart) {
  Reading reading("[1]");
  reading.reader().ill_typed(reading.root(), "a text");
  EXPECT_THAT(reading.errors(), ElementsAre("t:1:1: expected a text, found [1]"));
  EXPECT_THAT(reading.errors(Strictness::kOff), ElementsAre());
  reading.reader().out_of_range(reading.root(), "less");
  EXPECT_THAT(reading.errors(Strictness::kOff), ElementsAre("t:1:1: expected less, found [1]"));
}

TEST(Reader, RefusesWhatIsNotBuiltHoweverLax) {
  Reading reading("\"cpu\"");
  reading.reader().not_built(reading.root(), "\"round_robin\"");
  EXPECT_EQ(reading.complaint(Strictness::kOff),
            "\"cpu\" is not in this build; accepted so far: \"round_robin\"");
}

TEST(Reader, HelpsWithAnUnknownKey) {
  const std::vector<std::string_view> known{"port", "address"};
  const auto help = [&known](std::string_view text, std::vector<std::string> homes) {
    Reading reading(text);
    reading.set_homes(std::move(homes));
    reading.reader().unknown_key(reading.root().object()->front(), known);
    return reading.complaint();
  };
  EXPECT_EQ(help(R"({"prot": 1})", {}), "/prot: unknown key; did you mean \"port\"?");
  EXPECT_EQ(help(R"({"colour": 1})", {}), "/colour: unknown key; known here: port, address");
  EXPECT_EQ(help(R"({"level": 1})", {"/log"}), "/level: unknown key; it belongs into /log");
  EXPECT_EQ(help(R"({"level": 1})", {""}), "/level: unknown key; it belongs into the top level");
  EXPECT_EQ(help(R"({"level": 1})", {"/a", "/b"}),
            "/level: unknown key; known here: port, address");
}

TEST(Reader, ListsTwelveKnownKeysAtMost) {
  const auto help = [](std::size_t count) {
    Reading reading(R"({"unheard_of": 1})");
    reading.reader().unknown_key(reading.root().object()->front(),
                                 std::vector<std::string_view>(count, "k"));
    return reading.complaint();
  };
  EXPECT_EQ(help(12).find("..."), std::string::npos);
  EXPECT_NE(help(13).find("k, ..."), std::string::npos);
}

TEST(Reader, TakesNumbersOfTheCommandLineAsText) {
  Reading option("1.10", true);
  EXPECT_EQ(option.reader().text_of(option.root()), "1.10");
  Reading nested("[7]", true);
  EXPECT_EQ(nested.reader().text_of((*nested.root().array())[0]), std::nullopt);
  Reading file("1.10");
  EXPECT_EQ(file.reader().text_of(file.root()), std::nullopt);
  Reading text("\"a\"");
  EXPECT_EQ(text.reader().text_of(text.root()), "a");
}

TEST(Reader, WarnsOfSecretsThatOthersMayRead) {
  const auto look = [](std::string_view text, bool is_override, bool is_hardened, unsigned mode) {
    Reading reading(text, is_override, is_hardened, mode);
    reading.reader().check_exposure(reading.root());
    return std::pair(reading.warnings().size(), reading.errors().size());
  };
  EXPECT_EQ(look("\"pw\"", false, false, 0644), std::pair(1ul, 0ul));
  EXPECT_EQ(look("\"pw\"", false, false, 0640), std::pair(1ul, 0ul));
  EXPECT_EQ(look("\"pw\"", false, false, 0600), std::pair(0ul, 0ul));
  EXPECT_EQ(look("\"pw\"", false, true, 0644), std::pair(0ul, 1ul));
  EXPECT_EQ(look("\"pw\"", true, true, 0644), std::pair(0ul, 0ul));
  EXPECT_EQ(look("\"${PW}\"", false, true, 0644), std::pair(0ul, 0ul));
}

TEST(Reader, ShowsValuesOnOneShortLine) {
  EXPECT_EQ(show_value(json::Value("a\nb")), "\"a\\nb\"");
  EXPECT_EQ(show_value(json::Value(std::string(58, 'a'))).size(), 60u);
  EXPECT_EQ(show_value(json::Value(std::string(59, 'a'))), "\"" + std::string(59, 'a') + "...");
  const std::string wide = std::string(58, 'a') + "\xC3\xA4\xC3\xA4";
  EXPECT_EQ(show_value(json::Value(wide)), "\"" + std::string(58, 'a') + "...");
}

}  // namespace
}  // namespace ssx::config

#include "ssxrver/config/special_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/config/fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx::config {
namespace {

using test::complaint;
using test::read;
using test::Reading;
using ::testing::HasSubstr;

std::string in_file(const std::string& path) { return "{\"file\": " + json::quote(path) + "}"; }

TEST(SecretKind, StandsInTheTextOrInAFile) {
  const ssx::test::TempDir folder;
  const auto path = folder.write("secret", "s3cret\r\n\n");
  ::chmod(path.c_str(), 0600);
  const auto [from_file, problem] = read(SecretText{}, in_file(path));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(*from_file, (Secret{"s3cret", path}));
  EXPECT_EQ(json::write(SecretText{}.write(*from_file), -1), in_file(path));
  EXPECT_EQ(*read(SecretText{}, "\"pw\"").first, (Secret{"pw", ""}));
  EXPECT_EQ(json::write(SecretText{}.write({"pw", ""})), "\"pw\"");
}

TEST(SecretKind, TellsWhatIsWrongWithAFile) {
  const ssx::test::TempDir folder;
  EXPECT_THAT(complaint(SecretText{}, in_file(folder.file("none"))),
              HasSubstr("none\" cannot be read: No such file or directory"));
  EXPECT_THAT(complaint(SecretText{}, in_file(folder.path())), HasSubstr("is not a regular file"));
  const auto longest = folder.write("longest", std::string(kSecretMax, 'a'));
  const auto longer = folder.write("longer", std::string(kSecretMax + 1, 'a'));
  const auto binary = folder.write("binary", "\xFF");
  EXPECT_EQ(complaint(SecretText{}, in_file(longest)), "");
  EXPECT_THAT(complaint(SecretText{}, in_file(longer)), HasSubstr("is too long"));
  EXPECT_THAT(complaint(SecretText{}, in_file(binary)), HasSubstr("is not UTF-8"));
}

TEST(SecretKind, RefusesOtherShapes) {
  for (const char* text : {"5", "[]", "{}", "{\"fiel\": \"a\"}", "{\"file\": \"a\", \"b\": 1}"}) {
    EXPECT_THAT(complaint(SecretText{}, text), HasSubstr("expected text, or {\"file\": \"PATH\"}"));
  }
  EXPECT_EQ(complaint(SecretText{}, "{\"file\": 5}"), "/file: expected a path, found 5");
}

TEST(SecretKind, WarnsOfAFileThatOthersMayRead) {
  const ssx::test::TempDir folder;
  const auto path = folder.write("secret", "x");
  ::chmod(path.c_str(), 0604);
  Reading lax(in_file(path));
  EXPECT_TRUE(SecretText{}.read(lax.reader(), lax.root()));
  EXPECT_EQ(lax.warnings().size(), 1u);
  EXPECT_EQ(lax.complaint(), "");
  Reading hardened(in_file(path), false, true);
  EXPECT_TRUE(SecretText{}.read(hardened.reader(), hardened.root()));
  EXPECT_THAT(hardened.complaint(), HasSubstr("others may read it: chmod 600"));
}

TEST(HandlerKind, KnowsWhatIsNotBuiltYet) {
  const HandlerName kind{{{"echo", "text"}, {"redirect"}}, {}, {"plugin:"}};
  EXPECT_EQ(read(kind, "\"Echo\"").first, "echo");
  EXPECT_EQ(complaint(kind, "\"plugin:x\""),
            "\"plugin:x\" is not in this build; accepted so far: \"echo\" or \"text\"");
  EXPECT_THAT(complaint(kind, "\"redirect\""), HasSubstr("is not in this build"));
  EXPECT_EQ(complaint(kind, "\"ecko\""),
            "expected \"echo\" or \"text\" (\"echo\"?), found \"ecko\"");
  EXPECT_EQ(complaint(kind, "5"), "expected \"echo\" or \"text\", found 5");
}

TEST(HandlerKind, TakesThePluginsOfItsPrefixes) {
  const HandlerName kind{{{"echo"}, {}}, {"plugin:"}, {}};
  EXPECT_EQ(read(kind, "\"plugin:x\"").first, "plugin:x");
  EXPECT_EQ(read(kind, "\"echo\"").first, "echo");
  EXPECT_EQ(complaint(kind, "\"plug:x\""), "expected \"echo\", found \"plug:x\"");
  Facts facts;
  kind.describe(facts);
  EXPECT_EQ(facts.type, "\"echo\" or \"plugin:NAME\"");
  EXPECT_EQ(json::write(facts.schema, json::kCompact),
            R"({"anyOf":[{"enum":["echo"]},)"
            R"({"type":"string","pattern":"^(plugin:)[a-z0-9_]{1,64}$|\\$\\{"}]})");
}

TEST(SecretFileKind, ReadsTheFileAndLeavesTheWritingToTheSecret) {
  const ssx::test::TempDir folder;
  const auto path = folder.write("secret", "s3cret\n");
  ::chmod(path.c_str(), 0600);
  const auto [secret, problem] = read(SecretFile{}, json::quote(path));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(*secret, (Secret{"s3cret", path}));
  EXPECT_EQ(json::write(SecretFile{}.write(*secret)), "\"\"");
  EXPECT_EQ(read(SecretFile{}, "\"\"").first, std::nullopt);
  EXPECT_EQ(complaint(SecretFile{}, "\"\""), "");
  EXPECT_EQ(complaint(SecretFile{}, "5"), "expected a path, found 5");
  EXPECT_THAT(complaint(SecretFile{}, json::quote(folder.file("none"))),
              HasSubstr("none\" cannot be read: No such file or directory"));
}

TEST(MaybePathKind, TakesNull) {
  EXPECT_EQ(read(MaybePath{}, "null").first.value(), "");
  EXPECT_EQ(read(MaybePath{}, "\"/run/x\"").first.value(), "/run/x");
  EXPECT_EQ(complaint(MaybePath{}, "5"), "expected a path, found 5");
  EXPECT_EQ(json::write(MaybePath{}.write("")), "null");
  EXPECT_EQ(json::write(MaybePath{}.write("a")), "\"a\"");
}

TEST(ModuleLevelsKind, TakesLevelsByModule) {
  const ModuleLevels kind;
  const auto [levels, problem] = read(kind, R"({"net": "debug", "http": "OFF"})");
  EXPECT_EQ(problem, "");
  EXPECT_EQ(*levels,
            (ModuleLevels::Levels{{"net", log::Level::kDebug}, {"http", log::Level::kOff}}));
  EXPECT_EQ(json::write(kind.write(*levels), -1), R"({"net": "DEBUG", "http": "OFF"})");
  EXPECT_THAT(complaint(kind, R"({"net": "loud"})"), HasSubstr("/net: expected \"TRACE\""));
  EXPECT_THAT(complaint(kind, R"({"": "INFO"})"), HasSubstr("a module's name has 1 .. 31 bytes"));
  EXPECT_THAT(complaint(kind, "[]"), HasSubstr("expected an object {MODULE: LEVEL}"));
}

TEST(ModuleLevelsKind, HoldsItsBounds) {
  const auto modules = [](std::size_t count) {
    json::Value value{json::Object()};
    for (std::size_t i = 0; i < count; ++i) value.set("m" + std::to_string(i), "INFO");
    return json::write(value, -1);
  };
  EXPECT_EQ(complaint(ModuleLevels{}, modules(31)), "");
  EXPECT_EQ(complaint(ModuleLevels{}, modules(32)), "");
  EXPECT_THAT(complaint(ModuleLevels{}, modules(33)), HasSubstr("expected at most 32 modules"));
  const auto name = [](std::size_t length) {
    return "{\"" + std::string(length, 'm') + "\": \"INFO\"}";
  };
  EXPECT_EQ(complaint(ModuleLevels{}, name(31)), "");
  EXPECT_THAT(complaint(ModuleLevels{}, name(32)), HasSubstr("1 .. 31 bytes"));
}

TEST(ShareKind, TakesWhatIsBetweenNothingAndAll) {
  for (const auto& [text, share] : {std::pair("0", 0.0), std::pair("1", 1.0), std::pair("1.0", 1.0),
                                    std::pair("0.01", 0.01), std::pair("\"0.5\"", 0.5)}) {
    EXPECT_EQ(read(Share{}, text).first, share) << text;
  }
  for (const char* text : {"-1", "-0.01", "1.01", "2", "\"1.5\"", "\"nan\""}) {
    EXPECT_THAT(complaint(Share{}, text), HasSubstr("expected a number, 0 .. 1, found ")) << text;
  }
  for (const char* text : {"true", "\"\"", "\"half\"", "\"0.5 \"", "[]", "null"}) {
    EXPECT_THAT(complaint(Share{}, text), HasSubstr("expected a number, 0 .. 1, found ")) << text;
  }
  EXPECT_EQ(json::write(Share{}.write(0.25)), "0.25");
}

TEST(AccessPatternKind, TakesNamesAndKnownVariables) {
  for (const char* text :
       {"common", "combined", "json", "$status", "plain", "{\\\"a\\\":$status}"}) {
    EXPECT_EQ(complaint(AccessPattern{}, "\"" + std::string(text) + "\""), "") << text;
  }
  EXPECT_EQ(complaint(AccessPattern{}, "\"$remote_adr\""),
            "unknown variable \"$remote_adr\"; did you mean \"$remote_addr\"?");
  EXPECT_EQ(complaint(AccessPattern{}, "\"$nothing_like_it\""),
            "unknown variable \"$nothing_like_it\"");
  EXPECT_THAT(complaint(AccessPattern{}, "\"5 $\""), HasSubstr("a plain one is \"$$\""));
  EXPECT_THAT(complaint(AccessPattern{}, "\"\""), HasSubstr("not empty"));
  EXPECT_THAT(complaint(AccessPattern{}, "\"a\\nb\""), HasSubstr("without control characters"));
  EXPECT_THAT(complaint(AccessPattern{}, "7"), HasSubstr("expected a pattern"));
}

}  // namespace
}  // namespace ssx::config

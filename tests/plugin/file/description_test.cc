#include "ssxrver/plugin/file/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ssxrver/plugin/toolchain.h"

namespace ssx {
namespace {

using ::testing::HasSubstr;

constexpr auto kDescMin =
    static_cast<std::uint32_t>(offsetof(ssxrver_plugin_desc, entry) + sizeof(void*));
constexpr auto kEntryMin =
    static_cast<std::uint32_t>(offsetof(ssxrver_plugin_entry, destroy) + sizeof(void*));

/// A plugin that is good; tests change what they are about.
struct Given {
  Given() {
    entry.size = sizeof entry;
    entry.create = [](const ssxrver_host*, void**, ssxrver_error*) -> std::int32_t { return 0; };
    entry.destroy = [](void*) {};
    desc.magic = SSXRVER_PLUGIN_MAGIC;
    desc.size = sizeof desc;
    desc.abi_major = SSXRVER_ABI_MAJOR;
    desc.name = "sample";
    desc.version = "1.0";
    desc.required = "ssxrver.http";
    desc.entry = &entry;
  }
  [[nodiscard]] Expected<PluginDescription, std::string> judge(
      std::int32_t answer = SSXRVER_OK) const {
    return PluginDescription::judge(answer, &desc,
                                    {{"ssxrver.http", "ssxrver.loop"}, SSXRVER_TOOLCHAIN});
  }
  [[nodiscard]] std::string why(std::int32_t answer = SSXRVER_OK) const {
    const auto judged = judge(answer);
    return judged ? "" : judged.error();
  }

  ssxrver_plugin_entry entry{};
  ssxrver_plugin_desc desc{};
};

TEST(PluginDescription, GivesWhatThePluginSays) {
  Given given;
  given.desc.flags = SSXRVER_PLUGIN_RELOADABLE;
  given.desc.state_version_min = 2;
  given.desc.state_version_max = 3;
  const auto judged = given.judge();
  ASSERT_TRUE(judged) << judged.error();
  EXPECT_EQ(judged->name(), "sample");
  EXPECT_EQ(judged->version(), "1.0");
  EXPECT_EQ(judged->vendor(), "");
  EXPECT_EQ(judged->config_schema(), "");
  EXPECT_TRUE(judged->has(SSXRVER_PLUGIN_RELOADABLE));
  EXPECT_FALSE(judged->has(SSXRVER_PLUGIN_UNLOADABLE));
  EXPECT_FALSE(judged->takes_state(1));
  EXPECT_TRUE(judged->takes_state(2));
  EXPECT_TRUE(judged->takes_state(3));
  EXPECT_FALSE(judged->takes_state(4));
  EXPECT_EQ(judged->entry().create, given.entry.create);
  EXPECT_EQ(judged->entry().drain, nullptr);
}

TEST(PluginDescription, UsesWhatBothSidesKnowOfATable) {
  Given given;
  given.entry.size = kEntryMin - 1;
  EXPECT_THAT(given.why(), HasSubstr("table of functions"));
  given.entry.size = kEntryMin;
  EXPECT_EQ(given.why(), "");
  given.entry.size = PluginDescription::kTableMax;
  EXPECT_EQ(given.why(), "");
  given.entry.size = PluginDescription::kTableMax + 1;
  EXPECT_THAT(given.why(), HasSubstr("wanted 65536 or less"));
}

TEST(PluginDescription, BoundsItsSize) {
  Given given;
  given.desc.size = kDescMin - 1;
  EXPECT_EQ(given.why(), "gives a description of " + std::to_string(kDescMin - 1) +
                             " bytes, wanted " + std::to_string(kDescMin) + " or more");
  given.desc.size = kDescMin;
  EXPECT_EQ(given.why(), "");
  given.desc.size = PluginDescription::kTableMax;
  EXPECT_EQ(given.why(), "");
  given.desc.size = PluginDescription::kTableMax + 1;
  EXPECT_THAT(given.why(), HasSubstr("or less"));
}

TEST(PluginDescription, IsOfThisMajorVersion) {
  Given given;
  given.desc.abi_minor = 99;
  EXPECT_EQ(given.why(), "");
  given.desc.abi_major = SSXRVER_ABI_MAJOR + 1;
  EXPECT_EQ(given.why(SSXRVER_UNSUPPORTED), "is for version 2.99 of the border, wanted 1.x");
  given.desc.abi_major = SSXRVER_ABI_MAJOR;
  EXPECT_THAT(given.why(SSXRVER_ERROR), HasSubstr("refuses version 1."));
  given.desc.magic = 0;
  EXPECT_THAT(given.why(), HasSubstr("0x0031584e52565853"));
}

TEST(PluginDescription, HasANameAndAVersion) {
  Given given;
  const std::string longest(PluginDescription::kNameMax, 'a');
  const std::string too_long(PluginDescription::kNameMax + 1, 'a');
  given.desc.name = longest.c_str();
  EXPECT_EQ(given.why(), "");
  for (const char* name : {"", "Chat", "1st", "_x", "a-b", "a b", "\xc3\xa4", too_long.c_str()}) {
    given.desc.name = name;
    EXPECT_THAT(given.why(), HasSubstr("a name is made of")) << name;
  }
  given.desc.name = nullptr;
  EXPECT_THAT(given.why(), HasSubstr("is called \"\""));
  given.desc.name = "sample";
  given.desc.version = nullptr;
  EXPECT_EQ(given.why(), "(\"sample\") says no version");
}

TEST(PluginDescription, BoundsItsTexts) {
  Given given;
  const std::string longest(PluginDescription::kTextMax, 'x');
  const std::string too_long(PluginDescription::kTextMax + 1, 'x');
  given.desc.summary = longest.c_str();
  EXPECT_EQ(given.why(), "");
  given.desc.summary = too_long.c_str();
  EXPECT_EQ(given.why(), "gives a summary of more than 4096 bytes");
  given.desc.summary = nullptr;
  const std::string schema(PluginDescription::kSchemaMax + 1, ' ');
  given.desc.config_schema = schema.c_str() + 1;
  EXPECT_EQ(given.why(), "");
  given.desc.config_schema = schema.c_str();
  EXPECT_THAT(given.why(), HasSubstr("config_schema of more than"));
}

TEST(PluginDescription, HasFunctions) {
  Given given;
  given.entry.destroy = nullptr;
  EXPECT_EQ(given.why(), "(\"sample\") has no function destroy");
  given.entry.create = nullptr;
  EXPECT_EQ(given.why(), "(\"sample\") has no function create");
  given.desc.entry = nullptr;
  EXPECT_EQ(given.why(), "(\"sample\") gives no table of functions");
}

TEST(PluginDescription, NeedsWhatThereIs) {
  Given given;
  given.desc.required = " ssxrver.loop  ssxrver.http ";
  EXPECT_EQ(given.why(), "");
  given.desc.required = "ssxrver.http ssxrver.db";
  EXPECT_EQ(given.why(),
            "(\"sample\") needs the interface \"ssxrver.db\", and this program has "
            "\"ssxrver.http\", \"ssxrver.loop\"");
  given.desc.required = "ssxrver.htt";
  EXPECT_THAT(given.why(), HasSubstr("needs"));
  given.desc.required = nullptr;
  EXPECT_EQ(given.why(), "");
  given.desc.optional = "whatever";
  EXPECT_EQ(given.why(), "");
}

TEST(PluginDescription, MayAskForTheSameToolchain) {
  Given given;
  given.desc.toolchain = "another one";
  EXPECT_EQ(given.why(), "");
  given.desc.flags = SSXRVER_PLUGIN_SAME_TOOLCHAIN;
  EXPECT_THAT(given.why(), HasSubstr("was made with \"another one\""));
  given.desc.toolchain = SSXRVER_TOOLCHAIN;
  EXPECT_EQ(given.why(), "");
}

TEST(PluginDescription, TakesSomeStateOrNone) {
  Given given;
  given.desc.state_version_min = 2;
  given.desc.state_version_max = 1;
  EXPECT_THAT(given.why(), HasSubstr("2 .. 1, which is none"));
}

}  // namespace
}  // namespace ssx

#include "ssxrver/daemon/plugin_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PluginTool : public ::testing::Test {
 protected:
  std::string put(const std::string& name) {
    const std::string to = folder_.file(name + ".so");
    std::filesystem::copy_file(SSX_BAD_PLUGINS "/" + name + ".so", to);
    EXPECT_EQ(::chmod(to.c_str(), 0644), 0);
    return to;
  }

  test::TempDir folder_;
};

TEST_F(PluginTool, PrintsWhatAPluginSays) {
  const auto text = plugin_info(put("sample"));
  ASSERT_TRUE(text) << text.error().text();
  for (const char* line :
       {"name:        sample\n", "version:     1.2.3\n", "summary:     does nothing\n",
        "toolchain:   made by hand\n", "border:      1.0\n", "flags:       reloadable unloadable\n",
        "required:    ssxrver.http\n", "config:      {\"type\": \"object\""}) {
    EXPECT_THAT(*text, HasSubstr(line));
  }
  EXPECT_THAT(*text, Not(HasSubstr("vendor")));
  const auto none = plugin_info(folder_.file("none.so"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ExitCode::kConfig);
  EXPECT_EQ(none.error().text(), "\"" + folder_.file("none.so") + "\": No such file or directory");
}

TEST_F(PluginTool, ChecksAPluginAndItsConfig) {
  const std::string path = put("sample");
  EXPECT_EQ(check_plugin_file(path, "").value(),
            "the plugin " + path + " (sample 1.2.3) is good\n");
  EXPECT_TRUE(check_plugin_file(path, R"({"times": 1})"));
  const auto why = [&path](const std::string& config) {
    const auto checked = check_plugin_file(path, config);
    return checked ? "good" : checked.error().text();
  };
  EXPECT_EQ(why(R"({"times": "x"})"), "--config: /times: expected an integer, found \"x\"");
  EXPECT_EQ(why("[]"), "--config: expected an object, found []");
  EXPECT_THAT(why("{"), HasSubstr("--config: line 1, column 2: "));
  EXPECT_THAT(check_plugin_file(put("wrong_major"), "").error().text(),
              HasSubstr("is for version 2.0 of the border"));
}

TEST_F(PluginTool, WritesAProject) {
  const std::string root = folder_.file("greeter");
  const auto made = new_plugin("greeter", root);
  ASSERT_TRUE(made) << made.error().text();
  for (const char* name :
       {"CMakeLists.txt", "greeter.cc", "test.sh", "ssxrver.json", "README.md"}) {
    const std::string text = folder_.read("greeter/" + std::string(name));
    EXPECT_THAT(*made, HasSubstr(root + "/" + name + "\n"));
    EXPECT_THAT(text, Not(HasSubstr("@"))) << name;
    EXPECT_TRUE(text.ends_with('\n')) << name;
  }
  EXPECT_THAT(folder_.read("greeter/CMakeLists.txt"),
              HasSubstr("ssxrver_add_plugin(greeter SOURCES greeter.cc)"));
  EXPECT_THAT(folder_.read("greeter/greeter.cc"), HasSubstr("\"greeter\", \"0.1.0\""));
}

TEST_F(PluginTool, WritesOverNothing) {
  const std::string root = folder_.file("greeter");
  ASSERT_TRUE(new_plugin("greeter", root));
  const auto again = new_plugin("greeter", root);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ExitCode::kCannotCreate);
  EXPECT_THAT(again.error().text(), HasSubstr("is there already"));
  const auto nowhere = new_plugin("greeter", folder_.file("a/b"));
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().text(), HasSubstr("No such file or directory"));
}

TEST_F(PluginTool, TakesGoodNamesAlone) {
  for (const char* name : {"", "Greeter", "1st", "a-b", "../x", "a b"}) {
    const auto made = new_plugin(name, folder_.file("x"));
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code(), ExitCode::kUsage);
    EXPECT_FALSE(std::filesystem::exists(folder_.file("x")));
  }
}

}  // namespace
}  // namespace ssx

#include "ssxrver/daemon/plugin_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PluginChecks : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"sample", "wrong_magic", "throws"}) {
      const std::string to = folder_.file(std::string(name) + ".so");
      std::filesystem::copy_file(SSX_BAD_PLUGINS "/" + std::string(name) + ".so", to);
      ASSERT_EQ(::chmod(to.c_str(), 0644), 0);
    }
  }
  /// What is wrong with these plugins, found in our folder.
  std::vector<std::string> problems(const std::string& plugins) {
    const auto config =
        ServerConfig::parse(R"({"plugin_defaults": {"search_path": [")" + folder_.path() +
                                "\"]},\n\"plugins\": [" + plugins + "]}",
                            {}, "t");
    if (!config) return config.error().sentences();
    const auto checked = check_plugins(*config);
    return checked ? std::vector<std::string>() : checked.error().sentences();
  }

  test::TempDir folder_;
};

TEST_F(PluginChecks, LetGoodOnesPass) {
  EXPECT_THAT(problems(""), IsEmpty());
  EXPECT_THAT(problems(R"({"name": "sample", "config": {"times": 3}},
                          {"name": "other", "library": "sample.so", "depends": ["sample"]})"),
              IsEmpty());
}

TEST_F(PluginChecks, SayWhereAConfigIsWrong) {
  EXPECT_THAT(problems("{\"name\": \"sample\",\n \"config\": {\"times\": \"often\"}}"),
              ElementsAre("t:3:22: /plugins/0/config/times: expected an integer, found \"often\""));
}

TEST_F(PluginChecks, SayEverythingThatIsWrong) {
  EXPECT_THAT(
      problems(R"({"name": "sample", "sha256": ")" + std::string(64, '0') + R"("},
                  {"name": "a", "library": "throws.so"}, {"name": "b"},
                  {"name": "wrong_magic"}, {"name": "off", "enabled": "off"})"),
      ElementsAre(
          HasSubstr("plugin \"sample\": \"" + folder_.file("sample.so") + "\" has the SHA-256 "),
          HasSubstr("plugin \"a\": \"" + folder_.file("throws.so") + "\" throws out of"),
          HasSubstr("plugin \"b\": there is no \"b.so\" in \"" + folder_.path()),
          HasSubstr("plugin \"wrong_magic\": ")));
}

TEST_F(PluginChecks, BeginAtTheWorkingDirectory) {
  const auto config = ServerConfig::parse(R"({"daemon": {"working_directory": ")" + folder_.path() +
                                          R"("}, "plugin_defaults": {"search_path": ["."]},
      "plugins": [{"name": "sample"}, {"name": "b", "library": "./sample.so"}]})");
  ASSERT_TRUE(config) << config.error().text();
  const auto checked = check_plugins(*config);
  EXPECT_TRUE(checked) << checked.error().text();
  EXPECT_TRUE(has_plugins(*config));
  EXPECT_FALSE(has_plugins(ServerConfig()));
}

}  // namespace
}  // namespace ssx

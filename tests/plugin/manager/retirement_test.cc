#include "ssxrver/plugin/manager/retirement.h"

#include <sys/stat.h>

#include <filesystem>

#include "tests/plugin/manager/steps_test.h"
#include "tests/support/temp_dir.h"

namespace ssx::plugins {
namespace {

using test::Hosted;
using test::RawClient;
using test::steps;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class PluginRetirement : public test::StepsTest {};

TEST_F(PluginRetirement, WaitsForWhatHoldsIt) {
  PluginOptions plugin = steps();
  plugin.drain_timeout = std::chrono::milliseconds(1);
  Hosted hosted({.plugins = {plugin}});
  RawClient socket = hosted.open_socket("/socket");
  EXPECT_EQ(hosted.reload("steps"), "");
  const std::string held = "1 route, 1 socket";  // that of the socket
  EXPECT_TRUE(wait_until([this, &held] {
    return has_line("plugin steps 1.0.0, generation 1 stays loaded: " + held);
  }));
  EXPECT_THAT(hosted.status(), ElementsAre(StartsWith("steps 1.0.0, generation 2: "),
                                           "steps 1.0.0, generation 1: " + held));
  socket = RawClient::tcp(hosted.port);
  hosted.wait_until_gone();
  EXPECT_TRUE(has_line("plugin steps 1.0.0, generation 1 is gone"));
}

TEST_F(PluginRetirement, WaitsForWhatIsBegunWhileLoopsAreLeft) {
  for (const char* step : {"leave 0", "leave 1"}) {
    Hosted hosted({.plugins = {steps({{"posts", step}})}});
    forget();
    EXPECT_EQ(hosted.reload("steps"), "");
    hosted.wait_until_gone();
    const auto lines = log.lines();
    const auto at = [&lines](std::string_view part) {
      return std::ranges::find_if(lines.rbegin(), lines.rend(), [part](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    };
    ASSERT_NE(at("was posted"), lines.rend()) << step;
    EXPECT_GT(at("was posted"), at("at stop")) << "before it, that is";
  }
}

// Who cancels his timers when a loop is left has not told of them before, and who forgets it has
// none that could fire when he is gone.
TEST_F(PluginRetirement, WaitsForNoTimerThatWouldNeverEnd) {
  for (const bool reloads : {true, false}) {
    Hosted hosted({.plugins = {steps({{"ticks", true}})}});
    EXPECT_TRUE(wait_until([&hosted] { return std::stoi(hosted.get("/ticks")) > 10; }));
    if (!reloads) continue;  // the server ends with them
    EXPECT_EQ(hosted.reload("steps"), "");
    hosted.wait_until_gone();
    EXPECT_TRUE(wait_until([&hosted] { return std::stoi(hosted.get("/ticks")) > 10; }));
  }
}

TEST_F(PluginRetirement, NobodyBeginsAnythingInStop) {
  Hosted hosted({.plugins = {steps({{"posts", "stop"}})}});
  EXPECT_EQ(hosted.reload("steps"), "");
  hosted.wait_until_gone();
  EXPECT_TRUE(has_line("plugin steps: could not post"));
}

TEST_F(PluginRetirement, HasABoundForWhatStaysInMemory) {
  Hosted hosted({.plugins = {steps()}, .generations_max = 3});
  std::vector<RawClient> sockets;
  for (int i = 0; i < 2; ++i) {
    sockets.push_back(hosted.open_socket("/socket"));
    EXPECT_EQ(hosted.reload("steps"), "") << i;
  }
  EXPECT_TRUE(wait_until([&hosted] {
    return hosted.status().back() == "steps 1.0.0, generation 2: 1 route, 1 socket";
  }));
  EXPECT_EQ(hosted.reload("steps"),
            "3 generations of it are in memory, plugin_defaults.generations_max: steps 1.0.0, "
            "generation 1: 1 route, 1 socket; steps 1.0.0, generation 2: 1 route, 1 socket");
  sockets.pop_back();
  while (hosted.look([](Manager& manager) { return manager.retired_count(); }) > 1) {
    std::this_thread::yield();
  }
  EXPECT_EQ(hosted.reload("steps"), "");
}

// A library that does not say that it may be unloaded: one of another language, say, that has
// threads of its own.
TEST_F(PluginRetirement, KeepsALibraryThatMayNotBeUnloaded) {
  ssx::test::TempDir folder;
  PluginOptions plugin = steps();
  plugin.library = folder.file("keeps.so");
  std::filesystem::copy_file(SSX_BAD_PLUGINS "/keeps.so", plugin.library);
  ASSERT_EQ(::chmod(plugin.library.c_str(), 0644), 0);
  Hosted hosted({.plugins = {plugin}, .generations_max = 2});
  EXPECT_EQ(hosted.reload("steps"), "");
  hosted.wait_until_gone();
  EXPECT_THAT(hosted.status(), Contains("steps 1.2.3, generation 1: its library stays in memory"));
  EXPECT_TRUE(has_line("generation 1 is gone; its library stays in memory"));
  EXPECT_THAT(hosted.reload("steps"), StartsWith("2 generations of it are in memory"));
}

}  // namespace
}  // namespace ssx::plugins

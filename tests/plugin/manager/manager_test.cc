#include "ssxrver/plugin/manager/manager.h"

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
using testing::IsSupersetOf;
using testing::StartsWith;

class PluginManager : public test::StepsTest {
 protected:
  /// What load() or start() says of these.
  std::string problem_of(std::vector<PluginOptions> plugins) {
    auto app = std::make_unique<App>(test::app_options());
    Manager manager(*app, {std::move(plugins), test::needs(), {}});
    app->listen(0);
    auto done = manager.load();
    if (done) done = app->bind();
    if (done) done = manager.start();
    app.reset();  // its handlers are the plugins'
    return done ? "" : done.error().text();
  }
  /// The lines that have one of these names and steps, "b: stop".
  [[nodiscard]] std::vector<std::string> lines_about(const std::vector<std::string>& wanted) const {
    std::vector<std::string> found;
    for (const std::string& line : log.lines()) {
      for (const std::string& each : wanted) {
        const auto colon = each.find(": ");
        if (line == "plugin " + each.substr(0, colon) + ": at " + each.substr(colon + 2))
          found.push_back(each);
      }
    }
    return found;
  }
};

TEST_F(PluginManager, TakesEachThroughItsLife) {
  Hosted hosted({.plugins = {steps()}});
  EXPECT_EQ(hosted.get("/say"), "nothing");
  hosted.stop();
  const auto life = said();
  ASSERT_EQ(life.size(), 8U);
  EXPECT_THAT(std::vector(life.begin(), life.begin() + 2), ElementsAre("create", "start"));
  EXPECT_THAT(life, IsSupersetOf({"enter 0", "enter 1", "leave 0", "leave 1"}));
  EXPECT_THAT(std::vector(life.end() - 2, life.end()), ElementsAre("stop", "destroy"));
  EXPECT_EQ(hosted.problem, "");
}

TEST_F(PluginManager, EndsThoseThatDependOnOthersBeforeThem) {
  PluginOptions a = steps({{"path", "/a"}}, "a");
  a.mount = "/of_a";
  a.depends = {"b"};
  PluginOptions b = steps({{"path", "/b"}}, "b");
  { const Hosted hosted({.plugins = {a, b}}); }
  EXPECT_THAT(lines_about({"a: create", "b: create", "a: start", "b: start", "a: stop", "b: stop",
                           "a: destroy", "b: destroy"}),
              ElementsAre("b: create", "a: create", "b: start", "a: start", "a: stop", "b: stop",
                          "a: destroy", "b: destroy"));
}

TEST_F(PluginManager, EndsWhatHasStartedWhenAnotherCannot) {
  PluginOptions a = steps({{"fails", "start"}}, "a");
  a.mount = "/of_a";
  a.depends = {"b"};
  EXPECT_EQ(problem_of({a, steps({}, "b")}), "plugin \"a\": start: no start today");
  EXPECT_THAT(lines_about({"a: start", "b: start", "a: enter 0", "b: enter 0", "a: leave 0",
                           "b: leave 0", "a: stop", "b: stop", "a: destroy", "b: destroy"}),
              ElementsAre("b: start", "a: start", "a: destroy", "b: stop", "b: destroy"));
}

TEST_F(PluginManager, SaysWhichCannotBeLoaded) {
  EXPECT_THAT(problem_of({steps({{"fails", "create"}})}), HasSubstr("no create today"));
  EXPECT_THAT(problem_of({steps({{"path", "/{"}})}), HasSubstr("route \"/{\""));
  EXPECT_THAT(problem_of({steps({{"word", 1}})}), HasSubstr("config/word: expected text, found 1"));
  PluginOptions other = steps({}, "other");
  EXPECT_THAT(problem_of({steps(), other}), HasSubstr("\"/say\"")) << "both have that route";
  other.depends = {"other"};
  EXPECT_THAT(problem_of({other}), HasSubstr("leads in a circle: other -> other"));
}

TEST_F(PluginManager, EntersEachLoopBeforeItsFirstRequest) {
  std::vector<RawClient> clients;
  const Hosted hosted({.plugins = {steps()}, .before_serve = [&clients](std::uint16_t port) {
                         for (int i = 0; i < 8; ++i) {
                           clients.push_back(RawClient::tcp(port));
                           clients.back().send("GET /entered HTTP/1.1\r\nHost: a\r\n\r\n");
                         }
                       }});
  for (RawClient& client : clients) EXPECT_EQ(client.read_response().body, "yes");
}

TEST_F(PluginManager, EndsWhereALoopCannotBeEntered) {
  std::vector<RawClient> clients;
  Hosted hosted({.plugins = {steps({{"fails", "enter 1"}})}});
  hosted.stop();
  EXPECT_EQ(hosted.problem, "plugin \"steps\": loop_enter: no enter 1 today");
  EXPECT_THAT(said(), Contains("leave 0"));
  EXPECT_THAT(said(), testing::Not(Contains("leave 1"))) << "it has not been entered";
}

TEST_F(PluginManager, RunsALibrarySeveralTimes) {
  PluginOptions a = steps({{"word", "a"}}, "a");
  a.mount = "/a";
  PluginOptions b = steps({{"word", "b"}}, "b");
  b.mount = "/b";
  Hosted hosted({.plugins = {a, b}});
  EXPECT_EQ(hosted.reload("b"), "");
  EXPECT_EQ(hosted.get("/a/say"), "a");
  EXPECT_EQ(hosted.get("/b/say"), "b");
  hosted.wait_until_gone();
  EXPECT_THAT(hosted.status(), ElementsAre(StartsWith("a 1.0.0, generation 1: "),
                                           StartsWith("b 1.0.0, generation 2: ")));
}

TEST_F(PluginManager, IsNamedWhereALoopHangsInIt) {
  const Hosted hosted({.plugins = {steps()}});
  EXPECT_EQ(hosted.get("/stall"), "late");
  EXPECT_TRUE(wait_until([this] { return has_line("(longest: plugin steps: GET /stall, "); }));
}

// ---- newer files

class PluginManagerWatch : public PluginManager {
 protected:
  /// Another file by that name at once, as install(1) does it. Its bytes are others, too.
  void put_library() {
    const std::string to = folder_.file("watched.so");
    const std::string next = to + ".next";
    std::filesystem::copy_file(STEPS_LIBRARY, next);
    ASSERT_EQ(::chmod(next.c_str(), 0644), 0);
    std::filesystem::resize_file(next, std::filesystem::file_size(next) + 1);
    std::filesystem::rename(next, to);
  }
  PluginOptions watched() {
    PluginOptions plugin = steps();
    plugin.library = folder_.file("watched.so");
    plugin.reload = PluginReload::kWatch;
    return plugin;
  }
  ssx::test::TempDir folder_;
};

TEST_F(PluginManagerWatch, SeesAFileThatChangedBeforeItLooked) {
  put_library();
  Hosted hosted({.plugins = {watched()}, .before_serve = [this](std::uint16_t) { put_library(); }});
  EXPECT_TRUE(wait_until([this] { return has_line("generation 2: serves in place of"); }));
}

TEST_F(PluginManagerWatch, TriesAFileOnce) {
  put_library();
  Hosted hosted({.plugins = {watched()}});
  std::filesystem::resize_file(folder_.file("watched.so"), 5000);
  EXPECT_TRUE(wait_until([this] { return has_line("serves on: "); }));
  put_library();
  EXPECT_TRUE(wait_until([this] { return has_line("serves in place of"); }));
  const auto lines = log.lines();
  EXPECT_EQ(std::ranges::count_if(
                lines, [](const auto& line) { return line.find("serves on") != line.npos; }),
            1);
}

}  // namespace
}  // namespace ssx::plugins

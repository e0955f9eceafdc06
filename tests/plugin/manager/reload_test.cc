#include "ssxrver/plugin/manager/reload.h"

#include <atomic>
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
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class PluginReloads : public test::StepsTest {
 protected:
  std::string reload_as(Hosted& hosted, const PluginOptions& plugin) {
    hosted.configure(plugin);
    forget();
    return hosted.reload("steps");
  }
};

TEST_F(PluginReloads, TakeTheNewOneInBeforeTheOldOneIsLetGo) {
  Hosted hosted({.plugins = {steps({{"state", 2}})}});
  forget();
  EXPECT_EQ(hosted.reload("steps"), "");
  hosted.wait_until_gone();
  const auto all = said();
  ASSERT_EQ(all.size(), 12U);
  EXPECT_THAT(std::vector(all.begin(), all.begin() + 5),
              ElementsAre("create", "export", "import", "import 2 the state", "start"));
  EXPECT_THAT(std::vector(all.begin() + 5, all.begin() + 7),
              UnorderedElementsAre("enter 0", "enter 1"));
  EXPECT_EQ(all[7], "drain");
  EXPECT_THAT(std::vector(all.begin() + 8, all.begin() + 10),
              UnorderedElementsAre("leave 0", "leave 1"));
  EXPECT_THAT(std::vector(all.begin() + 10, all.end()), ElementsAre("stop", "destroy"));
}

TEST_F(PluginReloads, UndoWhatWasDoneWhenAStepFails) {
  struct Case {
    const char* fails;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {"create", {"create", "destroy"}},
      {"import", {"create", "export", "import", "destroy"}},
      {"start", {"create", "export", "import", "import 3 the state", "start", "destroy"}},
      {"enter 0",
       {"create", "export", "import", "import 3 the state", "start", "enter 0", "enter 1",
        "leave 1", "stop", "destroy"}},
      {"enter 1",
       {"create", "export", "import", "import 3 the state", "start", "enter 0", "enter 1",
        "leave 0", "stop", "destroy"}},
  };
  Hosted hosted({.plugins = {steps({{"word", "old"}, {"state", 3}})}});
  for (const Case& each : cases) {
    const std::string why =
        reload_as(hosted, steps({{"word", "new"}, {"state", 3}, {"fails", each.fails}}));
    EXPECT_THAT(why, HasSubstr("no " + std::string(each.fails) + " today"));
    hosted.wait_until_gone();
    EXPECT_THAT(said(), testing::UnorderedElementsAreArray(each.said)) << each.fails;
    EXPECT_EQ(hosted.get("/say"), "old");
  }
  EXPECT_TRUE(has_line("plugin steps 1.0.0, generation 1 serves on: plugin \"steps\": start: no"));
}

TEST_F(PluginReloads, UndoTheNewOneWhenTheOldOneCannotExport) {
  Hosted hosted({.plugins = {steps({{"state", 3}, {"fails", "export"}})}});
  EXPECT_THAT(reload_as(hosted, steps({{"word", "new"}, {"state", 3}})), HasSubstr("export_state"));
  hosted.wait_until_gone();
  EXPECT_THAT(said(), ElementsAre("create", "export", "destroy"));
}

TEST_F(PluginReloads, NeedAStateThatTheNewOneTakes) {
  Hosted hosted({.plugins = {steps({{"state", 4}})}});
  EXPECT_EQ(hosted.reload("steps"),
            "it does not take the state of steps 1.0.0, generation 1, which is of version 4");
  EXPECT_EQ(hosted.get("/say"), "nothing");
}

TEST_F(PluginReloads, UndoTheNewOneWhenItsRoutesCannotBe) {
  Hosted hosted({.plugins = {steps({{"word", "old"}})}});
  EXPECT_THAT(reload_as(hosted, steps({{"word", "new"}, {"path", "/fail"}})), HasSubstr("/fail"));
  hosted.wait_until_gone();
  EXPECT_THAT(said(), UnorderedElementsAre("create", "start", "enter 0", "enter 1", "leave 0",
                                           "leave 1", "stop", "destroy"));
  EXPECT_EQ(hosted.get("/say"), "old");
  EXPECT_EQ(reload_as(hosted, steps({{"word", "new"}})), "");
  EXPECT_EQ(hosted.get("/say"), "new");
}

TEST_F(PluginReloads, TakeWhatElseTheConfigurationSays) {
  Hosted hosted({.plugins = {steps()}});
  PluginOptions moved = steps();
  moved.mount = "/moved";
  EXPECT_EQ(reload_as(hosted, moved), "");
  EXPECT_EQ(hosted.get("/moved/say"), "nothing");
  EXPECT_EQ(hosted.ask("GET /say HTTP/1.1\r\nHost: a\r\n\r\n").status, 404);
  moved.sha256 = std::string(64, '0');
  EXPECT_THAT(reload_as(hosted, moved), HasSubstr("has the SHA-256 "));
  moved.reload = PluginReload::kOff;
  EXPECT_EQ(reload_as(hosted, moved), "its \"reload\" is \"off\"");
  EXPECT_TRUE(has_line("generation 2 serves on: its \"reload\" is \"off\""));
  hosted.lose_configuration();
  EXPECT_EQ(hosted.reload("steps"), "the file is gone");
  EXPECT_EQ(hosted.reload("other"), "there is none of that name");
  EXPECT_TRUE(has_line("plugin other is not reloaded: there is none of that name"));
}

// ---- several at once

TEST_F(PluginReloads, ThatComeTogetherAreTwo) {
  Hosted hosted({.plugins = {steps()}});
  std::atomic<int> told = 0;
  std::atomic<int> refused = 0;
  hosted.look([&told, &refused](Manager& manager) {
    for (std::size_t i = 0; i < 1 + Manager::kAskedMax + 1; ++i) {
      manager.reload("steps", [&told, &refused](const Outcome<>& done) {
        ++told;
        if (done) return;
        EXPECT_EQ(done.error(), "so many wait for that already");
        ++refused;
      });
    }
    return 0;
  });
  EXPECT_TRUE(wait_until([&told] { return told == 1 + Manager::kAskedMax + 1; }));
  EXPECT_EQ(refused, 1) << "of those behind the first";
  hosted.wait_until_gone();
  EXPECT_THAT(hosted.status(), ElementsAre(StartsWith("steps 1.0.0, generation 3: ")));
}

TEST_F(PluginReloads, AskedForInTheAnswerToOneAreAnother) {
  Hosted hosted({.plugins = {steps()}});
  std::promise<void> done;
  hosted.look([&done](Manager& manager) {
    manager.reload("steps", [&done, &manager](const Outcome<>&) {
      manager.reload("steps", [&done](const Outcome<>& second) {
        EXPECT_TRUE(second);
        done.set_value();
      });
    });
    return 0;
  });
  done.get_future().wait();
  hosted.wait_until_gone();
  EXPECT_THAT(hosted.status(), ElementsAre(StartsWith("steps 1.0.0, generation 3: ")));
}

TEST_F(PluginReloads, AreToldWhenTheServerEndsMeanwhile) {
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> told = 0;
    {
      Hosted hosted({.plugins = {steps()}});
      hosted.app().loop().post([&hosted, &told] {
        for (int i = 0; i < 2; ++i) {
          hosted.manager().reload("steps", [&told](const Outcome<>& done) {
            EXPECT_FALSE(done);
            ++told;
          });
        }
        hosted.app().stop();
      });
    }
    EXPECT_EQ(told, 2);
  }
}

TEST_F(PluginReloads, AreRefusedWhileTheServerDrains) {
  Hosted hosted({.plugins = {steps()}});
  RawClient slow = RawClient::tcp(hosted.port);
  slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  forget();
  hosted.look([](Manager& manager) {
    manager.drain(std::chrono::seconds(1));
    return 0;
  });
  EXPECT_EQ(hosted.reload("steps"), "the daemon ends");
  EXPECT_THAT(said(), ElementsAre("drain"));
  EXPECT_EQ(slow.read_response().body, "nothing");
}

// ---- in place

TEST_F(PluginReloads, ChangeAConfigInPlace) {
  Hosted hosted({.plugins = {steps({{"takes", true}, {"word", "old"}})}});
  EXPECT_EQ(hosted.get("/say"), "old");
  EXPECT_EQ(reload_as(hosted, steps({{"takes", true}, {"word", "new"}})), "");
  EXPECT_THAT(said(), ElementsAre("prepare", "commit"));
  EXPECT_EQ(hosted.get("/say"), "new");
  EXPECT_TRUE(has_line("plugin steps 1.0.0, generation 1 has its new config"));
  EXPECT_THAT(hosted.status(), ElementsAre(StartsWith("steps 1.0.0, generation 1: ")));
}

TEST_F(PluginReloads, LeaveTheConfigWhenThePluginRefusesIt) {
  Hosted hosted({.plugins = {steps({{"takes", true}, {"word", "old"}})}});
  EXPECT_EQ(reload_as(hosted, steps({{"takes", true}, {"word", "new"}, {"fails", "prepare"}})),
            "plugin \"steps\": config_prepare: no prepare today");
  EXPECT_THAT(said(), ElementsAre("prepare"));
  EXPECT_EQ(hosted.get("/say"), "old");
  EXPECT_EQ(reload_as(hosted, steps({{"takes", true}, {"word", 1}})),
            "config/word: expected text, found 1");
  EXPECT_THAT(said(), IsEmpty());
  EXPECT_EQ(reload_as(hosted, steps({{"takes", true}, {"word", "third"}})), "");
  EXPECT_EQ(hosted.get("/say"), "third");
}

TEST_F(PluginReloads, AreWholeWhereThePluginCannotTakeAConfig) {
  Hosted hosted({.plugins = {steps({{"word", "old"}})}});
  EXPECT_EQ(reload_as(hosted, steps({{"word", "new"}})), "");
  EXPECT_EQ(hosted.get("/say"), "new");
  EXPECT_THAT(said(), Contains("create"));
}

TEST_F(PluginReloads, AreWholeWhereTheFileOrMoreThanTheConfigIsAnother) {
  ssx::test::TempDir folder;
  PluginOptions plugin = steps({{"takes", true}, {"word", "old"}});
  plugin.library = folder.file("own.so");
  std::filesystem::copy_file(STEPS_LIBRARY, plugin.library);
  Hosted hosted({.plugins = {plugin}});
  std::filesystem::resize_file(plugin.library, std::filesystem::file_size(plugin.library) + 1);
  plugin.config = json::Object{{"takes", true}, {"word", "new"}};
  EXPECT_EQ(reload_as(hosted, plugin), "");
  EXPECT_THAT(said(), Contains("create"));
  plugin.config = json::Object{{"takes", true}, {"word", "third"}};
  plugin.mount = "/there";
  EXPECT_EQ(reload_as(hosted, plugin), "");
  EXPECT_THAT(said(), Contains("create"));
  plugin.config = json::Object{{"takes", true}, {"word", "fourth"}};
  plugin.drain_timeout = std::chrono::seconds(7);  // nothing that the plugin would have to know
  EXPECT_EQ(reload_as(hosted, plugin), "");
  EXPECT_THAT(said(), Not(Contains("create")));
  EXPECT_EQ(hosted.get("/there/say"), "fourth");
  std::filesystem::remove(plugin.library);
  plugin.config = json::Object{{"takes", true}};
  EXPECT_THAT(reload_as(hosted, plugin), HasSubstr("own.so"));
}

}  // namespace
}  // namespace ssx::plugins

#include "ssxrver/plugin/host/instance.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "ssxrver/plugin/host/border.h"
#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::plugins {
namespace {

using test::str;
using test::text;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class PluginInstance : public test::PluginTest {
 protected:
  static std::int32_t refuse(ssxrver_error* error, std::string_view why) {
    return say(error, SSXRVER_ERROR, why);
  }
  static std::string problem(const Outcome<std::unique_ptr<Instance>>& made) {
    return made ? "" : made.error();
  }
};

TEST_F(PluginInstance, LivesInItsOrder) {
  auto made = make();
  ASSERT_TRUE(made);
  Instance& it = **made;
  ASSERT_TRUE(it.start());
  ASSERT_EQ(it.prepare_config(json::Object{{"a", 1}}), true);
  it.commit_config();
  ASSERT_EQ(it.prepare_config(json::Object{}), true);
  it.abort_config();
  it.drain(std::chrono::seconds(1));
  const auto state = it.export_state();
  ASSERT_TRUE(state && *state);
  EXPECT_EQ((*state)->version, 3U);
  EXPECT_EQ((*state)->bytes, "the state");
  ASSERT_TRUE(it.import_state(**state));
  it.stop();
  it.stop();
  made->reset();
  EXPECT_THAT(plugin.notes(),
              ElementsAre("create", "start", "prepare {\"a\":1}", "commit", "prepare {}", "abort",
                          "drain", "export", "import 3 the state", "stop", "destroy"));
}

TEST_F(PluginInstance, EntersEachLoop) {
  serve();
  ASSERT_TRUE(wait_until([this] { return plugin.notes().size() == 4; }));
  EXPECT_THAT(plugin.notes(), UnorderedElementsAre("create", "start", "enter 0", "enter 1"));
  on_loop([this] { instance->leave_loop(1); }, 1);
  EXPECT_EQ(plugin.notes().back(), "leave 1");
}

TEST_F(PluginInstance, NeedsNothingButCreate) {
  const auto create = plugin.entry.create;
  plugin.entry = {};
  plugin.entry.size = offsetof(ssxrver_plugin_entry, start);
  plugin.entry.create = create;
  plugin.entry.start = [](void*, ssxrver_error*) -> std::int32_t { throw 1; };  // behind its end
  auto made = make();
  ASSERT_TRUE(made);
  Instance& it = **made;
  ASSERT_TRUE(it.start());
  ASSERT_TRUE(it.enter_loop(0));
  it.leave_loop(0);
  EXPECT_EQ(it.prepare_config(json::Object{}), false);
  it.drain(std::chrono::seconds(1));
  EXPECT_EQ(*it.export_state(), std::nullopt);
  EXPECT_TRUE(it.import_state({.version = 3, .bytes = ""}));
}

TEST_F(PluginInstance, SaysWhyItCannotBeCreated) {
  plugin.on_create = [](ssxrver_error* error) { return refuse(error, "no table of notes"); };
  EXPECT_EQ(problem(make()), "plugin \"fake\": create: no table of notes");
  plugin.on_create = [](ssxrver_error*) { return SSXRVER_UNAVAILABLE; };
  EXPECT_EQ(problem(make()), "plugin \"fake\": create: what it depends on is not there now");
  plugin.on_create = [](ssxrver_error* error) {
    return refuse(error, std::string(2 * Instance::kSentenceMax, 'x'));
  };
  EXPECT_EQ(problem(make()).size(),
            std::string("plugin \"fake\": create: ").size() + Instance::kSentenceMax);
  EXPECT_THAT(plugin.notes(), ElementsAre("create", "create", "create")) << "nothing to destroy";
}

TEST_F(PluginInstance, IsRefusedWithoutWhatItNeeds) {
  plugin.desc.required = "ssxrver.http ssxrver.teleport";
  EXPECT_EQ(problem(make()),
            "plugin \"fake\": it needs ssxrver.teleport, which this server has not");
  plugin.desc.required = nullptr;
  EXPECT_EQ(problem(make()), "");
}

TEST_F(PluginInstance, SurvivesWhatItThrows) {
  ssx::test::CapturedLog log;
  plugin.on_create = [](ssxrver_error*) -> std::int32_t {
    throw std::runtime_error("not the right moon");
  };
  EXPECT_EQ(problem(make()), "plugin \"fake\": create: an error");
  EXPECT_THAT(log.lines(), Contains(HasSubstr("it threw across the border: not the right moon")));
}

TEST_F(PluginInstance, ReleasesTheHandlersOfACreateThatFailed) {
  plugin.on_create = [this](ssxrver_error* error) {
    EXPECT_EQ(plugin.route("GET", "/a",
                           [](const auto*, auto*, auto*) { return std::int32_t{SSXRVER_OK}; }),
              SSXRVER_OK);
    return refuse(error, "in the end, no");
  };
  EXPECT_EQ(problem(make()), "plugin \"fake\": create: in the end, no");
  EXPECT_EQ(plugin.released, 1);
}

TEST_F(PluginInstance, GivesEachStepItsSentence) {
  auto made = make();
  ASSERT_TRUE(made);
  plugin.on_step = [](const std::string& step, ssxrver_error* error) {
    return refuse(error, "not " + step);
  };
  EXPECT_EQ((*made)->start().error(), "plugin \"fake\": start: not start");
  EXPECT_EQ((*made)->prepare_config(json::Object{}).error(),
            "plugin \"fake\": config_prepare: not prepare {}");
  EXPECT_EQ((*made)->import_state({.version = 2, .bytes = "s"}).error(),
            "plugin \"fake\": import_state: not import 2 s");
  EXPECT_EQ((*made)->export_state().error(), "plugin \"fake\": export_state: an error");
}

TEST_F(PluginInstance, TakesStatesOfItsVersionsAlone) {
  auto made = make();
  ASSERT_TRUE(made);
  for (const std::uint32_t version : {1U, 4U}) {
    EXPECT_EQ(
        (*made)->import_state({.version = version, .bytes = ""}).error(),
        "plugin \"fake\": a state of version " + std::to_string(version) + ", and it takes 2 to 3");
  }
  EXPECT_TRUE((*made)->import_state({.version = 2, .bytes = ""}));
}

TEST_F(PluginInstance, KeepsTheOldConfigurationWhenTheNewOneIsRefused) {
  auto made = make(json::Object{{"a", "old"}});
  ASSERT_TRUE(made);
  const auto value = [this] {
    ssxrver_text found{};
    plugin.host->config(plugin.context(), text("/a"), 1, &found);
    return str(found);
  };
  std::string seen;
  plugin.on_step = [&seen, &value](const std::string&, ssxrver_error* error) {
    seen = value();
    return refuse(error, "no");
  };
  EXPECT_FALSE((*made)->prepare_config(json::Object{{"a", "new"}}));
  EXPECT_EQ(seen, "new");
  EXPECT_EQ(value(), "old");
  plugin.on_step = [](const std::string&, ssxrver_error*) { return SSXRVER_UNSUPPORTED; };
  EXPECT_EQ((*made)->prepare_config(json::Object{{"a", "new"}}), false);
  EXPECT_EQ(value(), "old");
}

// Whoever is created while the server runs has loops to post to, and nobody to be called if it
// fails.
TEST_F(PluginInstance, PostsNothingBeforeItIsMadeOrFromItsStopOn) {
  serve();
  const ssxrver_host* const first = plugin.host;
  int released = 0;
  std::int32_t posted = SSXRVER_OK;
  const auto post = [this, &released, &posted] {
    posted = plugin.loops().post(
        plugin.context(), 0, [](void*) { ADD_FAILURE() << "nobody is there"; },
        [](void* count) { ++*static_cast<int*>(count); }, &released);
  };
  plugin.on_create = [&post](ssxrver_error* error) {
    post();
    return refuse(error, "no");
  };
  EXPECT_EQ(problem(make()), "plugin \"fake\": create: no");
  EXPECT_EQ(posted, SSXRVER_UNAVAILABLE);
  EXPECT_EQ(released, 1);

  plugin.on_create = [](ssxrver_error*) { return SSXRVER_OK; };
  auto made = make();
  ASSERT_TRUE(made);
  ASSERT_TRUE((*made)->start());
  plugin.on_step = [&post](const std::string& step, ssxrver_error*) {
    if (step == "stop" || step == "destroy") post();
    return SSXRVER_OK;
  };
  for (const int count : {2, 3}) {
    posted = SSXRVER_OK;
    count == 2 ? (*made)->stop() : made->reset();
    EXPECT_EQ(posted, SSXRVER_UNAVAILABLE);
    EXPECT_EQ(released, count);
  }
  plugin.on_step = [](const std::string&, ssxrver_error*) { return SSXRVER_OK; };
  plugin.host = first;
}

TEST_F(PluginInstance, LinesAboutOneStandForNoOthers) {
  ssx::test::CapturedLog log;
  auto made = make();
  auto other = Instance::create(environment, {.name = "other", .mount = "", .desc = &plugin.desc});
  ASSERT_TRUE(made && other);
  for (int i = 0; i < 3; ++i) (*made)->misuse("GET /a", "it gave no answer");
  (*other)->misuse("GET /b", "it gave no answer");
  (*other)->failed("GET /b", "it failed");
  EXPECT_THAT(log.lines(), ElementsAre("plugin fake: GET /a: it gave no answer",
                                       "plugin other: GET /b: it gave no answer",
                                       "plugin other: GET /b: it failed"));
}

}  // namespace
}  // namespace ssx::plugins

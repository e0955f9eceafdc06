#include "ssxrver/plugin/sdk/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "ssxrver/plugin/plugin.h"
#include "tests/plugin/sdk/fake_host.h"

namespace ssx::plugin {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> calls;

void set_up(Host& host) {
  host.get("/hello", [](const Request&) { return "hello"; }, {.body_max = 10})
      .route({Method::kPost, Method::kPut}, "/note",
             [](const Request&) -> Task<Response> { co_return Status::kNoContent; },
             {.body = BodyMode::kStream, .host = "a.example", .handler_timeout = 2s});
  host.ws("/socket", {.limits = {.message_max = 5}});
  host.on_start([] { calls.emplace_back("start"); })
      .on_loop_enter(
          [](std::uint32_t worker) { calls.push_back("enter " + std::to_string(worker)); })
      .on_loop_leave([](std::uint32_t) { throw std::runtime_error("cannot leave"); })
      .on_drain([](Duration time) { calls.push_back("drain " + std::to_string(time.count())); })
      .on_stop([] { calls.emplace_back("stop"); })
      .on_export(3, [] { return std::string("state"); })
      .on_import([](std::uint32_t version, std::string_view state) {
        if (version != 3) throw std::runtime_error("of another time");
        calls.emplace_back(state);
      });
  host.on_config(
      [&host] {
        if (host.config().integer("limit", 0) < 0) throw std::runtime_error("below nothing");
        calls.emplace_back("prepare");
      },
      [] { calls.emplace_back("commit"); }, [] { calls.emplace_back("abort"); });
  host.log_info("set up as " + std::string(host.name()) + " at " + std::string(host.mount()));
  host.log(Level::kDebug, "not wanted");
  host.counter("seen", "What was seen.").add(2);
}

void refuse(Host& host) { throw SetupError("no thanks, " + std::string(host.name())); }

constexpr ssxrver_plugin_entry kEntry = Instance::entry<&set_up>();
constexpr ssxrver_plugin_entry kRefusing = Instance::entry<&refuse>();

TEST(PluginInstance, LivesFromCreateToDestroy) {
  FakeHost host;
  calls.clear();
  internal::ErrorText error;
  void* instance = nullptr;
  ASSERT_EQ(kEntry.create(&host.host(), &instance, error.out()), SSXRVER_OK) << error.text();
  ASSERT_EQ(host.routes.size(), 2U);
  EXPECT_EQ(host.routes[0].methods, "GET");
  EXPECT_EQ(host.routes[0].pattern, "/hello");
  EXPECT_EQ(host.routes[0].body_max, 10U);
  EXPECT_EQ(host.routes[1].methods, "POST PUT");
  EXPECT_EQ(host.routes[1].host, "a.example");
  EXPECT_EQ(host.routes[1].handler_timeout_ns, 2'000'000'000);
  EXPECT_EQ(host.routes[1].handler.flags,
            SSXRVER_HANDLER_LATER | static_cast<unsigned>(SSXRVER_HANDLER_PIECES));
  EXPECT_EQ(host.socket_options, R"({"max_message_size":5})");
  EXPECT_THAT(host.log, ElementsAre("set up as fake at /here"));
  EXPECT_EQ(host.counters["seen"], 2U);

  EXPECT_EQ(kEntry.start(instance, error.out()), SSXRVER_OK);
  EXPECT_EQ(kEntry.loop_enter(instance, nullptr, 2, error.out()), SSXRVER_OK);
  EXPECT_EQ(kEntry.import_state(instance, 3, internal::to_text("old"), error.out()), SSXRVER_OK);
  EXPECT_EQ(kEntry.import_state(instance, 2, internal::to_text("old"), error.out()), SSXRVER_ERROR);
  EXPECT_EQ(error.text(), "of another time");
  std::uint32_t version = 0;
  std::string state;
  const auto take = [](void* to, ssxrver_text given) {
    *static_cast<std::string*>(to) = std::string(internal::to_view(given));
  };
  EXPECT_EQ(kEntry.export_state(instance, &version, take, &state), SSXRVER_OK);
  EXPECT_EQ(version, 3U);
  EXPECT_EQ(state, "state");
  EXPECT_EQ(kEntry.config_prepare(instance, {}, error.out()), SSXRVER_OK);
  kEntry.config_commit(instance);
  EXPECT_EQ(kEntry.config_prepare(instance, {}, error.out()), SSXRVER_OK);
  kEntry.config_abort(instance);
  host.config["/limit"] = "-1";
  EXPECT_EQ(kEntry.config_prepare(instance, {}, error.out()), SSXRVER_ERROR);
  EXPECT_EQ(error.text(), "below nothing");
  kEntry.drain(instance, 9);
  kEntry.loop_leave(instance, nullptr, 2);
  kEntry.stop(instance);
  kEntry.destroy(instance);
  EXPECT_THAT(calls, ElementsAre("start", "enter 2", "old", "prepare", "commit", "prepare", "abort",
                                 "drain 9", "stop"));
  EXPECT_THAT(host.log.back(), HasSubstr("cannot leave"));
}

void set_up_nothing(Host&) {}

TEST(PluginInstance, TakesANewConfigOnlyWhereItSaysHow) {
  FakeHost host;
  constexpr ssxrver_plugin_entry kPlain = Instance::entry<&set_up_nothing>();
  internal::ErrorText error;
  void* instance = nullptr;
  ASSERT_EQ(kPlain.create(&host.host(), &instance, error.out()), SSXRVER_OK) << error.text();
  EXPECT_EQ(kPlain.config_prepare(instance, {}, error.out()), SSXRVER_UNSUPPORTED);
  kPlain.destroy(instance);
}

TEST(PluginInstance, WhatSetUpThrowsIsTheReason) {
  FakeHost host;
  internal::ErrorText error;
  void* instance = nullptr;
  EXPECT_EQ(kRefusing.create(&host.host(), &instance, error.out()), SSXRVER_ERROR);
  EXPECT_EQ(error.text(), "no thanks, fake");
  EXPECT_EQ(instance, nullptr);
}

TEST(PluginInstance, ARouteThatTheHostRefusesIsTheReason) {
  FakeHost host;
  host.refuses_route = "it is there already";
  internal::ErrorText error;
  void* instance = nullptr;
  EXPECT_EQ(kEntry.create(&host.host(), &instance, error.out()), SSXRVER_ERROR);
  EXPECT_EQ(error.text(), "route \"/hello\": it is there already");
}

TEST(PluginInstance, ALongReasonIsCut) {
  char room[8];
  ssxrver_error error{0, sizeof(room), 0, room};
  internal::put_text(&error, SSXRVER_ERROR, "a long sentence");
  EXPECT_EQ(std::string_view(error.text, error.size), "a long s");
}

TEST(PluginInstance, HasTimersAndOtherLoops) {
  FakeHost raw;
  const Host host(raw.host());
  int fired = 0;
  {
    const Timer timer = host.timer(1ms, 2ms, [&fired] { ++fired; });
    raw.timers.front()->fire(raw.timers.front()->state);
  }
  EXPECT_EQ(fired, 1);
  EXPECT_TRUE(raw.timers.empty());
  EXPECT_TRUE(host.post(1, [&fired] { ++fired; }));
  EXPECT_FALSE(host.post(4, [&fired] { ++fired; }));
  EXPECT_EQ(fired, 2);
  EXPECT_EQ(host.worker_count(), 4U);
  host.publish("news", "text");
  EXPECT_THAT(raw.socket_calls, ElementsAre("hub news: text"));
  EXPECT_EQ(host.metrics_text(), "a 1\nb 2\n");
}

}  // namespace
}  // namespace ssx::plugin

SSX_PLUGIN("described", "2.1.0", ssx::plugin::set_up, .summary = "what it does",
           .config_schema = R"({"type": "object"})", .needs_tasks = true)

TEST(PluginMacro, DescribesThePlugin) {
  const ssxrver_plugin_desc* desc = nullptr;
  ASSERT_EQ(ssxrver_plugin_query(SSXRVER_ABI_MAJOR, SSXRVER_ABI_MINOR, &desc), SSXRVER_OK);
  EXPECT_EQ(desc->magic, SSXRVER_PLUGIN_MAGIC);
  EXPECT_EQ(desc->size, sizeof(ssxrver_plugin_desc));
  EXPECT_STREQ(desc->name, "described");
  EXPECT_STREQ(desc->version, "2.1.0");
  EXPECT_STREQ(desc->summary, "what it does");
  EXPECT_STREQ(desc->config_schema, R"({"type": "object"})");
  EXPECT_NE(desc->flags & SSXRVER_PLUGIN_NEEDS_TASKS, 0U);
  EXPECT_NE(desc->entry->create, nullptr);
}

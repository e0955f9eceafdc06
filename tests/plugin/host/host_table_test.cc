// The interface of ssxrver_host.
#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "ssxrver/metrics/text_format.h"
#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/captured_log.h"

namespace ssx::plugins {
namespace {

using test::str;
using test::text;
using testing::HasSubstr;

class PluginHostTable : public test::PluginTest {
 protected:
  void SetUp() override {
    auto made = make(json::Object{{"title", "Notes"}, {"list", json::Array{1, 2}}});
    ASSERT_TRUE(made);
    instance = *std::move(made);
  }
  [[nodiscard]] const ssxrver_host& host() const { return *plugin.host; }
  [[nodiscard]] std::string series() const { return metrics::to_text(registry.scrape()); }
};

TEST_F(PluginHostTable, SaysWhatItIs) {
  EXPECT_EQ(host().size, sizeof(ssxrver_host));
  EXPECT_EQ(host().abi_major, SSXRVER_ABI_MAJOR);
  EXPECT_EQ(host().abi_minor, SSXRVER_ABI_MINOR);
  EXPECT_EQ(str(host().name(host().context)), "fake");
  EXPECT_EQ(str(host().mount(host().context)), "/fake");
}

TEST_F(PluginHostTable, HasInterfacesByNameAndVersion) {
  const auto get = [this](const char* name, std::uint32_t version) {
    return host().get_interface(host().context, name, version);
  };
  for (const char* name : {"ssxrver.http", "ssxrver.loop"}) {
    std::uint32_t size = 0;
    ASSERT_NE(get(name, 1), nullptr);
    std::memcpy(&size, get(name, 1), sizeof(size));
    EXPECT_GT(size, sizeof(void*));
    EXPECT_EQ(get(name, 0), nullptr);
    EXPECT_EQ(get(name, 2), nullptr);
  }
  for (const char* name : {"ssxrver.teleport", ""}) EXPECT_EQ(get(name, 1), nullptr);
  EXPECT_EQ(get(nullptr, 1), nullptr);
}

TEST_F(PluginHostTable, LogsWithThePluginsName) {
  ssx::test::CapturedLog log(log::Level::kInfo);
  EXPECT_EQ(host().log_enabled(host().context, SSXRVER_DEBUG), 0);
  EXPECT_EQ(host().log_enabled(host().context, SSXRVER_INFO), 1);
  for (std::uint32_t level = SSXRVER_TRACE; level <= SSXRVER_ERROR_LEVEL; ++level)
    host().log(host().context, level, text("line " + std::to_string(level)));
  EXPECT_THAT(log.lines(), testing::ElementsAre("plugin fake: line 2", "plugin fake: line 3",
                                                "plugin fake: line 4"));
  host().log(host().context, SSXRVER_ERROR_LEVEL, {nullptr, 7});
  EXPECT_EQ(log.lines().back(), "plugin fake: ");
}

TEST_F(PluginHostTable, CountsUnderThePluginsName) {
  ssxrver_counter* const made = host().counter(host().context, text("added"), text("Notes added."));
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(host().counter(host().context, text("added"), text("again")), made);
  host().count(made, 2);
  std::thread other([this, made] { host().count(made, 3); });
  other.join();
  EXPECT_THAT(series(), HasSubstr("# HELP ssxrver_plugin_fake_added_total Notes added.\n"));
  EXPECT_THAT(series(), HasSubstr("\nssxrver_plugin_fake_added_total 5\n"));
  host().count(nullptr, 1);
}

TEST_F(PluginHostTable, RefusesCountersWithoutAGoodName) {
  const auto make_one = [this](std::string_view name) {
    return host().counter(host().context, text(name), {});
  };
  for (const char* bad : {"", "a b", "a-b", "a{b}", "\n", "\xC3\xA4"})
    EXPECT_EQ(make_one(bad), nullptr) << bad;
  EXPECT_NE(make_one(std::string(Instance::kNameMax, 'a')), nullptr);
  EXPECT_EQ(make_one(std::string(Instance::kNameMax + 1, 'a')), nullptr);
}

TEST_F(PluginHostTable, TakesNoMoreCountersThanTheBound) {
  const auto make_one = [this](std::size_t number) {
    return host().counter(host().context, text("c" + std::to_string(number)), {});
  };
  for (std::size_t i = 0; i < Instance::kCountersMax; ++i) ASSERT_NE(make_one(i), nullptr);
  EXPECT_EQ(make_one(Instance::kCountersMax), nullptr);
  EXPECT_EQ(count(&Counters::counters_max_hit), 1U);
  EXPECT_NE(make_one(0), nullptr);
}

TEST_F(PluginHostTable, KeepsWhatWasCountedWhenTheInstanceHasGone) {
  host().count(host().counter(host().context, text("done"), text("Done.")), 4);
  instance.reset();
  EXPECT_THAT(series(), HasSubstr("\nssxrver_plugin_fake_done_total 4\n"));
  EXPECT_THAT(series(), HasSubstr("ssxrver_plugins_calls_total{plugin=\"fake\"} 0\n"));
}

TEST_F(PluginHostTable, GivesAllSeries) {
  std::string all;
  const auto take = [](void* to, ssxrver_text piece) {
    static_cast<std::string*>(to)->append(str(piece));
  };
  host().scrape(host().context, take, &all);
  EXPECT_EQ(all, series());
  EXPECT_THAT(all, HasSubstr("ssxrver_plugins_pending{plugin=\"fake\"} 0\n"));
  host().scrape(host().context, nullptr, nullptr);
}

TEST_F(PluginHostTable, GivesItsConfiguration) {
  ssxrver_text value{};
  EXPECT_EQ(host().config(host().context, text("/title"), 1, &value), SSXRVER_OK);
  EXPECT_EQ(str(value), "Notes");
  EXPECT_EQ(host().config(host().context, text("/title"), 0, &value), SSXRVER_OK);
  EXPECT_EQ(str(value), "\"Notes\"");
  EXPECT_EQ(host().config(host().context, text("/list/1"), 0, &value), SSXRVER_OK);
  EXPECT_EQ(str(value), "2");
  EXPECT_EQ(host().config(host().context, {}, 0, &value), SSXRVER_OK);
  EXPECT_EQ(str(value), R"({"title":"Notes","list":[1,2]})");
  EXPECT_EQ(host().config(host().context, text("/none"), 0, &value), SSXRVER_NOT_FOUND);
  EXPECT_EQ(value.size, 0U);
  EXPECT_EQ(host().config(host().context, {}, 0, nullptr), SSXRVER_INVALID);
}

TEST_F(PluginHostTable, IsCalledByManyThreadsAtOnce) {
  ssx::test::CapturedLog log;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int j = 0; j < 200; ++j) {
        host().count(host().counter(host().context, text("shared"), {}), 1);
        ssxrver_text value{};
        host().config(host().context, text("/list"), 0, &value);
        if (j % 50 == 0) host().log(host().context, SSXRVER_WARN, value);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_THAT(series(), HasSubstr("\nssxrver_plugin_fake_shared_total 800\n"));
  EXPECT_EQ(log.lines().size(), 16U);
}

}  // namespace
}  // namespace ssx::plugins

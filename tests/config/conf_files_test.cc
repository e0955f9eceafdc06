// The files in conf/ as they are committed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/server_config.h"

namespace ssx {
namespace {

ServerConfig load(const char* name) {
  auto config = ServerConfig::load(std::string(SSX_SOURCE_DIR "/conf/") + name);
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  return config ? *std::move(config) : ServerConfig();
}

TEST(ConfFiles, TheFullExampleServesHtmlOnPort4507) {
  const auto config = load("ssxrver.json");
  EXPECT_THAT(config.warnings, ::testing::IsEmpty());
  EXPECT_EQ(config.files.root, "html/");
  EXPECT_EQ(config.listeners.at(0).port, 4507);
  EXPECT_EQ(config.listeners.at(0).address, "127.0.0.1");
}

TEST(ConfFiles, TheMinimalExampleLoads) {
  const auto config = load("ssxrver.minimal.json");
  EXPECT_THAT(config.warnings, ::testing::IsEmpty());
  EXPECT_EQ(config.files.root, "html/");
  ASSERT_EQ(config.routes.size(), 2u);
  EXPECT_EQ(config.routes[0].answer.body, "Hello, world!\n");
}

}  // namespace
}  // namespace ssx

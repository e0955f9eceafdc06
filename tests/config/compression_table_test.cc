// The object http.compression: what is read, and what is refused with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/server_config.h"

namespace ssx::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> problems(const std::string& compression) {
  const auto config =
      ServerConfig::parse("{\"http\": {\"compression\":\n" + compression + "}}", {}, "t");
  return config ? std::vector<std::string>() : config.error().sentences();
}

TEST(CompressionTable, BindsEveryKey) {
  const auto config = ServerConfig::parse(R"({"http": {"compression": {"gzip": "off",
      "brotli": "on", "zstd": "on", "min_size": "2k", "level": 9, "encoders_max": 3,
      "types": ["text/css", "image/*", "application/vnd.a+json"]}}})");
  ASSERT_TRUE(config) << config.error().text();
  http::CompressionOptions expected;
  expected.gzip = false;
  expected.brotli = expected.zstd = true;
  expected.min_size = 2048;
  expected.level = 9;
  expected.encoders_max = 3;
  expected.types = {"text/css", "image/*", "application/vnd.a+json"};
  EXPECT_EQ(config->compression, expected);
  EXPECT_EQ(ServerConfig::parse(config->to_json())->compression, expected);
}

TEST(CompressionTable, IsGzipForTextByDefault) {
  const http::CompressionOptions options = ServerConfig::parse("{}")->compression;
  EXPECT_EQ(options, http::CompressionOptions());
  EXPECT_TRUE(options.gzip);
  EXPECT_FALSE(options.brotli || options.zstd);
  EXPECT_EQ(options.min_size, 1024u);
  EXPECT_THAT(options.types, ElementsAre("text/*", "application/json"));
}

TEST(CompressionTable, LeavesRequestsAloneByDefault) {
  EXPECT_FALSE(ServerConfig::parse("{}")->http.body_decoding.enabled);
  const auto config = ServerConfig::parse(
      R"({"http": {"compression": {"request": "on", "request_ratio_max": 7}}})");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_TRUE(config->http.body_decoding.enabled);
  EXPECT_EQ(config->http.body_decoding.ratio_max, 7u);
  EXPECT_EQ(ServerConfig::parse(R"({"profile": "hardened"})")->http.body_decoding.ratio_max, 50u);
}

TEST(CompressionTable, RefusesWhatIsNoType) {
  for (const char* type : {"", "text", "*/*", "text/", "/css", "text/a b", "text/css;a=b"})
    EXPECT_THAT(problems("{\"types\": [\"" + std::string(type) + "\"]}"),
                ElementsAre(HasSubstr("/http/compression/types")))
        << type;
  EXPECT_THAT(problems(R"({"types": []})"), IsEmpty());
}

}  // namespace
}  // namespace ssx::config

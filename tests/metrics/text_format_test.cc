#include "ssxrver/metrics/text_format.h"

#include <gtest/gtest.h>

namespace ssx::metrics {
namespace {

constexpr std::array<std::uint64_t, 2> kBounds = {5'000'000, 1'000'000'000};

struct Block {
  Counter requests;
  Counter errors;
  Gauge open;
  Histogram seconds{Buckets{kBounds, 1e9}};
};

TEST(TextFormat, OfNothingIsEmpty) { EXPECT_EQ(to_text({}), ""); }

TEST(TextFormat, WritesCountersGaugesAndCumulativeBuckets) {
  static constexpr Field<Block> kFields[] = {
      {"requests_total", "Requests by class.", &Block::requests, {"code", "2xx"}},
      {"requests_total", "Requests by class.", &Block::errors, {"code", "5xx"}},
      {"open", "Open now.", &Block::open},
      {"request_seconds", "Time to answer.", &Block::seconds},
  };
  Registry registry;
  Block block;
  const auto registration = registry.attach<Block>(kFields, block);
  block.requests.add(3);
  block.open.sub(1);
  block.seconds.observe(5'000'000);
  block.seconds.observe(6'000'000);
  block.seconds.observe(2'000'000'000);

  EXPECT_EQ(to_text(registry.scrape()),
            "# HELP requests_total Requests by class.\n"
            "# TYPE requests_total counter\n"
            "requests_total{code=\"2xx\"} 3\n"
            "requests_total{code=\"5xx\"} 0\n"
            "# HELP open Open now.\n"
            "# TYPE open gauge\n"
            "open -1\n"
            "# HELP request_seconds Time to answer.\n"
            "# TYPE request_seconds histogram\n"
            "request_seconds_bucket{le=\"0.005\"} 1\n"
            "request_seconds_bucket{le=\"1\"} 2\n"
            "request_seconds_bucket{le=\"+Inf\"} 3\n"
            "request_seconds_sum 2.011\n"
            "request_seconds_count 3\n");
}

TEST(TextFormat, EscapesHelpAndLabelValues) {
  static constexpr Field<Block> kFields[] = {
      {"a_total", "back\\slash \"quoted\"\nline", &Block::requests, {"l", "back\\slash \"q\"\n"}},
  };
  Registry registry;
  const Block block;
  const auto registration = registry.attach<Block>(kFields, block);
  EXPECT_EQ(to_text(registry.scrape()),
            "# HELP a_total back\\\\slash \"quoted\"\\nline\n"
            "# TYPE a_total counter\n"
            "a_total{l=\"back\\\\slash \\\"q\\\"\\n\"} 0\n");
}

TEST(TextFormat, PutsTheBucketBehindTheLabelOfAHistogram) {
  static constexpr Field<Block> kFields[] = {
      {"s", "S.", &Block::seconds, {"route", "/"}},
  };
  Registry registry;
  const Block block;
  const auto registration = registry.attach<Block>(kFields, block);
  const std::string text = to_text(registry.scrape());
  EXPECT_NE(text.find("s_bucket{route=\"/\",le=\"0.005\"} 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("s_sum{route=\"/\"} 0\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace ssx::metrics

#include "websocket/counter_fields.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <variant>

#include "tests/metrics/table_places.h"

namespace ssx::websocket {
namespace {

std::uint64_t value_of(const metrics::Registry& registry, std::string_view name,
                       std::string_view label) {
  for (const auto& family : registry.scrape()) {
    if (family.name != name) continue;
    for (const auto& sample : family.samples) {
      if (sample.label.value == label) return std::get<std::uint64_t>(sample.total);
    }
  }
  ADD_FAILURE() << name << " " << label;
  return 0;
}

TEST(WebSocketCounterFields, NameEachCounterOnce) {
  const Counters block;
  auto places = metrics::test::places_of(counter_fields(), block);
  EXPECT_EQ(places.size() + block.dropped.size() + block.failed.size() - 1,
            counter_fields().size());
  for (const auto& each : block.dropped) places.insert(metrics::test::place_of(block, each));
  for (const auto& each : block.failed) places.insert(metrics::test::place_of(block, each));
  EXPECT_TRUE(metrics::test::is_whole<Counters>(places));
}

TEST(WebSocketCounterFields, TellErrorsAndPoliciesApart) {
  Counters block;
  for (int i = 1; i < kErrcCount; ++i) {
    block.of(static_cast<Errc>(i)).add(static_cast<std::uint64_t>(i));
  }
  block.dropped_by(BackpressurePolicy::kCallback).add(1);
  block.dropped_by(BackpressurePolicy::kDropNewest).add(2);
  block.dropped_by(BackpressurePolicy::kDropOldest).add(3);
  block.dropped_by(BackpressurePolicy::kLatest).add(4);
  block.dropped_by(BackpressurePolicy::kClose).add(5);
  metrics::Registry registry;
  const auto registration = registry.attach<Counters>(counter_fields(), block);
  for (int i = 1; i < kErrcCount; ++i) {
    EXPECT_EQ(value_of(registry, "ssxrver_websocket_failed_total", to_string(static_cast<Errc>(i))),
              static_cast<std::uint64_t>(i));
  }
  std::uint64_t expected = 0;
  for (const char* policy : {"callback", "drop_newest", "drop_oldest", "latest", "close"}) {
    EXPECT_EQ(value_of(registry, "ssxrver_websocket_dropped_total", policy), ++expected) << policy;
  }
}

}  // namespace
}  // namespace ssx::websocket

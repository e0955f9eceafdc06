#include "http/counter_fields.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "tests/metrics/table_places.h"

namespace ssx::http {
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

TEST(HttpCounterFields, NameEachCounterOnce) {
  const Counters block;
  auto places = metrics::test::places_of(counter_fields(), block);
  EXPECT_EQ(places.size() + block.answers.size() + block.refused.size() - 1,
            counter_fields().size());
  for (const auto& each : block.answers) places.insert(metrics::test::place_of(block, each));
  for (const auto& each : block.refused) places.insert(metrics::test::place_of(block, each));
  EXPECT_TRUE(metrics::test::is_whole<Counters>(places));
}

TEST(HttpCounterFields, TellErrorsAndClassesApart) {
  Counters block;
  for (int i = 1; i < kErrcCount; ++i) {
    block.of(static_cast<Errc>(i)).add(static_cast<std::uint64_t>(i));
  }
  for (std::size_t i = 0; i < block.answers.size(); ++i) block.answers[i].add(100 + i);
  metrics::Registry registry;
  const auto registration = registry.attach<Counters>(counter_fields(), block);
  for (int i = 1; i < kErrcCount; ++i) {
    EXPECT_EQ(value_of(registry, "ssxrver_http_refused_total", to_string(static_cast<Errc>(i))),
              static_cast<std::uint64_t>(i));
  }
  for (std::size_t i = 0; i < block.answers.size(); ++i) {
    EXPECT_EQ(value_of(registry, "ssxrver_http_answers_total", std::to_string(i + 1) + "xx"),
              100 + i);
  }
}

}  // namespace
}  // namespace ssx::http

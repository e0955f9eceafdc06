// Run under ThreadSanitizer: one writer per block, a reader that scrapes meanwhile.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "ssxrver/metrics/registry.h"

namespace ssx::metrics {
namespace {

struct alignas(64) Block {
  Counter steps;
  Histogram sizes{kSizeBuckets};
};
constexpr Field<Block> kFields[] = {
    {"steps_total", "Steps.", &Block::steps},
    {"sizes", "Sizes.", &Block::sizes},
};

std::uint64_t steps(const Registry& registry) {
  const auto families = registry.scrape();
  return families.empty() ? 0 : std::get<std::uint64_t>(families[0].samples.at(0).total);
}

TEST(RegistryThreads, AReaderSeesTotalsThatNeverGoBackAndEndExact) {
  constexpr std::uint64_t kSteps = 20'000;
  constexpr int kLives = 5;  // blocks come and go while the reader scrapes
  Registry registry;
  std::atomic<bool> done{false};
  std::thread reader([&registry, &done] {
    std::uint64_t last = 0;
    while (!done.load()) {
      const std::uint64_t seen = steps(registry);
      EXPECT_GE(seen, last);
      last = seen;
    }
  });
  std::array<std::thread, 2> writers;
  for (auto& writer : writers) {
    writer = std::thread([&registry] {
      for (int life = 0; life < kLives; ++life) {
        Block block;
        const auto registration = registry.attach<Block>(kFields, block);
        for (std::uint64_t i = 0; i < kSteps; ++i) {
          block.steps.add();
          block.sizes.observe(i);
        }
      }
    });
  }
  for (auto& writer : writers) writer.join();
  done.store(true);
  reader.join();
  EXPECT_EQ(steps(registry), writers.size() * kLives * kSteps);
}

}  // namespace
}  // namespace ssx::metrics

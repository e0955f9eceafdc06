#include "ssxrver/log/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ssx::log {
namespace {

using std::chrono::seconds;

struct Case {
  std::string key;
  std::function<void(LogOptions&)> good;
  std::function<void(LogOptions&)> bad;
};

LogOptions with(const std::function<void(LogOptions&)>& change) {
  LogOptions options;
  change(options);
  return options;
}

std::vector<Case> cases() {
  const auto levels = [](std::size_t count) {
    return [count](LogOptions& o) {
      for (std::size_t i = 0; i < count; ++i) o.levels.emplace_back("m", Level::kInfo);
    };
  };
  const auto name = [](std::size_t size) {
    return [size](LogOptions& o) { o.base_name = std::string(size, 'n'); };
  };
  return {
      {"log.levels", levels(32), levels(33)},
      {"log.levels", [](auto& o) { o.levels.emplace_back(std::string(31, 'm'), Level::kInfo); },
       [](auto& o) { o.levels.emplace_back(std::string(32, 'm'), Level::kInfo); }},
      {"log.line_max", [](auto& o) { o.line_max = 256; }, [](auto& o) { o.line_max = 255; }},
      {"log.line_max", [](auto& o) { o.line_max = 65536; }, [](auto& o) { o.line_max = 65537; }},
      {"log.base_name", name(1), name(0)},
      {"log.base_name", name(200), name(201)},
      {"log.base_name", [](auto& o) { o.base_name = "..a"; }, [](auto& o) { o.base_name = ".."; }},
      {"log.base_name", name(3), [](auto& o) { o.base_name = "a/b"; }},
      {"log.pattern", [](auto& o) { o.pattern = std::string(1024, 'x'); },
       [](auto& o) { o.pattern = std::string(1025, 'x'); }},
      {"log.pattern", [](auto& o) { o.pattern = "%v"; }, [](auto& o) { o.pattern = "%v\n"; }},
      {"log.path", [](auto& o) { o.path = "logs/"; },
       [](auto& o) { o.path = std::string("a\0b", 3); }},
      {"log.flush_second", [](auto& o) { o.flush = seconds(1); },
       [](auto& o) { o.flush = seconds(0); }},
      {"log.flush_second", [](auto& o) { o.flush = seconds(3600); },
       [](auto& o) { o.flush = seconds(3601); }},
      {"log.roll_size", [](auto& o) { o.roll_size = 4096; }, [](auto& o) { o.roll_size = 4095; }},
      {"log.buffers", [](auto& o) { o.buffers = 2; }, [](auto& o) { o.buffers = 1; }},
      {"log.buffers", [](auto& o) { o.buffers = 1024; }, [](auto& o) { o.buffers = 1025; }},
      {"log.ring_size", [](auto& o) { o.ring_size = 32768; }, [](auto& o) { o.ring_size = 32767; }},
      {"log.ring_size", [](auto& o) { o.ring_size = 64U << 20; },
       [](auto& o) { o.ring_size = (64U << 20) + 1; }},
  };
}

TEST(LogOptions, DefaultsAreValid) { EXPECT_TRUE(validate(LogOptions{})); }

TEST(LogOptions, RefusesTheFirstValueOutsideEveryRange) {
  for (const Case& one : cases()) {
    EXPECT_TRUE(validate(with(one.good))) << one.key;
    const auto refused = validate(with(one.bad));
    ASSERT_FALSE(refused) << one.key;
    EXPECT_EQ(refused.error().where(), one.key);
  }
}

}  // namespace
}  // namespace ssx::log

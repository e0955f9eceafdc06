// What the tests of the manager share: the plugin of steps.cc, and what it has said.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/plugin/manager/hosted.h"
#include "tests/support/captured_log.h"

namespace ssx::plugins::test {

inline PluginOptions steps(json::Object config = {}, std::string name = "steps") {
  PluginOptions plugin;
  plugin.name = std::move(name);
  plugin.library = STEPS_LIBRARY;
  plugin.config = std::move(config);
  return plugin;
}

class StepsTest : public testing::Test {
 protected:
  /// What the plugin has said since forget(), in its order.
  [[nodiscard]] std::vector<std::string> said() const {
    const std::string head = "plugin steps: at ";
    std::vector<std::string> words;
    const auto lines = log.lines();
    for (std::size_t i = forgotten_; i < lines.size(); ++i) {
      if (lines[i].starts_with(head)) words.push_back(lines[i].substr(head.size()));
    }
    return words;
  }
  void forget() { forgotten_ = log.lines().size(); }
  [[nodiscard]] bool has_line(std::string_view part) const {
    return std::ranges::any_of(log.lines(), [part](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
  /// At most ten seconds.
  static bool wait_until(const std::function<bool()>& done) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done()) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      std::this_thread::yield();
    }
    return true;
  }

  ssx::test::CapturedLog log{ssx::log::Level::kInfo};

 private:
  std::size_t forgotten_ = 0;
};

}  // namespace ssx::plugins::test

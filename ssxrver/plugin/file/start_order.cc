#include "ssxrver/plugin/file/start_order.h"

#include <algorithm>
#include <cstdint>

namespace ssx {
namespace {

enum class State : std::uint8_t { kNew, kOpen, kDone };

class Sorter {
 public:
  explicit Sorter(const std::vector<PluginOptions>& plugins)
      : plugins_(plugins), states_(plugins.size(), State::kNew) {}

  /// False: `way` ends where it has been before.
  bool visit(std::size_t index);

  std::vector<std::size_t> order;
  std::vector<std::size_t> way;

 private:
  const std::vector<PluginOptions>& plugins_;
  std::vector<State> states_;
};

bool Sorter::visit(std::size_t index) {
  if (states_[index] == State::kDone) return true;
  way.push_back(index);
  if (states_[index] == State::kOpen) return false;
  states_[index] = State::kOpen;
  for (const std::string& name : plugins_[index].depends) {
    const auto found = std::ranges::find(plugins_, name, &PluginOptions::name);
    const bool is_there = found != plugins_.end();
    if (is_there && !visit(static_cast<std::size_t>(found - plugins_.begin()))) return false;
  }
  states_[index] = State::kDone;
  way.pop_back();
  if (plugins_[index].enabled) order.push_back(index);
  return true;
}

}  // namespace

Expected<std::vector<std::size_t>, PluginCycle> plugin_start_order(
    const std::vector<PluginOptions>& plugins) {
  Sorter sorter(plugins);
  for (std::size_t index = 0; index < plugins.size(); ++index) {
    if (sorter.visit(index)) continue;
    const auto begin = std::ranges::find(sorter.way, sorter.way.back());
    PluginCycle cycle{*begin, ""};
    for (auto at = begin; at != sorter.way.end(); ++at) {
      cycle.text += (cycle.text.empty() ? "" : " -> ") + plugins[*at].name;
    }
    return UnexpectedOf<PluginCycle>(std::move(cycle));
  }
  return std::move(sorter.order);
}

}  // namespace ssx

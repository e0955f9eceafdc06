#include "ssxrver/config/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "ssxrver/base/strings.h"

namespace ssx::config {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<Unit, 4> kSizes{{{"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}}};
constexpr std::array<Unit, 5> kTimes{
    {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}}};

/// Digits and then the name of a unit.
template <std::size_t N>
std::optional<std::uint64_t> parse_quantity(std::string_view text, const std::array<Unit, N>& units,
                                            std::uint64_t max) noexcept {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_uint(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (!ascii_iequals(unit.name, text.substr(digits))) continue;
    if (*number > max / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

template <std::size_t N>
std::string show_quantity(std::uint64_t value, const std::array<Unit, N>& units,
                          std::size_t count) {
  const Unit* best = &units[0];
  for (std::size_t i = 0; i < count; ++i) {
    if (value % units[i].factor == 0) best = &units[i];
  }
  return std::to_string(value / best->factor) + std::string(best->name);
}

/// "0-3" or "8".
bool add_cores(std::string_view text, std::vector<unsigned>& cores) {
  const auto dash = text.find('-');
  const auto first = parse_uint(text.substr(0, dash));
  const auto last = dash == text.npos ? first : parse_uint(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= kCoresMax) return false;
  for (auto core = static_cast<unsigned>(*first); core <= *last; ++core) {
    if (std::find(cores.begin(), cores.end(), core) != cores.end()) return false;
    cores.push_back(core);
  }
  return true;
}

}  // namespace

std::optional<bool> parse_switch(std::string_view text) noexcept {
  if (ascii_iequals(text, "on") || ascii_iequals(text, "true")) return true;
  if (ascii_iequals(text, "off") || ascii_iequals(text, "false")) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_int(std::string_view text) noexcept {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const auto number = parse_uint(text);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!number || *number > kMax) return std::nullopt;
  const auto value = static_cast<std::int64_t>(*number);
  return is_negative ? -value : value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) noexcept {
  return parse_quantity(text, kSizes, std::numeric_limits<std::uint64_t>::max());
}

std::string show_size(std::uint64_t bytes) {
  return bytes == 0 ? "0" : show_quantity(bytes, kSizes, kSizes.size());
}

std::optional<milliseconds> parse_time(std::string_view text) noexcept {
  if (text == "0") return milliseconds(0);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto time = parse_quantity(text, kTimes, kMax);
  if (!time) return std::nullopt;
  return milliseconds(static_cast<std::int64_t>(*time));
}

std::string show_time(milliseconds time) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  return count == 0 ? "0" : show_quantity(count, kTimes, kTimes.size() - 1);
}

std::optional<net::Rate> parse_rate(std::string_view text) noexcept {
  text = trim(text);
  if (text.empty()) return net::Rate{};
  const auto slash = text.find('/');
  if (slash == text.npos || slash + 1 == text.size()) return std::nullopt;
  const auto events = parse_uint(text.substr(0, slash));
  const char per = ascii_lower(text[slash + 1]);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (!events || *events == 0 || *events > kMax || (per != 's' && per != 'm')) return std::nullopt;
  auto burst = events;
  if (const auto rest = text.substr(slash + 2); !rest.empty()) {
    const auto words = trim(rest);
    if (rest.front() != ' ' || !words.starts_with("burst ")) return std::nullopt;
    burst = parse_uint(trim(words.substr(6)));
    if (!burst || *burst == 0 || *burst > kMax) return std::nullopt;
  }
  return net::Rate{static_cast<std::uint32_t>(*events), std::chrono::seconds(per == 's' ? 1 : 60),
                   static_cast<std::uint32_t>(*burst)};
}

std::string show_rate(const net::Rate& rate) {
  if (rate.events == 0) return "";
  const char* per = rate.per.count() == 1 ? "s" : "m";
  return fmt::format("{}/{} burst {}", rate.events, per, rate.burst);
}

std::optional<std::vector<unsigned>> parse_cores(std::string_view text) {
  std::vector<unsigned> cores;
  bool is_good = true;
  for_each_part(text, ',', [&cores, &is_good](std::string_view part) {
    is_good = is_good && add_cores(trim(part), cores);
  });
  if (!is_good) return std::nullopt;
  return cores;
}

std::optional<unsigned> parse_octal(std::string_view text) noexcept {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    mode = mode * 8 + static_cast<unsigned>(c - '0');
  }
  if (mode > 0777) return std::nullopt;
  return mode;
}

std::string show_octal(unsigned mode) { return fmt::format("0{:o}", mode); }

}  // namespace ssx::config

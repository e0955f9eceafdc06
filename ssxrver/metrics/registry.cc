#include "ssxrver/metrics/registry.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ssx::metrics {
namespace {

bool name_is_valid(std::string_view name, bool colons) {
  const auto letter = [colons](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
  };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&letter](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Total zero_of(const Counter*) { return std::uint64_t{0}; }
Total zero_of(const std::function<std::uint64_t()>&) { return std::uint64_t{0}; }
Total zero_of(const Gauge*) { return std::int64_t{0}; }
Total zero_of(const Histogram* histogram) {
  const Buckets& buckets = histogram->buckets();
  return HistogramTotal{buckets, std::vector<std::uint64_t>(buckets.upper.size() + 1), 0};
}

void add_to(Total& total, const Counter* counter) {
  std::get<std::uint64_t>(total) += counter->value();
}
void add_to(Total& total, const std::function<std::uint64_t()>& read) {
  std::get<std::uint64_t>(total) += read();
}
void add_to(Total& total, const Gauge* gauge) { std::get<std::int64_t>(total) += gauge->value(); }
void add_to(Total& total, const Histogram* histogram) {
  auto& sum = std::get<HistogramTotal>(total);
  for (std::size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += histogram->count(i);
  sum.sum += histogram->sum();
}

bool same_buckets(const Total& total, const Histogram& histogram) {
  const auto& have = std::get<HistogramTotal>(total).buckets;
  const auto& want = histogram.buckets();
  return have.per_unit == want.per_unit && std::ranges::equal(have.upper, want.upper);
}

}  // namespace

Registry::Registration::Registration(Registration&& other) noexcept
    : registry_(std::exchange(other.registry_, nullptr)), block_(other.block_) {}

Registry::Registration& Registry::Registration::operator=(Registration&& other) noexcept {
  if (this == &other) return *this;
  if (registry_ != nullptr) registry_->detach(block_);
  registry_ = std::exchange(other.registry_, nullptr);
  block_ = other.block_;
  return *this;
}

Registry::Registration::~Registration() {
  if (registry_ != nullptr) registry_->detach(block_);
}

Registry::~Registry() {
  for (const auto& family : families_) {
    for (const auto& series : family.series)
      SSX_ASSERT(series.live.empty(), std::string(family.name));
  }
}

void Registry::accumulate(Total& total, const Source& source) {
  std::visit([&total](const auto& number) { add_to(total, number); }, source);
}

void Registry::add(std::string_view name, std::string_view help, Label label, const void* block,
                   Source source) {
  SSX_ASSERT(name_is_valid(name, true), std::string(name));
  SSX_ASSERT(label.name.empty() || name_is_valid(label.name, false), std::string(label.name));
  auto family = std::ranges::find(families_, name, &Named::name);
  if (family == families_.end()) {
    families_.push_back({name, help, {}});
    family = families_.end() - 1;
  }
  const Total zero = std::visit([](const auto& number) { return zero_of(number); }, source);
  auto series = std::ranges::find(family->series, label, &Series::label);
  if (series == family->series.end()) {
    // One name has one kind: Prometheus states the type once per name.
    SSX_ASSERT(family->series.empty() || family->series[0].retired.index() == zero.index(),
               std::string(name));
    family->series.push_back({label, zero, {}});
    series = family->series.end() - 1;
  }
  SSX_ASSERT(series->retired.index() == zero.index(), std::string(name));
  if (const auto* histogram = std::get_if<const Histogram*>(&source)) {
    SSX_ASSERT(same_buckets(series->retired, **histogram), std::string(name));
  }
  SSX_ASSERT(std::ranges::find(series->live, block, &Live::block) == series->live.end(),
             std::string(name));
  series->live.push_back({block, std::move(source)});
}

void Registry::detach(const void* block) {
  const MutexLock lock(mutex_);
  for (auto& family : families_) {
    for (auto& series : family.series) {
      const auto live = std::ranges::find(series.live, block, &Live::block);
      if (live == series.live.end()) continue;
      if (!std::holds_alternative<const Gauge*>(live->source)) {
        accumulate(series.retired, live->source);
      }
      series.live.erase(live);
    }
  }
}

std::vector<Family> Registry::scrape() const {
  const MutexLock lock(mutex_);
  std::vector<Family> result;
  result.reserve(families_.size());
  for (const auto& named : families_) {
    Family family{named.name, named.help, {}};
    for (const auto& series : named.series) {
      Sample sample{series.label, series.retired};
      for (const auto& live : series.live) accumulate(sample.total, live.source);
      family.samples.push_back(std::move(sample));
    }
    result.push_back(std::move(family));
  }
  return result;
}

}  // namespace ssx::metrics

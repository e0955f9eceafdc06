#include "ssxrver/metrics/text_format.h"

#include <fmt/format.h>

#include <iterator>

namespace ssx::metrics {
namespace {

using Out = std::back_insert_iterator<std::string>;

/// Backslash and line feed everywhere; the double quote in label values only.
std::string escaped(std::string_view text, bool quote) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '\\' || (c == '"' && quote)) result += '\\';
    result += c;
  }
  return result;
}

/// `{limit="header",le="0.1"}`, or nothing when there is neither.
std::string label_set(const Label& label, std::string_view le = {}) {
  std::string result;
  if (!label.name.empty()) {
    result = fmt::format("{}=\"{}\"", label.name, escaped(label.value, true));
  }
  if (!le.empty()) result += fmt::format("{}le=\"{}\"", result.empty() ? "" : ",", le);
  return result.empty() ? result : "{" + result + "}";
}

std::string_view type_of(const Total& total) {
  if (std::holds_alternative<std::uint64_t>(total)) return "counter";
  if (std::holds_alternative<std::int64_t>(total)) return "gauge";
  return "histogram";
}

void write(Out out, std::string_view name, const Label& label, const HistogramTotal& total) {
  const Buckets& buckets = total.buckets;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < total.counts.size(); ++i) {
    below += total.counts[i];
    const bool last = i == buckets.upper.size();
    const std::string le =
        last ? "+Inf" : fmt::format("{}", static_cast<double>(buckets.upper[i]) / buckets.per_unit);
    fmt::format_to(out, "{}_bucket{} {}\n", name, label_set(label, le), below);
  }
  fmt::format_to(out, "{}_sum{} {}\n", name, label_set(label),
                 static_cast<double>(total.sum) / buckets.per_unit);
  // The count is the +Inf bucket, not a counter of its own: the two can then never disagree.
  fmt::format_to(out, "{}_count{} {}\n", name, label_set(label), below);
}

template <class Number>
void write(Out out, std::string_view name, const Label& label, Number total) {
  fmt::format_to(out, "{}{} {}\n", name, label_set(label), total);
}

}  // namespace

std::string to_text(std::span<const Family> families) {
  std::string text;
  const Out out(text);
  for (const auto& family : families) {
    fmt::format_to(out, "# HELP {} {}\n", family.name, escaped(family.help, false));
    fmt::format_to(out, "# TYPE {} {}\n", family.name, type_of(family.samples.front().total));
    for (const auto& sample : family.samples) {
      std::visit([&](const auto& total) { write(out, family.name, sample.label, total); },
                 sample.total);
    }
  }
  return text;
}

}  // namespace ssx::metrics

#include "http/access_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ssx::http {
namespace {

constexpr std::size_t kBadLineMax = 1024;

// Workers begin at different places, so that few requests over many workers get their share too.
std::uint64_t first_share(std::uint32_t worker) noexcept {
  return worker * std::uint64_t{0x9E3779B97F4A7C15} >> 12;  // the golden ratio scatters evenly
}

}  // namespace

Result<std::unique_ptr<const AccessLog::Rules>> AccessLog::Rules::create(
    const AccessLogOptions& options, LineSink sink) {
  auto format = AccessFormat::compile(options.format, options.line_max);
  if (!format) return fail(ssx::Errc::kInvalidArgument, "log.access.format");
  if (!(options.sample >= 0 && options.sample <= 1))
    return fail(ssx::Errc::kInvalidArgument, "log.access.sample");
  auto rules = std::make_unique<Rules>(*std::move(format), sink);
  rules->step = static_cast<std::uint64_t>(std::llround(options.sample * double{kWhole}));
  rules->is_utc = options.utc;
  for (const std::string& pattern : options.exclude) {
    const Handler nobody([](const Request&) { return Status::kNotFound; });
    const auto added = rules->excluded.add("", {}, pattern, {nobody, {}, ""});
    if (!added) return fail(ssx::Errc::kInvalidArgument, "log.access.exclude");
  }
  return std::unique_ptr<const Rules>(std::move(rules));
}

void AccessLog::Answer::take_fields(const Response& response) {
  type.assign(response.has_body() ? response.content_type() : "");
  prepared.assign(response.prepared_fields());
  fields.assign(response.fields());
}

void AccessLog::Answer::clear() noexcept {
  status = 0;
  start = body_start = 0;
  type.clear();
  prepared.clear();
  fields.clear();
}

AccessLog::AccessLog(const Rules& rules, std::uint32_t worker, Counters& counters)
    : rules_(rules),
      counters_(counters),
      time_(rules.is_utc),
      share_(first_share(worker)),
      room_(rules.format.line_max()) {}

bool AccessLog::wants(std::string_view path) noexcept {
  if (!rules_.excluded.empty() && !path.empty()) {
    const auto match = rules_.excluded.match("", Method::kGet, path, params_);
    if (match.found == Router::Found::kRoute) return false;
  }
  share_ += rules_.step;
  if (share_ < kWhole) return false;
  share_ -= kWhole;
  return true;
}

void AccessLog::write(const AccessEntry& entry) noexcept {
  const auto rendered = rules_.format.render(entry, time_, room_);
  counters_.access_lines.add();
  if (rendered.is_cut) counters_.access_cut.add();
  rules_.sink.write({room_.data(), rendered.size});
}

void AccessLog::note_bad_line(std::string_view bytes) noexcept {
  bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  bad_line_ = bytes.substr(0, std::min(bytes.find_first_of("\r\n"), kBadLineMax));
}

std::string_view AccessLog::take_bad_line() noexcept { return std::exchange(bad_line_, {}); }

}  // namespace ssx::http

#include "ssxrver/load/common_options.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "ssxrver/load/host_address.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/load/progress_line.h"
#include "ssxrver/load/report.h"
#include "ssxrver/load/server_meter.h"

namespace ssx::load {
namespace {

Duration to_duration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

}  // namespace

StartupResult<void> fill(LoadPlan& plan, const CommonOptions& options, std::string_view host,
                         std::uint16_t port) {
  if (options.each && options.depth > 1)
    return refuse("a connection for each request does not go with several at once");
  if (options.threads > options.connections)
    return refuse(fmt::format("-t {}: more threads than connections", options.threads));
  if (options.idle && (options.each || options.rate > 0))
    return refuse("connections that say nothing have no rate, and stay");
  if (options.idle && options.depth > 1)
    return refuse("connections that say nothing do not go with several requests at once");
  auto target = find_address(std::string(host), port);
  if (!target) return refuse(std::move(target).error());
  plan.target = *target;
  for (const std::string& text : options.sources) {
    auto source = find_source(text, plan.target);
    if (!source) return refuse(fmt::format("--source \"{}\": {}", text, source.error()));
    plan.sources.push_back(*source);
  }
  plan.keeps_connections = !options.each;
  plan.depth = options.depth;
  plan.connections = options.connections;
  plan.threads = options.threads;
  plan.rate = options.rate;
  plan.is_idle = options.idle;
  plan.timeout = to_duration(options.timeout);
  return {};
}

std::string sample_payload(std::uint64_t size) {
  std::string payload(size, '\0');
  for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<char>('a' + i % 26);
  return payload;
}

StartupResult<int> measure(std::string_view kind, const CommonOptions& options,
                           const LoadPlan& plan, const Crew::MakeLoad& make_load) {
  CrewOptions crew;
  crew.warm_up = to_duration(options.warm_up);
  crew.time = to_duration(options.seconds);
  Subject subject{.kind = std::string(kind),
                  .url = options.url,
                  .connections = plan.connections,
                  .threads = plan.threads,
                  .rate = plan.rate,
                  .is_idle = plan.is_idle};
  std::optional<ServerMeter> meter;
  if (options.server != 0) {
    auto created = ServerMeter::create(static_cast<int>(options.server));
    if (!created) return UnexpectedOf<StartupError>(std::move(created).error());
    meter = *created;
    crew.on_begin = [&meter] { meter->begin(); };
    crew.on_end = [&meter] { meter->end(); };
  }
  const ProgressLine line(options.is_quiet);
  crew.on_opening = [&](std::uint64_t connected) { line.show(connected, plan.connections); };
  const auto outcome =
      run_plan(plan, make_load, crew, [&line](const Progress& now) { line.show(now); });
  line.clear();
  if (!outcome) return UnexpectedOf<StartupError>(outcome.error());
  if (meter) subject.server = meter->use();
  const auto write = options.format == Format::kJson  ? to_json
                     : options.format == Format::kCsv ? to_csv
                                                      : to_text;
  fmt::print("{}", write(subject, *outcome));
  const Tally& tally = outcome->tally;
  const std::uint64_t got = plan.is_idle ? tally.standing : tally.answered;
  return got > 0 || tally.begun() == 0 ? 0 : 1;
}

}  // namespace ssx::load

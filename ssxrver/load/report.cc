#include "ssxrver/load/report.h"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "ssxrver/json/json.h"

namespace ssx::load {
namespace {

struct Share {
  const char* name;
  double share;
};
constexpr std::array kShares{Share{"p50", 0.5},  Share{"p75", 0.75},    Share{"p90", 0.9},
                             Share{"p99", 0.99}, Share{"p99.9", 0.999}, Share{"p99.99", 0.9999}};

/// Of its threads' time: from there on the load may be what was measured.
constexpr double kTooBusy = 0.95;

double us(Duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

std::string show_time(Duration time) {
  const double micros = us(time);
  if (micros < 1000) return fmt::format("{:.1f} us", micros);
  if (micros < 1e6) return fmt::format("{:.2f} ms", micros / 1e3);
  return fmt::format("{:.2f} s", micros / 1e6);
}

std::string show_bytes(double bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

/// Why the first connection that did not come about did not; empty: all came about.
std::string refusal_of(const Tally& tally) {
  return tally.refusal == 0 ? "" : std::generic_category().message(tally.refusal);
}

std::string show_failures(const Tally& tally) {
  std::string text;
  for (std::size_t i = 0; i < kFailures; ++i) {
    if (tally.failures[i] == 0) continue;
    const auto failure = static_cast<Failure>(i);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tally.failures[i], to_string(failure));
    if (failure == Failure::kConnect) text += fmt::format(" ({})", refusal_of(tally));
  }
  return text.empty() ? "none" : text;
}

std::string show_unfinished(const Tally& tally) {
  if (tally.unsent == 0) return fmt::format("{}", tally.unfinished);
  return fmt::format("{}, of which {} were due and had no connection", tally.unfinished,
                     tally.unsent);
}

/// The share of one core: 2 is two of them.
double cores_of(const ServerUse& server) {
  return server.span > Duration::zero() ? us(server.cpu) / us(server.span) : 0;
}

/// In the window.
double cpu_us(const ServerUse& server, const Outcome& outcome) {
  return cores_of(server) * us(outcome.window);
}

/// Of an answer.
double cpu_us_each(const ServerUse& server, const Outcome& outcome) {
  const std::uint64_t answered = outcome.tally.answered;
  return answered > 0 ? cpu_us(server, outcome) / static_cast<double>(answered) : 0;
}

std::string show_server(const ServerUse& server, const Outcome& outcome) {
  if (server.has_ended) return "  server     has ended\n";
  return fmt::format("  server     {:.0f} % of a core, {:.2f} us an answer; {} -> {} resident\n",
                     100 * cores_of(server), cpu_us_each(server, outcome),
                     show_bytes(static_cast<double>(server.resident_before)),
                     show_bytes(static_cast<double>(server.resident_after)));
}

using Cells = std::vector<std::pair<std::string, json::Value>>;

Cells cells_of(const Subject& subject, const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  const Histogram& latency = tally.latency;
  Cells cells{{"kind", subject.kind},
              {"url", subject.url},
              {"connections", subject.connections},
              {"threads", subject.threads},
              {"rate_asked", subject.rate},
              {"seconds", std::chrono::duration<double>(outcome.window).count()},
              {"was_cut", outcome.was_cut},
              {"per_second", per_second(outcome, tally.answered)},
              {"bytes_per_second", per_second(outcome, tally.bytes_in)},
              {"begun", tally.begun()},
              {"answered", tally.answered},
              {"unfinished", tally.unfinished},
              {"unsent", tally.unsent},
              {"connects", tally.connects},
              {"standing", tally.standing},
              {"bytes_in", tally.bytes_in},
              {"bytes_out", tally.bytes_out},
              {"load_busy", outcome.busy}};
  for (std::size_t i = 0; i < kFailures; ++i) {
    cells.emplace_back(fmt::format("failed_{}", to_string(static_cast<Failure>(i))),
                       tally.failures[i]);
  }
  cells.emplace_back("connect_error", refusal_of(tally));
  cells.emplace_back("latency_min_us", us(latency.min()));
  cells.emplace_back("latency_mean_us", us(latency.mean()));
  for (const Share& share : kShares) {
    cells.emplace_back(fmt::format("latency_{}_us", share.name),
                       us(latency.percentile(share.share)));
  }
  cells.emplace_back("latency_max_us", us(latency.max()));
  if (subject.server) {
    const ServerUse& server = *subject.server;
    cells.emplace_back("server_has_ended", server.has_ended);
    if (server.has_ended) return cells;
    cells.emplace_back("server_cpu_seconds", cpu_us(server, outcome) / 1e6);
    cells.emplace_back("server_cpu_us_each", cpu_us_each(server, outcome));
    cells.emplace_back("server_resident_before", server.resident_before);
    cells.emplace_back("server_resident_after", server.resident_after);
    cells.emplace_back("server_resident_peak", server.resident_peak);
  }
  return cells;
}

}  // namespace

double per_second(const Outcome& outcome, std::uint64_t count) noexcept {
  const double seconds = std::chrono::duration<double>(outcome.window).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::string to_text(const Subject& subject, const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  std::string text = fmt::format(
      "{}\n  {} connection{}, {} thread{}, {:.1f} s{}, {}\n", subject.url, subject.connections,
      subject.connections == 1 ? "" : "s", subject.threads, subject.threads == 1 ? "" : "s",
      std::chrono::duration<double>(outcome.window).count(), outcome.was_cut ? " (cut off)" : "",
      subject.rate > 0 ? fmt::format("{:.0f}/s asked for", subject.rate) : "as fast as it goes");
  text += fmt::format("  answered   {} ({:.0f}/s), {} ({}/s)\n", tally.answered,
                      per_second(outcome, tally.answered),
                      show_bytes(static_cast<double>(tally.bytes_in)),
                      show_bytes(per_second(outcome, tally.bytes_in)));
  text += fmt::format("  sent       {} ({}/s)\n", show_bytes(static_cast<double>(tally.bytes_out)),
                      show_bytes(per_second(outcome, tally.bytes_out)));
  text += fmt::format("  failed     {}\n", show_failures(tally));
  text += fmt::format("  unfinished {}\n", show_unfinished(tally));
  if (subject.is_idle) {
    text += fmt::format("  standing   {} of {}\n", tally.standing, subject.connections);
  }
  text += fmt::format("  latency    mean {}", show_time(tally.latency.mean()));
  for (const Share& share : kShares) {
    text += fmt::format(", {} {}", share.name, show_time(tally.latency.percentile(share.share)));
  }
  text += fmt::format(", max {}\n", show_time(tally.latency.max()));
  if (subject.server) text += show_server(*subject.server, outcome);
  text += fmt::format("  load       {:.0f} % of its threads' time\n", 100 * outcome.busy);
  if (outcome.busy >= kTooBusy)
    text += "  The load had no time left: more threads (-t) may get more out of the server.\n";
  return text;
}

std::string to_json(const Subject& subject, const Outcome& outcome) {
  json::Value object;
  for (auto& [name, value] : cells_of(subject, outcome)) object.set(name, std::move(value));
  return json::write(object) + "\n";
}

std::string to_csv(const Subject& subject, const Outcome& outcome) {
  std::string names;
  std::string values;
  for (const auto& [name, value] : cells_of(subject, outcome)) {
    const char* const between = names.empty() ? "" : ",";
    names += between + name;
    values += between + json::write(value, json::kCompact);
  }
  return names + "\n" + values + "\n";
}

}  // namespace ssx::load

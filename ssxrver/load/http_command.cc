#include "ssxrver/load/http_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "http/field_rules.h"
#include "http/url.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/load/host_address.h"
#include "ssxrver/load/http_run.h"
#include "ssxrver/load/progress_line.h"
#include "ssxrver/load/report.h"

namespace ssx::load {
namespace {

Duration to_duration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

/// Empty: it is a field.
std::string object_to_field(std::string_view line) {
  const auto colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  const bool is_field = colon != std::string_view::npos && http::is_token(name) &&
                        http::is_field_value(line.substr(colon + 1));
  return is_field ? "" : fmt::format("-H \"{}\": expected a field such as \"Accept: */*\"", line);
}

bool names(std::string_view line, std::string_view name) {
  return ascii_iequals(line.substr(0, line.find(':')), name);
}

std::string request_of(const HttpOptions& options, const http::Url& url) {
  const auto has = [&options](std::string_view name) {
    return std::ranges::any_of(options.fields,
                               [name](const std::string& line) { return names(line, name); });
  };
  std::string request = fmt::format("{} {} HTTP/1.1\r\n", options.method, url.target());
  if (!has("Host")) request += fmt::format("Host: {}\r\n", url.authority());
  for (const std::string& line : options.fields) request += line + "\r\n";
  if (!options.body.empty()) request += fmt::format("Content-Length: {}\r\n", options.body.size());
  if (options.request_each && !has("Connection")) request += "Connection: close\r\n";
  return request + "\r\n" + options.body;
}

}  // namespace

StartupResult<HttpPlan> make_plan(const HttpOptions& options) {
  const auto url = http::Url::parse(options.url);
  if (!url) return refuse(fmt::format("\"{}\": {}", options.url, url.error().code().message()));
  if (url->is_secure()) return refuse("https is not in this build");
  HttpPlan plan;
  plan.method = http::parse_method(options.method);
  if (plan.method == http::Method::kUnknown || plan.method == http::Method::kConnect)
    return refuse(fmt::format("-m \"{}\" is no method", options.method));
  for (const std::string& line : options.fields) {
    if (auto why = object_to_field(line); !why.empty()) return refuse(std::move(why));
  }
  if (options.request_each && options.depth > 1)
    return refuse("--each and --pipeline do not go together");
  if (options.threads > options.connections)
    return refuse(fmt::format("-t {}: more threads than connections", options.threads));
  auto target = find_address(std::string(url->host()), url->port());
  if (!target) return refuse(std::move(target).error());
  plan.target = *target;
  for (const std::string& text : options.sources) {
    const auto source = net::SocketAddress::parse(text, 0);
    if (!source) return refuse(fmt::format("--source \"{}\" is no address", text));
    plan.sources.push_back(*source);
  }
  plan.request = request_of(options, *url);
  plan.use = options.request_each ? HttpPlan::Use::kRequestEach : HttpPlan::Use::kKeepAlive;
  plan.depth = options.depth;
  plan.connections = options.connections;
  plan.threads = options.threads;
  plan.rate = options.rate;
  plan.timeout = to_duration(options.timeout);
  return plan;
}

StartupResult<int> run_http(const HttpOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  CrewOptions crew;
  crew.warm_up = to_duration(options.warm_up);
  crew.time = to_duration(options.seconds);
  const ProgressLine line(options.is_quiet);
  const auto outcome = run_plan(*plan, crew, [&line](const Progress& now) { line.show(now); });
  line.clear();
  if (!outcome) return UnexpectedOf<StartupError>(outcome.error());
  const Subject subject{"http", options.url, plan->connections, plan->threads, plan->rate};
  const auto write = options.format == Format::kJson  ? to_json
                     : options.format == Format::kCsv ? to_csv
                                                      : to_text;
  fmt::print("{}", write(subject, *outcome));
  return outcome->tally.answered > 0 ? 0 : 1;
}

}  // namespace ssx::load

#include "ssxrver/load/http_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "http/field_rules.h"
#include "http/url.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/load/http_peer.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/load/read_file.h"

namespace ssx::load {
namespace {

constexpr std::size_t kFileMax = 1 << 30;
/// A body of so many bytes is not copied for each request sent at once.
constexpr std::size_t kApart = 16 << 10;

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

std::string head_of(const HttpOptions& options, const http::Url& url, std::size_t body_size) {
  const auto has = [&options](std::string_view name) {
    return std::ranges::any_of(options.fields, [name](const std::string& line) {
      return ascii_iequals(std::string_view(line).substr(0, line.find(':')), name);
    });
  };
  std::string request = fmt::format("{} {} HTTP/1.1\r\n", options.method, url.target());
  if (!has("Host")) request += fmt::format("Host: {}\r\n", url.authority());
  for (const std::string& line : options.fields) request += line + "\r\n";
  const bool has_body = body_size > 0 || !options.file.empty();
  if (has_body) request += fmt::format("Content-Length: {}\r\n", body_size);
  if (options.each && !has("Connection")) request += "Connection: close\r\n";
  return request + "\r\n";
}

}  // namespace

StartupResult<HttpPlan> make_plan(const HttpOptions& options) {
  const auto url = http::Url::parse(options.url);
  if (!url) return refuse(fmt::format("\"{}\": {}", options.url, url.error().code().message()));
  if (!options.body.empty() && !options.file.empty())
    return refuse("--data and --file are two bodies: expected one");
  if (url->is_secure()) return refuse("https is not in this build");
  HttpPlan plan;
  plan.method = http::parse_method(options.method);
  if (plan.method == http::Method::kUnknown || plan.method == http::Method::kConnect)
    return refuse(fmt::format("-m \"{}\" is no method", options.method));
  for (const std::string& line : options.fields) {
    if (auto why = object_to_field(line); !why.empty()) return refuse(std::move(why));
  }
  if (auto filled = fill(plan, options, url->host(), url->port()); !filled)
    return UnexpectedOf<StartupError>(std::move(filled).error());
  std::string body = options.body;
  if (!options.file.empty()) {
    auto bytes = read_file(options.file, kFileMax);
    if (!bytes) {
      return refuse(fmt::format("--file \"{}\": {}", options.file, bytes.error().code().message()));
    }
    body = *std::move(bytes);
  }
  plan.request = head_of(options, *url, body.size());
  if (body.size() < kApart) {
    plan.request += body;
  } else {
    plan.body = std::move(body);
  }
  return plan;
}

StartupResult<int> run_http(const HttpOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  return measure("http", options, *plan, peer_loads(*plan, make_http_peers(*plan)));
}

}  // namespace ssx::load

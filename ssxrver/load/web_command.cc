#include "ssxrver/load/web_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "http/url.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/load/host_address.h"
#include "ssxrver/load/http_peer.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

using Version = WebOptions::Version;

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

std::string request_of(const WebOptions& options, const http::Url& url) {
  const Version version = version_of(options);
  const bool to_proxy = !options.proxy.empty();
  std::string request = fmt::format("{} {}", options.method, to_proxy ? url.text() : url.target());
  if (version == Version::kHttp09) return request + "\r\n";
  request += version == Version::kHttp10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  request += fmt::format("User-Agent: ssxrver-bench\r\nHost: {}\r\n", url.authority());
  if (options.reloads) request += "Pragma: no-cache\r\n";
  if (version == Version::kHttp11) request += "Connection: close\r\n";
  return request + "\r\n";
}

Expected<net::SocketAddress, std::string> proxy_address(const std::string& proxy) {
  const auto place = parse_host_port(proxy);
  if (!place) return UnexpectedOf<std::string>("-p " + place.error());
  return find_address(place->host, place->port);
}

std::uint32_t threads_for(std::uint32_t clients) {
  const auto cores = sys::allowed_cores();
  const std::size_t count = cores ? cores->size() : 1;
  return static_cast<std::uint32_t>(std::min<std::size_t>(count, clients));
}

}  // namespace

Version version_of(const WebOptions& options) noexcept {
  const bool is_late = options.method == "OPTIONS" || options.method == "TRACE";
  if (is_late) return Version::kHttp11;
  const bool needs_fields = options.method == "HEAD" || (options.reloads && !options.proxy.empty());
  return needs_fields ? std::max(options.version, Version::kHttp10) : options.version;
}

StartupResult<HttpPlan> make_plan(const WebOptions& options) {
  const auto url = http::Url::parse(options.url);
  if (!url || url->is_secure())
    return refuse(fmt::format("\"{}\": expected a URL that begins with http://", options.url));
  auto target = options.proxy.empty() ? find_address(std::string(url->host()), url->port())
                                      : proxy_address(options.proxy);
  if (!target) return refuse(std::move(target).error());
  HttpPlan plan;
  plan.target = *target;
  plan.request = request_of(options, *url);
  using Answer = HttpPlan::Answer;
  plan.answer = options.forces ? Answer::kNotAwaited : Answer::kUntilClosed;
  plan.keeps_connections = false;
  plan.connections = options.clients;
  plan.threads = threads_for(options.clients);
  plan.timeout = std::chrono::seconds(options.seconds + 1);  // none, as there
  return plan;
}

std::string describe(const WebOptions& options) {
  std::string text = fmt::format("\nBenchmarking: {} {}", options.method, options.url);
  switch (version_of(options)) {
    case Version::kHttp09:
      text += " (using HTTP/0.9)";
      break;
    case Version::kHttp10:
      break;
    case Version::kHttp11:
      text += " (using HTTP/1.1)";
      break;
  }
  text += fmt::format("\n{} client{}, running {} sec", options.clients,
                      options.clients == 1 ? "" : "s", options.seconds);
  if (options.forces) text += ", early socket close";
  if (!options.proxy.empty()) text += ", via proxy server " + options.proxy;
  if (options.reloads) text += ", forcing reload";
  return text + ".\n";
}

std::string to_pages(const Outcome& outcome) {
  const double seconds = std::max(1.0, std::chrono::duration<double>(outcome.window).count());
  const Tally& tally = outcome.tally;
  return fmt::format(
      "\nSpeed={:.0f} pages/min, {:.0f} bytes/sec.\nRequests: {} susceed, {} failed.\n",
      static_cast<double>(tally.answered + tally.failed()) / (seconds / 60),
      static_cast<double>(tally.bytes_in) / seconds, tally.answered, tally.failed());
}

StartupResult<int> run_web(const WebOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) return UnexpectedOf<StartupError>(plan.error());
  fmt::print("{}", describe(options));
  std::fflush(stdout);
  CrewOptions crew;
  crew.warm_up = Duration::zero();
  crew.time = std::chrono::seconds(options.seconds);
  const auto outcome =
      run_plan(*plan, peer_loads(*plan, make_http_peers(*plan)), crew, [](const Progress&) {});
  if (!outcome) return UnexpectedOf<StartupError>(outcome.error());
  fmt::print("{}", to_pages(*outcome));
  return 0;
}

}  // namespace ssx::load

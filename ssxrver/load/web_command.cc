#include "ssxrver/load/web_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "http/url.h"
#include "ssxrver/load/host_address.h"
#include "ssxrver/load/http_peer.h"
#include "ssxrver/load/plan_run.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

using Version = WebOptions::Version;

/// webbench waits as long as the kernel tries.
constexpr Duration kConnectTimeout = std::chrono::seconds(30);

UnexpectedOf<StartupError> refuse(std::string sentence) {
  return fail_start(ExitCode::kUsage, std::move(sentence));
}

std::string request_of(const WebOptions& options, const http::Url& url) {
  const Version version = version_of(options);
  const bool to_proxy = !options.proxy.empty();
  std::string request = fmt::format("{} {}", options.method, to_proxy ? url.text() : url.target());
  if (version == Version::kHttp09) return request + "\r\n";
  request += version == Version::kHttp10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  request += "User-Agent: ssxrver-bench\r\n";
  if (!to_proxy) request += fmt::format("Host: {}\r\n", url.authority());
  if (to_proxy && options.reloads) request += "Pragma: no-cache\r\n";
  if (version == Version::kHttp11) request += "Connection: close\r\n";
  return request + "\r\n";
}

/// The colons of an IPv6 address are within brackets.
std::string with_port(const std::string& proxy) {
  const bool has_port = proxy.find(':') != std::string::npos && !proxy.ends_with(']');
  return has_port ? proxy : proxy + ":80";
}

Expected<net::SocketAddress, std::string> proxy_address(const std::string& proxy) {
  const auto place = parse_host_port(with_port(proxy));
  if (!place) return UnexpectedOf<std::string>("-p " + place.error());
  return find_address(place->host, place->port);
}

std::uint32_t threads_for(std::uint32_t clients) {
  const auto cores = sys::allowed_cores();
  const std::size_t count = cores ? cores->size() : 1;
  return static_cast<std::uint32_t>(std::min<std::size_t>(count, clients));
}

/// What becomes of a connection that nothing is asked on.
class Attempt final : public Peer::Events {
 public:
  explicit Attempt(net::EventLoop& loop) noexcept : loop_(loop) {}
  [[nodiscard]] bool has_connected() const noexcept { return has_connected_; }

  void on_open(Peer&) override {
    has_connected_ = true;
    loop_.stop();
  }
  void on_failed(Peer&, Failure, std::uint32_t, bool) override { loop_.stop(); }
  void on_refused(int) override {}
  void on_answer(Peer&, bool, TimePoint) override {}
  void on_bytes_in(std::uint64_t) override {}
  void on_bytes_out(std::uint64_t) override {}
  void on_free(Peer&, TimePoint) override {}

 private:
  net::EventLoop& loop_;
  bool has_connected_ = false;
};

// A peer of the plan's own, so that what is tried is what will be measured.
Result<bool> can_connect(const HttpPlan& plan) {
  SSX_TRY(const auto loop, net::EventLoop::create());
  Attempt attempt(*loop);
  const auto make_peer = make_http_peers(plan)(*loop);  // it has what its peers share
  const auto peer = make_peer(attempt);
  loop->assert_in_loop_thread();
  loop->run_after(kConnectTimeout, [&loop] { loop->stop(); });
  peer->open(nullptr);
  loop->run();
  return attempt.has_connected();
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
  plan.half_closes = version_of(options) == Version::kHttp09;
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
  if (!options.proxy.empty()) text += ", via proxy server " + with_port(options.proxy);
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
  const auto is_there = can_connect(*plan);
  if (!is_there) return fail_start(ExitCode::kSystem, is_there.error().message());
  if (!*is_there) {
    fmt::print(stderr, "\nConnect to server failed. Aborting benchmark.\n");
    return 1;
  }
  CrewOptions crew;
  crew.warm_up = Duration::zero();
  crew.time = std::chrono::seconds(options.seconds);
  const auto outcome =
      run_plan(*plan, peer_loads(*plan, make_http_peers(*plan)), crew, [](const Progress&) {});
  if (!outcome) return UnexpectedOf<StartupError>(outcome.error());
  fmt::print("{}", to_pages(*outcome));
  return outcome->tally.answered > 0 ? 0 : 1;
}

}  // namespace ssx::load

#include "ssxrver/load/command_line.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ssxrver/base/build_info.h"
#include "ssxrver/cli/cli.h"

namespace ssx::load {
namespace {

constexpr std::uint32_t kConnectionsMax = 1'000'000;
constexpr std::uint32_t kThreadsMax = 1024;
constexpr std::uint32_t kDepthMax = 1024;
constexpr std::uint64_t kMessageMax = 1ULL << 30;
constexpr std::uint64_t kUploadMax = 1ULL << 40;
constexpr std::uint32_t kProcessMax = 1U << 22;  // PID_MAX_LIMIT of the kernel
constexpr double kSecondsMax = 86'400;

/// "10s", "500ms", "2m"; a number alone is seconds.
CLI::AsNumberWithUnit as_seconds() {
  return CLI::AsNumberWithUnit(
      std::map<std::string, double>{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}},
      CLI::AsNumberWithUnit::DEFAULT, "TIME");
}

CLI::Option* add_seconds(CLI::App& app, const char* names, double& value, const char* what,
                         double least = 0) {
  return app.add_option(names, value, what)
      ->transform(as_seconds())
      ->check(CLI::Range(least, kSecondsMax))
      ->type_name("TIME");
}

void add_common(CLI::App& app, CommonOptions& given, const char* url, const char* each) {
  app.add_option("url", given.url, url)->required()->type_name("URL");
  app.add_option("-c,--connections", given.connections, "Connections (100)")
      ->check(CLI::Range(1U, kConnectionsMax));
  app.add_option("-t,--threads", given.threads, "Threads, each with a loop (1)")
      ->check(CLI::Range(1U, kThreadsMax));
  add_seconds(app, "-d,--duration", given.seconds, "How long to measure (10s)", 0.001);
  add_seconds(app, "--warm-up", given.warm_up, "How long before that (1s)");
  app.add_option("-R,--rate", given.rate,
                 "Requests per second, latency from the intended start; 0: as fast as it goes")
      ->check(CLI::Range(0.0, 1e9));
  app.add_option("-p,--pipeline", given.depth, "Requests sent at once on a connection (1)")
      ->check(CLI::Range(1U, kDepthMax));
  app.add_flag("--each", given.each, each);
  app.add_option("--pid", given.server,
                 "Process id of the server: its CPU time and memory are told, too")
      ->check(CLI::Range(1U, kProcessMax));
  add_seconds(app, "--timeout", given.timeout, "For an answer (10s)", 0.001);
  app.add_option("--source", given.sources,
                 "Connect from this address, in turn with others (may be repeated)")
      ->allow_extra_args(false);
  app.add_option("--format", given.format, "text, json or csv")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Format>{
          {"text", Format::kText}, {"json", Format::kJson}, {"csv", Format::kCsv}}));
  app.add_flag("-q,--quiet", given.is_quiet, "No line that says how far it is");
}

void add_idle(CLI::App& app, CommonOptions& given) {
  app.add_flag("--idle", given.idle, "Each connection has one answer, stands, and says nothing");
}

void add_size(CLI::App& app, std::uint64_t& size, const char* what) {
  app.add_option("--size", size, what)->check(CLI::Range(std::uint64_t{0}, kMessageMax));
}

void add_http(CLI::App& app, HttpOptions& given) {
  add_common(app, given, "http://HOST[:PORT]/PATH", "A connection for each request");
  app.add_option("-m,--method", given.method, "The method (GET)");
  app.add_option("-H,--header", given.fields, "A field: -H \"Accept: */*\" (may be repeated)")
      ->allow_extra_args(false);
  app.add_option("--data", given.body, "The body of each request");
  app.add_option("--file", given.file, "A file that is the body of each request")
      ->type_name("PATH");
  add_idle(app, given);
}

void add_ws(CLI::App& app, WsOptions& given) {
  add_common(app, given, "ws://HOST[:PORT]/PATH of a server that sends back what it is sent",
             "For each message a handshake, and a closing one behind it");
  add_size(app, given.size, "Bytes of a message (64), or of a frame of --bytes");
  app.add_option("--bytes", given.bytes,
                 "Bytes of a message in many frames; the server may answer what it likes")
      ->check(CLI::Range(std::uint64_t{1}, kUploadMax));
  app.add_flag("--broadcast", given.broadcast,
               "What one connection sends, the server sends to all the others");
  add_idle(app, given);
}

void add_tcp(CLI::App& app, TcpOptions& given) {
  add_common(app, given, "HOST:PORT of a server that sends back what it is sent",
             "A connection for each message");
  add_size(app, given.size, "Bytes of a message (64)");
  add_idle(app, given);
}

void add_udp(CLI::App& app, UdpOptions& given) {
  add_common(app, given, "HOST:PORT of a server that sends back what it is sent",
             "A socket for each datagram");
  add_size(app, given.size, "Bytes of a datagram (64)");
}

void add_web(CLI::App& app, WebOptions& given) {
  using Version = WebOptions::Version;
  app.set_help_flag("-?,-h,--help", "Print this and exit");
  app.add_option("url", given.url, "http://HOST[:PORT]/PATH")->required()->type_name("URL");
  app.add_flag("-f,--force", given.forces, "Don't wait for the answer");
  app.add_flag("-r,--reload", given.reloads, "Send Pragma: no-cache to the proxy");
  app.add_option("-t,--time", given.seconds, "Seconds to run (30, also for 0)")
      ->check(CLI::Range(0U, 86'400U))
      ->take_last();
  app.add_option("-p,--proxy", given.proxy, "Ask a proxy, at port 80 unless told")
      ->check([](const std::string& proxy) { return proxy.empty() ? "it names no host" : ""; })
      ->type_name("HOST[:PORT]")
      ->take_last();
  app.add_option("-c,--clients", given.clients, "Clients at the same time (1, also for 0)")
      ->check(CLI::Range(0U, kConnectionsMax))
      ->take_last();
  // Of those that exclude each other the last one on the command line holds.
  const auto version = [&](const char* names, Version chosen, const char* what) {
    const auto choose = [&given, chosen] { given.version = chosen; };
    app.add_flag_callback(names, choose, what)->trigger_on_parse();
  };
  version("-9,--http09", Version::kHttp09, "HTTP/0.9");
  version("-1,--http10", Version::kHttp10, "HTTP/1.0 (what it is without)");
  version("-2,--http11", Version::kHttp11, "HTTP/1.1");
  const auto method = [&](const char* names, const char* chosen) {
    const auto choose = [&given, chosen] { given.method = chosen; };
    app.add_flag_callback(names, choose, chosen)->trigger_on_parse();
  };
  method("--get", "GET");
  method("--head", "HEAD");
  method("--options", "OPTIONS");
  method("--trace", "TRACE");
  app.callback([&given] {
    if (given.seconds == 0) given.seconds = WebOptions().seconds;
    if (given.clients == 0) given.clients = WebOptions().clients;
  });
}

Printed version() { return {fmt::format("ssxrver-bench {}\n", build_info().version)}; }

}  // namespace

StartupResult<Command> parse_command(int argc, const char* const* argv) {
  CLI::App app("ssxrver-bench: load for servers, and what they make of it.", "ssxrver-bench");
  app.set_help_flag("-h,--help", "Print this and exit");
  app.require_subcommand(0, 1);
  bool wants_version = false;
  app.add_flag("-V,--version", wants_version, "Print the version and exit");
  HttpOptions http;
  WsOptions ws;
  TcpOptions tcp;
  UdpOptions udp;
  WebOptions web;
  CLI::App* const for_http = app.add_subcommand("http", "Requests of HTTP");
  add_http(*for_http, http);
  CLI::App* const for_ws = app.add_subcommand("ws", "Messages of WebSockets");
  add_ws(*for_ws, ws);
  CLI::App* const for_tcp = app.add_subcommand("tcp", "Bytes that come back");
  add_tcp(*for_tcp, tcp);
  CLI::App* const for_udp = app.add_subcommand("udp", "Datagrams that come back");
  add_udp(*for_udp, udp);
  CLI::App* const for_web = app.add_subcommand("web", "As webbench 1.5 does it");
  add_web(*for_web, web);
  for_web->add_flag("-V,--version", wants_version, "Print the version and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return Printed{chosen.empty() ? app.help() : chosen.front()->help()};
  } catch (const CLI::ParseError& error) {
    if (wants_version) return version();
    return fail_start(ExitCode::kUsage, fmt::format("{} (--help lists the options)", error.what()));
  }
  if (wants_version) return version();
  if (for_http->parsed()) return http;
  if (for_ws->parsed()) return ws;
  if (for_tcp->parsed()) return tcp;
  if (for_udp->parsed()) return udp;
  if (for_web->parsed()) return web;
  return Printed{app.help()};
}

}  // namespace ssx::load

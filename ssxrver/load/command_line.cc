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

void add_seconds(CLI::App& app, const char* names, double& value, const char* what,
                 double least = 0) {
  app.add_option(names, value, what)
      ->transform(as_seconds())
      ->check(CLI::Range(least, kSecondsMax))
      ->option_text("TIME");
}

template <class Number>
CLI::Option* add_number(CLI::App& app, const char* names, Number& value, const char* what,
                        Number least, Number most) {
  return app.add_option(names, value, what)
      ->check(CLI::Range(least, most))
      ->option_text(fmt::format("{}..{}", least, most));
}

void add_url(CLI::App& app, std::string& url, const char* form) {
  app.add_option("url", url, form)->required()->type_name("URL");
}

void add_common(CLI::App& app, CommonOptions& given, const char* url, const char* each) {
  add_url(app, given.url, url);
  add_number(app, "-c,--connections", given.connections, "Connections (100)", 1U, kConnectionsMax);
  add_number(app, "-t,--threads", given.threads, "Threads, each with a loop (1)", 1U, kThreadsMax);
  add_seconds(app, "-d,--duration", given.seconds, "How long to measure (10s)", 0.001);
  add_seconds(app, "--warm-up", given.warm_up, "How long before that (1s)");
  add_number(app, "-R,--rate", given.rate,
             "Requests per second, latency from the intended start; 0: as fast as it goes", 0.0,
             1e9);
  add_number(app, "-p,--pipeline", given.depth, "Requests sent at once on a connection (1)", 1U,
             kDepthMax);
  app.add_flag("--each", given.each, each);
  add_number(app, "--pid", given.server,
             "Process id of the server: its CPU time and memory are told, too", 1U, kProcessMax);
  add_seconds(app, "--timeout", given.timeout, "For an answer (10s)", 0.001);
  app.add_option("--source", given.sources,
                 "Connect from this address, in turn with others (may be repeated)")
      ->allow_extra_args(false)
      ->option_text("ADDRESS");
  app.add_option("--format", given.format, "How the result is printed (text)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Format>{
          {"text", Format::kText}, {"json", Format::kJson}, {"csv", Format::kCsv}}))
      ->option_text("text|json|csv");
  app.add_flag("-q,--quiet", given.is_quiet, "No line that says how far it is");
}

void add_idle(CLI::App& app, CommonOptions& given) {
  app.add_flag("--idle", given.idle, "Each connection has one answer, stands, and says nothing");
}

void add_size(CLI::App& app, std::uint64_t& size, const char* what) {
  add_number(app, "--size", size, what, std::uint64_t{0}, kMessageMax);
}

void add_http(CLI::App& app, HttpOptions& given) {
  add_common(app, given, "http://HOST[:PORT]/PATH", "A connection for each request");
  app.add_option("-m,--method", given.method, "The method (GET)")->option_text("METHOD");
  app.add_option("-H,--header", given.fields, "A field: -H \"Accept: */*\" (may be repeated)")
      ->allow_extra_args(false)
      ->option_text("FIELD");
  app.add_option("--data", given.body, "The body of each request")->option_text("TEXT");
  app.add_option("--file", given.file, "A file that is the body of each request")
      ->option_text("PATH");
  add_idle(app, given);
}

void add_ws(CLI::App& app, WsOptions& given) {
  add_common(app, given, "ws://HOST[:PORT]/PATH of a server that sends back what it is sent",
             "For each message a handshake, and a closing one behind it");
  add_size(app, given.size, "Bytes of a message (64), or of a frame of --bytes");
  add_number(app, "--bytes", given.bytes,
             "Bytes of a message in many frames; the server may answer what it likes",
             std::uint64_t{1}, kUploadMax);
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
  add_url(app, given.url, "http://HOST[:PORT]/PATH");
  app.add_flag("-f,--force", given.forces, "Don't wait for the answer");
  app.add_flag("-r,--reload", given.reloads, "Send Pragma: no-cache to the proxy");
  add_number(app, "-t,--time", given.seconds, "Seconds to run (30, also for 0)", 0U, 86'400U)
      ->take_last();
  app.add_option("-p,--proxy", given.proxy, "Ask a proxy, at port 80 unless told")
      ->check([](const std::string& proxy) { return proxy.empty() ? "it names no host" : ""; })
      ->option_text("HOST[:PORT]")
      ->take_last();
  add_number(app, "-c,--clients", given.clients, "Clients at the same time (1, also for 0)", 0U,
             kConnectionsMax)
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
    return Printed{chosen.empty() ? app.help() : chosen.front()->help("ssxrver-bench")};
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

#include <fmt/core.h>

#include "ssxrver/load/command_line.h"

namespace {

using ssx::StartupError;
using ssx::StartupResult;

StartupResult<int> run(const ssx::load::Printed& printed) {
  fmt::print("{}", printed.text);
  return 0;
}
StartupResult<int> run(const ssx::load::HttpOptions& options) {
  return ssx::load::run_http(options);
}
StartupResult<int> run(const ssx::load::WsOptions& options) { return ssx::load::run_ws(options); }
StartupResult<int> run(const ssx::load::TcpOptions& options) { return ssx::load::run_tcp(options); }
StartupResult<int> run(const ssx::load::UdpOptions& options) { return ssx::load::run_udp(options); }
StartupResult<int> run(const ssx::load::WebOptions& options) { return ssx::load::run_web(options); }

int report(const StartupError& error) {
  fmt::print(stderr, "ssxrver-bench: {}\n", error.text());
  return error.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  const auto command = ssx::load::parse_command(argc, argv);
  if (!command) return report(command.error());
  const auto status = std::visit([](const auto& options) { return run(options); }, *command);
  return status ? *status : report(status.error());
}

// What ssxrver-bench was asked to do.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: those of the options
#pragma once

#include <string>
#include <variant>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/echo_command.h"
#include "ssxrver/load/http_command.h"
#include "ssxrver/load/web_command.h"
#include "ssxrver/load/ws_command.h"

namespace ssx::load {

/// A text to be printed.
struct Printed {
  std::string text;
};
using Command = std::variant<Printed, HttpOptions, WsOptions, TcpOptions, UdpOptions, WebOptions>;

/// The error is a sentence for the terminal.
StartupResult<Command> parse_command(int argc, const char* const* argv);

}  // namespace ssx::load

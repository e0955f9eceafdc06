// What `ssxrver-bench http` was asked to do.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: HttpPlan, CrewOptions
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/crew.h"
#include "ssxrver/load/http_plan.h"

namespace ssx::load {

enum class Format : std::uint8_t { kText, kJson, kCsv };

/// As the command line has it.
struct HttpOptions {
  std::string url;
  std::string method = "GET";
  std::vector<std::string> fields;  ///< "Name: value"
  std::string body;
  std::vector<std::string> sources;
  bool request_each = false;  ///< a connection for each request
  std::uint32_t connections = 100;
  std::uint32_t threads = 1;
  std::uint32_t depth = 1;
  double rate = 0;
  double seconds = 10;
  double warm_up = 1;
  double timeout = 10;
  Format format = Format::kText;
  bool is_quiet = false;
};

/// What can be done, with a request put together and the name of the host looked up. The error is a
/// sentence.
StartupResult<HttpPlan> make_plan(const HttpOptions& options);

/// Runs it and prints what came of it. An exit status: 1 when nothing was answered.
StartupResult<int> run_http(const HttpOptions& options);

}  // namespace ssx::load

// What `ssxrver-bench http` was asked to do.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: those of CommonOptions
#pragma once

#include <string>
#include <vector>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/common_options.h"
#include "ssxrver/load/http_plan.h"

namespace ssx::load {

struct HttpOptions : CommonOptions {
  std::string method = "GET";
  std::vector<std::string> fields;  ///< "Name: value"
  std::string body;
  std::string file;  ///< path of one that is the body
};

/// What can be done, with a request put together and the name of the host looked up. The error is a
/// sentence.
StartupResult<HttpPlan> make_plan(const HttpOptions& options);

/// Carries it out; an exit status.
StartupResult<int> run_http(const HttpOptions& options);

}  // namespace ssx::load

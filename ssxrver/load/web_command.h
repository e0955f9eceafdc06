// What `ssxrver-bench web` was asked to do: the options, the requests and the result lines of
// webbench 1.5, so that what was measured with the one can be measured with the other.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: HttpPlan
//
// As there, one connection is tried first; then each client makes a connection for a request and
// reads until the server closes, and a page is counted whatever it says. Unlike there, a client is
// a socket and no process, the Host field has the port, and the exit status is no count of pages.
#pragma once

#include <cstdint>
#include <string>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/crew.h"
#include "ssxrver/load/http_plan.h"

namespace ssx::load {

struct WebOptions {
  enum class Version : std::uint8_t { kHttp09, kHttp10, kHttp11 };

  std::string url;
  std::string method = "GET";
  Version version = Version::kHttp10;
  bool forces = false;   ///< does not wait for the answer
  bool reloads = false;  ///< Pragma: no-cache, which only a proxy is told
  std::string proxy;     ///< HOST[:PORT]; empty: none
  std::uint32_t clients = 1;
  std::uint32_t seconds = 30;
};

/// HEAD is at least HTTP/1.0, and so is what goes to a proxy to be loaded again; OPTIONS and TRACE
/// are HTTP/1.1.
[[nodiscard]] WebOptions::Version version_of(const WebOptions& options) noexcept;

StartupResult<HttpPlan> make_plan(const WebOptions& options);

/// "Benchmarking: GET http://...", as it stands before the measuring.
[[nodiscard]] std::string describe(const WebOptions& options);
/// "Speed=... pages/min, ... bytes/sec." and "Requests: ... susceed, ... failed."
[[nodiscard]] std::string to_pages(const Outcome& outcome);

/// An exit status: 1 when nobody listens, or nothing was answered.
StartupResult<int> run_web(const WebOptions& options);

}  // namespace ssx::load

// What every kind of load can be told, and how it is carried out.
//
// Thread: the main thread
// Owner:  main
// Life:   the process
// Bounds: LoadPlan, CrewOptions
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/startup_error.h"
#include "ssxrver/load/crew.h"
#include "ssxrver/load/load_plan.h"

namespace ssx::load {

enum class Format : std::uint8_t { kText, kJson, kCsv };

/// As the command line has it.
struct CommonOptions {
  std::string url;
  std::vector<std::string> sources;
  bool each = false;  ///< a connection for each request
  std::uint32_t connections = 100;
  std::uint32_t threads = 1;
  std::uint32_t depth = 1;
  double rate = 0;
  double seconds = 10;
  double warm_up = 1;
  double timeout = 10;
  std::uint32_t server = 0;  ///< process id of the server, when it is on this machine
  bool idle = false;         ///< one answer for each connection, which then stands
  Format format = Format::kText;
  bool is_quiet = false;
};

/// `plan` as they say, with the address of the host. The error is a sentence.
StartupResult<void> fill(LoadPlan& plan, const CommonOptions& options, std::string_view host,
                         std::uint16_t port);

/// Bytes of a message: letters, the same each time.
[[nodiscard]] std::string sample_payload(std::uint64_t size);

/// Carries it out and prints what came of it, named `kind`. An exit status: 1 when something has
/// failed and nothing was answered, or of idle connections none stands.
StartupResult<int> measure(std::string_view kind, const CommonOptions& options,
                           const LoadPlan& plan, const Crew::MakeLoad& make_load);

}  // namespace ssx::load

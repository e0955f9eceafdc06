// One line for each exchange: who asked for what, and what became of it.
//
// Thread: Rules are immutable; an AccessLog is loop-only
// Owner:  Service (Rules), WorkerState (AccessLog)
// Life:   that of the server; the sink lives longer
// Bounds: AccessLogOptions; one line_max of memory. A full sink drops lines and never waits
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/access_format.h"
#include "http/access_time.h"
#include "http/counters.h"
#include "http/options.h"
#include "http/params.h"
#include "http/response.h"
#include "http/router.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/line_sink.h"
#include "ssxrver/base/result.h"

namespace ssx::http {

class AccessLog {
 public:
  /// What the lines of all workers have in common.
  struct Rules {
    /// kInvalidArgument names the key: a format that is none (AccessFormat::compile says why), a
    /// share outside 0 .. 1, a path pattern that is none.
    static Result<std::unique_ptr<const Rules>> create(const AccessLogOptions& options,
                                                       LineSink sink);
    Rules(AccessFormat compiled, LineSink lines) : format(std::move(compiled)), sink(lines) {}

    AccessFormat format;
    LineSink sink;
    Router excluded;
    std::uint64_t step = kWhole;  ///< of kWhole: the share of exchanges that get a line
    bool is_utc = false;
  };
  /// What has been sent, or begun to be. Places are counted in bytes of the connection.
  struct Answer {
    int status = 0;  ///< 0: nothing
    std::uint64_t start = 0;
    std::uint64_t body_start = 0;
    std::string type;  ///< these three are filled where the format wants them
    std::string prepared;
    std::string fields;
    void take_fields(const Response& response);
    void clear() noexcept;
  };

  static constexpr std::uint64_t kWhole = std::uint64_t{1} << 52;

  AccessLog(const Rules& rules, std::uint32_t worker, Counters& counters);

  /// Asked once for each exchange: shall it have a line? `path` is normalised, or empty.
  [[nodiscard]] bool wants(std::string_view path) noexcept;
  void write(const AccessEntry& entry) noexcept;

  /// Bytes that were to be a request line, and are none: for the line of their refusal, which
  /// follows at once.
  void note_bad_line(std::string_view bytes) noexcept;
  [[nodiscard]] std::string_view take_bad_line() noexcept;

  /// For an answer that is written in one go.
  [[nodiscard]] Answer& answer() noexcept { return answer_; }

  [[nodiscard]] const AccessFormat& format() const noexcept { return rules_.format; }

 private:
  const Rules& rules_;
  Counters& counters_;
  AccessTime time_;
  std::uint64_t share_;  ///< what has come together since the last line
  std::string_view bad_line_;
  Answer answer_;
  Params params_;
  std::vector<char> room_;
};

}  // namespace ssx::http

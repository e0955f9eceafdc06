// What the counters of the log are called where somebody reads them.
//
// Thread: immutable
// Owner:  -
// Life:   -
// Bounds: a line per counter
#pragma once

#include <cstddef>
#include <cstdint>

#include "ssxrver/log/logger.h"
#include "ssxrver/metrics/registry.h"

namespace ssx {
namespace internal {

template <std::uint64_t log::LogStats::*kStat>
inline constexpr metrics::Read<log::Logger> kReadLog{
    [](const log::Logger& logger, std::size_t) { return logger.stats().*kStat; }};

}  // namespace internal

inline constexpr metrics::Field<log::Logger> kLogFields[] = {
    {"ssxrver_log_lines_total", "Lines of the log that are written.",
     internal::kReadLog<&log::LogStats::written>},
    {"ssxrver_log_lost_total",
     "Lines of the log that are lost.",
     internal::kReadLog<&log::LogStats::lost_overflow>,
     {"reason", "overflow"}},
    {"ssxrver_log_lost_total",
     "Lines of the log that are lost.",
     internal::kReadLog<&log::LogStats::lost_file>,
     {"reason", "file"}},
    {"ssxrver_log_files_total", "Files of the log that were opened.",
     internal::kReadLog<&log::LogStats::files>},
    {"ssxrver_log_file_failures_total", "Attempts to open or to write a file that failed.",
     internal::kReadLog<&log::LogStats::file_failures>},
    {"ssxrver_log_cut_total", "Lines of the log that were cut.",
     internal::kReadLog<&log::LogStats::cut>},
    {"ssxrver_log_files_removed_total", "Old files of the log that were removed.",
     internal::kReadLog<&log::LogStats::files_removed>},
};

}  // namespace ssx

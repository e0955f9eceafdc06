// What a Registry counted, as Prometheus reads it (text exposition format 0.0.4).
//
// Thread: any thread
// Owner:  the caller owns the text
// Life:   each call stands alone
// Bounds: about 100 bytes per series, and per bucket of a histogram
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ssxrver/metrics/registry.h"

namespace ssx::metrics {

inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

/// `to_text(registry.scrape())`
[[nodiscard]] std::string to_text(std::span<const Family> families);

}  // namespace ssx::metrics

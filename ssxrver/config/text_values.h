// The small languages inside the strings of the file: "64k", "10s", "1000/s burst 2000", "0-3,8".
// Each reader takes the whole text or nothing; each writer gives what its reader takes.
//
// Thread: any thread
// Owner:  values
// Life:   any
// Bounds: 64 bits; 1024 processor cores
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/net/udp_options.h"

namespace ssx::config {

/// "off" and "false", "on" and "true", in any case.
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text) noexcept;
[[nodiscard]] constexpr const char* show_switch(bool on) noexcept { return on ? "on" : "off"; }

/// Digits with an optional minus.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text) noexcept;

/// "4096", "64k", "64M", "1G": powers of 1024, the letter in either case.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text) noexcept;
/// "64k" where the number is round, else its digits.
[[nodiscard]] std::string show_size(std::uint64_t bytes);

/// "10ms", "5s", "1m", "2h", "1d", and "0".
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_time(std::string_view text) noexcept;
/// In the largest unit, up to hours, that needs no fraction.
[[nodiscard]] std::string show_time(std::chrono::milliseconds time);

/// "1000/s", "60/m burst 100"; a burst left out is the number of events. Empty = no limit.
[[nodiscard]] std::optional<net::Rate> parse_rate(std::string_view text) noexcept;
[[nodiscard]] std::string show_rate(const net::Rate& rate);

/// "0-3,8": processor cores in the order given, each once.
[[nodiscard]] std::optional<std::vector<unsigned>> parse_cores(std::string_view text);

/// The octal digits of a file mode or mask, "022" or "0660", up to 0777.
[[nodiscard]] std::optional<unsigned> parse_octal(std::string_view text) noexcept;
[[nodiscard]] std::string show_octal(unsigned mode);

inline constexpr unsigned kCoresMax = 1024;

}  // namespace ssx::config

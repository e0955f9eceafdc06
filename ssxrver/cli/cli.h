// The options of a program, by CLI11: where it is included, and nowhere else.
//
// Thread: one, before others are started
// Owner:  -
// Life:   one parse
// Bounds: -
//
// CLI11 is header-only and large: only the one file of a program that describes its options may
// take the time to read it.
#pragma once

#include <CLI/CLI.hpp>  // IWYU pragma: export

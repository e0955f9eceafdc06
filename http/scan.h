// Jumps over the bytes that the grammar has nothing to say about: 16 or 32 at a time.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: never reads outside [first, last), not even within a page
//
// The skips return the first byte in [first, last) that does not belong to the set, or `last`. All
// instruction sets give the same answers; the parser picks one at run time with best_isa().
#pragma once

#include "ssxrver/base/isa.h"

namespace ssx::http {

/// tchar (RFC 9110 5.6.2): field names and methods.
[[nodiscard]] const char* skip_token(Isa isa, const char* first, const char* last) noexcept;

/// What split_target() lets through: VCHAR without '"', '#', '<', '>' and '\'.
[[nodiscard]] const char* skip_target(Isa isa, const char* first, const char* last) noexcept;

/// What a field value may hold: HTAB, SP, VCHAR and obs-text (RFC 9110 5.5).
[[nodiscard]] const char* skip_value(Isa isa, const char* first, const char* last) noexcept;

/// True when no "/" of [first, last) is followed by "/" or ".": there is no empty and no dot
/// segment to remove.
[[nodiscard]] bool is_plain_path(Isa isa, const char* first, const char* last) noexcept;

}  // namespace ssx::http

// Masks and unmasks (RFC 6455 5.3: the same thing), 128 bytes at a time.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: touches exactly the bytes it is given
//
// All instruction sets give the same bytes; best_isa() picks one at run time.
#pragma once

#include <cstddef>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/isa.h"
#include "websocket/frame.h"

namespace ssx::websocket {

/// `offset`: the place in the payload of its frame of the first of `bytes`.
void apply_mask(MutableBytes bytes, const MaskKey& key, std::size_t offset,
                Isa isa = best_isa()) noexcept;

/// The same from `from` to `to`, which has as many bytes or more. They may overlap when `to` begins
/// first, or where `from` begins.
void copy_masked(ByteView from, std::byte* to, const MaskKey& key, std::size_t offset,
                 Isa isa = best_isa()) noexcept;

}  // namespace ssx::websocket

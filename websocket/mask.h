// Masks and unmasks (RFC 6455 5.3: the same thing), 128 bytes at a time.
//
// Thread: pure functions
// Owner:  -
// Life:   -
// Bounds: touches exactly the bytes it is given
//
// All instruction sets give the same bytes; http::best_isa() picks one at run time.
#pragma once

#include <cstddef>

#include "http/scan.h"
#include "ssxrver/base/bytes.h"
#include "websocket/frame.h"

namespace ssx::websocket {

using http::Isa;

/// `offset`: the place in the payload of its frame of the first of `bytes`.
void apply_mask(MutableBytes bytes, const MaskKey& key, std::size_t offset,
                Isa isa = http::best_isa()) noexcept;

/// The same from `from` to `to`, which has as many bytes or more. They may overlap when `to` begins
/// first, or where `from` begins.
void copy_masked(ByteView from, std::byte* to, const MaskKey& key, std::size_t offset,
                 Isa isa = http::best_isa()) noexcept;

}  // namespace ssx::websocket

// Turns the pieces of a streamed body into others on their way out: a content coding.
//
// Thread: loop-only
// Owner:  the BodyWriter
// Life:   that of the body
// Bounds: it is given BodyWriter::kFilterPieceMax bytes at a time
#pragma once

#include <cstdint>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"

namespace ssx::http {

/// What ends behind a piece.
enum class PieceEnd : std::uint8_t {
  kNothing,  ///< more of the same write follows at once
  kWrite,    ///< the next piece may be long in coming
  kBody,
};

/// What to send in place of `piece`; valid until the next call. An error cuts the body off.
using BodyFilter = UniqueFunction<Result<std::string_view>(std::string_view piece, PieceEnd end)>;

}  // namespace ssx::http

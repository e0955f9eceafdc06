// Answers to a GET with a Range: one part, several as multipart/byteranges, or none (RFC 9110 14.2,
// 15.3.7 and 15.5.17).
//
// Thread: loop-only (the answer holds a LocalRef)
// Owner:  -
// Life:   -
// Bounds: RangeSet::kMax parts, each with some 200 bytes of its own
#pragma once

#include "http/files/file_cache.h"
#include "http/files/range.h"
#include "http/response.h"

namespace ssx::http {

/// 206 with the ranges of `form`, which `keep` keeps; 416 where they cannot be given. The verdict
/// of `asked` is one of these two. `zero_copy` as FileSlice has it.
[[nodiscard]] Response make_partial(const Representation& form, const LocalRef<LocalShared>& keep,
                                    const RangeSet& asked, bool zero_copy);

}  // namespace ssx::http

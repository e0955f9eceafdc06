// Compresses answers for clients that take it (RFC 9110 8.4, 12.5.3).
//
// Thread: as Middleware
// Owner:  encoders and small compressed bodies, per worker
// Life:   that of the server
// Bounds: CompressionOptions::encoders_max at work per worker, then answers leave as they are;
//         bodies longer than kCompressedWholeMax are compressed piece by piece while they leave;
//         EncodedCache. At OverloadLevel::kStop nothing is kept, and answers leave as they are
//
// Texts, files and streams; each write() of a stream can be read by the client at once. What is
// left alone: Compressible. A strong ETag becomes weak, because the bytes are others (RFC 9110
// 8.8.1): conditions of GET still hold with it, parts cannot be asked for with it.
//
// An answer that has a secret beside something that the asker chose tells how well the two match by
// how short it gets (BREACH): such pages say `Cache-Control: no-transform`.
#pragma once

#include <cstddef>

#include "http/middleware.h"
#include "http/options.h"

namespace ssx::http {

/// The longest body that is compressed at once.
inline constexpr std::size_t kCompressedWholeMax = 64 << 10;

/// Codings that this build has not are not used. The bytes of Response::permanent() are taken to
/// stay what they are.
[[nodiscard]] Middleware compression(const CompressionOptions& options = {});

}  // namespace ssx::http

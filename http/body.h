// The body of a request: whole, in memory or in a file when it is long; or as it arrives, for a
// coroutine that asked for that (BodyMode::kStream).
//
// Thread: loop-only
// Owner:  the exchange
// Life:   until the response is complete; views die with it
// Bounds: HttpOptions::body_max, body_spool_threshold, upload_tmp_total; BodyStream::kPendingMax
//         bytes wait for a coroutine that reads a stream, then the peer waits
//
//   while (auto piece = co_await request.body().read()) {
//     if (piece->empty()) break;  // the end
//     store(*piece);
//   }
#pragma once

#include <cstdint>
#include <string_view>

#include "http/body_stream.h"

namespace ssx::http {

struct Body {
  std::string_view text;  ///< the bytes; empty when they are in a file or still to come
  int file = -1;          ///< a descriptor to read with pread(), or -1; it closes with the exchange
  std::uint64_t size = 0;  ///< bytes, wherever they are; of a stream those that have arrived
  BodyStream* stream =
      nullptr;  ///< what read() takes from; null for a handler that is no coroutine

  [[nodiscard]] bool is_spooled() const noexcept { return file >= 0; }

  /// For coroutines, one at a time. co_await gives a Result<std::string_view>: the next piece,
  /// valid until the next read(); empty at the end. It fails only when a spooled body cannot be
  /// read: a body that breaks off, or is too large or too slow, ends the coroutine instead.
  [[nodiscard]] BodyStream::ReadAwaiter read() const { return BodyStream::ReadAwaiter(*stream); }
};

}  // namespace ssx::http

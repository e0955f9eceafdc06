// The body of an answer as a coroutine makes it, piece by piece: ssx::BodyWriter.
//
// Thread: loop-only
// Owner:  the answer
// Life:   from the head of the answer to its last byte. A client that goes away ends the coroutine
//         where it waits
// Bounds: ConnectionOptions::output_high unsent bytes; above it write() waits
#pragma once

#include <cstdint>
#include <string_view>

#include "ssxrver/plugin/sdk/error.h"
#include "ssxrver/plugin/sdk/tables.h"
#include "ssxrver/plugin/sdk/wait.h"

namespace ssx::plugin {

class [[nodiscard]] BodyWriteAwaiter final : private internal::HostWait {
 public:
  BodyWriteAwaiter(ssxrver_writer* raw, std::string_view bytes) noexcept
      : raw_(raw), bytes_(bytes) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) noexcept {
    const ssxrver_text bytes = internal::to_text(bytes_);
    return suspend(handle, internal::tables.http->write(raw_, bytes, waiter(), slot()));
  }
  Result<void> await_resume() {
    if (status() == SSXRVER_OK) return {};
    return fail(status());
  }

 private:
  ssxrver_writer* raw_;
  std::string_view bytes_;
};

class BodyWriter {
 public:
  explicit BodyWriter(ssxrver_writer* raw) noexcept : raw_(raw) {}
  BodyWriter(const BodyWriter&) = delete;
  BodyWriter& operator=(const BodyWriter&) = delete;

  /// co_await gives a Result<void>: every byte is queued for sending.
  [[nodiscard]] BodyWriteAwaiter write(std::string_view bytes) noexcept {
    return BodyWriteAwaiter(raw_, bytes);
  }
  /// A field to be sent behind the body (RFC 9112 7.1.2).
  Result<void> trailer(std::string_view name, std::string_view value) {
    const std::int32_t status =
        internal::tables.http->trailer(raw_, internal::to_text(name), internal::to_text(value));
    if (status == SSXRVER_OK) return {};
    return fail(status);
  }

 private:
  ssxrver_writer* raw_;
};

}  // namespace ssx::plugin

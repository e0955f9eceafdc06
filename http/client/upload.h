// The body of a request on its way: a text at once, a streamed one by a coroutine beside the
// exchange.
//
// Thread: loop-only
// Owner:  the exchange; destroying it cancels the coroutine
// Life:   from start() until the body is queued, or nobody takes the rest
// Bounds: those of UploadWriter
#pragma once

#include <optional>

#include "http/client/client_request.h"
#include "ssxrver/base/error.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/task.h"

namespace ssx::http {

class Upload final : private Continuation {
 public:
  /// `connection` must outlive it.
  Upload(ClientConnection& connection, RequestBody body);
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  void start();
  /// The end of the body is queued.
  [[nodiscard]] bool is_done() const noexcept { return done_; }
  /// Why it will never be.
  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }

 private:
  void send_text();
  void finish();

  ClientConnection& connection_;
  const RequestBody body_;
  UploadWriter writer_;
  Task<Result<void>> task_;
  bool done_ = false;
  std::optional<Error> error_;
};

}  // namespace ssx::http

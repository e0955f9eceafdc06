#include "http/client/upload.h"

#include <exception>

#include "http/client/client_connection.h"
#include "http/error.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/net/spawn.h"

namespace ssx::http {
namespace {
constexpr std::size_t kCopiedMax = 16 << 10;  // a longer text is sent from where it is
}

Upload::Upload(ClientConnection& connection, RequestBody body)
    : Continuation([](Continuation& self) noexcept { static_cast<Upload&>(self).finish(); }),
      connection_(connection),
      body_(std::move(body)),
      writer_(connection, body_.length()) {}

void Upload::start() {
  if (!body_.is_streamed()) return send_text();
  task_ = body_.stream()(writer_);
  if (task_.start(*this)) finish();
}

void Upload::send_text() {
  done_ = true;
  OutQueue* const out = connection_.out();
  if (out == nullptr || body_.is_empty()) return;
  const ByteView bytes = as_bytes(body_.text());
  if (bytes.size() <= kCopiedMax) return out->append_copy(bytes);
  out->append_kept(bytes, body_.keep());
}

void Upload::finish() {
  Result<void> result;
  try {
    result = task_.result();
  } catch (...) {
    net::log_failure(std::current_exception());
    result = fail(Errc::kBodyWriterFailed, "request body");
  }
  if (result) result = writer_.finish();
  if (result) {
    done_ = true;
  } else {
    error_ = result.error();
  }
  connection_.interrupt();
}

}  // namespace ssx::http

// Turns a Response into bytes: status line, fields, framing (RFC 9110 and RFC 9112).
//
// Thread: loop-only
// Owner:  WorkerState
// Life:   that of the worker
// Bounds: the head is written in one piece; a body of up to kCopyMax is copied behind it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/date.h"
#include "http/options.h"
#include "http/response.h"
#include "http/version.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/out_queue.h"

namespace ssx::http {

class ResponseWriter {
 public:
  /// What the writer must know of the request.
  struct Context {
    Version version = Version::kHttp11;
    bool keep_alive = true;
    bool is_head = false;  ///< the fields of a GET, and no body (RFC 9110 9.3.2)
  };

  /// Longer bodies leave from where they are instead of being copied.
  static constexpr std::size_t kCopyMax = 4 << 10;

  explicit ResponseWriter(const HttpOptions& options);

  /// Writes the whole answer; the content of `response` is moved out. Of one whose body is a
  /// stream, the head: without a length it is chunked, in HTTP/1.0 it needs the end of the
  /// connection.
  void write(OutQueue& out, Response& response, const Context& context);
  /// "HTTP/1.1 100 Continue"
  static void write_continue(OutQueue& out);

  /// Sets what the Date field says; once per second is enough.
  void set_time(std::int64_t unix_seconds);

 private:
  static void write_content(OutQueue& out, Response::Content& content);
  static void write_piece(OutQueue& out, Response::Piece& piece);

  const bool has_date_;
  std::string common_;  ///< Server and Date lines, ready-made
  std::size_t date_at_ = 0;
};

}  // namespace ssx::http

// A copy of a request with all that it refers to, for a thread that is not its loop's.
//
// Thread: made on the loop; then that of whoever works on it
// Owner:  whoever works on it
// Life:   as long as somebody works on it, whatever becomes of the connection
// Bounds: those of the request: head and body in memory; of a spooled body, one descriptor
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "http/request.h"
#include "ssxrver/base/result.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::http {

class DetachedRequest {
 public:
  /// An error when a spooled body's descriptor cannot be duplicated. Attributes come along; the
  /// body is whole, and read() is not for it.
  static Result<std::unique_ptr<DetachedRequest>> copy(const Request& source);

  /// Request::stop_token().
  void set_stop_token(std::stop_token stop) noexcept;
  [[nodiscard]] const Request& request() const noexcept { return request_; }

 private:
  DetachedRequest(const Request& source, sys::UniqueFd file);
  void own_names();

  std::string head_bytes_;
  std::string path_;
  std::string query_;
  std::string text_;
  std::string route_;
  std::string names_;  ///< of the placeholders
  sys::UniqueFd file_;
  Head head_;
  Params params_;
  Body body_;
  net::SocketAddress peer_;
  net::SocketAddress client_;
  Request request_;
};

}  // namespace ssx::http

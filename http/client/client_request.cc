#include "http/client/client_request.h"

#include <algorithm>
#include <charconv>

#include "http/client/client_connection.h"
#include "http/error.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/net/error.h"

namespace ssx::http {
namespace {

constexpr std::size_t kPieceMax = 64 << 10;

void append_chunk(OutQueue& out, std::string_view bytes) {
  char line[18];
  char* const end = std::to_chars(line, line + 16, bytes.size(), 16).ptr;
  end[0] = '\r';
  end[1] = '\n';
  out.append_copy(as_bytes({line, static_cast<std::size_t>(end + 2 - line)}));
  out.append_copy(as_bytes(bytes));
  out.append_static(as_bytes("\r\n"));
}

}  // namespace

Task<Result<void>> UploadWriter::write(std::string_view bytes) {
  if (!chunked_ && bytes.size() > left_) co_return fail(Errc::kBodyNotAsAnnounced, "write");
  while (!bytes.empty()) {
    const Result<void> room = co_await connection_.room();
    if (!room) co_return fail(room.error());
    OutQueue* const out = connection_.out();
    if (out == nullptr) co_return fail(net::Errc::kClosed, "write");
    const std::string_view piece = bytes.substr(0, kPieceMax);
    bytes.remove_prefix(piece.size());
    if (chunked_) {
      append_chunk(*out, piece);
    } else {
      out->append_copy(as_bytes(piece));
      left_ -= piece.size();
    }
  }
  co_return Result<void>();
}

Result<void> UploadWriter::finish() {
  if (!chunked_) {
    if (left_ > 0) return fail(Errc::kBodyNotAsAnnounced, "write");
    return {};
  }
  if (OutQueue* const out = connection_.out()) out->append_static(as_bytes("0\r\n\r\n"));
  return {};
}

RequestBody::RequestBody(std::string text) : text_(new Text(std::move(text))) {}

RequestBody RequestBody::streamed(Stream stream, std::optional<std::uint64_t> length) {
  RequestBody body;
  body.stream_ = std::move(stream);
  body.length_ = length;
  return body;
}

std::optional<std::uint64_t> RequestBody::length() const noexcept {
  return is_streamed() ? length_ : text().size();
}

}  // namespace ssx::http

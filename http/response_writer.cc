#include "http/response_writer.h"

#include <charconv>
#include <cstring>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::http {
namespace {

constexpr std::string_view kContinueLine = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::size_t kFixedMax = 256;  // status line, Content-Length, Connection, CRLFs

/// Appends text to room that is known to be large enough.
class Cursor {
 public:
  explicit Cursor(MutableBytes room) noexcept : begin_(room.data()), at_(room.data()) {}

  void put(std::string_view text) noexcept {
    if (text.empty()) return;  // perhaps without an address
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put_number(std::uint64_t number) noexcept {
    char* const text = reinterpret_cast<char*>(at_);
    at_ += std::to_chars(text, text + 20, number).ptr - text;
  }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* const begin_;
  std::byte* at_;
};

// A number of no known meaning has no reason phrase; the space in front of it stays (RFC 9112 4).
void put_status(Cursor& head, Status status) noexcept {
  if (const std::string_view line = status_line(status); !line.empty()) return head.put(line);
  head.put("HTTP/1.1 ");
  head.put_number(static_cast<std::uint64_t>(to_int(status)));
  head.put(" \r\n");
}

/// The text of a body that lies in memory and is short enough to be copied.
std::string_view short_text(const Response::Content& content) noexcept {
  std::string_view text;
  if (const auto* owned = std::get_if<std::string>(&content)) text = *owned;
  if (const auto* view = std::get_if<Response::View>(&content)) text = view->bytes;
  if (const auto* kept = std::get_if<Response::Kept>(&content)) text = kept->bytes;
  return text.size() <= ResponseWriter::kCopyMax ? text : std::string_view();
}

void append(OutQueue& out, Response::Kept& kept) {
  if (kept.file < 0) return out.append_kept(as_bytes(kept.bytes), std::move(kept.keep));
  out.append_file({.fd = kept.file, .size = kept.bytes.size(), .keep = std::move(kept.keep)});
}

/// Keeps a moved-in string alive while the queue sends it.
struct KeptString final : LocalShared {
  explicit KeptString(std::string held) : text(std::move(held)) {}
  const std::string text;
};

}  // namespace

ResponseWriter::ResponseWriter(const HttpOptions& options) : has_date_(options.date_header) {
  if (!options.server_header.empty()) common_ = "Server: " + options.server_header + "\r\n";
  if (!has_date_) return;
  common_ += "Date: ";
  date_at_ = common_.size();
  common_ += std::string(kDateSize, ' ') + "\r\n";
  set_time(0);
}

void ResponseWriter::set_time(std::int64_t unix_seconds) {
  if (!has_date_) return;
  const DateText text = format_date(unix_seconds);
  common_.replace(date_at_, text.size(), view(text));
}

void ResponseWriter::write(OutQueue& out, Response& response, const Context& context) {
  const Status status = response.status();
  const bool has_content = !forbids_content(status);
  const auto* const stream = std::get_if<Response::Stream>(&response.content());
  const bool is_chunked = has_content && stream != nullptr && !stream->length;
  const std::uint64_t body_size = has_content ? response.body_size() : 0;
  const bool sends_body = has_content && !context.is_head && body_size > 0;
  const std::string_view copied = sends_body ? short_text(response.content()) : std::string_view();

  const std::size_t room = kFixedMax + common_.size() + response.content_type().size() +
                           response.fields().size() + response.prepared_fields().size() +
                           copied.size();
  Cursor head(out.reserve(room));
  put_status(head, status);
  head.put(common_);
  if ((body_size > 0 || is_chunked) && !response.content_type().empty()) {
    head.put("Content-Type: ");
    head.put(response.content_type());
    head.put("\r\n");
  }
  head.put(response.prepared_fields());
  head.put(response.fields());
  if (is_chunked) {
    if (context.version == Version::kHttp11) head.put("Transfer-Encoding: chunked\r\n");
  } else if (has_content) {
    head.put("Content-Length: ");
    head.put_number(body_size);
    head.put("\r\n");
  }
  if (const Response::Switch* const next = response.next_protocol()) {
    head.put("Connection: Upgrade\r\nUpgrade: ");
    head.put(next->protocol);
    head.put("\r\n");
  } else if (!context.keep_alive) {
    head.put("Connection: close\r\n");
  } else if (context.version == Version::kHttp10) {
    head.put("Connection: keep-alive\r\n");
  }
  head.put("\r\n");
  head.put(copied);
  SSX_DCHECK(head.size() <= room, head.size(), room);
  out.commit(head.size());
  if (sends_body && copied.empty()) write_content(out, response.content());
}

void ResponseWriter::write_content(OutQueue& out, Response::Content& content) {
  if (auto* owned = std::get_if<std::string>(&content)) {
    const LocalRef<KeptString> kept(new KeptString(std::move(*owned)));
    out.append_kept(as_bytes(kept->text), kept);
  } else if (const auto* view = std::get_if<Response::View>(&content)) {
    out.append_copy(as_bytes(view->bytes));
  } else if (auto* kept = std::get_if<Response::Kept>(&content)) {
    append(out, *kept);
  } else if (auto* file = std::get_if<FileSlice>(&content)) {
    out.append_file(std::move(*file));
  } else if (auto* pieces = std::get_if<std::vector<Response::Piece>>(&content)) {
    for (Response::Piece& piece : *pieces) write_piece(out, piece);
  }
}

void ResponseWriter::write_piece(OutQueue& out, Response::Piece& piece) {
  if (const auto* text = std::get_if<std::string>(&piece)) {
    out.append_copy(as_bytes(*text));
  } else if (auto* kept = std::get_if<Response::Kept>(&piece)) {
    append(out, *kept);
  } else {
    out.append_file(std::move(std::get<FileSlice>(piece)));
  }
}

void ResponseWriter::write_continue(OutQueue& out) { out.append_static(as_bytes(kContinueLine)); }

}  // namespace ssx::http

#include "http/multipart_reader.h"

#include <utility>

#include "http/error.h"
#include "http/options.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/sys/file.h"

namespace ssx::http {
namespace {

using What = Multipart::What;

/// A file that is removed again unless it becomes whole.
class NewFile {
 public:
  NewFile(std::string path, sys::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!is_whole_) (void)sys::unlink(path_.c_str());
  }

  Result<void> append(std::string_view text) {
    ByteView bytes = as_bytes(text);
    while (!bytes.empty()) {
      SSX_TRY(const std::size_t count, sys::write(fd_.get(), bytes));
      bytes = bytes.subspan(count);
    }
    return {};
  }
  /// Says, too, what the system only notices now.
  Result<void> finish() {
    SSX_TRY_VOID(sys::close(fd_.release()));
    is_whole_ = true;
    return {};
  }

 private:
  const std::string path_;
  sys::UniqueFd fd_;
  bool is_whole_ = false;
};

}  // namespace

Result<MultipartReader> MultipartReader::create(const Request& request) {
  if (request.body().stream == nullptr)
    return fail(ssx::Errc::kUnsupported, "MultipartReader outside of a coroutine");
  SSX_TRY(auto parser, Multipart::create(request.header(FieldName::kContentType).value_or(""),
                                         request.options().multipart));
  return MultipartReader(request.body(), std::move(parser));
}

Task<Result<Multipart::Event>> MultipartReader::advance() {
  while (true) {
    const Multipart::Event event = parser_.next(unread_, has_ended_);
    unread_.remove_prefix(event.consumed);
    if (event.what == What::kFailed) co_return fail(event.error, "MultipartReader");
    if (event.what == What::kEnd) is_done_ = true;
    in_part_ = event.what == What::kPartBegin || event.what == What::kData;
    if (event.what != What::kNeedMore) co_return event;
    std::string rest(unread_);  // may lie in what the next read() takes away, or in kept_
    const auto piece = co_await body_->read();
    if (!piece) co_return fail(piece.error());
    has_ended_ = piece->empty();
    if (rest.empty()) {
      unread_ = *piece;
    } else {
      kept_ = std::move(rest.append(*piece));
      unread_ = kept_;
    }
  }
}

Task<Result<MultipartReader::Part*>> MultipartReader::next() {
  while (!is_done_) {
    const auto event = co_await advance();
    if (!event) co_return fail(event.error());
    if (event->what != What::kPartBegin) continue;
    part_.reader_ = this;
    co_return &part_;
  }
  while (!has_ended_) {  // the epilogue, so that the next request can be found behind it
    const auto piece = co_await body_->read();
    if (!piece) co_return fail(piece.error());
    has_ended_ = piece->empty();
  }
  co_return nullptr;
}

Task<Result<std::string_view>> MultipartReader::Part::read() {
  if (!reader_->in_part_) co_return std::string_view();
  const auto event = co_await reader_->advance();
  if (!event) co_return fail(event.error());
  co_return event->data;
}

Task<Result<std::string>> MultipartReader::Part::text(std::size_t size_max) {
  std::string all;
  while (true) {
    const auto piece = co_await read();
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return all;
    if (piece->size() > size_max - all.size()) co_return fail(Errc::kPartTooLarge, "Part::text");
    all.append(*piece);
  }
}

Task<Result<std::uint64_t>> MultipartReader::Part::save(std::string path, std::uint64_t size_max) {
  auto fd = sys::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!fd) co_return fail(fd.error());
  NewFile file(std::move(path), *std::move(fd));
  std::uint64_t size = 0;
  while (true) {
    const auto piece = co_await read();
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) break;
    if (piece->size() > size_max - size) co_return fail(Errc::kPartTooLarge, "Part::save");
    const auto written = file.append(*piece);
    if (!written) co_return fail(written.error());
    size += piece->size();
  }
  const auto closed = file.finish();
  if (!closed) co_return fail(closed.error());
  co_return size;
}

}  // namespace ssx::http

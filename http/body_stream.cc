#include "http/body_stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/bytes.h"
#include "ssxrver/base/error.h"
#include "ssxrver/sys/file.h"

namespace ssx::http {
namespace {

void reset(std::string& text) noexcept {
  text.clear();
  if (text.capacity() > BodyStream::kPendingMax) std::string().swap(text);
}

}  // namespace

void BodyStream::open_whole(std::string_view text, int file, std::uint64_t size) noexcept {
  source_ = file >= 0 ? Source::kFile : Source::kText;
  text_ = text;
  file_ = file;
  size_ = size;
  offset_ = 0;
}

void BodyStream::open_arriving(UniqueFunction<void()> on_wanted) noexcept {
  source_ = Source::kArriving;
  on_wanted_ = std::move(on_wanted);
}

void BodyStream::clear() noexcept {
  SSX_DCHECK(reader_ == nullptr);  // its coroutine is destroyed before the stream is reused
  source_ = Source::kEnded;
  text_ = {};
  file_ = -1;
  reset(pending_);
  reset(piece_);
  on_wanted_.reset();
}

void BodyStream::wake() {
  if (reader_ == nullptr || !try_read(*reader_)) return;
  ReadAwaiter* const reader = std::exchange(reader_, nullptr);
  reader->waiting_ = false;
  reader->run();
}

// True: the reader has its result.
bool BodyStream::try_read(ReadAwaiter& reader) {
  SSX_ASSERT(reader_ == nullptr || reader_ == &reader);  // one reader
  if (source_ == Source::kText) {
    source_ = Source::kEnded;
    reader.result_ = text_;
    return true;
  }
  if (source_ == Source::kFile) {
    reader.result_ = read_file();
    return true;
  }
  piece_.swap(pending_);
  pending_.clear();
  reader.result_ = std::string_view(piece_);
  return !piece_.empty() || source_ == Source::kEnded;
}

Result<std::string_view> BodyStream::read_file() {
  const auto wanted = std::min<std::uint64_t>(kPieceMax, size_ - offset_);
  piece_.resize(static_cast<std::size_t>(wanted));
  if (wanted == 0) return std::string_view();
  SSX_TRY(const std::size_t count,
          sys::pread(file_, std::as_writable_bytes(std::span(piece_)), offset_));
  if (count == 0) return fail(ssx::Errc::kMalformed, "spooled body");
  offset_ += count;
  return std::string_view(piece_).substr(0, count);
}

BodyStream::ReadAwaiter::~ReadAwaiter() {
  if (waiting_) stream_.reader_ = nullptr;  // the coroutine was cancelled
}

void BodyStream::ReadAwaiter::await_suspend(std::coroutine_handle<> handle) {
  set_handle(handle);
  waiting_ = true;
  stream_.reader_ = this;
  if (stream_.on_wanted_) stream_.on_wanted_();
}

}  // namespace ssx::http

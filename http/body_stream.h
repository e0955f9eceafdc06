// What the session receives of a body, and a coroutine takes from it piece by piece.
//
// Thread: loop-only
// Owner:  the exchange
// Life:   from the start of a coroutine handler to the end of its exchange
// Bounds: kPendingMax bytes wait, plus what one read brought; kPieceMax bytes of a file per piece
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/coro/continuation.h"

namespace ssx::http {

class BodyStream {
 public:
  class ReadAwaiter;

  static constexpr std::size_t kPendingMax = 64 << 10;
  static constexpr std::size_t kPieceMax = 64 << 10;

  /// Serves a body that is there: `text`, or `size` bytes of `file`.
  void open_whole(std::string_view text, int file, std::uint64_t size) noexcept;
  /// Serves what put() brings until end(). `on_wanted` is called whenever a coroutine begins to
  /// wait.
  void open_arriving(UniqueFunction<void()> on_wanted) noexcept;
  /// Nobody reads any more; short memory is kept.
  void clear() noexcept;

  // The session's side.
  [[nodiscard]] bool is_arriving() const noexcept { return source_ == Source::kArriving; }
  /// A coroutine waits.
  [[nodiscard]] bool is_wanted() const noexcept { return reader_ != nullptr; }
  [[nodiscard]] bool has_room() const noexcept { return pending_.size() < kPendingMax; }
  void put(std::string_view bytes) { pending_.append(bytes); }
  void end() noexcept { source_ = Source::kEnded; }
  /// Resumes who waits, if there is something to tell. The coroutine may end the exchange.
  void wake();

 private:
  enum class Source : std::uint8_t { kEnded, kText, kFile, kArriving };

  bool try_read(ReadAwaiter& reader);
  Result<std::string_view> read_file();

  Source source_ = Source::kEnded;
  int file_ = -1;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  std::string_view text_;
  std::string pending_;  ///< has arrived
  std::string piece_;    ///< is being looked at
  ReadAwaiter* reader_ = nullptr;
  UniqueFunction<void()> on_wanted_;
};

class BodyStream::ReadAwaiter final : private CoroutineContinuation {
 public:
  explicit ReadAwaiter(BodyStream& stream) noexcept : stream_(stream) {}
  ~ReadAwaiter();
  ReadAwaiter(const ReadAwaiter&) = delete;
  ReadAwaiter& operator=(const ReadAwaiter&) = delete;
  bool await_ready() { return stream_.try_read(*this); }
  void await_suspend(std::coroutine_handle<> handle);
  Result<std::string_view> await_resume() const noexcept { return result_; }

 private:
  friend class BodyStream;
  BodyStream& stream_;
  Result<std::string_view> result_;
  bool waiting_ = false;
};

}  // namespace ssx::http

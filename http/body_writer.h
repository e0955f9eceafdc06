// The body of an answer as a coroutine makes it, piece by piece.
//
// Thread: loop-only
// Owner:  the exchange
// Life:   from the head of the answer to its last byte. A client that goes away, or takes nothing
//         in time, ends the coroutine where it waits
// Bounds: ConnectionOptions::output_high unsent bytes; above it write() waits until output_low
//
//   return Response::stream([rows](BodyWriter& body) -> Task<> {
//     for (const Row& row : rows) {
//       if (!co_await body.write(row.text())) co_return;
//     }
//   });
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/body_filter.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/net/event_loop.h"

namespace ssx::net {
class Connection;
}

namespace ssx::http {

class BodyWriter final : private net::TurnEnd {
 public:
  class WriteAwaiter;

  static constexpr std::size_t kFilterPieceMax = 64 << 10;

  /// How the reader knows where the body ends (RFC 9112 6).
  enum class Framing : std::uint8_t {
    kChunked,
    kLength,      ///< the Content-Length that was promised
    kConnection,  ///< the end of the connection: HTTP/1.0
  };

  BodyWriter() = default;

  /// co_await gives a Result<void>: every byte is queued for sending. kOverflow for what goes
  /// beyond the promised length, of which nothing is sent.
  [[nodiscard]] WriteAwaiter write(std::string_view bytes);

  /// A field to be sent behind the body (RFC 9112 7.1.2), for clients that care. kUnsupported when
  /// the body is not chunked, kInvalidArgument for a field that may not be sent there (RFC 9110
  /// 6.5.1).
  Result<void> trailer(std::string_view name, std::string_view value);

  /// Bytes of the body so far, as they leave.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

  /// Before the first write(), of a body without a length: what is written from here on goes
  /// through it. `promised`: exactly so many bytes will be written.
  void set_filter(BodyFilter filter, std::optional<std::uint64_t> promised);

  // The session's side.
  /// `label` names the coroutine in the stall warning; `on_write` is called before each write.
  void open(net::Connection& connection, const char* label, Framing framing, std::uint64_t length,
            UniqueFunction<void()> on_write);
  /// Writes what ends the body. False when less than the promised length was written.
  [[nodiscard]] bool finish();
  /// The peer has taken what was queued.
  void drained() { push_on(); }
  void clear() noexcept;

 private:
  void on_turn_end() override { push_on(); }
  bool try_write(WriteAwaiter& writer);
  bool try_filtered(WriteAwaiter& writer);
  void queue_from(std::string_view& bytes);
  void wait(WriteAwaiter& writer) noexcept;
  void append(std::string_view bytes);
  void push_on();
  void look_again() noexcept;

  net::Connection* connection_ = nullptr;
  const char* label_ = nullptr;
  Framing framing_ = Framing::kChunked;
  std::uint64_t length_ = 0;
  std::uint64_t written_ = 0;
  std::string trailers_;
  WriteAwaiter* writer_ = nullptr;
  UniqueFunction<void()> on_write_;
  BodyFilter filter_;
  std::string_view filtered_;              ///< what the filter has made and the queue has not yet
  std::optional<std::uint64_t> promised_;  ///< what the filter is still to be given
};

class BodyWriter::WriteAwaiter final : private CoroutineContinuation {
 public:
  WriteAwaiter(BodyWriter& body, std::string_view bytes) noexcept : body_(body), rest_(bytes) {}
  ~WriteAwaiter();
  WriteAwaiter(const WriteAwaiter&) = delete;
  WriteAwaiter& operator=(const WriteAwaiter&) = delete;
  bool await_ready() { return body_.try_write(*this); }
  void await_suspend(std::coroutine_handle<> handle) noexcept;
  Result<void> await_resume() const noexcept { return result_; }

 private:
  friend class BodyWriter;
  BodyWriter& body_;
  std::string_view rest_;
  Result<void> result_;
  bool waiting_ = false;
  bool begun_ = false;  ///< the filter has been given something of it
};

inline BodyWriter::WriteAwaiter BodyWriter::write(std::string_view bytes) { return {*this, bytes}; }

}  // namespace ssx::http

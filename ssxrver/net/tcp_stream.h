// A connection as a coroutine sees it: read, write, close.
//
// Thread: loop-only
// Owner:  the coroutine; a stream that is destroyed closes its connection after what was written
// Life:   outlives the connection: then every call gives the reason why it has ended
// Bounds: StreamOptions::unread_pause unread bytes (above it reading pauses), ConnectionOptions::
//         output_high unsent bytes (above it write_all waits); one reader and one writer at a time
//
//   Task<> echo(TcpStream peer) {
//     std::array<std::byte, 4096> chunk;
//     while (auto n = co_await peer.read_some(chunk)) {
//       if (!co_await peer.write_all(std::span(chunk).first(*n))) break;
//     }
//   }
//
// End of file is an error value, net::Errc::kEof: what ends the loop above. Whoever waits when the
// connection ends is resumed once, with the reason. Destroying a waiting coroutine takes the wait
// back: what has arrived is still there to be read; of what it was writing, a part may be sent.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/local_ref.h"
#include "ssxrver/base/result.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/loop_continuation.h"
#include "ssxrver/net/protocol.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::net {

struct StreamOptions {
  /// Unread bytes at which reading pauses; what one read of the system gave comes on top.
  std::size_t unread_pause = 64 << 10;
  /// How long close() and the destructor wait for a peer that does not take what was written.
  std::chrono::milliseconds close_timeout{30000};
};

class TcpStream {
 public:
  class ReadAwaiter;
  class WriteAwaiter;

  /// A stream, and the protocol for its connection (Connections::adopt, Connection::set_protocol).
  /// Reads and writes wait until that has been opened.
  static std::pair<TcpStream, std::unique_ptr<Protocol>> create(const StreamOptions& options = {});

  TcpStream(TcpStream&& other) noexcept;
  TcpStream& operator=(TcpStream&& other) noexcept;
  ~TcpStream();

  /// co_await gives a Result<std::size_t>: at least one byte of what has arrived.
  [[nodiscard]] ReadAwaiter read_some(MutableBytes into);
  /// co_await gives a Result<void>: every byte is queued for sending, `bytes` may go.
  [[nodiscard]] WriteAwaiter write_all(ByteView bytes);

  /// The peer reads end of file after what was written; reading goes on.
  void shutdown_write();
  /// Sends what was written, then ends. Who waits is resumed with kClosed.
  void close();
  /// Ends now, with RST; what was written may be lost.
  void reset();

  /// Ends the connection (kTimedOut) unless set again or cleared within `delay`.
  void set_deadline(Duration delay);
  void clear_deadline();

  /// Until it has been closed by either side.
  [[nodiscard]] bool is_open() const noexcept;
  /// Known once the connection is open, and afterwards.
  [[nodiscard]] const SocketAddress& peer() const noexcept;
  /// For other threads.
  [[nodiscard]] ConnectionId id() const noexcept;

 private:
  class Core;
  class StreamProtocol;
  class ServingProtocol;
  using Handler = std::function<Task<>(TcpStream)>;
  friend std::unique_ptr<Protocol> serve_stream(std::shared_ptr<const Handler> handler,
                                                const StreamOptions& options);

  explicit TcpStream(LocalRef<Core> core) noexcept;
  void abandon() noexcept;

  LocalRef<Core> core_;  ///< shared with the protocol; empty once moved from
};

using StreamHandler = std::function<Task<>(TcpStream)>;

/// A protocol that spawns handler(stream) when its connection opens. The handler is kept until the
/// last of its coroutines has ended, so that it may be a lambda with captures. What it throws is
/// logged.
std::unique_ptr<Protocol> serve_stream(std::shared_ptr<const StreamHandler> handler,
                                       const StreamOptions& options = {});

/// What TcpServer takes as ProtocolFactory: every connection gets a coroutine.
template <class HandlerFunction>
auto serve_streams(HandlerFunction handler, const StreamOptions& options = {}) {
  auto shared = std::make_shared<const StreamHandler>(std::move(handler));
  return [shared, options](auto&&...) { return serve_stream(shared, options); };
}

class TcpStream::ReadAwaiter final : private LoopContinuation {
 public:
  ReadAwaiter(Core& core, MutableBytes into) noexcept : core_(core), into_(into) {}
  ~ReadAwaiter();
  bool await_ready();
  void await_suspend(std::coroutine_handle<> handle) noexcept;
  Result<std::size_t> await_resume() const noexcept { return result_; }

 private:
  friend class Core;
  Core& core_;
  MutableBytes into_;
  Result<std::size_t> result_{0};
  bool waiting_ = false;
};

class TcpStream::WriteAwaiter final : private LoopContinuation {
 public:
  WriteAwaiter(Core& core, ByteView bytes) noexcept : core_(core), rest_(bytes) {}
  ~WriteAwaiter();
  bool await_ready();
  void await_suspend(std::coroutine_handle<> handle) noexcept;
  Result<void> await_resume() const noexcept { return result_; }

 private:
  friend class Core;
  Core& core_;
  ByteView rest_;
  Result<void> result_;
  bool waiting_ = false;
};

}  // namespace ssx::net

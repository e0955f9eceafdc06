// Answers datagrams: takes a batch in each turn of the loop, hands them one by one to a function,
// and sends the replies together.
//
// What cannot be answered safely never reaches the function (udp_filter.h), and a reply that its
// receiver has not earned is not sent (reply_limiter.h). Bound to every address of the machine, it
// answers from the one that was asked.
//
// Thread: loop-only; counters() and address(): any thread
// Owner:  whoever created it
// Life:   create() to destruction, which is not inside a turn of its loop; stop() may be
// Bounds: UdpOptions; replies up to kReplyMax bytes; nothing is queued from one turn to the next
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "ssxrver/base/bytes.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/counters.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/udp_batch.h"
#include "ssxrver/net/udp_filter.h"
#include "ssxrver/net/udp_options.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::net {

/// What came. The bytes are valid until the handler returns.
struct Datagram {
  ByteView bytes;
  const SocketAddress& from;
};

class UdpServer final : private Channel {
 public:
  /// The longest payload that fits an IPv4 datagram (RFC 768, RFC 791).
  static constexpr std::size_t kReplyMax = 65507;
  /// After an error that is not one of a single datagram, the socket is left alone so long.
  static constexpr std::chrono::milliseconds kRest{100};

  /// The way back to one datagram's sender.
  class Reply {
   public:
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    /// One datagram, copied; any number of them. False, and counted: longer than kReplyMax, or
    /// more than the sender has earned.
    bool send(ByteView bytes) { return server_.reply(index_, to_, bytes); }

   private:
    friend class UdpServer;
    Reply(UdpServer& server, std::size_t index, const SocketAddress& to) noexcept
        : server_(server), index_(index), to_(to) {}
    UdpServer& server_;
    const std::size_t index_;
    const SocketAddress& to_;
  };
  using Handler = UniqueFunction<void(const Datagram&, Reply&)>;

  /// Every datagram back to where it came from.
  static Handler echo();
  /// The handler that `udp.handler` names; kNotFound.
  static Result<Handler> builtin(std::string_view name);

  /// Bound when it returns. `options.address` is a literal, or "*" for every IPv4 address.
  static Result<std::unique_ptr<UdpServer>> create(EventLoop& loop, const UdpOptions& options,
                                                   Handler handler);
  UdpServer(const UdpServer&) = delete;
  UdpServer& operator=(const UdpServer&) = delete;
  ~UdpServer();

  /// Takes no more datagrams.
  void stop();

  [[nodiscard]] const SocketAddress& address() const noexcept { return address_; }
  [[nodiscard]] const UdpCounters& counters() const noexcept { return counters_; }

 private:
  UdpServer(EventLoop& loop, const UdpOptions& options, Handler handler, sys::UniqueFd socket,
            const SocketAddress& address, std::uint64_t seed);

  void on_ready(Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "udp"; }

  void take(std::size_t index);
  bool passes(std::size_t index, const SocketAddress& from);
  void call_handler(std::size_t index, const SocketAddress& from) noexcept;
  bool reply(std::size_t index, const SocketAddress& to, ByteView bytes);
  void flush() noexcept;
  [[nodiscard]] bool is_ourselves(const SocketAddress& source) const;
  void on_receive_error(const Error& error);
  void rest();
  void resume();

  // Constant after construction.
  EventLoop& loop_;
  const sys::UniqueFd socket_;
  const SocketAddress address_;
  const bool on_every_address_;

  // Loop-only.
  Handler handler_;
  UdpFilter filter_;
  ReceiveBatch received_;
  SendBatch replies_;
  TimerId rest_timer_{};

  // One writer.
  UdpCounters counters_;
};

}  // namespace ssx::net

// One connection of a load: connects, sends requests that lie ready, and tells of each answer. What
// a request and an answer are, whoever derives from it knows.
//
// Thread: its loop
// Owner:  a PeerLoad
// Life:   begin() .. on_free() or on_failed(), any number of times
// Bounds: one batch of requests at a time
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/result.h"
#include "ssxrver/load/load_plan.h"
#include "ssxrver/load/tally.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/unique_fd.h"

namespace ssx::load {

class Peer : private net::Channel {
 public:
  class Events {
   public:
    virtual void on_open(Peer& peer) = 0;
    /// `is_good`: as it should be.
    virtual void on_answer(Peer& peer, bool is_good, TimePoint now) = 0;
    virtual void on_bytes(std::uint64_t count) = 0;
    /// Every request of begin() has its answer.
    virtual void on_free(Peer& peer, TimePoint now) = 0;
    /// `lost` requests have none; 0: it had none. It is closed.
    virtual void on_failed(Peer& peer, Failure failure, std::uint32_t lost) = 0;

   protected:
    ~Events() = default;
  };
  /// What all peers of a thread read into.
  static constexpr std::size_t kRoom = 256 << 10;

  virtual ~Peer();

  /// Connects, from that address if there is one: on_open() follows, or on_failed().
  void open(const net::SocketAddress* source);
  /// Sends the requests; they have begun at `since`. Connects first where it is not open.
  void begin(TimePoint since, TimePoint now, const net::SocketAddress* source);
  /// Nothing more is told.
  void close() noexcept;
  /// No answer in time.
  void give_up() { fail(Failure::kTimeout); }

  /// Requests without an answer.
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }
  /// As begin() was told.
  [[nodiscard]] TimePoint since() const noexcept { return since_; }
  /// When it was called.
  [[nodiscard]] TimePoint begun() const noexcept { return begun_; }

 protected:
  /// `room` has kRoom bytes.
  Peer(net::EventLoop& loop, const LoadPlan& plan, std::string& room, Events& events)
      : Channel(-1), loop_(loop), plan_(plan), room_(room), events_(events) {}

  /// What a new connection begins with; empty: it is open at once. Else opened() says when.
  [[nodiscard]] virtual std::string_view greeting() = 0;
  /// The requests of begin(); it lies there until they are sent.
  [[nodiscard]] virtual std::string_view batch() = 0;
  /// What has come. False: it was closed on the way.
  virtual bool take(std::string_view bytes, TimePoint now) = 0;
  /// The server has closed its side.
  virtual void on_end(TimePoint now) = 0;
  /// Everything was sent.
  virtual void on_sent(TimePoint now) = 0;

  void opened();
  /// One answer is complete. False: the connection is not to be used again, and was closed.
  bool end_answer(bool is_good, bool stays, TimePoint now);
  void fail(Failure failure);
  /// To be sent behind what is under way.
  void send_also(std::string_view bytes);
  [[nodiscard]] bool is_greeting() const noexcept { return state_ == State::kGreeting; }
  [[nodiscard]] bool has_unsent() const noexcept { return !out_.empty() || !also_.empty(); }

 private:
  enum class State : std::uint8_t { kClosed, kConnecting, kGreeting, kOpen };

  void on_ready(net::Readiness ready) final;
  [[nodiscard]] const char* label() const noexcept final { return "peer"; }
  [[nodiscard]] Result<void> connect(const net::SocketAddress* source);
  void on_connected();
  void send();
  void receive();

  net::EventLoop& loop_;
  const LoadPlan& plan_;
  std::string& room_;
  Events& events_;
  sys::UniqueFd socket_;
  State state_ = State::kClosed;
  std::uint32_t outstanding_ = 0;
  TimePoint since_;
  TimePoint begun_;
  std::string_view out_;  ///< unsent, of greeting(), batch() or sending_
  std::string also_;      ///< behind it
  std::string sending_;
};

/// Makes the peers of one thread; it has what they share, and outlives them.
using MakePeer = std::function<std::unique_ptr<Peer>(Peer::Events& events)>;
/// Called once for each thread.
using MakePeers = std::function<MakePeer(net::EventLoop& loop)>;

}  // namespace ssx::load

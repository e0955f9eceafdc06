// One connection of a load: connects, sends requests that lie ready, and tells of each answer. What
// a request and an answer are, whoever derives from it knows.
//
// Thread: its loop
// Owner:  a Load
// Life:   begin() .. on_free() or on_failed(), any number of times
// Bounds: one batch of requests at a time
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "ssxrver/base/clock.h"
#include "ssxrver/load/tally.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/socket_address.h"

namespace ssx::load {

class Peer {
 public:
  class Events {
   public:
    virtual void on_open(Peer& peer) = 0;
    /// `is_good`: as it should be.
    virtual void on_answer(Peer& peer, bool is_good, TimePoint now) = 0;
    virtual void on_bytes_in(std::uint64_t count) = 0;
    virtual void on_bytes_out(std::uint64_t count) = 0;
    /// Every request of begin() has its answer.
    virtual void on_free(Peer& peer, TimePoint now) = 0;
    /// Why a connection did not come about (an errno); on_failed() follows.
    virtual void on_refused(int error) = 0;
    /// `lost` requests have none; 0: it had none. It is closed; `stood`: and has stood until now.
    virtual void on_failed(Peer& peer, Failure failure, std::uint32_t lost, bool stood) = 0;

   protected:
    ~Events() = default;
  };
  /// What all peers of a thread read into.
  static constexpr std::size_t kRoom = 256 << 10;

  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  /// Connects, from that address if there is one: on_open() follows, or on_failed().
  virtual void open(const net::SocketAddress* source) = 0;
  /// Sends the requests; they have begun at `since`. Connects first where it is not open.
  virtual void begin(TimePoint since, TimePoint now, const net::SocketAddress* source) = 0;
  /// Nothing more is told.
  virtual void close() noexcept = 0;
  /// It is connected, and has had what a connection begins with.
  [[nodiscard]] virtual bool stands() const noexcept = 0;
  /// No answer in time.
  void give_up() { fail(Failure::kTimeout); }

  /// Requests without an answer.
  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }
  /// As begin() was told.
  [[nodiscard]] TimePoint since() const noexcept { return since_; }
  /// When it was called.
  [[nodiscard]] TimePoint begun() const noexcept { return begun_; }

 protected:
  explicit Peer(Events& events) noexcept : events_(events) {}

  [[nodiscard]] Events& events() const noexcept { return events_; }
  /// So many requests have begun.
  void expect(std::uint32_t requests, TimePoint since, TimePoint now) noexcept {
    outstanding_ += requests;
    since_ = since;
    begun_ = now;
  }
  /// One of them has its answer.
  void count_answer(bool is_good, TimePoint now) {
    --outstanding_;
    events_.on_answer(*this, is_good, now);
  }
  void forget_requests() noexcept { outstanding_ = 0; }
  /// No connection has come about.
  void refuse(int error) {
    events_.on_refused(error);
    fail(Failure::kConnect);
  }
  /// Closes it.
  void fail(Failure failure) {
    const std::uint32_t lost = outstanding_;
    const bool stood = stands();
    close();
    events_.on_failed(*this, failure, lost, stood);
  }

 private:
  Events& events_;
  std::uint32_t outstanding_ = 0;
  TimePoint since_;
  TimePoint begun_;
};

/// Makes the peers of one thread; it has what they share, and outlives them.
using MakePeer = std::function<std::unique_ptr<Peer>(Peer::Events& events)>;
/// Called once for each thread.
using MakePeers = std::function<MakePeer(net::EventLoop& loop)>;

}  // namespace ssx::load

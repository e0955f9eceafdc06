// A descriptor and what is wanted of it, registered with one loop. Whoever wants to hear of
// readiness derives from it.
//
// Thread: loop-only
// Owner:  the deriving object
// Life:   EventLoop::add() to EventLoop::remove(), after which it may be destroyed at once; or to
//         EventLoop::forget(), after which it must live to the end of the turn, as a Connection
//         does
// Bounds: 16 bytes
#pragma once

#include <cstdint>

namespace ssx::net {

/// What may be wanted of a descriptor, and what it is ready for.
enum : std::uint8_t {
  kNothing = 0,
  kReadable = 1,
  kWritable = 2,
  kHangup = 4,     ///< error, or both directions closed; always reported
  kExclusive = 8,  ///< interest only: wake one of several loops (EPOLLEXCLUSIVE)
  kError = 16,     ///< beside kHangup: the reason is an error
  kEdge = 32,      ///< interest only: tell once of what has come, and again when more comes
  kBeyond = 64,    ///< with kEdge: something came that a read which falls short does not tell of
};
using Readiness = std::uint8_t;

class Channel {
 public:
  /// Whether the loop charges on_ready() to the channel in the stall warning, or the channel itself
  /// tells when its callbacks have ended (EventLoop::callback_ended).
  enum class Timed : bool { kByLoop, kByItself };

  explicit Channel(int fd, Timed timed = Timed::kByLoop) noexcept : fd_(fd), timed_(timed) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Called once per turn at the most: while something that is wanted is there, or with kEdge when
  /// something has come.
  virtual void on_ready(Readiness ready) = 0;
  /// Named in the stall warning.
  [[nodiscard]] virtual const char* label() const noexcept = 0;

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] Readiness interest() const noexcept { return interest_; }
  [[nodiscard]] bool is_registered() const noexcept { return registered_; }

 protected:
  ~Channel() = default;
  void set_fd(int fd) noexcept { fd_ = fd; }

 private:
  friend class EventLoop;
  int fd_;
  Readiness interest_ = kNothing;
  bool registered_ = false;
  const Timed timed_;
};

}  // namespace ssx::net

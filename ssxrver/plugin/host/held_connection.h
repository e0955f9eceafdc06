// A connection that a plugin keeps over several operations: of a transaction, of a stream of rows.
//
// Thread: one loop, that on which it was made; free() any
// Owner:  the plugin, until free(); then what is still under way
// Life:   its connection goes back with it, behind an operation that was cancelled or has broken
//         it, or with the loop; what the plugin asks afterwards is SSXRVER_CLOSED
// Bounds: one lease of the instance, for as long as it may have a connection
#pragma once

#include <cstdint>

#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"

namespace ssx::plugins {

class HeldConnection : private net::LoopEnd {
 public:
  class Use;

  HeldConnection(const HeldConnection&) = delete;
  HeldConnection& operator=(const HeldConnection&) = delete;

  /// OK, or why no operation of `instance` may begin now.
  [[nodiscard]] std::int32_t judge(Instance& instance) const noexcept;
  /// By the plugin, once: it goes, on its loop, when nothing of it is under way.
  void free() noexcept;

  [[nodiscard]] Instance& instance() const noexcept { return instance_; }

 protected:
  /// On a loop.
  HeldConnection(Instance& instance, LeaseKind kind);
  virtual ~HeldConnection() = default;

 private:
  /// Gives the connection back.
  virtual void close() noexcept = 0;
  void on_loop_end() override;
  void end() noexcept;
  void drop() noexcept;

  Instance& instance_;
  net::EventLoop& loop_;
  const net::LoopHandle home_;
  Lease lease_;
  bool is_busy_ = false;
  bool is_ended_ = false;
  bool is_freed_ = false;
};

/// One operation, for as long as its coroutine is there.
class HeldConnection::Use {
 public:
  explicit Use(HeldConnection& held) noexcept : held_(held) { held.is_busy_ = true; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  /// Without go_on(), as when it was cancelled, the connection is not used any more.
  ~Use() {
    held_.is_busy_ = false;
    if (!goes_on_) held_.end();
    if (held_.is_freed_) held_.drop();
  }
  void go_on() noexcept { goes_on_ = true; }

 private:
  HeldConnection& held_;
  bool goes_on_ = false;
};

}  // namespace ssx::plugins

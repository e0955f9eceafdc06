// SEAM: what the bytes of a connection mean. A Connection has exactly one Protocol at a time;
// an upgrade swaps it (Connection::set_protocol).
//
// Thread: loop-only
// Owner:  Connection
// Life:   on_open, then anything, then on_close exactly once, last
// Bounds: on_data leaves at most ConnectionOptions::input_max bytes unconsumed
//
// No callback is called from inside another one of the same connection: closing from a callback
// marks the connection, and on_close comes at the end of the turn.
#pragma once

#include "ssxrver/base/error.h"
#include "ssxrver/base/in_buffer.h"

namespace ssx::net {

class Connection;

class Protocol {
 public:
  virtual ~Protocol() = default;

  /// Who looks for its own among the connections of a loop knows them by this, without RTTI.
  [[nodiscard]] virtual const void* owner() const noexcept { return nullptr; }

  virtual void on_open(Connection&) {}
  /// Consumes what it understands of `in`; the rest is kept and comes again, in front of what
  /// follows. Views into `in` die when it returns.
  virtual void on_data(Connection& connection, InBuffer& in) = 0;
  /// The peer sends nothing more; writing goes on. By default: send what is queued, then close.
  virtual void on_end(Connection& connection);
  /// What the peer could not take had grown above output_low (Connection::is_blocked()), or above
  /// drain_mark() where that is less, and is there or below again. Not called when the system took
  /// everything at once.
  virtual void on_drain(Connection&) {}
  /// Bytes; for a protocol that wants on_drain later than the others.
  [[nodiscard]] virtual std::uint64_t drain_mark() const { return UINT64_MAX; }
  /// Reading rests while more than ConnectionOptions::output_high waits to be sent. False: it
  /// bounds what it sends by itself, and must hear its peer meanwhile.
  [[nodiscard]] virtual bool rests_above_high() const { return true; }
  /// The deadline set with Connection::set_deadline has passed.
  virtual void on_deadline(Connection&) {}
  virtual void on_close(Connection&, const Error& reason) { (void)reason; }
};

}  // namespace ssx::net

// One peer: a transport, what has arrived, what waits to be sent, a protocol and a deadline.
//
// Thread: loop-only; other threads hold a ConnectionId and post
// Owner:  Connections (the table of its worker)
// Life:   adopted .. close() marks it .. on_close and deletion at the end of that turn
// Bounds: ConnectionOptions: output_high and output_low, input_max, linger
//
// Output written inside a callback leaves in one system call when those that are ready with it have
// been answered; what on_open or somebody else on the loop writes, at the end of the turn. What the
// peer cannot take is queued.
#pragma once

#include <cstdint>
#include <memory>

#include "ssxrver/base/in_buffer.h"
#include "ssxrver/base/out_queue.h"
#include "ssxrver/net/batch.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/error.h"
#include "ssxrver/net/linux/tcp_transport.h"
#include "ssxrver/net/net_stack.h"
#include "ssxrver/net/protocol.h"
#include "ssxrver/net/timer_wheel.h"

namespace ssx::net {

class Connections;
class EventLoop;

class Connection final : private Channel, private Deadline {
 public:
  enum class State : std::uint8_t {
    kOpen,       ///< reading and writing
    kFlushing,   ///< sends what is queued, then ends; input is not read
    kLingering,  ///< has sent everything and its end; reads and forgets what the peer still sends
    kClosed,     ///< deleted at the end of the turn
  };
  enum class Linger : bool { kNo, kYes };

  ~Connection();

  [[nodiscard]] ConnectionId id() const noexcept;
  [[nodiscard]] Connections& table() const noexcept { return table_; }
  [[nodiscard]] EventLoop& loop() const noexcept;
  /// Who is at the other end: of the socket, or behind a proxy that we trust.
  [[nodiscard]] const SocketAddress& peer() const noexcept { return peer_; }
  /// A trusted proxy has said who it is. `is_counted`: this address has a place (Admission).
  void set_peer(const SocketAddress& peer, bool is_counted) noexcept {
    peer_ = peer;
    counted_ = is_counted;
  }
  [[nodiscard]] bool is_counted() const noexcept { return counted_; }
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] bool is_open() const noexcept { return state_ == State::kOpen; }

  /// What to append to; sent by itself (see above). After close() it goes nowhere, nor does it when
  /// the peer has been told that nothing more comes.
  [[nodiscard]] OutQueue& out();
  /// `bytes` are of what on_data has just been given, and stay where they are until out() is sent:
  /// it can be lent them (OutQueue::append_lent), if nobody changes them any more.
  [[nodiscard]] bool still_has(ByteView bytes) const noexcept;
  /// Bytes written and not yet taken by the system, those of this callback included.
  [[nodiscard]] std::uint64_t unsent_bytes() const noexcept;
  /// Those of them that lie in memory: files do not.
  [[nodiscard]] std::size_t unsent_memory() const noexcept;
  /// Bytes the system has taken since the connection was opened.
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_; }
  /// Those of them that the peer has acknowledged, where the system tells. Costs a system call.
  [[nodiscard]] std::uint64_t taken_bytes() const noexcept;
  /// The system takes no more for now, and more than output_low or the protocol's drain_mark()
  /// waits: on_drain will come.
  [[nodiscard]] bool is_blocked() const noexcept { return blocked_; }

  /// No more on_data until resume_reading().
  void pause_reading();
  /// Bytes left unconsumed are handed out again by the end of this turn.
  void resume_reading();
  /// The rest of what is in on_data's buffer comes again at the end of this turn, even if nothing
  /// arrives: for a protocol that stops before it is through, so that others have their turn.
  void deliver_again();
  [[nodiscard]] bool is_reading_paused() const noexcept { return paused_; }
  [[nodiscard]] bool peer_has_ended() const noexcept { return peer_ended_; }

  /// Swaps what the bytes mean; what is unconsumed goes to the new protocol. The old one gets no
  /// on_close and is destroyed at the end of the turn.
  void set_protocol(std::unique_ptr<Protocol> protocol);
  [[nodiscard]] Protocol& protocol() const noexcept { return *protocol_; }

  /// on_deadline() after `delay`, unless set again or cleared. One deadline at a time.
  void set_deadline(Duration delay);
  void clear_deadline();

  /// The peer reads end of file once everything is sent; reading goes on.
  void shutdown_write();
  /// Sends what is queued, then closes. With Linger::kYes reads on for a while after its own end,
  /// so that a peer that is still sending gets to see the answer.
  void close_after_flush(Linger linger);
  /// Now; what is queued is lost. Idempotent.
  void close(const Error& reason) { end(reason, false); }
  /// Now, with RST.
  void reset(const Error& reason) { end(reason, true); }

  /// A hint for overload: nothing is under way here. Cleared by the next byte that arrives.
  void set_idle(bool idle) noexcept { idle_ = idle; }
  [[nodiscard]] bool is_idle() const noexcept { return idle_ && out_ == nullptr && !seated_; }
  /// Since it was opened, or up to 17 ms more.
  [[nodiscard]] Duration age() const noexcept;
  /// When the peer last sent something, or took something that had to wait for it.
  [[nodiscard]] TimePoint last_active() const noexcept { return last_active_; }

 private:
  friend class Batch;
  friend class Connections;

  Connection(Connections& table, Accepted accepted, std::unique_ptr<Protocol> protocol);

  // Channel and Deadline.
  void on_ready(Readiness ready) override;
  [[nodiscard]] const char* label() const noexcept override { return "connection"; }
  void on_deadline() override;

  static constexpr int kTickShift = 24;  // 17 ms; 32 bits of them are two years
  [[nodiscard]] static std::uint32_t tick_of(TimePoint time) noexcept;

  void open();
  [[nodiscard]] Result<void> watch();
  void read_unwatched();
  void end_unwatched();
  Result<std::size_t> read(MutableBytes into);
  void tell_end_of_output();
  void close_transport(bool reset) noexcept;
  [[nodiscard]] bool wants_input() const noexcept;
  void hung_up(Readiness ready);
  void read_some();
  void read_into_kept();
  bool receive_into(InBuffer& buffer);
  void handle_read_error(const Error& error);
  void deliver(Batch::Seat& seat, InBuffer& buffer);
  void keep_rest(InBuffer& in);
  void tell_end(Batch::Seat& seat);
  bool check_input_bound(const InBuffer& buffer);
  void deliver_kept();
  void deliver_all_of(std::unique_ptr<InBuffer> buffer);
  void discard_input();
  template <class Callback>
  void corked(Callback&& callback);
  void answer(Batch::Seat& seat);
  void send(Batch::Seat& seat);
  void send_staged(OutQueue& staged);
  void flush();
  Result<bool> send_from(OutQueue& queue);
  Result<std::size_t> send_front(const OutQueue& queue, std::size_t& offered);
  void settle();
  void finish_flushing();
  void turn_end();
  void end(const Error& reason, bool reset);
  [[nodiscard]] Readiness wanted() const noexcept;
  void update_interest();
  void leave_edge();
  void give_back_buffers() noexcept;

  Connections& table_;
  SlotId slot_;
  std::unique_ptr<Transport> transport_;  ///< null: plain TCP on socket_
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<InBuffer> kept_;  ///< unconsumed input; null while there is none
  std::unique_ptr<OutQueue> out_;   ///< unsent output; null while there is none
  SocketAddress peer_;
  TimePoint last_active_;
  std::uint64_t sent_ = 0;
  sys::UniqueFd socket_;
  std::uint32_t opened_tick_;
  std::uint32_t lingered_ = 0;  ///< bytes read and forgotten
  State state_ = State::kOpen;
  bool paused_ : 1 = false;            ///< by the protocol
  bool choked_ : 1 = false;            ///< a write was cut short: waits for kWritable
  bool blocked_ : 1 = false;           ///< choked, and the queue is above output_low
  bool high_ : 1 = false;              ///< output above output_high: reading rests
  bool peer_ended_ : 1 = false;        ///< end of file was read
  bool shut_after_flush_ : 1 = false;  ///< shutdown_write() waits for the queue
  bool write_shut_ : 1 = false;
  bool linger_ : 1 = false;
  bool redeliver_ : 1 = false;  ///< resume_reading() with unconsumed input
  bool idle_ : 1 = false;
  bool seated_ : 1 = false;     ///< in the table's batch
  bool kept_due_ : 1 = false;   ///< something was read behind kept_: for its turn in the batch
  bool end_due_ : 1 = false;    ///< on_end is: for its turn in the batch
  bool counted_ : 1 = false;    ///< the peer's address has a place for it (Admission)
  bool dirty_ : 1 = false;      ///< something is to do at the end of the turn
  bool unwatched_ : 1 = false;  ///< the poller does not know of it: until its turn is over
  bool level_ : 1;              ///< told of in every turn while something is there, not only once
};

}  // namespace ssx::net

#include "ssxrver/net/connection.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/connections.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/sys/socket.h"

namespace ssx::net {
namespace {

// Below this, kept bytes are copied in front of what arrives in the seat; above it, reading into
// the connection's own buffer is cheaper than copying again and again.
constexpr std::size_t kCopyMax = 16 << 10;
static_assert(kCopyMax + Connections::kReadMin <= Batch::kReceiveRoom);

bool is_would_block(const Error& error) noexcept {
  return error == make_error_code(Errc::kWouldBlock);
}

// Others may be about to promise the same bytes.
void tell_keeper(const OutQueue& queue) noexcept {
  const FileSlice* const file = queue.front_file();
  if (file != nullptr && file->keep) file->keep->file_came_short();
}

}  // namespace

void Protocol::on_end(Connection& connection) {
  connection.close_after_flush(Connection::Linger::kNo);
}

Connection::Connection(Connections& table, Accepted accepted, std::unique_ptr<Protocol> protocol)
    : Channel(accepted.fd.get(), Timed::kByItself),
      table_(table),
      transport_(std::move(accepted.transport)),
      protocol_(std::move(protocol)),
      peer_(accepted.peer),
      last_active_(table.loop().now()),
      socket_(std::move(accepted.fd)),
      opened_tick_(tick_of(last_active_)),
      counted_(accepted.is_counted),
      level_(!(transport_ ? transport_->reads_all() : socket_reads_all(peer_))) {}

Connection::~Connection() = default;

std::uint32_t Connection::tick_of(TimePoint time) noexcept {
  return static_cast<std::uint32_t>(time.time_since_epoch().count() >> kTickShift);
}

Duration Connection::age() const noexcept {
  const std::uint32_t ticks = tick_of(loop().now()) - opened_tick_ + 1;
  return Duration(std::int64_t{ticks} << kTickShift);
}

ConnectionId Connection::id() const noexcept { return {table_.worker(), slot_}; }
EventLoop& Connection::loop() const noexcept { return table_.loop(); }

// Calls into the protocol: what it writes is sent with the batch.
template <class Callback>
void Connection::corked(Callback&& callback) {
  table_.batch_.run(table_.batch_.seat_of(*this), callback);
}

// Perhaps inside a callback of another connection, and perhaps one of many that were accepted: not
// worth a seat. What it writes is sent at the end of the turn.
void Connection::open() { protocol_->on_open(*this); }

// The poller knows of it from now on.
Result<void> Connection::watch() {
  auto added = loop().add(*this, wanted());
  if (!added) {
    SSX_LOG_RATED(WARN, std::chrono::seconds(1), "connection from {} not taken: {}",
                  peer_.to_string(), added.error().message());
  }
  return added;
}

// Its seat is given back in this turn, whatever is read.
void Connection::read_unwatched() {
  unwatched_ = true;
  if (wants_input()) return read_some();
  (void)table_.batch_.seat_of(*this);
}

void Connection::end_unwatched() {
  unwatched_ = false;
  if (state_ == State::kClosed || is_registered()) return;
  // What it was sent may still be on its way.
  if (const auto watched = watch(); !watched) end(watched.error(), sent_ == 0);
}

// ---- reading

void Connection::on_ready(Readiness ready) {
  table_.batch_.make_room();  // which may end this connection
  if ((ready & kWritable) && out_ != nullptr) {
    flush();
    loop().callback_ended(label());
  }
  if (state_ == State::kClosed) return;
  if (state_ == State::kLingering) return discard_input();
  if (redeliver_) {
    // What came before must be read first. Who waited to write is on no edge: it was told by level.
    if (!(ready & kWritable)) leave_edge();
    return;
  }
  if (wants_input()) {
    if (ready & (kReadable | kHangup)) read_some();
    if (ready & (kBeyond | kHangup) && wants_input()) leave_edge();
  } else if (ready & kHangup) {
    hung_up(ready);
  } else {
    update_interest();  // paused since: who wants it again asks anew, and is told of it again
  }
}

bool Connection::wants_input() const noexcept {
  return state_ == State::kOpen && !paused_ && !high_ && !peer_ended_;
}

// Nobody reads, and the poller reports a hang-up in every turn whatever is wanted. A failed
// connection ends. One that has ended well on both sides may still hold unread bytes: it leaves the
// poller until reading resumes.
void Connection::hung_up(Readiness ready) {
  const Error ended(make_error_code(Errc::kEof), "hang-up");
  if (ready & kError) {
    const auto failed = sys::take_socket_error(fd());
    const bool is_known = failed && *failed != 0;
    return end(is_known ? Error::from_errno(*failed, "hang-up") : ended, false);
  }
  if (state_ != State::kOpen || peer_ended_ || choked_) return end(ended, false);
  loop().remove(*this);
}

void Connection::read_some() {
  if (kept_ != nullptr && kept_->size() > kCopyMax) return read_into_kept();
  InBuffer& in = table_.batch_.seat_of(*this).in;
  if (kept_ != nullptr) (void)in.append(kept_->readable());
  if (!receive_into(in)) return in.clear();
  if (kept_ != nullptr) table_.give_back(std::move(kept_));
}

void Connection::read_into_kept() {
  (void)table_.batch_.seat_of(*this);
  kept_due_ = receive_into(*kept_);
}

Result<std::size_t> Connection::read(MutableBytes into) {
  return transport_ ? transport_->read(into) : read_socket(fd(), into);
}

// Inlined by force, as is what sends: docs/adr/0024.
[[gnu::always_inline]] inline bool Connection::receive_into(InBuffer& buffer) {
  const auto room = buffer.prepare(Connections::kReadMin);
  SSX_ASSERT(room.has_value());  // take_in_buffer() leaves room beyond input_max
  const auto count = read(*room);
  if (!count) {
    handle_read_error(count.error());
    return false;
  }
  if (*count == room->size()) [[unlikely]]
    leave_edge();
  buffer.commit(*count);
  table_.batch_.note_received(*count);
  table_.counters_.bytes_in.add(*count);
  last_active_ = loop().now();
  idle_ = false;
  return true;
}

// Its turn in the batch.
void Connection::answer(Batch::Seat& seat) {
  if (!seat.in.empty()) {
    deliver(seat, seat.in);
    keep_rest(seat.in);
    seat.in.clear();
  }
  if (kept_due_) deliver_kept();
  if (end_due_) tell_end(seat);
}

void Connection::tell_end(Batch::Seat& seat) {
  end_due_ = false;
  if (state_ != State::kOpen) return;
  table_.batch_.run(seat, [this] { protocol_->on_end(*this); });
  // One that flushes from now on is closed or waits to be writable when the batch has been sent.
  if (state_ == State::kOpen) update_interest();
}

// One read may bring more than input_max. A protocol that pauses before it has taken it all has not
// misunderstood it; while it is paused nothing is added.
bool Connection::check_input_bound(const InBuffer& buffer) {
  if (paused_ || buffer.size() <= table_.options().input_max) return true;
  table_.counters_.input_max_hit.add();
  end(Error(make_error_code(Errc::kInputOverflow), "on_data"), false);
  return false;
}

void Connection::handle_read_error(const Error& error) {
  if (is_would_block(error)) return;
  if (!(error == make_error_code(Errc::kEof))) return end(error, false);
  peer_ended_ = true;
  end_due_ = true;
  (void)table_.batch_.seat_of(*this);
}

void Connection::deliver(Batch::Seat& seat, InBuffer& buffer) {
  // A protocol that swaps itself leaves the rest to its successor.
  Protocol* before = nullptr;
  while (!buffer.empty() && state_ == State::kOpen && !paused_ && protocol_.get() != before) {
    before = protocol_.get();
    table_.batch_.run(seat, [this, &buffer] { protocol_->on_data(*this, buffer); });
  }
}

void Connection::keep_rest(InBuffer& in) {
  if (in.empty() || state_ != State::kOpen) return;
  if (!check_input_bound(in)) return;
  if (kept_ == nullptr) kept_ = table_.take_in_buffer();
  (void)kept_->append(in.readable());
}

// The poller is told only when something arrives meanwhile: most pauses are short.
void Connection::pause_reading() { paused_ = true; }

void Connection::resume_reading() {
  if (!paused_) return;
  paused_ = false;
  update_interest();
  // Inside on_data what is left is not known yet.
  if (kept_ != nullptr || seated_) deliver_again();
}

void Connection::deliver_again() {
  redeliver_ = true;
  table_.mark_dirty(*this);
}

void Connection::deliver_kept() {
  redeliver_ = kept_due_ = false;
  if (kept_ == nullptr || paused_ || state_ != State::kOpen) return;
  deliver_all_of(std::move(kept_));
}

// Out of the member kept_, so that what the protocol leaves can be told from what was there.
void Connection::deliver_all_of(std::unique_ptr<InBuffer> buffer) {
  deliver(table_.batch_.seat_of(*this), *buffer);
  if (buffer->empty() || state_ != State::kOpen) return table_.give_back(std::move(buffer));
  kept_ = std::move(buffer);
  check_input_bound(*kept_);
}

// In kLingering: forgets what arrives, up to the bound.
void Connection::discard_input() {
  const MutableBytes room = *table_.batch_.seat_of(*this).in.prepare(1);
  const auto count = read(room);
  if (!count) {
    if (!is_would_block(count.error())) end(count.error(), false);
    return;
  }
  leave_edge();  // the end may have come with it
  lingered_ += static_cast<std::uint32_t>(*count);
  if (lingered_ <= table_.options().linger_bytes) return;
  table_.counters_.linger_bytes_hit.add();
  end(Error(make_error_code(Errc::kClosed), "linger"), true);
}

void Connection::set_protocol(std::unique_ptr<Protocol> protocol) {
  SSX_ASSERT(protocol != nullptr);
  if (state_ == State::kClosed) return table_.retire(std::move(protocol));
  table_.retire(std::exchange(protocol_, std::move(protocol)));
  protocol_->on_open(*this);
  if (kept_ != nullptr) deliver_again();
}

// ---- writing

OutQueue& Connection::out() {
  if (out_ == nullptr) {
    if (seated_) return table_.batch_.seat_of(*this).out;
    out_ = table_.take_out_queue();
  }
  table_.mark_dirty(*this);
  return *out_;
}

// A queue of its own outlives the batch.
bool Connection::still_has(ByteView bytes) const noexcept {
  return out_ == nullptr && table_.batch_.has_received(*this, bytes);
}

std::uint64_t Connection::unsent_bytes() const noexcept {
  std::uint64_t bytes = 0;
  if (out_ != nullptr) bytes += out_->memory_bytes() + out_->file_bytes();
  if (const OutQueue* staged = table_.batch_.staged(*this))
    bytes += staged->memory_bytes() + staged->file_bytes();
  return bytes;
}

std::size_t Connection::unsent_memory() const noexcept {
  std::size_t bytes = out_ == nullptr ? 0 : out_->memory_bytes();
  if (const OutQueue* staged = table_.batch_.staged(*this)) bytes += staged->memory_bytes();
  return bytes;
}

// The system takes megabytes in advance, and then nothing for as long as a slow peer needs to read
// a third of them.
std::uint64_t Connection::taken_bytes() const noexcept {
  const auto waiting = sys::unacknowledged(fd());
  return sent_ - std::min<std::uint64_t>(sent_, waiting.value_or(0));
}

// Its turn in the batch, after all were answered.
void Connection::send(Batch::Seat& seat) {
  seated_ = false;
  if (!seat.out.empty()) send_staged(seat.out);
  if (state_ == State::kFlushing || shut_after_flush_) finish_flushing();
  if (unwatched_) [[unlikely]]
    end_unwatched();
}

// Only what the system does not take becomes the connection's.
[[gnu::always_inline]] inline void Connection::send_staged(OutQueue& staged) {
  if (state_ == State::kClosed || write_shut_) return staged.clear();
  SSX_DCHECK(out_ == nullptr);  // out() gives that when there is one, and makes none beside a seat
  const auto sent = send_from(staged);
  if (!sent) {
    staged.clear();
    return end(sent.error(), true);
  }
  if (*sent) return;
  out_ = table_.take_out_queue();
  staged.move_to(*out_);
  last_active_ = loop().now();
  choked_ = true;
  settle();
}

void Connection::flush() {
  if (state_ == State::kClosed || out_ == nullptr) return;
  if (write_shut_) return table_.give_back(std::move(out_));
  const std::uint64_t sent_before = sent_;
  const auto sent = send_from(*out_);
  if (!sent) return end(sent.error(), true);
  if (sent_ != sent_before) last_active_ = loop().now();
  choked_ = !*sent;
  if (!choked_) table_.give_back(std::move(out_));
  const bool was_blocked = blocked_;
  settle();
  if (was_blocked && !blocked_ && state_ == State::kOpen) {
    corked([this] { protocol_->on_drain(*this); });
  }
  finish_flushing();
}

// The leading bytes, or the file in front.
[[gnu::always_inline]] inline Result<std::size_t> Connection::send_front(const OutQueue& queue,
                                                                         std::size_t& offered) {
  if (const FileSlice* file = queue.front_file()) {
    offered = static_cast<std::size_t>(file->size);
    return transport_ ? transport_->send_file(*file) : send_file_to_socket(fd(), *file);
  }
  auto& parts = table_.parts_;
  const std::size_t filled = queue.gather(parts);
  for (std::size_t i = 0; i < filled; ++i) offered += parts[i].size();
  const bool more = offered < queue.memory_bytes() || queue.file_bytes() > 0;
  const auto gathered = std::span(parts).first(filled);
  return transport_ ? transport_->write(gathered, more) : write_socket(fd(), gathered, more);
}

// True when the queue is empty, false when the system takes no more for now.
[[gnu::always_inline]] inline Result<bool> Connection::send_from(OutQueue& queue) {
  while (!queue.empty()) {
    std::size_t offered = 0;
    const auto count = send_front(queue, offered);
    if (!count) {
      if (is_would_block(count.error())) return false;
      if (count.error() == make_error_code(Errc::kFileTruncated)) tell_keeper(queue);
      return fail(count.error());
    }
    table_.counters_.bytes_out.add(*count);
    sent_ += *count;
    queue.consume(*count);
    if (*count < offered) return false;
  }
  return true;
}

// What follows from the length of the queue. `memory` alone counts for reading: a file is not
// something that the peer's input makes larger.
void Connection::settle() {
  const ConnectionOptions& options = table_.options();
  const std::size_t memory = out_ == nullptr ? 0 : out_->memory_bytes();
  const std::uint64_t unsent = out_ == nullptr ? 0 : memory + out_->file_bytes();
  blocked_ =
      choked_ && unsent > std::min<std::uint64_t>(options.output_low, protocol_->drain_mark());
  if (!high_ && memory > options.output_high && protocol_->rests_above_high()) {
    high_ = true;
    table_.counters_.output_high_hit.add();
  } else if (high_ && memory <= options.output_low) {
    high_ = false;
  }
  update_interest();
}

// ---- deadline and interest

void Connection::set_deadline(Duration delay) {
  if (state_ == State::kClosed || state_ == State::kLingering) return;
  loop().set_deadline(*this, after(loop().now(), delay));
}

void Connection::clear_deadline() { loop().clear_deadline(*this); }

void Connection::on_deadline() {
  table_.batch_.make_room();  // which may end this connection
  if (state_ == State::kClosed) return;
  if (state_ == State::kLingering) {
    table_.counters_.linger_timeout_hit.add();
    return end(Error(make_error_code(Errc::kTimedOut), "linger"), false);
  }
  table_.counters_.deadlines.add();
  corked([this] { protocol_->on_deadline(*this); });
}

Readiness Connection::wanted() const noexcept {
  unsigned wanted = kNothing;
  if (wants_input() || state_ == State::kLingering) wanted |= kReadable;
  if (choked_) wanted |= kWritable;
  if (wanted == kReadable && !level_) wanted |= kEdge;
  return static_cast<Readiness>(wanted);
}

// Something may be left unread of which the poller would tell no more.
void Connection::leave_edge() {
  if (level_) return;
  level_ = true;
  update_interest();
}

void Connection::update_interest() {
  if (state_ == State::kClosed) return;
  const Readiness interest = wanted();
  // It has left the poller at a hang-up that nobody was there to read (hung_up).
  if (!is_registered() && interest == kNothing) return;
  const auto set =
      is_registered() ? loop().set_interest(*this, interest) : loop().add(*this, interest);
  if (!set) end(set.error(), true);
}

}  // namespace ssx::net

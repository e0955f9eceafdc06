// The half of Session that sends: what may leave now, what waits for a slow peer, what goes.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "ssxrver/net/connections.h"
#include "websocket/session.h"
#include "websocket/session_trace.h"

namespace ssx::websocket {

using net::Connection;

namespace {

constexpr std::size_t kCopiedMax = 256;
constexpr std::size_t kFewBytes = 4 << 10;
constexpr std::size_t kLentMin = 4 << 10;  // where a copy is dearer than a slice of its own

}  // namespace

// ---- what may be sent

std::size_t Session::unsent_memory() const noexcept {
  return connection_.unsent_memory() +
         (outbox_if_made() == nullptr ? 0 : outbox_if_made()->bytes());
}

std::uint64_t Session::unsent_bytes() const noexcept {
  return connection_.unsent_bytes() + (outbox_if_made() == nullptr ? 0 : outbox_if_made()->bytes());
}

// What waits behind a message that is sent in fragments cannot leave before its last one: it must
// not hold that up.
std::uint64_t Session::bytes_ahead() const noexcept {
  return is_fragmenting() ? connection_.unsent_bytes() : unsent_bytes();
}

bool Session::has_room_for(std::size_t bytes, std::size_t unsent) {
  const BackpressureOptions& limits = route().options.backpressure;
  unsent += bytes + kHeaderMax;
  if (unsent > limits.max) return false;
  if (unsent <= limits.low || !state().has_too_much_unsent(connection_.loop().now())) return true;
  state().counters.unsent_max_hit.add();
  return false;
}

// Where nothing is compressed and nothing waits, and there is much room: nobody has to be asked.
// All that is unsent is in that queue, which this asks for once. Else null.
OutQueue* Session::unasked_queue(std::size_t bytes) {
  if (underway_ != nullptr || is_fragmenting()) return nullptr;
  OutQueue& out = connection_.out();
  const std::uint64_t unsent = out.memory_bytes() + out.file_bytes();
  return unsent + bytes + kHeaderMax <= route().unasked_max ? &out : nullptr;
}

Session::Admission Session::admit(std::size_t bytes, BackpressurePolicy policy, std::size_t topic) {
  const bool keeps_some =
      policy == BackpressurePolicy::kDropOldest || policy == BackpressurePolicy::kLatest;
  const bool waits = is_fragmenting() || has_waiting_messages() ||
                     (keeps_some && unsent_bytes() > route().options.backpressure.high);
  const bool replaces = waits && policy == BackpressurePolicy::kLatest;
  const std::size_t replaced = replaces ? outbox().bytes_of(topic) : 0;
  bool has_room = has_room_for(bytes, unsent_memory() - replaced);
  if (has_room && replaces) state().counters.dropped_by(policy).add(outbox().drop_all_of(topic));
  if (waits && policy == BackpressurePolicy::kDropOldest) {
    while (!has_room && outbox().has_messages()) {
      (void)outbox().pop();
      state().counters.dropped_by(policy).add();
      has_room = has_room_for(bytes, unsent_memory());
    }
  }
  if (has_room) return waits ? Admission::kLater : Admission::kNow;
  refuse(policy);
  return Admission::kRefused;
}

void Session::refuse(BackpressurePolicy policy) {
  state().counters.dropped_by(policy).add();
  if (policy == BackpressurePolicy::kClose) fail(Errc::kSendQueueFull);
  if (policy != BackpressurePolicy::kCallback) return;
  // What is too long for an empty queue will not fit later either.
  if (bytes_ahead() > 0 && !above_high_) {
    above_high_ = true;
    look_later();
  }
  tell_backpressure();
}

// ---- messages

Sent Session::send(Opcode opcode, ByteView payload) {
  if (!is_open()) return Sent::kClosed;
  if (OutQueue* const out = unasked_queue(payload.size())) {
    trace(Way::kOut, {.opcode = opcode, .payload_size = payload.size()}, payload);
    const bool is_worth_it = payload.size() >= kLentMin && route().role == Role::kServer;
    if (is_worth_it && connection_.still_has(payload)) {  // a message that comes back
      append_header(*out, opcode, payload.size());
      out->append_lent(payload);
    } else {
      append_to(*out, opcode, payload, {});
    }
    count_message();
    count_sent(payload.size());
    return Sent::kOk;
  }
  const auto admission =
      admit(payload.size(), route().options.backpressure.policy, WaitingMessage::kNoTopic);
  if (admission == Admission::kRefused) return is_open() ? Sent::kDropped : Sent::kClosed;
  if (admission == Admission::kNow) return write_message(opcode, payload);
  return keep({.opcode = opcode, .own = std::string(as_text(payload))});
}

Sent Session::send(const PreparedMessage& message) {
  if (!is_open()) return Sent::kClosed;
  return send_shared(state().share(message), route().options.backpressure.policy,
                     WaitingMessage::kNoTopic);
}

void Session::deliver(const LocalRef<SharedMessage>& message, std::uint8_t note,
                      std::size_t topic) {
  if (phase_ != Phase::kOpen) return;
  const BackpressurePolicy policy = note == kPolicyOfRoute ? route().options.backpressure.policy
                                                           : static_cast<BackpressurePolicy>(note);
  (void)send_shared(message, policy, topic);
}

Sent Session::send_shared(const LocalRef<SharedMessage>& message, BackpressurePolicy policy,
                          std::size_t topic) {
  const auto admission = admit(message->message().payload().size(), policy, topic);
  if (admission == Admission::kRefused) return is_open() ? Sent::kDropped : Sent::kClosed;
  if (admission == Admission::kNow) return write_shared(message);
  return keep({.opcode = message->message().opcode(), .topic = topic, .shared = message});
}

Sent Session::keep(WaitingMessage message) {
  Outbox& to = outbox();
  if (!to.has_messages()) look_later();
  const std::size_t before = to.bytes();
  to.push(std::move(message));
  state().unsent.add(to.bytes() - before);
  return Sent::kAbove;
}

// Compressed for itself, since its context may know what those of others do not.
Sent Session::write_message(Opcode opcode, ByteView payload) {
  const std::size_t size = payload.size();
  trace(Way::kOut, {.opcode = opcode, .payload_size = size}, payload);
  const std::size_t most = route().options.send_fragment_size;
  FrameBits bits;
  if (deflate() != nullptr && deflate()->deflate(payload, state().empty_coded())) {
    payload = as_bytes(state().coded);
    bits.compressed = true;
  }
  OutQueue& to = message_queue();
  for (bits.fin = false; most > 0 && payload.size() > most; bits.compressed = false) {
    append_to(to, opcode, payload.first(most), bits);
    payload = payload.subspan(most);
    opcode = Opcode::kContinuation;
  }
  bits.fin = true;
  append_to(to, opcode, payload, bits);
  return note_message(size);
}

Sent Session::write_shared(const LocalRef<SharedMessage>& shared) {
  const PreparedMessage& message = shared->message();
  const std::size_t size = message.payload().size();
  const std::size_t most = route().options.send_fragment_size;
  const bool compresses = deflate() != nullptr && deflate()->wants(size);
  const auto kind = compresses ? deflate()->shared_kind() : 0;
  const bool is_own = route().role == Role::kClient || !kind || (most > 0 && size > most) ||
                      route().options.delay_write.enabled;
  if (is_own) return write_message(message.opcode(), message.payload());
  trace(Way::kOut, {.opcode = message.opcode(), .payload_size = size}, message.payload());
  ByteView frame = message.frame();
  if (compresses) {
    const std::string& coded = shared->coded(*kind, [this, &message] {
      const bool is_less = deflate()->deflate(message.payload(), state().empty_coded());
      return is_less ? make_frame(message.opcode(), as_bytes(state().coded), true) : std::string();
    });
    if (!coded.empty()) frame = as_bytes(coded);
  }
  // A reference costs more than the bytes of a small frame, and a block more than a few references.
  OutQueue& out = connection_.out();
  const bool waits = connection_.unsent_memory() > kFewBytes || out.has_room_for(frame.size());
  if (waits && frame.size() <= kCopiedMax) {
    out.append_copy(frame);
  } else {
    out.append_kept(frame, shared);
  }
  return note_message(size);
}

// A frame may be as long as the file is (5.2), and none of it is ever in our memory.
Sent Session::send_file(FileSlice file) {
  if (!is_open() || route().role == Role::kClient) return Sent::kClosed;
  if (is_fragmenting() || has_waiting_messages()) {
    state().counters.dropped_by(route().options.backpressure.policy).add();
    return Sent::kDropped;
  }
  flush_delayed();
  const std::uint64_t size = file.size;
  OutQueue& out = connection_.out();
  const FrameHeader header{.opcode = Opcode::kBinary, .payload_size = size};
  trace(Way::kOut, header, {});
  out.commit(encode_header(header, out.reserve(kHeaderMax)));
  if (size > 0) out.append_file(std::move(file));
  return note_message(size);
}

bool Session::send_fragment(Opcode opcode, ByteView payload, bool is_last) {
  const bool is_first = opcode != Opcode::kContinuation;
  if (phase_ != Phase::kOpen || is_first == is_fragmenting()) return false;
  const bool is_behind = is_first && has_waiting_messages();
  const std::size_t unsent = is_first ? unsent_memory() : connection_.unsent_memory();
  if (is_behind || !has_room_for(payload.size(), unsent)) {
    refuse(route().options.backpressure.policy);
    if (!is_first) fail(Errc::kSendQueueFull);  // a message with a hole is none
    return false;
  }
  flush_delayed();
  append(opcode, payload, {.fin = is_last});
  fragmented_ = is_last ? Opcode::kContinuation : is_first ? opcode : fragmented_;
  if (is_last) count_message();
  (void)note_sent(payload.size());
  if (is_last && (send_waiting(false) || above_high_)) look_later();
  return true;
}

Sent Session::send_control(Opcode opcode, ByteView payload) {
  if (phase_ != Phase::kOpen) return Sent::kClosed;
  const BackpressureOptions& limits = route().options.backpressure;
  if (connection_.unsent_memory() > limits.max) {
    state().counters.dropped_by(limits.policy).add();
    return Sent::kDropped;
  }
  if (opcode == Opcode::kPing) {
    state().counters.pings_out.add();
    auto& unanswered = underway().unanswered_pings;
    if (unanswered < std::numeric_limits<std::uint16_t>::max()) ++unanswered;
  }
  append(opcode, payload.first(std::min(payload.size(), kControlPayloadMax)));
  return Sent::kOk;
}

// ---- topics

bool Session::subscribe(std::string_view topic, std::uint8_t note) {
  if (phase_ != Phase::kOpen) return false;
  const bool is_full = subscription_count() >= route().options.subscriptions_max;
  if (is_full && !is_subscribed(topic)) {
    state().counters.subscriptions_max_hit.add();
    return false;
  }
  state().topics().subscribe(membership(), topic, connection_.loop(), note);
  return true;
}

bool Session::unsubscribe(std::string_view topic) {
  return subscription_count() > 0 && state().topics().unsubscribe(underway_->membership, topic);
}

bool Session::is_subscribed(std::string_view topic) const noexcept {
  return subscription_count() > 0 && state().topics().is_subscribed(underway_->membership, topic);
}

std::size_t Session::subscription_count() const noexcept {
  if (underway_ == nullptr) return 0;
  return pubsub::TopicTable::subscriptions_of(underway_->membership);
}

Membership& Session::membership() {
  Membership& mine = underway().membership;
  mine.session = this;
  return mine;
}

// ---- frames

void Session::append_to(OutQueue& out, Opcode opcode, ByteView payload, FrameBits bits) {
  if (route().role == Role::kClient) bits.key = state().mask_keys.next();
  append_frame(out, opcode, payload, bits);
}

void Session::append(Opcode opcode, ByteView payload, FrameBits bits) {
  trace(Way::kOut, {.opcode = opcode, .fin = bits.fin, .payload_size = payload.size()}, payload);
  append_to(connection_.out(), opcode, payload, bits);
}

OutQueue& Session::message_queue() {
  const DelayWriteOptions& options = route().options.delay_write;
  if (!options.enabled) return connection_.out();
  OutQueue& delayed = outbox().delayed;
  if (delayed.empty()) (void)delayed.reserve(options.buffer);
  return delayed;
}

Sent Session::note_message(std::uint64_t bytes) {
  count_message();
  if (route().options.delay_write.enabled && outbox_if_made() != nullptr &&
      !outbox_if_made()->delayed.empty())
    delay_flush();
  return note_sent(bytes);
}

// ---- collected messages

void Session::delay_flush() {
  const DelayWriteOptions& options = route().options.delay_write;
  // Who has to wait for room would wait for the time, too.
  const bool is_high = unsent_bytes() > route().options.backpressure.high;
  Outbox& waiting = outbox();
  if (++waiting.delayed_messages >= options.messages_max || is_high) return flush_delayed();
  if (waiting.delayed_messages > 1) return;
  net::EventLoop& loop = connection_.loop();
  loop.assert_in_loop_thread();
  waiting.flush_timer = loop.run_after(options.delay, [this] { flush_delayed(); });
}

void Session::flush_delayed() {
  Outbox* const waiting = outbox_if_made();
  if (waiting == nullptr || waiting->delayed.empty()) return;
  stop_flush_timer();
  waiting->delayed_messages = 0;
  waiting->delayed.move_to(connection_.out());
  if (above_high_) look_later();
}

void Session::stop_flush_timer() noexcept {
  net::EventLoop& loop = connection_.loop();
  loop.assert_in_loop_thread();
  loop.cancel(std::exchange(outbox().flush_timer, {}));
}

// ---- slow peers

void Session::count_message() noexcept { state().counters.messages_out.add(); }

void Session::count_sent(std::uint64_t bytes) noexcept {
  state().counters.bytes_out.add(bytes);
  state().unsent.add(bytes);
}

// Who was told of backpressure is told of its end, whether or not the system has ever refused.
Sent Session::note_sent(std::uint64_t bytes) {
  count_sent(bytes);
  if (bytes_ahead() <= route().options.backpressure.high) return Sent::kOk;
  if (!above_high_) {
    above_high_ = true;
    state().counters.backpressure.add();
    tell_backpressure();
    look_later();
  }
  return is_open() ? Sent::kAbove : Sent::kClosed;
}

void Session::tell_backpressure() {
  if (!route().callbacks.on_backpressure || telling_) return;
  telling_ = true;  // it may send
  call([this] { route().callbacks.on_backpressure(socket()); });
  telling_ = false;
}

void Session::look_later() {
  connection_.loop().post([&table = connection_.table(), slot = connection_.id().slot] {
    if (Connection* const there = table.find(slot))
      static_cast<Session&>(there->protocol()).look_at_drain();
  });
}

void Session::look_at_drain() {
  const BackpressureOptions& limits = route().options.backpressure;
  if (connection_.unsent_bytes() > limits.low) {
    // Until the system has been asked nobody knows whether on_drain will come.
    if (!connection_.is_blocked() && connection_.is_open()) look_later();
    return;
  }
  if (Outbox* const waiting = outbox_if_made()) {
    if (phase_ == Phase::kOpen && waiting->pong)
      append(Opcode::kPong, as_bytes(*std::exchange(waiting->pong, std::nullopt)));
    // What goes now may be taken at once, and then on_drain does not come.
    if (send_waiting(false) || connection_.unsent_bytes() > limits.low) return look_later();
  }
  if (bytes_ahead() > limits.low || !above_high_) return;
  above_high_ = false;
  if (route().callbacks.on_drain && phase_ == Phase::kOpen) {
    call([this] { route().callbacks.on_drain(socket()); });
  }
}

// In the order in which they came; `all`, or as many as may be sent without taking them back. True:
// there are more.
bool Session::send_waiting(bool all) {
  if (outbox_if_made() == nullptr || is_fragmenting()) return false;
  while (phase_ == Phase::kOpen && has_waiting_messages() &&
         (all || connection_.unsent_bytes() <= route().options.backpressure.high)) {
    const WaitingMessage message = outbox_if_made()->pop();
    if (message.shared) {
      (void)write_shared(message.shared);
    } else {
      (void)write_message(message.opcode, message.payload());
    }
  }
  return phase_ == Phase::kOpen && has_waiting_messages();
}

std::uint64_t Session::drain_mark() const { return route().options.backpressure.low; }

bool Session::rests_above_high() const { return route().when_blocked == WhenBlocked::kRests; }

void Session::on_drain(Connection&) {
  look_at_drain();
  go_on_reading();
}

}  // namespace ssx::websocket

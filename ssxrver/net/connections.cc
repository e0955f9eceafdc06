#include "ssxrver/net/connections.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"

namespace ssx::net {

Connections::Connections(EventLoop& loop, const ConnectionOptions& options, std::uint32_t worker)
    : loop_(loop), options_(options), worker_(worker), batch_(loop) {}

Connections::~Connections() {
  loop_.assert_in_loop_thread();
  loop_.cancel(drain_timer_);
  close_all(Error(make_error_code(Errc::kShutdown), "connections"), false);
  delete_ended();
  SSX_ASSERT(slots_.empty());
}

Connection* Connections::adopt(Accepted accepted, std::unique_ptr<Protocol> protocol) {
  loop_.assert_in_loop_thread();
  SSX_ASSERT(protocol != nullptr);
  const bool has_spoken = accepted.has_spoken;
  if (has_spoken) batch_.make_room();
  std::unique_ptr<Connection> made(new Connection(*this, std::move(accepted), std::move(protocol)));
  if (!has_spoken && !made->watch()) {
    made->close_transport(true);
    return nullptr;
  }
  Connection& connection = insert(std::move(made));
  connection.open();
  if (has_spoken) connection.read_unwatched();
  return &connection;
}

Connection& Connections::insert(std::unique_ptr<Connection> made) {
  Connection& connection = *made;
  connection.slot_ = slots_.insert(std::move(made));
  counters_.opened.add();
  counters_.active.add();
  return connection;
}

Connection* Connections::find(SlotId slot) noexcept {
  std::unique_ptr<Connection>* found = slots_.find(slot);
  if (found == nullptr || (*found)->state() == Connection::State::kClosed) {
    counters_.stale_ids.add();
    return nullptr;
  }
  return found->get();
}

std::size_t Connections::close_idle(std::size_t count, Duration min_idle) {
  std::vector<Connection*> idle;
  const TimePoint newest = loop_.now() - min_idle;
  for_each([&idle, newest](Connection& connection) {
    if (connection.is_idle() && connection.last_active() <= newest) idle.push_back(&connection);
  });
  count = std::min(count, idle.size());
  const auto by_age = [](const Connection* a, const Connection* b) {
    return a->last_active() < b->last_active();
  };
  std::partial_sort(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(count), idle.end(),
                    by_age);
  for (std::size_t i = 0; i < count; ++i) {
    idle[i]->close(Error(make_error_code(Errc::kOverload), "idle"));
    counters_.idle_closed.add();
  }
  return count;
}

void Connections::drain(Duration idle_grace) {
  draining_ = true;
  loop_.assert_in_loop_thread();
  loop_.cancel(drain_timer_);
  drain_timer_ = loop_.run_after(idle_grace, [this] {
    close_drained();
    // One whose last answer is still leaving becomes idle later.
    loop_.assert_in_loop_thread();
    drain_timer_ = loop_.run_every(kDrainLook, [this] { close_drained(); });
  });
}

void Connections::close_drained() {
  for_each([this](Connection& connection) {
    if (!connection.is_idle() || !connection.is_open()) return;
    counters_.drain_idle_grace_hit.add();
    connection.close_after_flush(Connection::Linger::kNo);
  });
}

// One that lingers has sent everything: a reset could take it away from the peer.
void Connections::cut_off(const Error& reason) {
  for_each([this, &reason](Connection& connection) {
    const bool has_all =
        connection.is_idle() || connection.state() == Connection::State::kLingering;
    counters_.drain_timeout_hit.add();
    connection.end(reason, !has_all);
  });
}

void Connections::close_all(const Error& reason, bool reset) {
  for_each([&reason, reset](Connection& connection) { connection.end(reason, reset); });
}

void Connections::on_turn_end() {
  // A callback may mark others, or itself again: those run in the next turn.
  turn_.swap(dirty_);
  for (const SlotId slot : turn_) {
    batch_.make_room();
    const auto* const found = slots_.find(slot);
    if (found == nullptr) continue;  // marked by what was told its end
    Connection& connection = **found;
    connection.dirty_ = false;
    connection.turn_end();
  }
  turn_.clear();
  batch_.serve();
  delete_ended();
  retired_protocols_.clear();
  if (!dirty_.empty()) loop_.at_turn_end(*this);
}

void Connections::mark_dirty(Connection& connection) noexcept {
  if (!connection.dirty_) dirty_.push_back(connection.slot_);
  connection.dirty_ = true;
  loop_.at_turn_end(*this);
}

void Connections::retire(Connection& connection, const Error& reason) {
  ended_.push_back({connection.slot_, reason});
  loop_.at_turn_end(*this);
}

void Connections::retire(std::unique_ptr<Protocol> protocol) {
  retired_protocols_.push_back(std::move(protocol));
  loop_.at_turn_end(*this);
}

void Connections::delete_ended() {
  for (std::size_t i = 0; i < ended_.size(); ++i) {  // on_close may end others
    const Ended ended = ended_[i];
    Connection& connection = **slots_.find(ended.slot);
    connection.protocol_->on_close(connection, ended.reason);
    connection.give_back_buffers();
    const std::unique_ptr<Connection> owned = std::move(*slots_.find(ended.slot));
    slots_.erase(ended.slot);
    counters_.closed.add();
    counters_.active.sub();
    if (on_removed_) on_removed_(*owned);
  }
  ended_.clear();
}

std::unique_ptr<InBuffer> Connections::take_in_buffer() {
  if (spare_in_.empty())
    return std::make_unique<InBuffer>(0, options_.input_max + Batch::kReceiveRoom);
  auto buffer = std::move(spare_in_.back());
  spare_in_.pop_back();
  return buffer;
}

std::unique_ptr<OutQueue> Connections::take_out_queue() {
  auto& spare = spare_out_.empty() ? spare_shrunk_ : spare_out_;
  if (spare.empty()) return std::make_unique<OutQueue>();
  auto queue = std::move(spare.back());
  spare.pop_back();
  return queue;
}

void Connections::give_back(std::unique_ptr<InBuffer> buffer) noexcept {
  buffer->clear();
  if (spare_in_.size() < kSpareMax && buffer->capacity() <= kSpareBytesMax)
    spare_in_.push_back(std::move(buffer));
}

void Connections::give_back(std::unique_ptr<OutQueue> queue) noexcept {
  queue->clear();
  if (spare_out_.size() < kSpareMax) return spare_out_.push_back(std::move(queue));
  if (spare_shrunk_.size() == kSpareShrunkMax) return;
  queue->shrink();
  spare_shrunk_.push_back(std::move(queue));
}

}  // namespace ssx::net

#include "ssxrver/load/peer_load.h"

#include <utility>

namespace ssx::load {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(100);

}  // namespace

PeerLoad::PeerLoad(net::EventLoop& loop, const LoadPlan& plan, MakePeer make_peer,
                   std::uint32_t index)
    : loop_(loop),
      plan_(plan),
      index_(index),
      make_peer_(std::move(make_peer)),
      opening_(loop, plan, index) {
  const std::uint32_t more = index < plan.connections % plan.threads ? 1 : 0;
  const std::uint32_t count = plan.connections / plan.threads + more;
  for (std::uint32_t i = 0; i < count; ++i) {
    peers_.push_back(make_peer_(*this));
    opening_.add(*peers_.back());
  }
}

PeerLoad::~PeerLoad() = default;

void PeerLoad::open() {
  if (!plan_.keeps_connections) return set_open();
  opening_.begin([this] { set_open(); });
}

void PeerLoad::on_open(Peer&) {
  ++tally_.connects;
  count_connect();
  if (phase_ == Phase::kOpening) opening_.note_one();
}

void PeerLoad::start() {
  loop_.assert_in_loop_thread();
  phase_ = Phase::kRunning;
  opening_.end();
  const TimePoint now = loop_.clock().now();
  if (plan_.rate > 0) {
    const double apart_ns = 1e9 * plan_.depth / plan_.rate;  // batches, over all threads
    const auto offset = Duration(static_cast<std::int64_t>(apart_ns * index_));
    pace_ = Pace(now + offset, apart_ns * plan_.threads);
  }
  loop_.run_every(kLookEvery, [this] { look_at_times(); });
  for (const auto& peer : peers_) on_free(*peer, now);
}

void PeerLoad::measure() {
  tally_ = Tally();
  for (const auto& peer : peers_) tally_.carried += peer->outstanding();
}

void PeerLoad::finish() {
  phase_ = Phase::kFinished;
  const TimePoint now = loop_.clock().now();
  for (const auto& peer : peers_) {
    tally_.unfinished += peer->outstanding();
    note_wait(peer->outstanding(), now - peer->since());
    tally_.standing += peer->stands() ? 1 : 0;
    peer->close();
  }
  pace_.take_all(now, [this, now](TimePoint since, std::uint64_t batches) {
    tally_.leave_unsent(batches * plan_.depth, now - since);
  });
}

void PeerLoad::note_wait(std::uint64_t requests, Duration waited) {
  if (pace_.is_constant() && requests > 0) tally_.latency.record(waited, requests);
}

void PeerLoad::on_answer(Peer& peer, bool is_good, TimePoint now) {
  if (!is_good) return tally_.fail(Failure::kStatus);
  ++tally_.answered;
  tally_.latency.record(now - peer.since());
  count_answer();
}

void PeerLoad::on_free(Peer& peer, TimePoint now) {
  if (phase_ != Phase::kRunning) return;
  const auto since = pace_.take(now);
  if (!since) {
    idle_.push_back(&peer);
    return wait_for_due();
  }
  tally_.requests += plan_.depth;
  peer.begin(*since, now, opening_.next_source());
}

void PeerLoad::on_failed(Peer& peer, Failure failure, std::uint32_t lost, bool stood) {
  tally_.fail(failure, lost);
  if (failure == Failure::kTimeout) note_wait(lost, loop_.clock().now() - peer.since());
  if (phase_ == Phase::kOpening) {
    if (!stood) opening_.note_one();
    return;
  }
  if (lost == 0) return;  // it was idle, and still is
  loop_.assert_in_loop_thread();
  const Duration rest = failure == Failure::kConnect ? Opening::kRest : Duration::zero();
  loop_.run_after(rest, [this, &peer] { on_free(peer, loop_.clock().now()); });
}

void PeerLoad::wait_for_due() {
  if (is_waiting_) return;
  is_waiting_ = true;
  loop_.assert_in_loop_thread();
  loop_.run_at(pace_.next(), [this] {
    is_waiting_ = false;
    begin_due();
  });
}

void PeerLoad::begin_due() {
  if (phase_ != Phase::kRunning) return;
  const TimePoint now = loop_.clock().now();
  while (!idle_.empty() && pace_.next() <= now) {
    Peer& peer = *idle_.front();
    idle_.pop_front();
    on_free(peer, now);
  }
  if (!idle_.empty()) wait_for_due();
}

void PeerLoad::look_at_times() {
  if (phase_ != Phase::kRunning) return;
  const TimePoint now = loop_.clock().now();
  for (const auto& peer : peers_) {
    if (plan_.is_idle && peer->stands()) continue;  // it has had its answer
    if (peer->outstanding() > 0 && now - peer->begun() > plan_.timeout) peer->give_up();
  }
}

}  // namespace ssx::load

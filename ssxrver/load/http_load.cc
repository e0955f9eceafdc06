#include "ssxrver/load/http_load.h"

#include <algorithm>

namespace ssx::load {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(100);

bool is_good(const HttpPlan& plan, std::uint16_t status) noexcept {
  using Use = HttpPlan::Use;
  if (plan.use == Use::kUntilClosed || plan.use == Use::kWithoutAnswer) return true;
  return status >= 200 && status < 400;
}

}  // namespace

HttpLoad::HttpLoad(net::EventLoop& loop, const HttpPlan& plan, std::uint32_t index)
    : loop_(loop), plan_(plan), index_(index), source_(index) {
  for (std::uint32_t i = 0; i < plan.depth; ++i) scratch_.batch += plan.request;
  const std::uint32_t more = index < plan.connections % plan.threads ? 1 : 0;
  const std::uint32_t count = plan.connections / plan.threads + more;
  HttpPeer::Events& events = *this;
  for (std::uint32_t i = 0; i < count; ++i)
    peers_.push_back(std::make_unique<HttpPeer>(loop, plan, scratch_, events));
  idle_.reserve(count);
}

HttpLoad::~HttpLoad() = default;

void HttpLoad::open() {
  if (plan_.use != HttpPlan::Use::kKeepAlive) return set_open();
  open_more();
}

void HttpLoad::open_more() {
  while (begun_opening_ < peers_.size() && begun_opening_ - opened_ < kOpeningMax) {
    HttpPeer& next = *peers_[begun_opening_++];
    next.open(next_source());
  }
}

void HttpLoad::note_opened() {
  if (++opened_ == peers_.size()) return set_open();
  loop_.post([this] { open_more(); });  // not from within open_more()
}

void HttpLoad::on_open(HttpPeer&) {
  ++tally_.connects;
  if (phase_ == Phase::kOpening) note_opened();
}

void HttpLoad::start() {
  loop_.assert_in_loop_thread();
  phase_ = Phase::kRunning;
  const TimePoint now = loop_.clock().now();
  if (plan_.rate > 0) {
    const double period_ns = 1e9 * plan_.threads / plan_.rate;
    const auto offset = Duration(static_cast<std::int64_t>(1e9 * index_ / plan_.rate));
    pace_ = Pace(now + offset, period_ns);
  }
  loop_.run_every(kLookEvery, [this] { look_at_times(); });
  for (const auto& peer : peers_) on_free(*peer, now);
}

void HttpLoad::measure() {
  tally_ = Tally();
  for (const auto& peer : peers_) tally_.carried += peer->outstanding();
}

void HttpLoad::finish() {
  phase_ = Phase::kFinished;
  for (const auto& peer : peers_) {
    tally_.unfinished += peer->outstanding();
    peer->close();
  }
}

void HttpLoad::on_answer(HttpPeer& peer, std::uint16_t status, TimePoint now) {
  if (!is_good(plan_, status)) return tally_.fail(Failure::kStatus);
  ++tally_.answered;
  tally_.latency.record(now - peer.since());
  count_answer();
}

void HttpLoad::on_free(HttpPeer& peer, TimePoint now) {
  if (phase_ != Phase::kRunning) return;
  const auto since = pace_.take(now);
  if (!since) {
    idle_.push_back(&peer);
    return wait_for_due();
  }
  tally_.requests += plan_.depth;
  peer.begin(*since, now, next_source());
}

void HttpLoad::on_failed(HttpPeer& peer, Failure failure, std::uint32_t lost) {
  tally_.fail(failure, lost);
  if (phase_ == Phase::kOpening) return note_opened();
  if (lost == 0) return;  // it was idle, and still is
  loop_.assert_in_loop_thread();
  const Duration rest = failure == Failure::kConnect ? kRest : Duration::zero();
  loop_.run_after(rest, [this, &peer] { on_free(peer, loop_.clock().now()); });
}

void HttpLoad::wait_for_due() {
  if (is_waiting_) return;
  is_waiting_ = true;
  loop_.assert_in_loop_thread();
  loop_.run_at(pace_.next(), [this] {
    is_waiting_ = false;
    begin_due();
  });
}

void HttpLoad::begin_due() {
  if (phase_ != Phase::kRunning) return;
  const TimePoint now = loop_.clock().now();
  while (!idle_.empty() && pace_.next() <= now) {
    HttpPeer& peer = *idle_.back();
    idle_.pop_back();
    on_free(peer, now);
  }
  if (!idle_.empty()) wait_for_due();
}

void HttpLoad::look_at_times() {
  if (phase_ != Phase::kRunning) return;
  const TimePoint now = loop_.clock().now();
  for (const auto& peer : peers_) {
    if (peer->outstanding() > 0 && now - peer->begun() > plan_.timeout) peer->give_up();
  }
}

const net::SocketAddress* HttpLoad::next_source() noexcept {
  if (plan_.sources.empty()) return nullptr;
  return &plan_.sources[source_++ % plan_.sources.size()];
}

}  // namespace ssx::load

#include "ssxrver/load/broadcast_load.h"

#include <optional>
#include <utility>

namespace ssx::load {
namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(100);
/// When there is nobody to send to, or the server does not read.
constexpr Duration kAgain = std::chrono::milliseconds(1);

}  // namespace

/// A connection, and which publication is the next that it is to be sent.
class BroadcastLoad::Member final : private Peer::Events {
 public:
  explicit Member(BroadcastLoad& load)
      : load_(load), peer_(load.loop_, load.plan_, load.scratch_, *this) {}

  [[nodiscard]] WsPeer& peer() noexcept { return peer_; }
  void open(const net::SocketAddress* source, TimePoint now) {
    peer_.close();  // what has hung since the beginning
    tried_at_ = now;
    peer_.open(source);
  }
  /// It has been on its way since then; without a value it stands, or rests.
  [[nodiscard]] std::optional<TimePoint> tried_at() const noexcept { return tried_at_; }
  [[nodiscard]] bool stands() const noexcept { return peer_.stands(); }
  [[nodiscard]] std::uint64_t next() const noexcept { return next_; }
  void expect_message(std::uint64_t number, TimePoint now) {
    if (peer_.outstanding() == 0) next_ = number;
    peer_.expect_message(now);
  }

 private:
  void on_open(Peer&) override {
    tried_at_.reset();
    load_.note_open();
  }
  void on_answer(Peer&, bool, TimePoint now) override { load_.note_message(next_++, now); }
  void on_bytes_in(std::uint64_t count) override { load_.tally_.bytes_in += count; }
  void on_bytes_out(std::uint64_t count) override { load_.tally_.bytes_out += count; }
  void on_free(Peer&, TimePoint) override {}
  void on_refused(int error) override { load_.note_refused(error); }
  void on_failed(Peer&, Failure failure, std::uint32_t lost, bool stood) override {
    tried_at_.reset();
    for (std::uint32_t i = 0; i < lost; ++i) load_.note_lost(next_ + i, failure);
    load_.note_failed(*this, failure, stood);
  }

  BroadcastLoad& load_;
  WsPeer peer_;
  std::optional<TimePoint> tried_at_;
  std::uint64_t next_ = 0;
};

BroadcastLoad::BroadcastLoad(net::EventLoop& loop, const WsPlan& plan)
    : loop_(loop), plan_(plan), scratch_(plan), opening_(loop, plan, 0) {
  publisher_ = std::make_unique<Member>(*this);
  opening_.add(publisher_->peer());
  for (std::uint32_t i = 0; i < plan.connections; ++i) {
    audience_.push_back(std::make_unique<Member>(*this));
    opening_.add(audience_.back()->peer());
  }
}

BroadcastLoad::~BroadcastLoad() = default;

void BroadcastLoad::open() {
  opening_.begin([this] { set_open(); });
}

void BroadcastLoad::start() {
  loop_.assert_in_loop_thread();
  phase_ = Phase::kRunning;
  opening_.end();
  const TimePoint now = loop_.clock().now();
  if (plan_.rate > 0) pace_ = Pace(now, 1e9 / plan_.rate);
  loop_.run_every(kLookEvery, [this] { look_at_times(); });
  for_each_member([this, now](Member& member) {
    if (!member.stands()) member.open(opening_.next_source(), now);
  });
  publish();
}

void BroadcastLoad::measure() {
  tally_ = Tally();
  for (const auto& member : audience_) tally_.carried += member->peer().outstanding();
}

void BroadcastLoad::finish() {
  phase_ = Phase::kFinished;
  const TimePoint now = loop_.clock().now();
  std::uint64_t listeners = 0;
  for (const auto& member : audience_) {
    WsPeer& peer = member->peer();
    const std::uint32_t awaited = peer.outstanding();
    tally_.unfinished += awaited;
    for (std::uint32_t i = 0; i < awaited; ++i) note_wait(member->next() + i, now);
    listeners += member->stands() ? 1 : 0;
    peer.close();
  }
  tally_.standing = listeners + (publisher_->stands() ? 1 : 0);
  publisher_->peer().close();
  pace_.take_all(now, [this, now, listeners](TimePoint since, std::uint64_t publications) {
    tally_.leave_unsent(publications * listeners, now - since);
  });
}

void BroadcastLoad::note_open() {
  ++tally_.connects;
  count_connect();
  if (phase_ == Phase::kOpening) opening_.note_one();
}

void BroadcastLoad::note_message(std::uint64_t number, TimePoint now) {
  Publication& publication = under_way_[number - oldest_];
  ++tally_.answered;
  tally_.latency.record(now - publication.since);
  count_answer();
  --publication.awaited;
  go_on();
}

void BroadcastLoad::note_lost(std::uint64_t number, Failure failure) {
  tally_.fail(failure);
  if (failure == Failure::kTimeout) note_wait(number, loop_.clock().now());
  --under_way_[number - oldest_].awaited;
}

void BroadcastLoad::note_wait(std::uint64_t number, TimePoint now) {
  if (pace_.is_constant()) tally_.latency.record(now - under_way_[number - oldest_].since);
}

void BroadcastLoad::note_failed(Member& member, Failure failure, bool stood) {
  if (phase_ == Phase::kFinished) return;
  if (phase_ == Phase::kOpening) {
    if (!stood) opening_.note_one();
    return;
  }
  if (!stood) {  // what it would have been sent
    ++tally_.requests;
    tally_.fail(failure);
  }
  loop_.assert_in_loop_thread();
  loop_.run_after(Opening::kRest, [this, &member] {
    if (phase_ == Phase::kRunning) member.open(opening_.next_source(), loop_.clock().now());
  });
  go_on();
}

void BroadcastLoad::go_on() {
  while (!under_way_.empty() && under_way_.front().awaited == 0) {
    under_way_.pop_front();
    ++oldest_;
  }
  if (under_way_.empty() && !pace_.is_constant()) publish();
}

void BroadcastLoad::publish() {
  if (phase_ != Phase::kRunning) return;
  const TimePoint now = loop_.clock().now();
  bool is_busy = publisher_->peer().is_busy();
  while (!is_busy) {
    const auto since = pace_.take(now);
    if (!since) break;
    publish_one(*since, now);
    if (!pace_.is_constant()) break;
    is_busy = publisher_->peer().is_busy();
  }
  if (pace_.is_constant()) return publish_at(is_busy ? now + kAgain : pace_.next());
  if (under_way_.empty()) publish_at(now + kAgain);
}

void BroadcastLoad::publish_at(TimePoint when) {
  if (std::exchange(is_waiting_, true)) return;
  loop_.assert_in_loop_thread();
  loop_.run_at(when, [this] {
    is_waiting_ = false;
    publish();
  });
}

void BroadcastLoad::publish_one(TimePoint since, TimePoint now) {
  const std::uint64_t number = oldest_ + under_way_.size();
  std::size_t awaited = 0;
  for (const auto& member : audience_) {
    if (!member->stands()) continue;
    member->expect_message(number, now);
    ++awaited;
  }
  if (awaited == 0) return;
  tally_.requests += awaited;
  under_way_.push_back({since, now, awaited});
  publisher_->peer().publish();
}

void BroadcastLoad::look_at_times() {
  if (phase_ != Phase::kRunning) return;
  const TimePoint now = loop_.clock().now();
  for_each_member([this, now](Member& member) {
    std::optional<TimePoint> since = member.tried_at();
    if (member.peer().outstanding() > 0) since = under_way_[member.next() - oldest_].begun;
    if (since && now - *since > plan_.timeout) member.peer().give_up();
  });
}

template <class F>
void BroadcastLoad::for_each_member(F function) {
  function(*publisher_);
  for (const auto& member : audience_) function(*member);
}

}  // namespace ssx::load

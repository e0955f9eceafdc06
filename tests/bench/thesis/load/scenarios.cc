#include "tests/bench/thesis/load/scenarios.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

namespace wsload {
namespace {

constexpr std::size_t kOpeningMax = 256;  // at once, below any backlog

std::string payload_of(std::uint64_t size) {
  std::string payload(size, '\0');
  for (std::size_t i = 0; i < size; ++i) payload[i] = static_cast<char>('a' + i % 26);
  return payload;
}

float us_since(std::int64_t since) noexcept { return static_cast<float>(now_ns() - since) / 1000; }

/// One message of `bytes` in frames of `size`; the server answers how many bytes have come. Then
/// the next one, while there is time.
class File : public Load {
 public:
  File(int poller, const Plan& plan) : Load(poller, plan), payload_(payload_of(plan.size)) {
    first_ = make_frame(kBinary, false, payload_);
    middle_ = make_frame(kContinuation, false, payload_);
    const std::uint64_t rest = plan.bytes % plan.size;
    last_ = make_frame(kContinuation, true,
                       std::string_view(payload_).substr(0, rest == 0 ? plan.size : rest));
    frames_ = (plan.bytes + plan.size - 1) / plan.size;
  }

  void start() override { begin(*peers_.front()); }
  void on_sent(Peer& peer) override {
    if (!is_sending_ || sent_ == frames_) return;
    ++sent_;
    peer.send(sent_ == frames_ ? last_ : sent_ == 1 ? first_ : middle_);
  }
  void on_message(Peer& peer, std::uint64_t) override {
    const std::string wanted = fmt::format("{}", plan_.bytes);
    if (peer.text() != wanted) note_error(fmt::format("told of {} bytes", peer.text()));
    outcome_.latency_us.push_back(us_since(peer.since));
    outcome_.messages += frames_;
    outcome_.bytes += plan_.bytes;
    is_sending_ = false;
    if (!is_stopping()) begin(peer);
  }
  [[nodiscard]] bool is_done() const noexcept override {
    return (is_stopping() && !is_sending_) || outcome_.errors > 0;
  }

 private:
  void begin(Peer& peer) {
    peer.since = now_ns();
    sent_ = 0;
    is_sending_ = true;
    on_sent(peer);
  }

  const std::string payload_;
  std::string first_;
  std::string middle_;
  std::string last_;
  std::uint64_t frames_ = 0;
  std::uint64_t sent_ = 0;
  bool is_sending_ = false;
};

/// New connections at an even rate; each sends some messages with pauses, and then goes.
class Arrivals : public Load {
 public:
  Arrivals(int poller, const Plan& plan)
      : Load(poller, plan),
        message_(make_frame(kBinary, true, payload_of(plan.size))),
        close_(make_frame(kClose, true, {"\x03\xe8", 2})) {}

  void prepare() override {}
  [[nodiscard]] bool is_ready() const noexcept override { return true; }
  void start() override { began_ = now_ns(); }
  void look(std::int64_t now) override {
    const auto due = static_cast<std::size_t>(static_cast<double>(now - began_) / 1e9 * plan_.rate);
    const auto all = static_cast<std::size_t>(plan_.rate * plan_.seconds);
    for (; begun_ < std::min(due + 1, all); ++begun_) {
      peers_.push_back(std::make_unique<Peer>());
      peers_.back()->since = now_ns();
      peers_.back()->count = plan_.messages;
      connect(*peers_.back());
    }
    while (!later_.empty() && later_.front().first <= now) {
      Peer& peer = *later_[0].second;
      later_.erase(later_.begin());
      if (peer.is_open()) send(peer);
    }
    if (begun_ == all) stop();
  }
  void on_open(Peer& peer) override {
    outcome_.opening_us.push_back(us_since(peer.since));
    send(peer);
  }
  void on_message(Peer& peer, std::uint64_t size) override {
    ++outcome_.messages;
    outcome_.bytes += size;
    outcome_.latency_us.push_back(us_since(peer.since));
    if (--peer.count == 0) {
      peer.expect_end();
      return peer.send(close_);
    }
    later_.emplace_back(now_ns() + static_cast<std::int64_t>(plan_.pause * 1e9), &peer);
  }
  void on_closed(Peer&, std::string_view why) override {
    ++closed_;
    if (!why.empty()) note_error(why);
  }
  [[nodiscard]] bool is_done() const noexcept override {
    return is_stopping() && closed_ == begun_;
  }

 private:
  void send(Peer& peer) {
    peer.since = now_ns();
    peer.send(message_);
  }

  const std::string message_;
  const std::string close_;
  std::int64_t began_ = 0;
  std::size_t begun_ = 0;
  std::size_t closed_ = 0;
  std::deque<std::pair<std::int64_t, Peer*>> later_;  ///< in the order of time: pauses are equal
};

}  // namespace

std::int64_t now_ns() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Load::Load(int poller, const Plan& plan)
    : plan_(plan), poller_(poller), target_{plan.port, make_handshake(plan.port, plan.path)} {
  const std::size_t count = plan.scenario == "file" ? 1 : 0;
  for (std::size_t i = 0; i < count; ++i) peers_.push_back(std::make_unique<Peer>());
}

void Load::prepare() { open_more(); }

void Load::open_more() {
  while (begun_ < peers_.size() && begun_ - open_ < kOpeningMax) connect(*peers_[begun_++]);
}

void Load::on_open(Peer&) {
  ++open_;
  open_more();
}

void Load::on_closed(Peer&, std::string_view why) {
  failed_ = true;
  note_error(why.empty() ? "closed" : why);
}

void Load::note_error(std::string_view why) {
  if (outcome_.errors++ == 0) outcome_.error = why;
}

std::unique_ptr<Load> make_load(int poller, const Plan& plan) {
  if (plan.scenario == "file") return std::make_unique<File>(poller, plan);
  if (plan.scenario == "arrivals") return std::make_unique<Arrivals>(poller, plan);
  return nullptr;
}

}  // namespace wsload

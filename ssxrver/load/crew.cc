#include "ssxrver/load/crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <latch>
#include <utility>

#include "ssxrver/base/thread.h"

namespace ssx::load {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(5);

class Member {
 public:
  static Result<std::unique_ptr<Member>> create(std::uint32_t index,
                                                const Crew::MakeLoad& make_load) {
    auto member = std::make_unique<Member>();
    net::LoopOptions options;
    options.max_events = 256;
    options.stall_warn = std::chrono::milliseconds(0);
    SSX_TRY(member->loop_, net::EventLoop::create(options));
    member->load_ = make_load(*member->loop_, index);
    SSX_TRY(member->thread_, Thread::start(fmt::format("load {}", index), std::nullopt,
                                           [loop = member->loop_.get()] { loop->run(); }));
    return member;
  }
  ~Member() {
    loop_->stop();
    thread_.join();
  }

  void measure() {
    load_->measure();
    from_ = loop_->clock().now();
  }
  void finish() {
    to_ = loop_->clock().now();
    load_->finish();
  }
  /// On its loop.
  template <class F>
  void post(F function) {
    loop_->post([this, function = std::move(function)] { function(*this); });
  }
  [[nodiscard]] Load& load() const noexcept { return *load_; }
  /// Behind finish(): what its answers have come in.
  [[nodiscard]] Duration window() const noexcept { return to_ - from_; }

 private:
  TimePoint from_;
  TimePoint to_;
  // Destroyed in the opposite order, when the loop has ended.
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<Load> load_;
  Thread thread_;
};

using Members = std::vector<std::unique_ptr<Member>>;

/// On all loops at the same time; returns when all have done it.
template <class F>
void on_all(Members& members, F function) {
  std::latch done(static_cast<std::ptrdiff_t>(members.size()));
  for (const auto& member : members) {
    member->post([&done, &function](Member& on_its_loop) {
      function(on_its_loop);
      done.count_down();
    });
  }
  done.wait();
}

TimePoint now() { return SystemClock::instance().now(); }

/// The caller's thread while the others work.
class Waiting {
 public:
  static Result<Waiting> create(const std::atomic<bool>& stop) {
    SSX_TRY(auto loop, net::EventLoop::create());
    loop->assert_in_loop_thread();
    loop->run_every(kLook, [] {});  // so that it looks up
    return Waiting(std::move(loop), stop);
  }

  /// Until then, or until `done`, or until it is stopped.
  void until(TimePoint end, const std::function<bool()>& done = {}) {
    loop_->run_until([&] { return stop_.load() || now() >= end || (done && done()); });
  }
  void rest(Duration time) { until(now() + time); }
  [[nodiscard]] bool is_stopped() const noexcept { return stop_.load(); }

 private:
  Waiting(std::unique_ptr<net::EventLoop> loop, const std::atomic<bool>& stop)
      : loop_(std::move(loop)), stop_(stop) {}
  std::unique_ptr<net::EventLoop> loop_;
  const std::atomic<bool>& stop_;
};

std::uint64_t answered_by(const Members& members) {
  std::uint64_t sum = 0;
  for (const auto& member : members) sum += member->load().answered();
  return sum;
}

void open_all(const CrewOptions& options, Members& members, Waiting& waiting) {
  on_all(members, [](Member& member) { member.load().open(); });
  const auto are_open = [&members] {
    return std::ranges::all_of(members, [](const auto& each) { return each->load().is_open(); });
  };
  const TimePoint end = now() + options.open_timeout;
  while (!are_open() && !waiting.is_stopped() && now() < end) {
    waiting.until(std::min(now() + options.tick, end), are_open);
    std::uint64_t connected = 0;
    for (const auto& member : members) connected += member->load().connected();
    if (options.on_opening) options.on_opening(connected);
  }
}

void watch(const CrewOptions& options, const Members& members, const Crew::OnProgress& on_progress,
           Waiting& waiting) {
  const TimePoint begun = now();
  const std::uint64_t before = answered_by(members);
  std::uint64_t last = before;
  TimePoint looked = begun;
  while (!waiting.is_stopped() && looked < begun + options.time) {
    waiting.until(std::min(looked + options.tick, begun + options.time));
    const std::uint64_t answered = answered_by(members);
    const Duration passed = now() - looked;
    looked += passed;
    const double seconds = std::chrono::duration<double>(passed).count();
    on_progress({looked - begun, options.time, answered - before,
                 static_cast<double>(answered - last) / seconds});
    last = answered;
  }
}

}  // namespace

Result<Outcome> Crew::run(const CrewOptions& options, const MakeLoad& make_load,
                          const OnProgress& on_progress, const std::atomic<bool>& stop) {
  SSX_TRY(auto waiting, Waiting::create(stop));
  Members members;
  for (std::uint32_t i = 0; i < options.threads; ++i) {
    SSX_TRY(auto member, Member::create(i, make_load));
    members.push_back(std::move(member));
  }
  open_all(options, members, waiting);
  if (options.warm_up > Duration::zero()) {
    on_all(members, [](Member& member) { member.load().start(); });
    waiting.rest(options.warm_up);
    on_all(members, [](Member& member) { member.measure(); });
  } else {  // from the very first byte
    on_all(members, [](Member& member) {
      member.measure();
      member.load().start();
    });
  }
  if (options.on_begin) options.on_begin();
  const TimePoint begun = now();
  const std::clock_t used = std::clock();
  watch(options, members, on_progress, waiting);
  const double busy = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  const double watched = std::chrono::duration<double>(now() - begun).count();
  if (options.on_end) options.on_end();
  on_all(members, [](Member& member) { member.finish(); });

  Outcome outcome;
  for (const auto& member : members) {
    outcome.tally.add(member->load().tally());
    outcome.window += member->window() / options.threads;
  }
  outcome.busy = watched > 0 ? busy / (watched * options.threads) : 0;
  outcome.was_cut = stop.load();
  return outcome;
}

}  // namespace ssx::load

// One thread's loop: waits for readiness, fires timers, runs what other threads posted.
//
// Thread: loop-only (the thread in run(); before, the one that created it; after, any one), but
//         for post(), dispatch(), stop() and is_in_loop_thread(): any thread
// Owner:  whoever created it (a Worker, a test, main)
// Life:   create() .. run() returns .. destruction; whatever is registered must be gone before
// Bounds: LoopOptions: events, posted functions and timers per turn
//
// Other threads reach what lives on a loop in two ways only: post(fn), always later and never
// inline, and dispatch(fn), inline when already on the loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "ssxrver/base/clock.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/result.h"
#include "ssxrver/base/thread_annotations.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/net/channel.h"
#include "ssxrver/net/mailbox.h"
#include "ssxrver/net/options.h"
#include "ssxrver/net/poller.h"
#include "ssxrver/net/timer_queue.h"
#include "ssxrver/net/timer_wheel.h"
#include "ssxrver/net/turn_mark.h"

namespace ssx::net {

/// Work for the end of the current turn, e.g. sending what was written during it. Link it with
/// EventLoop::at_turn_end(); it is unlinked before it runs.
class TurnEnd : private ListHook<class EventLoop> {
 protected:
  TurnEnd() noexcept = default;
  ~TurnEnd() = default;

 private:
  friend class EventLoop;
  friend class IntrusiveList<TurnEnd, EventLoop>;
  virtual void on_turn_end() = 0;
};

/// What must not outlive its loop, e.g. a detached Task. Link it with EventLoop::at_end(); it is
/// unlinked before it is told, once, on the loop's thread while the loop still works.
class LoopEnd : private ListHook<LoopEnd> {
 protected:
  LoopEnd() noexcept = default;
  ~LoopEnd() = default;
  void leave_loop() noexcept { unlink(); }

 private:
  friend class EventLoop;
  friend class IntrusiveList<LoopEnd, LoopEnd>;
  virtual void on_loop_end() = 0;
};

/// Posts to a loop that may have been destroyed meanwhile: for work on other threads that answers
/// when it likes. Any thread; the mailbox lives as long as the last handle.
class LoopHandle {
 public:
  /// As EventLoop::post().
  bool post(UniqueFunction<void()> function) const { return mailbox_->post(std::move(function)); }

 private:
  friend class EventLoop;
  explicit LoopHandle(std::shared_ptr<Mailbox> mailbox) noexcept : mailbox_(std::move(mailbox)) {}
  std::shared_ptr<Mailbox> mailbox_;
};

class SSX_CAPABILITY("loop") EventLoop {
 public:
  using Function = UniqueFunction<void()>;

  /// With epoll and the system's clock.
  static Result<std::unique_ptr<EventLoop>> create(const LoopOptions& options = {});
  /// With a poller and a clock of the caller's; the clock must outlive the loop.
  static Result<std::unique_ptr<EventLoop>> create(const LoopOptions& options, const Clock& clock,
                                                   std::unique_ptr<Poller> poller = nullptr);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  /// The loop that runs on this thread, or null.
  static EventLoop* current() noexcept;

  /// Turns until stop(). The calling thread becomes the loop's thread; `first` runs before the
  /// first turn. Every post that returned true has run when it returns; later ones are refused.
  void run(Function first = nullptr);
  /// Any thread, any time, any number of times; before run() it makes run() return at once.
  void stop() noexcept;
  [[nodiscard]] bool is_stopping() const noexcept {
    return stopping_.load(std::memory_order_acquire);
  }
  /// Turns without waiting until nothing is ready, due or posted (for tests and embedders).
  void run_until_idle();
  /// Turns, waiting, until `done` says so (for tests and embedders).
  void run_until(UniqueFunction<bool()> done);

  /// Any thread. False, and the function dropped and counted, when the loop has ended.
  bool post(Function function) { return mailbox_->post(std::move(function)); }
  /// Any thread. At once when called on the loop, else like post().
  bool dispatch(Function function);
  /// Any thread.
  [[nodiscard]] LoopHandle handle() const noexcept { return LoopHandle(mailbox_); }
  /// Functions refused because the loop had ended.
  [[nodiscard]] std::uint64_t dropped_posts() const noexcept { return mailbox_->dropped(); }

  /// A time that has passed is now.
  TimerId run_at(TimePoint when, Function callback) SSX_REQUIRES(this);
  TimerId run_after(Duration delay, Function callback) SSX_REQUIRES(this);
  /// The first time after one period; missed periods are skipped.
  TimerId run_every(Duration period, Function callback) SSX_REQUIRES(this);
  /// False when it is over already.
  bool cancel(TimerId id) SSX_REQUIRES(this);

  /// The deadline calls on_deadline() once, not before `when`, unless moved or cleared.
  void set_deadline(Deadline& deadline, TimePoint when) noexcept { wheel_.set(deadline, when); }
  void clear_deadline(Deadline& deadline) noexcept { wheel_.clear(deadline); }

  Result<void> add(Channel& channel, Readiness interest);
  /// What is there already is reported (again) when the interest changes.
  Result<void> set_interest(Channel& channel, Readiness interest);
  /// The descriptor is still open. Nothing more is heard of it in this turn either.
  void remove(Channel& channel);
  /// The descriptor is being closed, which takes it out of the poller: saves a system call.
  void forget(Channel& channel) noexcept;

  void at_turn_end(TurnEnd& work) noexcept {
    if (!work.is_linked()) turn_ends_.push_back(work);
  }
  /// Sooner: when the ready channels have been heard; where that is over, before the work for the
  /// end of the turn; from within that, after it.
  void after_ready(TurnEnd& work) noexcept {
    if (!work.is_linked()) ready_ends_.push_back(work);
  }

  /// False when the loop has ended: nothing was linked.
  [[nodiscard]] bool at_end(LoopEnd& end) noexcept {
    assert_in_loop_thread();
    if (!ended_) loop_ends_.push_back(end);
    return !ended_;
  }

  /// The time at which this turn began.
  [[nodiscard]] TimePoint now() const noexcept { return now_; }
  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  /// Names the work under way in the stall warning (a literal), instead of the channel's label.
  void set_label(const char* label) noexcept { mark_.set_label(label); }
  /// What set_label() has said in this callback; null: nothing.
  [[nodiscard]] const char* label() const noexcept { return mark_.label(); }
  /// A callback of a channel that times its own (Channel::Timed) has returned: what has passed
  /// since anything was timed is charged to it, by this name or that of set_label().
  void callback_ended(const char* label) noexcept {
    note_elapsed([label] { return label; });
  }
  [[nodiscard]] std::uint64_t stalls() const noexcept {
    return stalls_.load(std::memory_order_relaxed);
  }

  /// Any thread: the turn of this moment.
  [[nodiscard]] const TurnMark& turn_mark() const noexcept { return mark_; }

  [[nodiscard]] bool is_in_loop_thread() const noexcept {
    const auto owner = owner_.load(std::memory_order_relaxed);
    return owner == std::this_thread::get_id() || owner == std::thread::id();
  }
  void assert_in_loop_thread() const noexcept SSX_ASSERT_CAPABILITY(this);

 private:
  class TimerChannel final : public Channel {
   public:
    explicit TimerChannel(sys::UniqueFd fd) noexcept : Channel(fd.get()), timerfd(std::move(fd)) {}
    void on_ready(Readiness) override;
    [[nodiscard]] const char* label() const noexcept override { return "timer"; }
    sys::UniqueFd timerfd;
    TimePoint armed = TimePoint::max();
  };

  EventLoop(const LoopOptions& options, const Clock& clock, std::unique_ptr<Poller> poller,
            sys::UniqueFd eventfd, sys::UniqueFd timerfd);

  void get_ready();
  bool turn(bool may_block);
  void dispatch_ready(std::span<Poller::Event> events);
  bool run_timers();
  void run_ends(IntrusiveList<TurnEnd, EventLoop>& list);
  void run_loop_ends();
  void arm_timer();
  // Coarse readings: a stall is many milliseconds long, and this runs once per callback.
  template <class NameOf>
  void note_elapsed(NameOf name_of) {
    const TimePoint end = clock_.coarse_now();
    const Duration elapsed = end - std::exchange(callback_start_, end);
    const char* const named = mark_.take_label();
    if (elapsed <= longest_) return;
    longest_ = elapsed;
    longest_name_ = named != nullptr ? named : name_of();
  }
  void warn_of_stall();

  // Constant after construction.
  const LoopOptions options_;
  const Clock& clock_;
  const std::unique_ptr<Poller> poller_;

  // Loop-only.
  TimePoint now_;
  TimePoint turn_start_;
  TimePoint callback_start_;
  Duration longest_{0};
  const char* longest_name_ = "";
  bool more_waiting_ = false;
  std::span<Poller::Event> dispatching_;  ///< what dispatch_ready() goes through
  TimerQueue timers_;
  TimerWheel wheel_;
  TimerChannel timer_channel_;
  IntrusiveList<TurnEnd, EventLoop> ready_ends_;
  IntrusiveList<TurnEnd, EventLoop> turn_ends_;
  IntrusiveList<LoopEnd, LoopEnd> loop_ends_;
  bool ended_ = false;

  // Any thread.
  std::atomic<std::thread::id> owner_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> stalls_{0};
  TurnMark mark_;
  const std::shared_ptr<Mailbox> mailbox_;  ///< shared with the handles
};

}  // namespace ssx::net

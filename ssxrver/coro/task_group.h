// Tasks that run beside each other below one awaiter: what when_all and when_any share.
//
// Thread: one thread, that of the awaiter; a child cannot move to another loop
// Owner:  the awaiting frame; destroying it cancels the children, the last one first
// Life:   nothing runs before co_await; awaited once
// Bounds: as many children as were given; of a vector one array, else no allocation of its own
//
// The children start in order. The awaiter continues when all have finished or when the group is
// *settled*: one of them has decided for all, and what the others do counts no more. It continues
//
//   * without having waited, when that was so before the last of them had waited for anything;
//     children whose turn had not come are never started,
//   * inside the last step of a child, when no other is left,
//   * else at the end of the run (RunEnd): the child that settled it may have been resumed inside
//     the run of another, which is not suspended then and must not be destroyed.
//
// So no child is on the stack when the awaiter goes on, and that is where it cancels those that
// are left, before it hands anything out. A child's frame goes when it finishes.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/coro/continuation.h"
#include "ssxrver/coro/run_end.h"
#include "ssxrver/coro/task.h"

namespace ssx::internal {

/// void as a value.
template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

class TaskGroup : private CoroutineContinuation, private RunEnd {
 public:
  bool await_ready() const noexcept { return false; }

  [[nodiscard]] bool settled() const noexcept { return settled_; }
  /// The child that settled it.
  [[nodiscard]] std::size_t first() const noexcept { return first_; }

 protected:
  TaskGroup() noexcept = default;
  ~TaskGroup() = default;

  void begin(std::coroutine_handle<> awaiter) noexcept {
    SSX_ASSERT(state_ == State::kIdle);
    state_ = State::kStarting;
    set_handle(awaiter);
  }
  /// After the last start: whether the awaiter has to wait.
  bool must_wait() noexcept {
    state_ = is_over() ? State::kOver : State::kWaiting;
    return state_ == State::kWaiting;
  }
  /// Before children are destroyed: what they destroy may let others finish.
  void close() noexcept { state_ = State::kOver; }
  void rethrow() {
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  template <class Rule, class T>
  friend class GroupChild;
  enum class State : std::uint8_t { kIdle, kStarting, kWaiting, kOver };

  [[nodiscard]] bool is_over() const noexcept { return settled_ || running_ == 0; }
  [[nodiscard]] bool counts() const noexcept { return state_ != State::kOver && !settled_; }

  void enter() noexcept { ++running_; }
  void settle(std::size_t index, std::exception_ptr thrown) noexcept {
    settled_ = true;
    first_ = index;
    thrown_ = std::move(thrown);
  }
  /// The last thing that a child does: *this may be gone afterwards.
  void leave() noexcept {
    --running_;
    if (state_ != State::kWaiting || !is_over()) return;
    if (running_ > 0) return at_run_end();
    leave_run();
    on_run_end();
  }
  void on_run_end() noexcept override {
    state_ = State::kOver;
    run();
  }

  State state_ = State::kIdle;
  bool settled_ = false;
  std::size_t running_ = 0;  ///< started and not finished
  std::size_t first_ = 0;
  std::exception_ptr thrown_;
};

/// `Rule` says which values settle a group; an exception always does.
template <class Rule, class T>
class GroupChild final : private Continuation {
 public:
  using Value = ValueOf<T>;

  GroupChild() noexcept : Continuation(&finished) {}
  explicit GroupChild(Task<T>&& task) noexcept : GroupChild() { set_task(std::move(task)); }
  void set_task(Task<T>&& task) noexcept { task_ = std::move(task); }

  void start(TaskGroup& group, std::size_t index) {
    group_ = &group;
    index_ = index;
    group.enter();
    // Of no TaskRoot: resume_on() would take the awaiter and the other children along.
    if (task_.start(*this)) finish();
  }
  void cancel() noexcept { task_.reset(); }

  /// What it gave. Requires that it has finished while that counted.
  Value& value() noexcept { return *value_; }

 private:
  static void finished(Continuation& self) noexcept { static_cast<GroupChild&>(self).finish(); }
  void finish() noexcept {
    if (group_->counts()) keep();
    task_.reset();  // may let other children finish: this one still counts as running
    group_->leave();
  }
  void keep() noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        task_.result();
        value_.emplace();
      } else {
        value_.emplace(task_.result());
      }
      if (Rule::settles(*value_)) group_->settle(index_, nullptr);
    } catch (...) {
      group_->settle(index_, std::current_exception());
    }
  }

  Task<T> task_;
  TaskGroup* group_ = nullptr;
  std::size_t index_ = 0;
  std::optional<Value> value_;
};

/// `Rule::outcome(group, children)` makes what the awaiter gets.
template <class Rule, class... Ts>
class [[nodiscard]] TaskTuple final : public TaskGroup {
 public:
  explicit TaskTuple(Task<Ts>&&... tasks) : children_(std::move(tasks)...) {}
  ~TaskTuple() { cancel(kIndices); }

  bool await_suspend(std::coroutine_handle<> awaiter) {
    begin(awaiter);
    start(kIndices);
    return must_wait();
  }
  decltype(auto) await_resume() {
    cancel(kIndices);
    rethrow();
    return Rule::outcome(*this, children_);
  }

 private:
  static constexpr std::index_sequence_for<Ts...> kIndices{};

  template <std::size_t... Is>
  void start(std::index_sequence<Is...>) {
    static_cast<void>((start(std::get<Is>(children_), Is) && ...));
  }
  template <class Child>
  bool start(Child& child, std::size_t index) {
    child.start(*this, index);
    return !settled();
  }
  template <std::size_t... Is>
  void cancel(std::index_sequence<Is...>) noexcept {
    close();
    (std::get<sizeof...(Is) - 1 - Is>(children_).cancel(), ...);
  }

  std::tuple<GroupChild<Rule, Ts>...> children_;
};

/// The same for Tasks of one kind.
template <class Rule, class T>
class [[nodiscard]] TaskList final : public TaskGroup {
 public:
  explicit TaskList(std::vector<Task<T>>&& tasks) : children_(tasks.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) children_[i].set_task(std::move(tasks[i]));
  }
  ~TaskList() { cancel(); }

  bool await_suspend(std::coroutine_handle<> awaiter) {
    begin(awaiter);
    for (std::size_t i = 0; i < children_.size() && !settled(); ++i) children_[i].start(*this, i);
    return must_wait();
  }
  decltype(auto) await_resume() {
    cancel();
    rethrow();
    return Rule::outcome(*this, children_);
  }

 private:
  void cancel() noexcept {
    close();
    for (std::size_t i = children_.size(); i > 0; --i) children_[i - 1].cancel();
  }

  std::vector<GroupChild<Rule, T>> children_;
};

}  // namespace ssx::internal

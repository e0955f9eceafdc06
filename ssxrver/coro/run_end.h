// RunEnd: work for the moment when no coroutine is on this thread's stack any more.
//
// Thread: one thread: linked, run and taken back there
// Owner:  whoever derives from it; its destructor takes it back
// Life:   from at_run_end() until on_run_end(), once
// Bounds: none of its own; two pointers and a flag per object, no allocation
//
// A coroutine may be resumed inside the run of another: by a release, by the end of what was waited
// for. Those further down the stack are not suspended and must not be destroyed. Whoever has to
// cancel coroutines without knowing which of them are on the stack waits here until the resumption
// that the others stand on has returned; then none is.
#pragma once

#include <cstdint>
#include <utility>

namespace ssx {

/// Link it with at_run_end(); it is unlinked before it runs.
class RunEnd {
 public:
  RunEnd(const RunEnd&) = delete;
  RunEnd& operator=(const RunEnd&) = delete;

 protected:
  RunEnd() noexcept = default;
  ~RunEnd() { leave_run(); }

  /// At once when nothing was resumed here that has not returned yet. Twice is once.
  inline void at_run_end() noexcept;
  inline void leave_run() noexcept;

 private:
  friend class CoroutineRun;
  /// May destroy *this.
  virtual void on_run_end() noexcept = 0;

  RunEnd* next_ = nullptr;
  RunEnd* previous_ = nullptr;
  bool linked_ = false;
};

/// Stands on the stack around whatever resumes a coroutine that has waited (the two Continuations
/// that do so have it).
class CoroutineRun {
 public:
  CoroutineRun() noexcept { ++runs_.depth; }
  ~CoroutineRun() {
    if (--runs_.depth == 0 && runs_.first != nullptr) end();
  }
  CoroutineRun(const CoroutineRun&) = delete;
  CoroutineRun& operator=(const CoroutineRun&) = delete;

 private:
  friend class RunEnd;
  /// No constructor and no destructor: the compiler reaches it without a guard.
  struct Runs {
    std::uint32_t depth;
    RunEnd* first;
    RunEnd* last;
  };

  /// Out of the fast path. What is resumed here does not come here again: it adds to the list.
  static void end() noexcept {
    ++runs_.depth;
    while (RunEnd* const work = runs_.first) {
      work->leave_run();
      work->on_run_end();
    }
    --runs_.depth;
  }

  static constinit thread_local Runs runs_;
};

inline constinit thread_local CoroutineRun::Runs CoroutineRun::runs_{};

inline void RunEnd::at_run_end() noexcept {
  auto& runs = CoroutineRun::runs_;
  if (linked_) return;
  if (runs.depth == 0) return on_run_end();
  linked_ = true;
  previous_ = std::exchange(runs.last, this);
  (previous_ != nullptr ? previous_->next_ : runs.first) = this;
}

inline void RunEnd::leave_run() noexcept {
  if (!linked_) return;
  auto& runs = CoroutineRun::runs_;
  (previous_ != nullptr ? previous_->next_ : runs.first) = next_;
  (next_ != nullptr ? next_->previous_ : runs.last) = previous_;
  next_ = previous_ = nullptr;
  linked_ = false;
}

}  // namespace ssx

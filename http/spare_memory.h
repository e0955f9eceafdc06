// What a worker keeps so that its next answer costs less, and does without while the process is
// out of memory. (i)
//
// Thread: loop-only, but for watch(): before the server starts
// Owner:  WorkerState
// Life:   that of the worker's state; a holder leaves when either of the two ends
// Bounds: two pointers per holder
#pragma once

#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/net/overload.h"

namespace ssx::http {

class Request;

class SpareMemory {
 public:
  /// Whoever keeps some of it, for one worker.
  class Holder : private ListHook<Holder> {
   protected:
    Holder() noexcept = default;
    ~Holder() = default;

   private:
    friend class SpareMemory;
    friend class IntrusiveList<Holder, Holder>;
    /// Frees what only saves time.
    virtual void give_up() noexcept = 0;
  };

  /// `overload` must outlive all requests.
  void watch(const net::Overload& overload) noexcept { overload_ = &overload; }
  /// OverloadLevel::kStop: nothing is to be kept, nor begun when it can be left out. One relaxed
  /// load.
  [[nodiscard]] bool is_out() const noexcept {
    return overload_ != nullptr && overload_->level() >= net::OverloadLevel::kStop;
  }

  /// False when it is here already.
  bool add(Holder& holder) noexcept;
  /// Every holder gives up what it has, while is_out().
  void give_up() noexcept;

 private:
  const net::Overload* overload_ = nullptr;  ///< null: there is always memory
  IntrusiveList<Holder, Holder> holders_;
};

/// That of the worker that handles the request; null when none does.
[[nodiscard]] SpareMemory* spare_memory_of(const Request& request) noexcept;

}  // namespace ssx::http

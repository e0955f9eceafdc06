// Runs a function when the scope ends.
//
// Thread: a value
// Owner:  the scope
// Life:   the scope
// Bounds: no allocation
#pragma once

#include <utility>

namespace ssx {

template <class Function>
class [[nodiscard]] ScopeExit {
 public:
  explicit ScopeExit(Function function) : function_(std::move(function)) {}
  ScopeExit(const ScopeExit&) = delete;
  ScopeExit& operator=(const ScopeExit&) = delete;
  ~ScopeExit() {
    if (armed_) function_();
  }
  /// Forget it: the scope ended well.
  void release() noexcept { armed_ = false; }

 private:
  Function function_;
  bool armed_ = true;
};

}  // namespace ssx

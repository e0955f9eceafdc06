// A function of the plugin's on its way to a loop or a task thread, with what it works on. (i)
//
// Thread: moved between threads; one at a time
// Owner:  whoever holds it: a queue, a timer
// Life:   until it is destroyed: then, and in any case, the plugin releases its state, once
// Bounds: 48 bytes, so that a UniqueFunction holds it without memory of its own
#pragma once

#include <cstdint>
#include <utility>

#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/leases.h"

namespace ssx::plugins {

class CarriedCall {
 public:
  using Function = void (*)(void* state);

  /// `release` may be null.
  CarriedCall(Instance& instance, LeaseKind kind, Function run, Function release,
              void* state) noexcept
      : lease_(instance.leases(), kind),
        instance_(&instance),
        run_(run),
        release_(release),
        state_(state) {}
  CarriedCall(CarriedCall&& other) noexcept
      : lease_(std::move(other.lease_)),
        instance_(other.instance_),
        run_(other.run_),
        release_(std::exchange(other.release_, nullptr)),
        state_(other.state_) {}
  CarriedCall& operator=(CarriedCall&&) = delete;
  ~CarriedCall() {
    if (release_ != nullptr) instance_->call_void("release", [this] { release_(state_); });
  }

  std::int32_t operator()() const noexcept {
    Instance::charge(instance_->label());
    return instance_->call("a function that it had posted", [this] {
      run_(state_);
      return std::int32_t{SSXRVER_OK};
    });
  }

  [[nodiscard]] Instance& instance() const noexcept { return *instance_; }

 private:
  Lease lease_;
  Instance* instance_;
  Function run_;
  Function release_;
  void* state_;
};

static_assert(sizeof(CarriedCall) <= 48);

}  // namespace ssx::plugins

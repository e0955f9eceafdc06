// A move-only callable. Small ones live inside the object, larger ones on the heap.
//
// Thread: a value; one owner at a time
// Owner:  whoever holds it
// Life:   the captured state dies with it
// Bounds: 48 bytes inline; more costs one allocation
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() noexcept = default;
  UniqueFunction(std::nullptr_t) noexcept {}  // NOLINT: same as std::function

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  UniqueFunction(F&& function) {  // NOLINT: a callable becomes one silently, as everywhere
    using Stored = std::decay_t<F>;
    if constexpr (fits_inline<Stored>()) {
      ::new (storage()) Stored(std::forward<F>(function));
      operations_ = &kInlineOperations<Stored>;
    } else {
      ::new (storage()) Stored*(new Stored(std::forward<F>(function)));
      operations_ = &kHeapOperations<Stored>;
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { reset(); }

  /// Requires that it holds something.
  R operator()(Args... args) {
    SSX_DCHECK(operations_ != nullptr);
    return operations_->call(storage(), std::forward<Args>(args)...);
  }
  [[nodiscard]] explicit operator bool() const noexcept { return operations_ != nullptr; }

  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(storage());
  }

 private:
  static constexpr std::size_t kInlineBytes = 48;

  struct Operations {
    R (*call)(void*, Args&&...);
    void (*move)(void* from, void* to) noexcept;
    void (*destroy)(void*) noexcept;
  };

  template <class Stored>
  static constexpr bool fits_inline() {
    return sizeof(Stored) <= kInlineBytes && alignof(Stored) <= alignof(std::max_align_t) &&
           std::is_nothrow_move_constructible_v<Stored>;
  }

  template <class Stored>
  static constexpr Operations kInlineOperations{
      [](void* at, Args&&... args) -> R {
        return std::invoke(*static_cast<Stored*>(at), std::forward<Args>(args)...);
      },
      [](void* from, void* to) noexcept {
        auto* stored = static_cast<Stored*>(from);
        ::new (to) Stored(std::move(*stored));
        stored->~Stored();
      },
      [](void* at) noexcept { static_cast<Stored*>(at)->~Stored(); },
  };

  template <class Stored>
  static constexpr Operations kHeapOperations{
      [](void* at, Args&&... args) -> R {
        return std::invoke(**static_cast<Stored**>(at), std::forward<Args>(args)...);
      },
      [](void* from, void* to) noexcept { ::new (to) Stored*(*static_cast<Stored**>(from)); },
      [](void* at) noexcept { delete *static_cast<Stored**>(at); },
  };

  void take(UniqueFunction& other) noexcept {
    operations_ = std::exchange(other.operations_, nullptr);
    if (operations_ != nullptr) operations_->move(other.storage(), storage());
  }
  [[nodiscard]] void* storage() noexcept { return static_cast<void*>(storage_); }

  alignas(std::max_align_t) std::byte storage_[kInlineBytes];
  const Operations* operations_ = nullptr;
};

}  // namespace ssx

// An object that is made at its first use, and whose code a program has only where it is used.
//
// Thread: any
// Owner:  whoever has it as a member; it owns the object
// Life:   the object's: from the first get() to the end of this
// Bounds: two pointers and one object
//
// A member, or a std::unique_ptr, brings in the destructor of its class and all that hangs on it,
// whether or not anybody ever makes one. This knows how to destroy its object from get() alone.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace ssx {

template <class T>
class Lazy {
 public:
  Lazy() noexcept = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() {
    if (T* const made = if_made()) destroy_(made);
  }

  /// Makes it of these, unless it is there. Of threads that come at the same time one makes it for
  /// all, and what the others have made goes.
  template <class... Args>
  T& get(Args&&... args) {
    if (T* const made = if_made()) return *made;
    auto mine = std::make_unique<T>(std::forward<Args>(args)...);
    T* there = nullptr;
    if (!made_.compare_exchange_strong(there, mine.get(), std::memory_order_acq_rel)) return *there;
    destroy_ = [](T* made) { delete made; };
    return *mine.release();
  }
  /// Null: nobody has needed it yet.
  [[nodiscard]] T* if_made() const noexcept { return made_.load(std::memory_order_acquire); }

 private:
  std::atomic<T*> made_ = nullptr;
  void (*destroy_)(T*) = nullptr;  ///< set by the thread that has made it
};

}  // namespace ssx

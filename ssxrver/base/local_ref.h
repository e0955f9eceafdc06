// Sharing inside one loop: a count without atomics, for what several queues of one thread look at.
//
// Thread: loop-only (object and references stay on the thread that made them)
// Owner:  the references; the last one deletes
// Life:   until the last reference goes
// Bounds: 2^32 - 1 references
#pragma once

#include <cstdint>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx {

class LocalShared {
 public:
  LocalShared(const LocalShared&) = delete;
  LocalShared& operator=(const LocalShared&) = delete;

  /// Told when the file that this keeps open turned out to be shorter than was promised.
  virtual void file_came_short() noexcept {}

 protected:
  LocalShared() noexcept = default;
  virtual ~LocalShared() = default;

 private:
  template <class>
  friend class LocalRef;
  std::uint32_t references_ = 0;
};

template <class T>
class LocalRef {
 public:
  LocalRef() noexcept = default;
  explicit LocalRef(T* object) noexcept : object_(object) { hold(); }
  LocalRef(const LocalRef& other) noexcept : object_(other.object_) { hold(); }
  LocalRef(LocalRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  LocalRef(const LocalRef<U>& other) noexcept  // NOLINT: up-cast, as with pointers
      : object_(other.get()) {
    hold();
  }
  LocalRef& operator=(LocalRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~LocalRef() {
    if (object_ != nullptr && --shared().references_ == 0) delete &shared();
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  [[nodiscard]] T* operator->() const noexcept { return object_; }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  [[nodiscard]] LocalShared& shared() const noexcept { return *object_; }
  void hold() noexcept {
    if (object_ != nullptr) ++shared().references_;
  }

  T* object_ = nullptr;
};

}  // namespace ssx

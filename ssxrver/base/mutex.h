// std::mutex with the names that clang's thread-safety analysis reads.
//
// Thread: any thread
// Owner:  the object whose members it guards
// Life:   that of the owner
// Bounds: never taken on the path of a request, but where a rate per address is counted
#pragma once

#include <condition_variable>
#include <mutex>

#include "ssxrver/base/thread_annotations.h"

namespace ssx {

class SSX_CAPABILITY("mutex") Mutex {
 public:
  void lock() SSX_ACQUIRE() { mutex_.lock(); }
  void unlock() SSX_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SSX_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SSX_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() SSX_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Waits release the mutex and take it again; always wait in a loop over the condition.
class CondVar {
 public:
  void wait(Mutex& mutex) SSX_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  /// False when the time was up first.
  template <class Rep, class Period>
  bool wait_for(Mutex& mutex, std::chrono::duration<Rep, Period> time) SSX_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_for(lock, time) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace ssx

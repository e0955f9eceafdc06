// Memory for coroutine frames: free lists by size class, one set per thread.
//
// Thread: any thread; a frame may be freed on another thread than the one that made it (it then
//         joins the free list over there: the memory itself is the heap's)
// Owner:  the thread; its lists go back to the heap when it ends
// Life:   that of the thread; a frame freed later than that goes straight to the heap
// Bounds: frames up to kBytesMax are pooled, at most kFramesMax of each class per thread; that is
//         544 KiB when every class is full
//
// GCC 12 never elides a frame, so that each call of a coroutine allocates one. A pooled frame
// costs 11-13 ns, a malloc'ed one 28. Under AddressSanitizer a frame in the pool is poisoned: use
// after free is found as if it had gone to the heap.
//
// SSX_FRAMES_FROM_HEAP does without the pool: in a plugin, whose library could never be unloaded
// while a thread still has a list of it to empty.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define SSX_POISON_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SSX_POISON_FRAMES 1
#endif
#endif
#ifdef SSX_POISON_FRAMES
// As <sanitizer/asan_interface.h> has them: a public header of ours needs nothing of a compiler's.
extern "C" void __asan_poison_memory_region(const volatile void* address, std::size_t bytes);
extern "C" void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes);
#endif

namespace ssx {

class FramePool {
 public:
  static constexpr std::size_t kStep = 64;
  static constexpr std::size_t kBytesMax = 1024;
  static constexpr std::uint32_t kFramesMax = 64;
#ifdef SSX_FRAMES_FROM_HEAP
  static constexpr bool kIsPooled = false;
#else
  static constexpr bool kIsPooled = true;
#endif

  [[nodiscard]] static void* allocate(std::size_t bytes) {
    if (!kIsPooled || bytes > kBytesMax) return ::operator new(bytes);
    const std::size_t index = class_of(bytes);
    Free* const frame = lists_.head[index];
    if (frame == nullptr) return ::operator new((index + 1) * kStep);
    unpoison(frame, (index + 1) * kStep);
    lists_.head[index] = frame->next;
    --lists_.count[index];
    return frame;
  }

  /// `bytes` as given to allocate().
  static void deallocate(void* memory, std::size_t bytes) noexcept {
    if (!kIsPooled || bytes > kBytesMax) return ::operator delete(memory);
    if constexpr (kIsPooled) {
      const std::size_t index = class_of(bytes);
      if (lists_.count[index] >= lists_.room && !make_room(index)) return ::operator delete(memory);
      auto* const frame = ::new (memory) Free{lists_.head[index]};
      lists_.head[index] = frame;
      ++lists_.count[index];
      poison(frame, (index + 1) * kStep);
    }
  }

  /// Frames that wait on this thread for their next use.
  [[nodiscard]] static std::size_t pooled_for_test() noexcept {
    std::size_t sum = 0;
    for (const std::uint32_t count : lists_.count) sum += count;
    return sum;
  }

 private:
  static constexpr std::size_t kClasses = kBytesMax / kStep;

  struct Free {
    Free* next;
  };
  /// No constructor and no destructor: the compiler reaches it without a guard, and it can still
  /// be read while the thread's other objects are being destroyed.
  struct Lists {
    std::array<Free*, kClasses> head;
    std::array<std::uint32_t, kClasses> count;
    std::uint32_t room;  ///< frames per class: 0 before the first use and after the thread's end
    bool ended;
  };
  /// Its destructor is what empties the lists when the thread ends.
  struct Emptier {
    Emptier() noexcept { lists_.room = kFramesMax; }
    ~Emptier() {
      lists_.room = 0;
      lists_.ended = true;
      release_all();
    }
    Emptier(const Emptier&) = delete;
    Emptier& operator=(const Emptier&) = delete;
  };

  static std::size_t class_of(std::size_t bytes) noexcept {
    return bytes == 0 ? 0 : (bytes - 1) / kStep;
  }

  /// Out of the fast path: the class is full, or this thread frees its first frame.
  static bool make_room(std::size_t index) noexcept {
    if (lists_.ended) return false;
    thread_local const Emptier emptier;
    return lists_.count[index] < lists_.room;
  }

  static void release_all() noexcept {
    for (std::size_t index = 0; index < kClasses; ++index) {
      while (Free* const frame = lists_.head[index]) {
        unpoison(frame, (index + 1) * kStep);
        lists_.head[index] = frame->next;
        ::operator delete(frame);
      }
      lists_.count[index] = 0;
    }
  }

#ifdef SSX_POISON_FRAMES
  static void poison(void* at, std::size_t bytes) { __asan_poison_memory_region(at, bytes); }
  static void unpoison(void* at, std::size_t bytes) { __asan_unpoison_memory_region(at, bytes); }
#else
  static void poison(void*, std::size_t) {}
  static void unpoison(void*, std::size_t) {}
#endif

  static constinit thread_local Lists lists_;
};

inline constinit thread_local FramePool::Lists FramePool::lists_{};

}  // namespace ssx

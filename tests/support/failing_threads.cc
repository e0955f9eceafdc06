#include "tests/support/failing_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace {

std::atomic<int> started{0};
std::atomic<int> started_max{INT_MAX};
std::atomic<int> refused_count{0};

}  // namespace

// Stands before the C library's and a sanitizer's, which it calls.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (started_max.load() != INT_MAX && started.fetch_add(1) >= started_max.load()) {
    ++refused_count;
    return EAGAIN;
  }
  return next(thread, attributes, body, argument);
}

namespace ssx::test {

FailingThreads::FailingThreads(int nth) noexcept {
  started = 0;
  refused_count = 0;
  started_max = nth - 1;
}

FailingThreads::~FailingThreads() { started_max = INT_MAX; }

int FailingThreads::refused() const noexcept { return refused_count.load(); }

}  // namespace ssx::test

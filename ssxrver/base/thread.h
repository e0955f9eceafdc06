// A named thread, pinned to a core when asked, joined in the destructor.
//
// Thread: start and join from one thread
// Owner:  whoever started it
// Life:   from start() to join()
// Bounds: names longer than 15 bytes are cut
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "ssxrver/base/result.h"
#include "ssxrver/base/unique_function.h"

namespace ssx {

class Thread {
 public:
  Thread() = default;
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept {
    join();
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~Thread() { join(); }

  /// EAGAIN when the system has no thread left. A core that cannot be had is not an error.
  static Result<Thread> start(std::string name, std::optional<unsigned> core,
                              UniqueFunction<void()> body);

  void join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }

 private:
  std::thread thread_;
};

}  // namespace ssx

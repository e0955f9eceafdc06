// The lines of the log, as a test sees them.
//
//   CapturedLog log;
//   ...
//   EXPECT_THAT(log.lines(), Contains(HasSubstr("longest: posted function")));
//
// Thread: any thread logs; lines() any thread
// Owner:  the test
// Life:   the scope: the back end that stood before does not come back, stderr does
// Bounds: one at a time
#pragma once

#include <string>
#include <vector>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/mutex.h"

namespace ssx::test {

class CapturedLog {
 public:
  explicit CapturedLog(log::Level level = log::Level::kWarn) : level_(log::level()) {
    {
      const MutexLock lock(mutex());
      SSX_ASSERT(current() == nullptr);
      current() = this;
    }
    log::set_level(level);
    static constexpr log::Backend kCapture{log::make_record, &take, nullptr};
    log::set_backend(&kCapture);
  }
  ~CapturedLog() {
    log::set_backend(nullptr);
    log::set_level(level_);
    const MutexLock lock(mutex());
    current() = nullptr;
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  [[nodiscard]] std::vector<std::string> lines() const {
    const MutexLock lock(mutex());
    return lines_;
  }

 private:
  static Mutex& mutex() {
    static Mutex only;
    return only;
  }
  static CapturedLog*& current() {
    static CapturedLog* only = nullptr;
    return only;
  }
  static void take(const log::Slot& slot) noexcept {
    std::string text;
    log::format_message(*log::header_of(slot), slot.arguments, text);
    log::free_record(slot);
    const MutexLock lock(mutex());
    if (current() != nullptr) current()->lines_.push_back(std::move(text));
  }

  const log::Level level_;
  std::vector<std::string> lines_;
};

}  // namespace ssx::test

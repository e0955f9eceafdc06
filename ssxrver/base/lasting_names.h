// Names that stay where they are: whoever has heard one may say it when what it named has gone.
//
// Thread: any
// Owner:  whoever names things that come and go, such as the routes of a server
// Life:   every name that of this object
// Bounds: `most` different names; the rest are all called kOther
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "ssxrver/base/mutex.h"

namespace ssx {

class LastingNames {
 public:
  static constexpr std::size_t kMost = 65536;
  static constexpr const char* kOther = "one of too many names";

  explicit LastingNames(std::size_t most = kMost) noexcept : most_(most) {}

  /// The same address for the same name.
  [[nodiscard]] const char* keep(std::string_view name) {
    const MutexLock lock(mutex_);
    const auto found = names_.find(name);
    if (found != names_.end()) return found->c_str();
    return names_.size() < most_ ? names_.emplace(name).first->c_str() : kOther;
  }

 private:
  const std::size_t most_;
  Mutex mutex_;
  std::set<std::string, std::less<>> names_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx

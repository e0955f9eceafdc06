// Tells when a file has become another one. One that is being written changes from look to look: it
// is told of when it has kept still.
//
// Thread: one
// Owner:  whoever looks
// Life:   any
// Bounds: two looks
#pragma once

#include <utility>

#include "ssxrver/plugin/file/file_stamp.h"

namespace ssx::plugins {

class FileWatch {
 public:
  /// This one is known: it was loaded, or could not be.
  void know(const FileStamp& stamp) noexcept { known_ = stamp; }
  /// What stands there now. True: it is not known, and as it was at the last look.
  [[nodiscard]] bool look(const FileStamp& now) noexcept {
    return std::exchange(seen_, now) == now && now != known_;
  }

 private:
  FileStamp known_;
  FileStamp seen_;
};

}  // namespace ssx::plugins

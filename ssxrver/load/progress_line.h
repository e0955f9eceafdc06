// One line on a terminal that says how far it has come.
//
// Thread: the main thread
// Owner:  the command
// Life:   a run
// Bounds: nothing where standard error is no terminal
#pragma once

#include <cstdint>

#include "ssxrver/load/crew.h"

namespace ssx::load {

class ProgressLine {
 public:
  explicit ProgressLine(bool is_quiet) noexcept;
  /// So many connections stand, of so many.
  void show(std::uint64_t connected, std::uint64_t wanted) const;
  void show(const Progress& now) const;
  void clear() const;

 private:
  bool is_shown_;
};

}  // namespace ssx::load

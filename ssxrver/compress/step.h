// One step of a stream: some bytes in, some bytes out, as many as fit.
//
// Thread: a value
// Owner:  -
// Life:   -
// Bounds: the sizes of the two buffers of the call
#pragma once

#include <cstddef>

namespace ssx::compress {

struct Step {
  std::size_t consumed = 0;  ///< of the input; the rest is given again
  std::size_t produced = 0;  ///< of the output
  /// Nothing is left to do: all input is taken, and whatever can be written has been. False: call
  /// again, with the rest of the input and an empty output.
  bool done = false;
};

/// The smallest output that a step may be given.
inline constexpr std::size_t kStepOutputMin = 64;

}  // namespace ssx::compress

// A place for finished lines, such as those of the access log. http writes to one without knowing
// the logger; the daemon wires it to ssxrver/log.
//
// Thread: a value; write() any thread
// Owner:  the context belongs to whoever made the sink
// Life:   as the maker says
// Bounds: the maker's: lines may be cut, escaped, and dropped when there are too many
#pragma once

#include <string_view>

namespace ssx {

class LineSink {
 public:
  using Write = void (*)(void* context, std::string_view line) noexcept;

  /// Swallows every line.
  constexpr LineSink() noexcept = default;
  constexpr LineSink(Write function, void* context) noexcept
      : write_(function), context_(context) {}

  /// `line` has no newline at its end; it is copied.
  void write(std::string_view line) const noexcept {
    if (write_ != nullptr) write_(context_, line);
  }
  /// False: whoever makes lines may save the work.
  explicit operator bool() const noexcept { return write_ != nullptr; }

 private:
  Write write_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace ssx

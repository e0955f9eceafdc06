// A stream as in muduo and the 2021 program: operator<< into a fixed buffer on the stack.
//
// Thread: one thread
// Owner:  the caller's stack
// Life:   one line
// Bounds: kRoom bytes; what does not fit is left out
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "tests/bench/questions/log_snprintf.h"

namespace ssx::questions {

class LogStream {
 public:
  static constexpr std::size_t kRoom = 4000;

  LogStream& operator<<(std::string_view text) {
    if (room() >= text.size()) {
      std::memcpy(end_, text.data(), text.size());
      end_ += text.size();
    }
    return *this;
  }
  LogStream& operator<<(const char* text) { return *this << std::string_view(text); }

  /// Digits from the back, then turned round, as Matthew Wilson does it.
  LogStream& operator<<(std::signed_integral auto value) {
    if (room() < kNumberMax) return *this;
    char* at = end_;
    auto rest = value;
    do {
      const auto digit = static_cast<std::size_t>(rest % 10 + 9);
      rest /= 10;
      *at++ = "9876543210123456789"[digit];
    } while (rest != 0);
    if (value < 0) *at++ = '-';
    std::reverse(end_, at);
    end_ = at;
    return *this;
  }

  /// muduo has no conversion of its own for these either.
  LogStream& operator<<(double value) {
    if (room() >= kNumberMax) end_ += format_number_by_snprintf(end_, kNumberMax, value);
    return *this;
  }

  [[nodiscard]] std::string_view text() const {
    return {buffer_.data(), static_cast<std::size_t>(end_ - buffer_.data())};
  }

 private:
  static constexpr std::size_t kNumberMax = 48;

  [[nodiscard]] std::size_t room() const {
    return static_cast<std::size_t>(buffer_.data() + buffer_.size() - end_);
  }

  std::array<char, kRoom> buffer_;
  char* end_ = buffer_.data();
};

}  // namespace ssx::questions

// Owns one file descriptor.
//
// Thread: a value; one owner at a time
// Owner:  whoever holds it
// Life:   closes in the destructor
// Bounds: -1 means empty. A descriptor that somebody else closed already stops a debug build:
//         by then another thread may own the number
#pragma once

#include <utility>

namespace ssx::sys {

class UniqueFd {
 public:
  UniqueFd() noexcept = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes through sys::close; who must see an error of close calls that with release().
  void reset(int fd = -1) noexcept;

 private:
  int fd_ = -1;
};

}  // namespace ssx::sys

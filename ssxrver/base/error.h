// What went wrong, as a value: an error code and the literal that names the place.
//
// Thread: immutable value
// Owner:  whoever holds it; trivially copyable, no allocation
// Life:   any
// Bounds: 24 bytes
#pragma once

#include <string>
#include <system_error>
#include <type_traits>

namespace ssx {

/// Errors of the base layer itself. Every layer above owns an enum and a category of its own.
enum class Errc : int {
  kOk = 0,
  kInvalidArgument,  ///< the caller gave a value outside the documented range
  kOverflow,         ///< a documented bound was reached
  kNotFound,         ///< nothing under that name or id
  kStale,            ///< the id named something that has ended
  kClosed,           ///< the object no longer takes work
  kTimedOut,         ///< the deadline passed first
  kUnsupported,      ///< not on this system, or not in this build
  kMalformed,        ///< bytes that are not what they should be
};

const std::error_category& base_category() noexcept;
std::error_code make_error_code(Errc code) noexcept;

class [[nodiscard]] Error {
 public:
  /// `where` must be a literal (it is kept by address): the operation, e.g. "bind".
  Error(std::error_code code, const char* where) noexcept : code_(code), where_(where) {}

  /// An errno value, in the system category.
  static Error from_errno(int number, const char* where) noexcept {
    return {std::error_code(number, std::system_category()), where};
  }

  [[nodiscard]] const std::error_code& code() const noexcept { return code_; }
  [[nodiscard]] const char* where() const noexcept { return where_; }

  /// "bind: Address already in use"
  [[nodiscard]] std::string message() const;

  /// True when the code is this errno value.
  [[nodiscard]] bool is_errno(int number) const noexcept {
    return code_.value() == number && code_.category() == std::system_category();
  }

  friend bool operator==(const Error& error, const std::error_code& code) noexcept {
    return error.code_ == code;
  }

 private:
  std::error_code code_;
  const char* where_;
};

static_assert(std::is_trivially_copyable_v<Error>);
static_assert(sizeof(Error) <= 24);

}  // namespace ssx

template <>
struct std::is_error_code_enum<ssx::Errc> : std::true_type {};

// Assertions: what we may do wrong. What the world may do is a Result.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: SSX_ASSERT is checked in every build, SSX_DCHECK only where NDEBUG is not defined
//
// SSX_TERSE_ASSERT (option SSX_ASSERT_TEXT of CMake) takes the words away, for programs that must
// be small: what fails ends by SIGILL.
#pragma once

#include <string>
#include <type_traits>

namespace ssx::internal {

/// Prints the expression, its place and its values to stderr, then aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* expression,
                                   const std::string& values) noexcept;

template <class T>
std::string show(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string>) {
    return std::string(value);
  } else {
    return "?";
  }
}

template <class... Values>
[[noreturn]] void fail_with(const char* file, int line, const char* expression,
                            const Values&... values) noexcept {
  std::string shown;
  ((shown += ' ', shown += show(values)), ...);
  assertion_failed(file, line, expression, shown);
}

}  // namespace ssx::internal

/// SSX_ASSERT(left <= right, left, right): aborts, and prints the extra values, when it is false.
#ifdef SSX_TERSE_ASSERT
#define SSX_ASSERT(condition, ...) \
  (__builtin_expect(static_cast<bool>(condition), 1) ? static_cast<void>(0) : __builtin_trap())
#else
#define SSX_ASSERT(condition, ...)                   \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::ssx::internal::fail_with(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__))
#endif

#ifdef NDEBUG
#define SSX_DCHECK(condition, ...) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define SSX_DCHECK(condition, ...) SSX_ASSERT(condition __VA_OPT__(, ) __VA_ARGS__)
#endif

#ifdef SSX_TERSE_ASSERT
#define SSX_UNREACHABLE() __builtin_trap()
#else
#define SSX_UNREACHABLE() ::ssx::internal::fail_with(__FILE__, __LINE__, "unreachable")
#endif

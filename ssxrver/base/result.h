// Result<T>: a value or an Error. Only names that exist in std::expected are used on it.
//
// Thread: a value
// Owner:  whoever holds it
// Life:   any
// Bounds: sizeof(T) + 24 bytes at most, rounded
#pragma once

#include <tl/expected.hpp>

#include "ssxrver/base/error.h"

namespace ssx {

template <class T>
using Result = tl::expected<T, Error>;

using Unexpected = tl::unexpected<Error>;

namespace internal {
template <class T>
struct FlatResultOf {
  using type = Result<T>;
};
template <class T>
struct FlatResultOf<Result<T>> {
  using type = Result<T>;
};
}  // namespace internal
/// What gives a T, or fails in a way of its own: for a T that is a Result already, one is enough.
template <class T>
using FlatResult = typename internal::FlatResultOf<T>::type;

/// For the few that carry more than an Error: startup, and texts with positions.
template <class T, class E>
using Expected = tl::expected<T, E>;
template <class E>
using UnexpectedOf = tl::unexpected<E>;

/// `return fail(Errc::kOverflow, "mailbox");`
inline Unexpected fail(std::error_code code, const char* where) {
  return Unexpected(Error(code, where));
}
inline Unexpected fail(const Error& error) { return Unexpected(error); }
inline Unexpected fail_errno(int number, const char* where) {
  return Unexpected(Error::from_errno(number, where));
}

}  // namespace ssx

#define SSX_TRY_JOIN_INNER(a, b) a##b
#define SSX_TRY_JOIN(a, b) SSX_TRY_JOIN_INNER(a, b)

/// `SSX_TRY(auto fd, open(path));` declares the value, or returns the error to the caller.
#define SSX_TRY(declaration, ...) \
  SSX_TRY_IMPL(SSX_TRY_JOIN(ssx_try_, __LINE__), declaration, __VA_ARGS__)
#define SSX_TRY_IMPL(result, declaration, ...)                      \
  auto result = (__VA_ARGS__);                                      \
  if (!result) return ::ssx::Unexpected(std::move(result).error()); \
  declaration = *std::move(result)

/// The same for a Result<void>.
#define SSX_TRY_VOID(...)                                   \
  do {                                                      \
    if (auto ssx_try_void = (__VA_ARGS__); !ssx_try_void) { \
      return ::ssx::Unexpected(ssx_try_void.error());       \
    }                                                       \
  } while (false)

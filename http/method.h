// Request methods of RFC 9110 9 and RFC 5789.
//
// Thread: immutable values
// Owner:  -
// Life:   -
// Bounds: exactly these; every other token is answered with 501
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ssx::http {

enum class Method : std::uint8_t {
  kUnknown,
  kGet,
  kHead,
  kPost,
  kPut,
  kDelete,
  kOptions,
  kTrace,
  kPatch,
  kConnect,
};

inline constexpr int kMethodCount = 10;

/// The method of exactly this spelling: methods are case-sensitive, so "get" is kUnknown.
[[nodiscard]] Method parse_method(std::string_view text) noexcept;

/// "GET"; empty for kUnknown.
[[nodiscard]] std::string_view to_string(Method method) noexcept;

/// A set of methods.
using MethodSet = std::uint16_t;
[[nodiscard]] constexpr MethodSet method_bit(Method method) noexcept {
  return static_cast<MethodSet>(1U << static_cast<unsigned>(method));
}
/// As Allow says it (RFC 9110 10.2.1): "GET, HEAD, OPTIONS".
[[nodiscard]] std::string to_allow(MethodSet methods);

/// Safe methods only read (RFC 9110 9.2.1): GET, HEAD, OPTIONS, TRACE.
[[nodiscard]] constexpr bool is_safe(Method method) noexcept {
  return method == Method::kGet || method == Method::kHead || method == Method::kOptions ||
         method == Method::kTrace;
}

}  // namespace ssx::http

// What a test may lack on somebody's machine, and must not lack in CI.
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace ssx::test {

/// True where SSX_REQUIRE_PEERS is set (to anything but 0): a missing peer is then a failure.
inline bool peers_required() {
  const char* value = std::getenv("SSX_REQUIRE_PEERS");
  return value != nullptr && value[0] != '\0' && std::string_view(value) != "0";
}

/// The path of a program as the shell would find it, or an empty string.
inline std::string find_program(std::string_view name) {
  const char* value = std::getenv("PATH");
  std::string_view folders = value == nullptr ? "" : value;
  while (!folders.empty()) {
    const auto end = folders.find(':');
    auto path = std::string(folders.substr(0, end)) + "/" + std::string(name);
    if (::access(path.c_str(), X_OK) == 0) return path;
    folders.remove_prefix(end == std::string_view::npos ? folders.size() : end + 1);
  }
  return {};
}

}  // namespace ssx::test

/// SSX_NEEDS_PEER(!nginx.empty(), "nginx"): a program to talk to. Skips the test where it is
/// missing, and fails it where SSX_REQUIRE_PEERS is set.
#define SSX_NEEDS_PEER(present, name)                                        \
  if (present) {                                                             \
  } else if (::ssx::test::peers_required()) {                                \
    FAIL() << "missing, and SSX_REQUIRE_PEERS is set: " << (name);           \
  } else /* NOLINT: a macro that ends the test must stand open at its end */ \
    GTEST_SKIP() << "missing: " << (name)

/// SSX_NEEDS_SYSTEM(has_ipv6(), "IPv6"): something that the kernel or the processor has or has
/// not. Skips the test everywhere.
#define SSX_NEEDS_SYSTEM(present, name) \
  if (present) {                        \
  } else                                \
    GTEST_SKIP() << "this system has no " << (name)

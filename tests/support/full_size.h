// How large a test is: small enough for every day, or as large as the design asks for, under
// `./build.sh conformance`.
//
//   const int rounds = test::full_size(20, 1000);
//
// The tests that ask are named in FULL_SIZE of their ssxrver_test().
//
// Thread: any thread
// Owner:  -
// Life:   -
// Bounds: -
#pragma once

#include <cstdlib>
#include <string_view>

namespace ssx::test {

/// `daily`, or `full` where SSX_FULL_SIZE is set (to anything but 0).
template <class T>
T full_size(T daily, T full) {
  const char* value = std::getenv("SSX_FULL_SIZE");
  const bool wanted = value != nullptr && value[0] != '\0' && std::string_view(value) != "0";
  return wanted ? full : daily;
}

}  // namespace ssx::test

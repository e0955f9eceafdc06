#include "ssxrver/base/assert.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace ssx::internal {

void assertion_failed(const char* file, int line, const char* expression,
                      const std::string& values) noexcept {
  fmt::print(stderr, "{}:{}: assertion failed: {}{}{}\n", file, line, expression,
             values.empty() ? "" : "  values:", values);
  std::fflush(stderr);
  std::abort();
}

}  // namespace ssx::internal

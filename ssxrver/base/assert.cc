#include "ssxrver/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace ssx::internal {

void assertion_failed(const char* file, int line, const char* expression,
                      const std::string& values) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s%s%s\n", file, line, expression,
               values.empty() ? "" : "  values:", values.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace ssx::internal

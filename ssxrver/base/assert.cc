#include "ssxrver/base/assert.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace ssx::internal {

void assertion_failed(const char* file, int line, const char* expression,
                      const std::string& values) noexcept {
  // Without a formatter: a program that logs nothing need not have one.
  const std::string number = std::to_string(line);
  const std::string_view label = values.empty() ? "" : "  values:";
  for (const std::string_view part :
       {std::string_view(file), std::string_view(":"), std::string_view(number),
        std::string_view(": assertion failed: "), std::string_view(expression), label,
        std::string_view(values), std::string_view("\n")}) {
    static_cast<void>(std::fwrite(part.data(), 1, part.size(), stderr));
  }
  std::fflush(stderr);
  std::abort();
}

}  // namespace ssx::internal

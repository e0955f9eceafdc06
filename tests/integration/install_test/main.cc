#include <cstdio>

#include "ssxrver/base/error.h"
#include "ssxrver/metrics/registry.h"

int main() {
  const ssx::Error error(make_error_code(ssx::Errc::kTimedOut), "elsewhere");
  return std::puts(error.message().c_str()) < 0 ? 1 : 0;
}

// The six lines of the README, but on a free port, and until its standard input ends.
#include <cstdio>

#include "ssxrver/ssxrver.h"

int main() {
  ssx::App app;
  app.get("/", [](const ssx::Request&) { return "Hello from elsewhere!\n"; });
  const auto address = app.listen(0).start();
  if (!address) return ssx::report(address.error());
  std::puts(address->to_string().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  app.stop();
  app.wait();
  return 0;
}

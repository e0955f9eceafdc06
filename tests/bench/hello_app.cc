// The program that a user would write, for the speed table: hello_app PORT
#include <cstdint>
#include <cstdlib>

#include "ssxrver/ssxrver.h"

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  ssx::App app;
  app.workers(1).get("/", [](const ssx::Request&) { return "Hello world!"; });
  return app.listen(port).run();
}

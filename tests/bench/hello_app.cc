// The program that a user would write, for the speed table: hello_app PORT [WORKERS]
#include <cstdint>
#include <cstdlib>

#include "ssxrver/ssxrver.h"

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  const auto workers = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  ssx::App app;
  app.workers(workers).get("/", [](const ssx::Request&) { return "Hello world!"; });
  return app.listen(port).run();
}

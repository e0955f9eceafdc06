// Says hello over HTTP:  hello_http [PORT]
#include <cstdlib>

#include "ssxrver/ssxrver.h"

int main(int argc, char** argv) {
  ssx::App app;
  app.get("/", [](const ssx::Request&) { return "Hello, world!\n"; });
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}

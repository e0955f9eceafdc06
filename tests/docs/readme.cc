// What README.md begins with, compiled.
#include "ssxrver/ssxrver.h"
int main() {
  ssx::App app;
  app.get("/", [](const ssx::Request&) { return "Hello, world!\n"; });
  return app.listen(8080).run();
}

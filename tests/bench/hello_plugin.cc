// hello_app's handler as a plugin, with the SDK.
#include "ssxrver/plugin/plugin.h"

SSX_PLUGIN("hello", "1.0.0", [](ssx::plugin::Host& host) {
  host.get("/hello", [](const ssx::plugin::Request&) { return "Hello world!"; });
})

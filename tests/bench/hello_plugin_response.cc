// hello_plugin.cc with a Response that the handler makes.
#include "ssxrver/plugin/plugin.h"

SSX_PLUGIN("hello_response", "1.0.0", [](ssx::plugin::Host& host) {
  host.get("/hello",
           [](const ssx::plugin::Request&) { return ssx::plugin::Response("Hello world!"); });
})

// `sdk`: the names of handlers that are to run in a program of its own and as a plugin, without a
// word of theirs changed. In a program it is ssx, in a plugin ssx::plugin.
//
// Thread: -
// Owner:  -
// Life:   -
// Bounds: what both have: docs/guide/plugins.md lists it
//
//   #include "ssxrver/sdk.h"
//   void add_routes(sdk::App& app) {
//     app.get("/hello", [](const sdk::Request&) { return "Hello!\n"; });
//   }
#pragma once

#ifdef SSXRVER_PLUGIN_BUILD  // ssxrver_add_plugin() of CMake says so
#include "ssxrver/plugin/plugin.h"
namespace sdk = ssx::plugin;
#else
#include "ssxrver/ssxrver.h"
namespace sdk = ssx;
#endif

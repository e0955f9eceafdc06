#include "ssxrver/plugin/plugin.h"

#include "tests/plugin/both_ways/routes.h"

SSX_PLUGIN("both_ways", "1.0.0", add_routes, .summary = "the routes of routes.cc",
           .needs_tasks = true)

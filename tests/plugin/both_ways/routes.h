// Handlers that run in a program and as a plugin: one source, compiled twice.
#pragma once

#include "ssxrver/sdk.h"

void add_routes(sdk::App& app);

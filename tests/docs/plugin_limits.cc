#include <string>

#include "ssxrver/plugin/host/instance.h"
#include "tests/docs/limit_tables.h"

namespace ssx::config {
namespace {

using http::Errc;
using plugins::Instance;

const Limit kPlugins[] = {
    {"a step of its handler", "http.timeouts.handler", nullptr, "{}, and it is told to give up",
     Errc::kHandlerTimedOut, "`refused[kHandlerTimedOut]`, `cancelled`"},
    {"its work that waits for a task thread", "tasks.queue_limit", nullptr,
     "it is told so (`SSXRVER_LIMIT`), unless `tasks.overflow` says otherwise", Errc::kOk,
     "`queue_limit_hit`"},
    {"what it has sent to WebSockets of a worker that is behind",
     "websocket.backpressure.global_max", nullptr, "it is told so (`SSXRVER_LIMIT`)", Errc::kOk,
     "`ByteBudget::refused`"},
    {"its counters", "", [](const ServerConfig&) { return std::to_string(Instance::kCountersMax); },
     "it is given none", Errc::kOk, "`counters_max_hit`"},
    {"what is under way when it is replaced", "plugin_defaults.drain_timeout", nullptr,
     "a line says what holds it; it is unloaded behind that", Errc::kOk, "`retired_count`"},
};

}  // namespace

std::span<const Limit> plugin_limits() { return kPlugins; }

}  // namespace ssx::config

// The interface of ssxrver_host: log, counters, configuration.
#include <algorithm>
#include <array>
#include <string>

#include "ssxrver/base/log.h"
#include "ssxrver/metrics/text_format.h"
#include "ssxrver/plugin/host/instance.h"
#include "ssxrver/plugin/host/plugin_counter.h"
#include "ssxrver/plugin/host/tables.h"

namespace ssx::plugins {
namespace {

struct NamedTable {
  std::string_view name;
  const void* table;
};
constexpr std::array kInterfaces{
    NamedTable{"ssxrver.db", &kDbTable}, NamedTable{"ssxrver.http", &kHttpTable},
    NamedTable{"ssxrver.loop", &kLoopTable}, NamedTable{"ssxrver.websocket", &kWebSocketTable}};

Instance& instance_of(ssxrver_context* context) noexcept {
  return *static_cast<Instance*>(context);
}

log::Level to_level(std::uint32_t level) noexcept {
  return static_cast<log::Level>(std::min(level, std::uint32_t{SSXRVER_FATAL}));
}

const void* get_interface(ssxrver_context*, const char* name, std::uint32_t version) noexcept {
  return name == nullptr ? nullptr : Instance::find_interface(name, version);
}

std::uint8_t log_enabled(ssxrver_context*, std::uint32_t level) noexcept {
  return log::enabled(to_level(level)) ? 1 : 0;
}

void write_log(ssxrver_context* context, std::uint32_t level, ssxrver_text line) noexcept {
  instance_of(context).log(level, to_view(line));
}

ssxrver_counter* counter(ssxrver_context* context, ssxrver_text name, ssxrver_text help) noexcept {
  return instance_of(context).counter(to_view(name), to_view(help));
}

void count(ssxrver_counter* counter, std::uint64_t amount) noexcept {
  if (counter != nullptr) counter->add(amount);
}

void scrape(ssxrver_context* context, void (*take)(void* to, ssxrver_text piece),
            void* to) noexcept {
  Instance& instance = instance_of(context);
  const metrics::Registry* const registry = instance.environment().registry();
  if (registry == nullptr || take == nullptr) return;
  const std::string text = metrics::to_text(registry->scrape());
  instance.call_void("scrape", [take, to, &text] { take(to, to_text(text)); });
}

std::int32_t config(ssxrver_context* context, ssxrver_text pointer, std::uint8_t plain,
                    ssxrver_text* value) noexcept {
  if (value == nullptr) return SSXRVER_INVALID;
  const auto found = instance_of(context).config().find(to_view(pointer), plain != 0);
  *value = to_text(found.value_or(std::string_view()));
  return found ? SSXRVER_OK : SSXRVER_NOT_FOUND;
}

ssxrver_text name(ssxrver_context* context) noexcept {
  return to_text(instance_of(context).name());
}

ssxrver_text mount(ssxrver_context* context) noexcept {
  return to_text(instance_of(context).mount());
}

}  // namespace

const void* Instance::find_interface(std::string_view name, std::uint32_t version) {
  for (const NamedTable& each : kInterfaces) {
    if (each.name == name) return version == 1 ? each.table : nullptr;
  }
  return nullptr;
}

ssxrver_host make_host_table(ssxrver_context* context) noexcept {
  return {.size = sizeof(ssxrver_host),
          .abi_major = SSXRVER_ABI_MAJOR,
          .abi_minor = SSXRVER_ABI_MINOR,
          .reserved = 0,
          .context = context,
          .get_interface = &get_interface,
          .log_enabled = &log_enabled,
          .log = &write_log,
          .counter = &counter,
          .count = &count,
          .scrape = &scrape,
          .config = &config,
          .name = &name,
          .mount = &mount};
}

}  // namespace ssx::plugins

// A plugin in C++, in one include: the names that its handlers need, and the macro that exports it.
//
// Thread: -
// Owner:  -
// Life:   -
// Bounds: -
//
//   #include "ssxrver/plugin/plugin.h"
//   SSX_PLUGIN("greeter", "1.0.0", [](ssx::plugin::Host& host) {
//     host.get("/hello", [](const ssx::plugin::Request&) { return "Hello!\n"; });
//   })
//
// Header-only; what it includes of the framework needs no library of it. No thread_local with a
// destructor: it would keep the library in memory for good.
#pragma once

#include "ssxrver/coro/semaphore.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/coro/when_all.h"
#include "ssxrver/coro/when_any.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/sdk/host.h"
#include "ssxrver/plugin/sdk/instance.h"
#include "ssxrver/plugin/sdk/timeout.h"

namespace ssx::plugin {

/// Where routes are added, by the name that it has in a program.
using App = Host;

using ssx::Semaphore;
using ssx::Task;
using ssx::when_all;
using ssx::when_all_ok;
using ssx::when_any;

/// What may be said about a plugin beside its name and version; every text is a literal.
struct About {
  const char* summary = "";
  const char* vendor = "";
  const char* license = "";
  /// JSON Schema of its "config"; empty: whatever there is.
  const char* config_schema = "";
  /// Of on_import().
  std::uint32_t state_version_min = 0;
  std::uint32_t state_version_max = 0;
  bool needs_tasks = false;
  bool needs_databases = false;
};

namespace internal {

inline constexpr char kToolchain[] =
#if defined(__clang__)
    "clang " __clang_version__
#else
    "gcc " __VERSION__
#endif
    ", C++20"
#if defined(__SANITIZE_ADDRESS__)
    ", address sanitizer"
#elif defined(__SANITIZE_THREAD__)
    ", thread sanitizer"
#endif
    ;

[[nodiscard]] constexpr ssxrver_plugin_desc describe(const char* name, const char* version,
                                                     const About& about,
                                                     const ssxrver_plugin_entry& entry) noexcept {
  ssxrver_plugin_desc desc{};
  desc.magic = SSXRVER_PLUGIN_MAGIC;
  desc.size = sizeof(desc);
  desc.abi_major = SSXRVER_ABI_MAJOR;
  desc.abi_minor = SSXRVER_ABI_MINOR;
  desc.flags = SSXRVER_PLUGIN_RELOADABLE | SSXRVER_PLUGIN_UNLOADABLE |
               (about.needs_tasks ? SSXRVER_PLUGIN_NEEDS_TASKS : 0U);
  desc.name = name;
  desc.version = version;
  desc.vendor = about.vendor;
  desc.license = about.license;
  desc.summary = about.summary;
  desc.build_id = __DATE__ " " __TIME__;
  desc.toolchain = kToolchain;
  desc.required =
      about.needs_databases ? "ssxrver.http ssxrver.loop ssxrver.db" : "ssxrver.http ssxrver.loop";
  desc.optional = about.needs_databases ? "ssxrver.websocket" : "ssxrver.websocket ssxrver.db";
  desc.config_schema = about.config_schema[0] == '\0' ? nullptr : about.config_schema;
  desc.state_version_min = about.state_version_min;
  desc.state_version_max = about.state_version_max;
  desc.entry = &entry;
  return desc;
}

}  // namespace internal
}  // namespace ssx::plugin

#if defined(SSXRVER_STATIC_PLUGIN)  // linked into a program: one name for each
#define SSX_PLUGIN_QUERY_JOIN(name) ssxrver_plugin_##name##_query
#define SSX_PLUGIN_QUERY_NAMED(name) SSX_PLUGIN_QUERY_JOIN(name)
#define SSX_PLUGIN_QUERY SSX_PLUGIN_QUERY_NAMED(SSXRVER_STATIC_PLUGIN)
#else
#define SSX_PLUGIN_QUERY ssxrver_plugin_query
#endif

/// SSX_PLUGIN(name, version, setup) or SSX_PLUGIN(name, version, setup, .summary = "...", ...):
/// once in a library. `setup` is a function or a lambda without captures that takes a Host&.
#define SSX_PLUGIN(plugin_name, plugin_version, plugin_setup, ...)                                 \
  namespace {                                                                                      \
  void ssx_plugin_setup(::ssx::plugin::Host& ssx_plugin_host) { (plugin_setup)(ssx_plugin_host); } \
  constexpr ssxrver_plugin_entry kSsxPluginEntry =                                                 \
      ::ssx::plugin::Instance::entry<&ssx_plugin_setup>();                                         \
  constexpr ssxrver_plugin_desc kSsxPluginDesc = ::ssx::plugin::internal::describe(                \
      plugin_name, plugin_version, ::ssx::plugin::About{__VA_ARGS__}, kSsxPluginEntry);            \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) std::int32_t SSX_PLUGIN_QUERY(                 \
      std::uint32_t, std::uint32_t, const ssxrver_plugin_desc** desc) {                            \
    *desc = &kSsxPluginDesc;                                                                       \
    return SSXRVER_OK;                                                                             \
  }

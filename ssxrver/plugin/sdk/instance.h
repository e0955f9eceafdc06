// The entry points of a plugin that is a set-up function.
//
// Thread: the control thread, but for loop_enter and loop_leave
// Owner:  the host, from create() to destroy()
// Life:   -
// Bounds: -
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "ssxrver/plugin/sdk/host.h"

namespace ssx::plugin {

class Instance {
 public:
  using Setup = void (*)(Host& host);

  template <Setup kSetup>
  [[nodiscard]] static constexpr ssxrver_plugin_entry entry() noexcept {
    ssxrver_plugin_entry table{};
    table.size = sizeof(table);
    table.create = &Instance::create<kSetup>;
    table.start = &Instance::start;
    table.loop_enter = &Instance::loop_enter;
    table.loop_leave = &Instance::loop_leave;
    table.config_prepare = &Instance::config_prepare;
    table.config_commit = &Instance::config_commit;
    table.config_abort = &Instance::config_abort;
    table.drain = &Instance::drain;
    table.export_state = &Instance::export_state;
    table.import_state = &Instance::import_state;
    table.stop = &Instance::stop;
    table.destroy = &Instance::destroy;
    return table;
  }

 private:
  explicit Instance(const ssxrver_host& host) noexcept : host_(host) {}

  /// OK, or why not in `error`: nothing that is thrown crosses the border.
  template <class F>
  static std::int32_t run(ssxrver_error* error, F&& fn) noexcept {
    try {
      std::forward<F>(fn)();
      return SSXRVER_OK;
    } catch (const std::exception& thrown) {
      internal::put_text(error, SSXRVER_ERROR, thrown.what());
    } catch (...) {
      internal::put_text(error, SSXRVER_ERROR, "something that is no std::exception was thrown");
    }
    return SSXRVER_ERROR;
  }
  /// The same where nobody waits for an error: it goes to the log.
  template <class F>
  void run_logged(const char* what, F&& fn) noexcept {
    internal::ErrorText error;
    if (run(error.out(), std::forward<F>(fn)) == SSXRVER_OK) return;
    run(nullptr, [&] { host_.log_error(std::string(what) + ": " + error.text()); });
  }
  static Host& host_of(void* instance) noexcept { return static_cast<Instance*>(instance)->host_; }

  template <Setup kSetup>
  static std::int32_t create(const ssxrver_host* raw, void** instance, ssxrver_error* error) {
    return run(error, [&] {
      internal::take_tables(*raw);
      if (internal::tables.http == nullptr)
        throw SetupError("this host has no \"ssxrver.http\", 1");
      if (internal::tables.loops == nullptr)
        throw SetupError("this host has no \"ssxrver.loop\", 1");
      std::unique_ptr<Instance> made(new Instance(*raw));
      kSetup(made->host_);
      *instance = made.release();
    });
  }
  static std::int32_t start(void* instance, ssxrver_error* error) {
    return run(error, [&] {
      if (host_of(instance).start_) host_of(instance).start_();
    });
  }
  static std::int32_t loop_enter(void* instance, ssxrver_loop*, std::uint32_t worker,
                                 ssxrver_error* error) {
    return run(error, [&] {
      if (host_of(instance).loop_enter_) host_of(instance).loop_enter_(worker);
    });
  }
  static void loop_leave(void* instance, ssxrver_loop*, std::uint32_t worker) {
    static_cast<Instance*>(instance)->run_logged("on_loop_leave", [&] {
      if (host_of(instance).loop_leave_) host_of(instance).loop_leave_(worker);
    });
  }
  // The text is what host.config() reads by now.
  static std::int32_t config_prepare(void* instance, ssxrver_text, ssxrver_error* error) {
    const Host& host = host_of(instance);
    if (!host.config_prepare_) return SSXRVER_UNSUPPORTED;
    return run(error, [&] { host.config_prepare_(); });
  }
  static void config_commit(void* instance) {
    static_cast<Instance*>(instance)->run_logged("on_config", [&] {
      if (host_of(instance).config_commit_) host_of(instance).config_commit_();
    });
  }
  static void config_abort(void* instance) {
    static_cast<Instance*>(instance)->run_logged("on_config", [&] {
      if (host_of(instance).config_abort_) host_of(instance).config_abort_();
    });
  }
  static void drain(void* instance, std::int64_t deadline_ns) {
    static_cast<Instance*>(instance)->run_logged("on_drain", [&] {
      if (host_of(instance).drain_) host_of(instance).drain_(Duration(deadline_ns));
    });
  }
  static std::int32_t export_state(void* instance, std::uint32_t* version,
                                   void (*take)(void* to, ssxrver_text state), void* to) {
    const Host& host = host_of(instance);
    if (!host.export_) return SSXRVER_END;
    return run(nullptr, [&] {
      const std::string state = host.export_();
      *version = host.export_version_;
      take(to, internal::to_text(state));
    });
  }
  static std::int32_t import_state(void* instance, std::uint32_t version, ssxrver_text state,
                                   ssxrver_error* error) {
    return run(error, [&] {
      const Host& host = host_of(instance);
      if (host.import_) host.import_(version, internal::to_view(state));
    });
  }
  static void stop(void* instance) {
    static_cast<Instance*>(instance)->run_logged("on_stop", [&] {
      if (host_of(instance).stop_) host_of(instance).stop_();
    });
  }
  static void destroy(void* instance) { delete static_cast<Instance*>(instance); }

  Host host_;
};

}  // namespace ssx::plugin

// What a plugin's set-up function is given: routes, configuration, and what a handler may keep.
//
// Thread: routes and callbacks while it is being set up; the rest any thread, or as each says
// Owner:  the plugin's instance
// Life:   that of the instance: handlers may keep a reference
// Bounds: -
//
//   SSX_PLUGIN("greeter", "1.0.0", [](ssx::plugin::Host& host) {
//     auto greeting = host.config().string("greeting", "Hello");
//     host.get("/greet/{name}", [greeting](const ssx::plugin::Request& request) {
//       return greeting + ", " + std::string(request.param("name")) + "!\n";
//     });
//   })
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/method.h"
#include "ssxrver/plugin/sdk/config.h"
#include "ssxrver/plugin/sdk/database.h"
#include "ssxrver/plugin/sdk/http_handler.h"
#include "ssxrver/plugin/sdk/loop.h"
#include "ssxrver/plugin/sdk/websocket_handlers.h"

namespace ssx::plugin {

/// Where a handler that is a function runs. Coroutines always run on the loop.
enum class RunOn : std::uint8_t {
  kLoop,   ///< at once; it must not block
  kTasks,  ///< on a task thread; 503 when the queue is full
};
/// How a handler gets a body.
enum class BodyMode : std::uint8_t {
  kWhole,
  kStream,  ///< as it comes: for a coroutine, by Body::read()
};

/// What a route chooses for itself; the rest is the daemon's `http`.
struct RouteSettings {
  BodyMode body = BodyMode::kWhole;
  RunOn run_on = RunOn::kLoop;
  std::string host = {};
  std::optional<std::uint64_t> body_max = {};
  std::optional<milliseconds> handler_timeout = {};
};

enum class Level : std::uint8_t {
  kTrace = SSXRVER_TRACE,
  kDebug = SSXRVER_DEBUG,
  kInfo = SSXRVER_INFO,
  kWarn = SSXRVER_WARN,
  kError = SSXRVER_ERROR_LEVEL,
};

/// Counts something of the plugin's, shown as ssxrver_plugin_<plugin>_<name>. Any thread.
class Counter {
 public:
  Counter(const ssxrver_host& host, ssxrver_counter* raw) noexcept : host_(&host), raw_(raw) {}
  void add(std::uint64_t amount = 1) const noexcept {
    if (raw_ != nullptr) host_->count(raw_, amount);
  }

 private:
  const ssxrver_host* host_;
  ssxrver_counter* raw_;
};

class Host {
 public:
  explicit Host(const ssxrver_host& host) noexcept : host_(host) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // ---- routes, behind the mount point: "/users/{id}", "/files/*"

  template <HandlerFunction F>
  Host& get(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({Method::kGet}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <HandlerFunction F>
  Host& post(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({Method::kPost}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <HandlerFunction F>
  Host& put(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({Method::kPut}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <HandlerFunction F>
  Host& patch(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({Method::kPatch}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <HandlerFunction F>
  Host& del(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({Method::kDelete}, pattern, std::forward<F>(handler), std::move(settings));
  }
  template <HandlerFunction F>
  Host& any(std::string_view pattern, F&& handler, RouteSettings settings = {}) {
    return route({}, pattern, std::forward<F>(handler), std::move(settings));
  }
  /// The general form: no methods = every method.
  template <HandlerFunction F>
  Host& route(const std::vector<Method>& methods, std::string_view pattern, F&& handler,
              RouteSettings settings = {}) {
    std::uint32_t flags = 0;
    if (settings.run_on == RunOn::kTasks) flags |= SSXRVER_HANDLER_TASKS;
    if (settings.body == BodyMode::kStream) flags |= SSXRVER_HANDLER_PIECES;
    const ssxrver_handler raw = internal::make_http_handler(std::forward<F>(handler), flags);
    ssxrver_route_settings chosen{};
    chosen.size = sizeof(chosen);
    chosen.host = internal::to_text(settings.host);
    chosen.body_max = settings.body_max.value_or(0);
    if (settings.handler_timeout) {
      chosen.handler_timeout_ns = std::chrono::nanoseconds(*settings.handler_timeout).count();
    }
    internal::ErrorText error;
    const std::int32_t status =
        internal::tables.http->route(host_.context, internal::to_text(names_of(methods)),
                                     internal::to_text(pattern), &raw, &chosen, error.out());
    if (status == SSXRVER_OK) return *this;
    throw SetupError("route \"" + std::string(pattern) + "\": " + error.text());
  }

  /// WebSockets at a path, "/chat/{room}".
  template <class T = NoData>
  Host& ws(std::string_view pattern, Handlers<T> handlers) {
    if (internal::tables.websocket == nullptr) {
      throw SetupError("WebSockets: this host has none for plugins");
    }
    const std::string options = handlers.limits.to_json();
    const auto raw = internal::SocketRoute<T>::make(host_.context, std::move(handlers));
    internal::ErrorText error;
    const std::int32_t status = internal::tables.websocket->route(
        host_.context, internal::to_text(pattern), &raw, internal::to_text(options), error.out());
    if (status == SSXRVER_OK) return *this;
    throw SetupError("WebSockets at \"" + std::string(pattern) + "\": " + error.text());
  }

  // ---- what the daemon has

  [[nodiscard]] Config config() const { return Config(host_); }
  /// Of the instance, in the configuration.
  [[nodiscard]] std::string_view name() const {
    return internal::to_view(host_.name(host_.context));
  }
  [[nodiscard]] std::string_view mount() const {
    return internal::to_view(host_.mount(host_.context));
  }
  [[nodiscard]] Tasks tasks() const noexcept { return Tasks(host_.context); }
  [[nodiscard]] Database database(std::string name = "main") const {
    return {host_.context, std::move(name)};
  }
  /// On this loop, every `interval` (0: once) from `delay` on, until the Timer goes or the loop is
  /// left. A plugin that is replaced goes on until what it does once is done; what it does again
  /// and again is not waited for.
  [[nodiscard]] Timer timer(Duration delay, Duration interval, std::function<void()> fire) const {
    return {host_.context, delay, interval, std::move(fire)};
  }
  [[nodiscard]] std::uint32_t worker_count() const noexcept {
    return internal::tables.loops->worker_count(host_.context);
  }
  /// Any thread: `fn` runs on that worker's loop, later. False: it has ended.
  bool post(std::uint32_t worker, std::function<void()> fn) const {
    using Fn = internal::Carried<std::function<void()>>;
    void* const state = Fn::make(std::move(fn));
    return internal::tables.loops->post(host_.context, worker, &Fn::run, &Fn::release, state) ==
           SSXRVER_OK;
  }
  /// Any thread: to all sockets that have subscribed, on every worker.
  void publish(std::string_view topic, std::string_view text) const {
    publish(topic, Message{text, Opcode::kText});
  }
  void publish(std::string_view topic, const Message& message) const {
    internal::tables.websocket->publish(host_.context, internal::to_text(topic),
                                        static_cast<std::uint32_t>(message.opcode),
                                        internal::to_text(message.payload));
  }

  /// Any thread: a line of the daemon's log, with the name of the instance.
  void log(Level level, std::string_view line) const {
    const auto raw = static_cast<std::uint32_t>(level);
    if (host_.log_enabled(host_.context, raw) == 0) return;
    host_.log(host_.context, raw, internal::to_text(line));
  }
  void log_info(std::string_view line) const { log(Level::kInfo, line); }
  void log_warn(std::string_view line) const { log(Level::kWarn, line); }
  void log_error(std::string_view line) const { log(Level::kError, line); }

  [[nodiscard]] Counter counter(std::string_view name, std::string_view help) const {
    return {host_, host_.counter(host_.context, internal::to_text(name), internal::to_text(help))};
  }
  /// Any thread: every series of the daemon, in the Prometheus text format.
  [[nodiscard]] std::string metrics_text() const {
    std::string text;
    const auto take = [](void* to, ssxrver_text piece) {
      static_cast<std::string*>(to)->append(internal::to_view(piece));
    };
    host_.scrape(host_.context, take, &text);
    return text;
  }

  // ---- the life of the instance; each may be set once

  /// Everything of it is set up: on the control thread, before the first request.
  Host& on_start(std::function<void()> fn) { return set(start_, std::move(fn)); }
  /// On each worker's loop, before its first request and behind its last.
  Host& on_loop_enter(std::function<void(std::uint32_t worker)> fn) {
    return set(loop_enter_, std::move(fn));
  }
  Host& on_loop_leave(std::function<void(std::uint32_t worker)> fn) {
    return set(loop_leave_, std::move(fn));
  }
  /// No new work comes; what is under way has so long.
  Host& on_drain(std::function<void(Duration)> fn) { return set(drain_, std::move(fn)); }
  Host& on_stop(std::function<void()> fn) { return set(stop_, std::move(fn)); }
  /// A new configuration while it runs, on the control thread. `prepare` finds it in config(), and
  /// throws when it will not have it: then nothing has changed. Else `commit` puts it in force, or
  /// `abort` (which may be empty) forgets it. Without these a new configuration takes a reload.
  Host& on_config(std::function<void()> prepare, std::function<void()> commit,
                  std::function<void()> abort = nullptr) {
    set(config_prepare_, std::move(prepare));
    config_commit_ = std::move(commit);
    config_abort_ = std::move(abort);
    return *this;
  }
  /// What the next generation is given at a reload; `version` is the plugin's own number.
  Host& on_export(std::uint32_t version, std::function<std::string()> fn) {
    export_version_ = version;
    return set(export_, std::move(fn));
  }
  Host& on_import(std::function<void(std::uint32_t version, std::string_view state)> fn) {
    return set(import_, std::move(fn));
  }

 private:
  friend class Instance;

  template <class F>
  Host& set(F& member, F fn) {
    if (member) throw SetupError("a callback of the instance's life is set twice");
    member = std::move(fn);
    return *this;
  }
  static std::string names_of(const std::vector<Method>& methods) {
    constexpr const char* kNames[] = {"",       "GET",     "HEAD",  "POST",  "PUT",
                                      "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT"};
    std::string names;
    for (const Method method : methods) {
      if (!names.empty()) names += ' ';
      names += kNames[static_cast<std::size_t>(method)];
    }
    return names;
  }

  const ssxrver_host& host_;
  std::function<void()> start_;
  std::function<void(std::uint32_t)> loop_enter_;
  std::function<void(std::uint32_t)> loop_leave_;
  std::function<void()> config_prepare_;
  std::function<void()> config_commit_;
  std::function<void()> config_abort_;
  std::function<void(Duration)> drain_;
  std::function<void()> stop_;
  std::function<std::string()> export_;
  std::function<void(std::uint32_t, std::string_view)> import_;
  std::uint32_t export_version_ = 0;
};

}  // namespace ssx::plugin

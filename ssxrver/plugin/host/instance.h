// One instance of a plugin, as the daemon has it: what it was told, what it has been asked to do,
// what it holds, and what holds it.
//
// Thread: the control thread; enter_loop() and leave_loop() the loop; call(), count(), leases() and
//         what says so any thread
// Owner:  the daemon (or a test)
// Life:   create() .. start() .. enter_loop() of each worker .. requests .. drain() .. leave_loop()
//         .. stop() .. destruction, with no lease left; its Environment is longer there
// Bounds: kCountersMax counters, kRoutesMax routes
//
// Each call into the plugin goes through call(): the border says that nothing is thrown across it,
// and what is thrown all the same ends there, counted and in the log with the plugin's name.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "http/method.h"
#include "ssxrver/app/route_settings.h"
#include "ssxrver/base/clock.h"
#include "ssxrver/base/intrusive_list.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/mutex.h"
#include "ssxrver/base/result.h"
#include "ssxrver/json/json.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/abi.h"
#include "ssxrver/plugin/host/border.h"
#include "ssxrver/plugin/host/config_view.h"
#include "ssxrver/plugin/host/counters.h"
#include "ssxrver/plugin/host/environment.h"
#include "ssxrver/plugin/host/leases.h"
#include "ssxrver/plugin/host/named_route.h"

namespace ssx::plugins {

/// What a step of the life of an instance gives: nothing, or a sentence for the operator.
template <class T = void>
using Outcome = Expected<T, std::string>;

struct InstanceSpec {
  std::string name;   ///< of the configuration: "notes"
  std::string mount;  ///< "/notes"; empty or "/": the patterns as they are
  json::Value config = json::Object();
  const ssxrver_plugin_desc* desc = nullptr;
};

/// As App::route() takes it.
struct InstanceRoute {
  std::vector<http::Method> methods;  ///< none: every method
  std::string pattern;                ///< the mount is in it
  http::Handler handler;
  RouteSettings settings;
};

/// Of export_state(), for the next generation.
struct InstanceState {
  std::uint32_t version = 0;
  std::string bytes;
};

struct InstanceTimers;  // a tag
using LogGate = log::RateGate;

class Instance final : public ssxrver_context {
 public:
  static constexpr std::size_t kCountersMax = 256;
  static constexpr std::size_t kRoutesMax = 4096;
  static constexpr std::size_t kNameMax = 64;        ///< bytes of the name of a counter
  static constexpr std::size_t kSentenceMax = 1024;  ///< bytes of what a plugin says of an error

  /// Calls the plugin's create(). `desc` has been judged (its magic, its major).
  [[nodiscard]] static Outcome<std::unique_ptr<Instance>> create(Environment& environment,
                                                                 InstanceSpec spec);
  ~Instance();

  /// The routes that create() has named, once. Whoever has them holds the plugin (kRoutes).
  [[nodiscard]] std::vector<InstanceRoute> take_routes();

  [[nodiscard]] Outcome<> start();
  [[nodiscard]] Outcome<> enter_loop(std::uint32_t worker);
  /// On that loop; when it has ended, on the control thread.
  void leave_loop(std::uint32_t worker);
  /// On that loop: those that are left.
  void end_timers(std::uint32_t worker);
  /// True: commit_config() or abort_config() follows. False: it takes a configuration only when it
  /// is made. An error: this one is refused, and nothing has changed.
  [[nodiscard]] Outcome<bool> prepare_config(json::Value config);
  void commit_config();
  void abort_config();
  /// Nothing new comes; what is under way has that long.
  void drain(Duration time);
  /// Nothing when it has none to give.
  [[nodiscard]] Outcome<std::optional<InstanceState>> export_state();
  [[nodiscard]] Outcome<> import_state(const InstanceState& state);
  void stop();

  // Any thread.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& mount() const noexcept { return mount_; }
  [[nodiscard]] const ssxrver_plugin_desc& desc() const noexcept { return desc_; }
  [[nodiscard]] Environment& environment() const noexcept { return environment_; }
  [[nodiscard]] Leases& leases() noexcept { return leases_; }
  [[nodiscard]] CounterBlocks& counters() noexcept { return counters_; }
  [[nodiscard]] ConfigView& config() noexcept { return config_; }

  /// Whether this host has an interface of that name and version; plugins name them in `required`.
  [[nodiscard]] static const void* find_interface(std::string_view name, std::uint32_t version);

  // For the tables.

  /// `fn` calls the plugin; `where` names what, for the log ("GET /notes").
  template <class F>
  std::int32_t call(std::string_view where, F&& fn) noexcept {
    try {
      return std::forward<F>(fn)();
    } catch (...) {
      report_exception(where);
      return SSXRVER_ERROR;
    }
  }
  template <class F>
  void call_void(std::string_view where, F&& fn) noexcept {
    (void)call(where, [&fn] {
      fn();
      return std::int32_t{SSXRVER_OK};
    });
  }
  /// What a loop that hangs in this plugin is said to hang in: "plugin notes: GET /notes". Null
  /// when there are too many different names.
  [[nodiscard]] const char* keep_label(std::string_view what);
  /// On a loop: what it does now, under such a label. Elsewhere nothing.
  static void charge(const char* label) noexcept {
    net::EventLoop* const loop = net::EventLoop::current();
    if (loop != nullptr && label != nullptr) loop->set_label(label);
  }
  /// For what a plugin has begun itself: timers, posts.
  [[nodiscard]] const char* label() const noexcept { return label_; }
  /// Something that the border does not allow: a count, and a line in the log at a limited rate.
  void misuse(std::string_view where, std::string_view what) noexcept;
  void failed(std::string_view where, std::string_view what) noexcept;
  void log(std::uint32_t level, std::string_view line) const noexcept;

  using Timers = IntrusiveList<ssxrver_timer, InstanceTimers>;
  /// On that worker's loop: those that run there.
  [[nodiscard]] Timers& timers(std::uint32_t worker) noexcept { return timers_[worker]; }
  [[nodiscard]] bool is_creating() const noexcept { return phase_ == Phase::kCreating; }
  /// Any thread: whether it may begin something that will call it. Not in create(), which may fail
  /// and leave nobody to be called, nor from stop() on.
  [[nodiscard]] bool takes_work() const noexcept {
    const Phase phase = phase_;
    return phase == Phase::kCreated || phase == Phase::kStarted;
  }
  /// In create() alone. The sentence says what is wrong with it. `make` is called when all routes
  /// are named, once for each part of it.
  using MakeHandler = std::function<http::Handler(const NamedRoute& part)>;
  [[nodiscard]] Outcome<> add_route(NamedRoute route, MakeHandler make);
  /// Null: the name is none, or kCountersMax.
  [[nodiscard]] ssxrver_counter* counter(std::string_view name, std::string_view help);

 private:
  enum class Phase : std::uint8_t { kCreating, kCreated, kStarted, kStopped, kFailed };

  Instance(Environment& environment, InstanceSpec spec, std::string_view kept_name);
  [[nodiscard]] Outcome<> run_create();
  /// As the configuration has them.
  [[nodiscard]] Outcome<> make_routes();
  /// `entry` is a member of the plugin's that may be null: then it went well.
  template <class Entry, class... Args>
  [[nodiscard]] Outcome<> step(const char* what, Entry entry, Args... args);
  [[nodiscard]] std::string sentence(const char* what, std::int32_t status,
                                     std::string_view said) const;
  void report_exception(std::string_view where) noexcept;
  /// A line at a limited rate of its own: it stands for no other instance's.
  static void report(LogGate& gate, std::string_view name, std::string_view where,
                     std::string_view what) noexcept;

  Environment& environment_;
  const std::string name_;
  const std::string mount_;
  const ssxrver_plugin_desc desc_;
  const ssxrver_plugin_entry entry_;
  const ssxrver_host host_;
  std::atomic<Phase> phase_ = Phase::kCreating;
  void* instance_ = nullptr;
  Leases leases_;
  CounterBlocks counters_;
  ConfigView config_;
  const char* const label_;
  const char* const life_label_;
  std::vector<NamedRoute> named_;    ///< in create()
  std::vector<MakeHandler> makers_;  ///< of named_
  std::vector<InstanceRoute> routes_;
  const std::unique_ptr<Timers[]> timers_;  ///< per worker: that loop's
  LogGate misuse_gate_;
  LogGate failure_gate_;
  LogGate throw_gate_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<ssxrver_counter>, std::less<>> plugin_counters_
      SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx::plugins

#include "ssxrver/plugin/host/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/base/strings.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/plugin/host/plugin_counter.h"
#include "ssxrver/plugin/host/plugin_timer.h"
#include "ssxrver/plugin/host/tables.h"

namespace ssx::plugins {
namespace {

constexpr auto kLogInterval = std::chrono::seconds(1);
constexpr std::size_t kHelpMax = 256;

UnexpectedOf<std::string> refuse(std::string sentence) {
  return UnexpectedOf<std::string>(std::move(sentence));
}

/// Where a plugin writes why.
struct ErrorText {
  std::array<char, Instance::kSentenceMax> text;
  ssxrver_error error{0, static_cast<std::uint32_t>(text.size()), 0, text.data()};

  [[nodiscard]] std::string_view view() const noexcept {
    return {text.data(), std::min<std::size_t>(error.size, text.size())};
  }
};

/// What a name of the Prometheus format has in place of `name`.
std::string to_metric(std::string_view name) {
  std::string metric(name);
  for (char& letter : metric) {
    const bool good = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_';
    if (!good) letter = '_';
  }
  return metric;
}

std::int64_t to_deadline(Duration time) {
  const net::EventLoop* const loop = net::EventLoop::current();
  const TimePoint now = loop != nullptr ? loop->now() : std::chrono::steady_clock::now();
  return (now + time).time_since_epoch().count();
}

/// "GET POST /notes"
std::string show(const NamedRoute& route) {
  std::string text;
  for (const http::Method method : route.methods) text.append(http::to_string(method)).append(" ");
  return text + route.pattern;
}

std::string_view text_of(const char* text) noexcept { return text == nullptr ? "" : text; }

}  // namespace

Instance::Instance(Environment& environment, InstanceSpec spec, std::string_view kept_name)
    : environment_(environment),
      name_(std::move(spec.name)),
      mount_(spec.mount == "/" ? std::string() : std::move(spec.mount)),
      desc_(copy_table(*spec.desc)),
      entry_(copy_table(*spec.desc->entry)),
      host_(make_host_table(this)),
      counters_(environment, kept_name),
      config_(std::move(spec.config)),
      label_(keep_label("what it has begun")),
      life_label_(keep_label("a step of its life")),
      timers_(std::make_unique<Timers[]>(environment.worker_count())) {}

Instance::~Instance() {
  stop();
  routes_.clear();
  const Phase last = phase_.exchange(Phase::kStopped);
  charge(life_label_);
  if (last != Phase::kFailed && entry_.destroy != nullptr)
    call_void("destroy", [this] { entry_.destroy(instance_); });
  SSX_ASSERT(leases_.total() == 0, leases_.total());  // whoever holds it would call what is gone
}

Outcome<std::unique_ptr<Instance>> Instance::create(Environment& environment, InstanceSpec spec) {
  SSX_ASSERT(spec.desc != nullptr && spec.desc->entry != nullptr);
  const auto kept_name = environment.keep_name(spec.name);
  if (!kept_name) return refuse(fmt::format("plugin \"{}\": too many different names", spec.name));
  auto instance = std::unique_ptr<Instance>(new Instance(environment, std::move(spec), *kept_name));
  if (auto created = instance->run_create(); !created) return refuse(std::move(created).error());
  return instance;
}

Outcome<> Instance::run_create() {
  std::string missing;
  for_each_part(text_of(desc_.required), ' ', [&missing](std::string_view wanted) {
    if (!wanted.empty() && missing.empty() && find_interface(wanted, 1) == nullptr)
      missing = wanted;
  });
  if (!missing.empty()) {
    phase_ = Phase::kFailed;
    return refuse(
        fmt::format("plugin \"{}\": it needs {}, which this server has not", name_, missing));
  }
  auto made = entry_.create == nullptr
                  ? refuse(fmt::format("plugin \"{}\": it has no create()", name_))
                  : step("create", [this](ssxrver_error* error) {
                      return entry_.create(&host_, &instance_, error);
                    });
  phase_ = made ? Phase::kCreated : Phase::kFailed;
  if (made) made = make_routes();
  named_.clear();
  makers_.clear();
  return made;
}

Outcome<> Instance::make_routes() {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    auto parts = environment_.apply_rules(name_, named_, i);
    if (!parts) {
      return refuse(
          fmt::format("plugin \"{}\": route \"{}\": {}", name_, show(named_[i]), parts.error()));
    }
    for (NamedRoute& part : *parts) {
      http::Handler handler = makers_[i](part);
      routes_.push_back({std::move(part.methods), std::move(part.pattern), std::move(handler),
                         std::move(part.settings)});
    }
  }
  return {};
}

const char* Instance::keep_label(std::string_view what) {
  const auto kept = environment_.keep_name(fmt::format("plugin {}: {}", name_, what));
  return kept ? kept->data() : nullptr;  // of a std::string: it ends with a 0
}

template <class Entry, class... Args>
Outcome<> Instance::step(const char* what, Entry entry, Args... args) {
  ErrorText why;
  charge(life_label_);
  const std::int32_t status = call(what, [&] { return entry(args..., &why.error); });
  if (status == SSXRVER_OK) return {};
  return refuse(sentence(what, status, why.view()));
}

std::string Instance::sentence(const char* what, std::int32_t status, std::string_view said) const {
  return fmt::format("plugin \"{}\": {}: {}", name_, what, said.empty() ? to_words(status) : said);
}

std::vector<InstanceRoute> Instance::take_routes() { return std::move(routes_); }

// ---- life

Outcome<> Instance::start() {
  SSX_ASSERT(phase_ == Phase::kCreated);
  if (entry_.start != nullptr) {
    auto started = step("start", entry_.start, instance_);
    if (!started) return started;
  }
  phase_ = Phase::kStarted;
  return {};
}

Outcome<> Instance::enter_loop(std::uint32_t worker) {
  if (entry_.loop_enter == nullptr) return {};
  ssxrver_loop* const loop = environment_.loop(worker);
  SSX_ASSERT(loop != nullptr && loop->loop == net::EventLoop::current());
  return step("loop_enter", entry_.loop_enter, instance_, loop, worker);
}

void Instance::leave_loop(std::uint32_t worker) {
  if (entry_.loop_leave == nullptr) return;
  ssxrver_loop* const loop = environment_.loop(worker);
  // On no loop: it has ended.
  const net::EventLoop* const current = net::EventLoop::current();
  SSX_ASSERT(loop != nullptr && (current == nullptr || current == loop->loop));
  charge(life_label_);
  call_void("loop_leave", [&] { entry_.loop_leave(instance_, loop, worker); });
}

void Instance::end_timers(std::uint32_t worker) {
  while (ssxrver_timer* const timer = timers_[worker].pop_front()) timer->cancel();
}

Outcome<bool> Instance::prepare_config(json::Value config) {
  if (entry_.config_prepare == nullptr) return false;
  const std::string text = json::write(config, json::kCompact);
  config_.prepare(std::move(config));
  ErrorText why;
  charge(life_label_);
  const std::int32_t status = call("config_prepare", [this, &text, &why] {
    return entry_.config_prepare(instance_, to_text(text), &why.error);
  });
  if (status == SSXRVER_OK) return true;
  config_.abort();
  if (status == SSXRVER_UNSUPPORTED) return false;
  return refuse(sentence("config_prepare", status, why.view()));
}

void Instance::commit_config() {
  config_.commit();
  charge(life_label_);
  if (entry_.config_commit != nullptr)
    call_void("config_commit", [this] { entry_.config_commit(instance_); });
}

void Instance::abort_config() {
  config_.abort();
  if (entry_.config_abort != nullptr)
    call_void("config_abort", [this] { entry_.config_abort(instance_); });
}

void Instance::drain(Duration time) {
  if (entry_.drain == nullptr) return;
  const std::int64_t deadline = to_deadline(time);
  charge(life_label_);
  call_void("drain", [this, deadline] { entry_.drain(instance_, deadline); });
}

Outcome<std::optional<InstanceState>> Instance::export_state() {
  if (entry_.export_state == nullptr) return std::nullopt;
  InstanceState state;
  const auto take = [](void* to, ssxrver_text bytes) {
    static_cast<InstanceState*>(to)->bytes = to_view(bytes);
  };
  charge(life_label_);
  const std::int32_t status = call("export_state", [this, &state, take] {
    return entry_.export_state(instance_, &state.version, take, &state);
  });
  if (status == SSXRVER_END) return std::nullopt;
  if (status != SSXRVER_OK) return refuse(sentence("export_state", status, ""));
  return state;
}

Outcome<> Instance::import_state(const InstanceState& state) {
  if (entry_.import_state == nullptr) return {};
  if (state.version < desc_.state_version_min || state.version > desc_.state_version_max) {
    return refuse(fmt::format("plugin \"{}\": a state of version {}, and it takes {} to {}", name_,
                              state.version, desc_.state_version_min, desc_.state_version_max));
  }
  return step("import_state", entry_.import_state, instance_, state.version, to_text(state.bytes));
}

void Instance::stop() {
  if (phase_ != Phase::kStarted) return;
  phase_ = Phase::kStopped;
  charge(life_label_);
  if (entry_.stop != nullptr) call_void("stop", [this] { entry_.stop(instance_); });
}

// ---- what the tables ask for

Outcome<> Instance::add_route(NamedRoute route, MakeHandler make) {
  if (!is_creating()) return refuse("routes are named in create() alone");
  if (named_.size() == kRoutesMax) return refuse(fmt::format("more than {} routes", kRoutesMax));
  named_.push_back(std::move(route));
  makers_.push_back(std::move(make));
  return {};
}

ssxrver_counter* Instance::counter(std::string_view name, std::string_view help) {
  if (name.empty() || name.size() > kNameMax || to_metric(name) != name) return nullptr;
  const MutexLock lock(mutex_);
  const auto found = plugin_counters_.find(name);
  if (found != plugin_counters_.end()) return found->second.get();
  const auto full = [this] {
    counters_.add(&Counters::counters_max_hit);
    return nullptr;
  };
  if (plugin_counters_.size() == kCountersMax) return full();
  const std::string_view end = name.ends_with("_total") ? "" : "_total";
  const auto metric =
      environment_.keep_name(fmt::format("ssxrver_plugin_{}_{}{}", to_metric(name_), name, end));
  const auto kept_help = environment_.keep_name(help.substr(0, kHelpMax));
  if (!metric || !kept_help) return full();
  auto made = std::make_unique<ssxrver_counter>(environment_, *metric, *kept_help);
  return plugin_counters_.emplace(name, std::move(made)).first->second.get();
}

void Instance::log(std::uint32_t level, std::string_view line) const noexcept {
  switch (level) {
    case SSXRVER_TRACE:
      SSX_LOG_TRACE("plugin {}: {}", name_, line);
      break;
    case SSXRVER_DEBUG:
      SSX_LOG_DEBUG("plugin {}: {}", name_, line);
      break;
    case SSXRVER_INFO:
      SSX_LOG_INFO("plugin {}: {}", name_, line);
      break;
    case SSXRVER_WARN:
      SSX_LOG_WARN("plugin {}: {}", name_, line);
      break;
    case SSXRVER_ERROR_LEVEL:
      SSX_LOG_ERROR("plugin {}: {}", name_, line);
      break;
    default:
      SSX_LOG_FATAL("plugin {}: {}", name_, line);
      break;
  }
}

void Instance::misuse(std::string_view where, std::string_view what) noexcept {
  counters_.add(&Counters::misuses);
  report(misuse_gate_, name_, where, what);
}

void Instance::failed(std::string_view where, std::string_view what) noexcept {
  counters_.add(&Counters::failures);
  report(failure_gate_, name_, where, what);
}

void Instance::report_exception(std::string_view where) noexcept {
  counters_.add(&Counters::misuses);
  try {
    throw;
  } catch (const std::exception& thrown) {
    report(throw_gate_, name_, where, fmt::format("it threw across the border: {}", thrown.what()));
  } catch (...) {
    report(throw_gate_, name_, where, "it threw across the border");
  }
}

void Instance::report(LogGate& gate, std::string_view name, std::string_view where,
                      std::string_view what) noexcept {
  std::uint32_t suppressed = 0;
  if (!log::enabled(log::Level::kError) || !gate.admit(kLogInterval, suppressed)) return;
  if (suppressed == 0) {
    SSX_LOG_ERROR("plugin {}: {}: {}", name, where, what);
  } else {
    SSX_LOG_ERROR("plugin {}: {}: {} (and {} like it)", name, where, what, suppressed);
  }
}

}  // namespace ssx::plugins

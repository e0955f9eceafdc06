#include "ssxrver/daemon/daemon.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>

#include <algorithm>
#include <csignal>
#include <utility>

#include "http/middleware/compression.h"
#include "http/middleware/cors.h"
#include "http/service.h"
#include "ssxrver/app/builtin_routes.h"
#include "ssxrver/base/log.h"
#include "ssxrver/compress/coding.h"
#include "ssxrver/config/rule_keys.h"
#include "ssxrver/config/websocket_text.h"
#include "ssxrver/daemon/database_checks.h"
#include "ssxrver/daemon/inherited_listeners.h"
#include "ssxrver/daemon/log_fields.h"
#include "ssxrver/daemon/plugin_checks.h"
#include "ssxrver/daemon/plugin_reload.h"
#include "ssxrver/daemon/prepare_process.h"
#include "ssxrver/net/counter_fields.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/signals.h"
#include "ssxrver/net/tcp_server.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"

namespace ssx {
namespace {

// TERM and INT: whoever is being answered, or is just sending, still gets the answer.
constexpr Duration kStopGrace = std::chrono::milliseconds(250);
constexpr Duration kStopTimeout = std::chrono::seconds(2);

AppOptions to_app_options(const ServerConfig& config) {
  AppOptions options;
  options.server = {config.listeners,   config.tcp,    config.workers, config.loop,
                    config.connections, config.access, config.memory,  {}};
  options.http = config.http;
  options.tasks = config.tasks;
  options.websockets = config.websockets;
  options.shutdown_timeout = config.daemon.shutdown_timeout;
  options.drain_idle_grace = config.daemon.drain_idle_grace;
  return options;
}

/// While this is the folder that its path begins in. A link stays one: whoever turns it means that.
StartupResult<void> make_absolute(ConfigSource& source) {
  if (source.path.starts_with('/')) return {};
  const auto here = sys::getcwd();
  if (!here) {
    return fail_start(ExitCode::kSystem,
                      fmt::format("the working directory: {}", here.error().message()));
  }
  source.path = *here + "/" + source.path;
  return {};
}

const char* scheme_of(const std::string& name) {
  return name.starts_with("unix:") ? "" : "http://";
}

}  // namespace

StartupResult<std::unique_ptr<Daemon>> Daemon::create(ServerConfig config, ConfigSource source) {
  if (auto absolute = make_absolute(source); !absolute) {
    return tl::unexpected(std::move(absolute).error());
  }
  if (auto checked = check_databases(config); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  auto files = check_plugins(config);
  if (!files) return tl::unexpected(std::move(files).error());
  if (auto prepared = prepare_process(config); !prepared) {
    return tl::unexpected(std::move(prepared).error());
  }
  if (auto reached = reach_databases(config.opened_databases()); !reached) {
    return tl::unexpected(std::move(reached).error());
  }
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(config), std::move(source)));
  if (auto built = daemon->build_app(*std::move(files)); !built) {
    return tl::unexpected(std::move(built).error());
  }
  return daemon;
}

Daemon::Daemon(ServerConfig config, ConfigSource source)
    : config_(std::move(config)), source_(std::move(source)) {}
Daemon::~Daemon() = default;

StartupResult<void> Daemon::build_app(plugins::PluginFiles files) {
  if (auto used = use_inherited(take_inherited_fds(), config_.listeners); !used) return used;
  app_ = std::make_unique<App>(to_app_options(config_));
  app_->count_into(metrics_);
  // What is compressed once is known by its fields, so nothing adds others before.
  if (config_.cors.enabled) app_->use(http::cors(config_.cors));
  if (auto compressed = use_compression(); !compressed) return compressed;
  for (const auto& route : config_.routes) {
    if (config::is_rule(route)) continue;
    if (auto added = add_route(*app_, route); !added) return added;
  }
  if (auto loaded = load_plugins(std::move(files)); !loaded) return loaded;
  return app_->bind();
}

StartupResult<void> Daemon::load_plugins(plugins::PluginFiles files) {
  if (!has_plugins(config_)) return {};
  auto rules = PluginRules::create(*app_, config_.routes);
  if (!rules) return tl::unexpected(std::move(rules).error());
  rules_ = *std::move(rules);
  plugins::EnvironmentOptions environment;
  environment.registry = &metrics_;
  environment.databases = &databases_.all();  // empty until they are opened, before plugins start
  environment.socket_options = [this](std::string_view text) {
    return config::read_websocket_options(text, config_.websocket);
  };
  environment.route_rules = [this](std::string_view plugin, const auto& all, std::size_t index) {
    return rules_->apply(plugin, all, index);
  };
  plugins::ManagerOptions options;
  options.plugins = config_.plugins;
  options.needs = plugin_needs(config_);
  options.search_path = config_.plugin_defaults.search_path;
  options.generations_max = config_.plugin_defaults.generations_max;
  options.reread = [this](std::string_view name) { return reread_plugin(name); };
  plugins_ = std::make_unique<plugins::Manager>(*app_, std::move(options), std::move(environment));
  if (auto loaded = plugins_->load(std::move(files)); !loaded) return loaded;
  auto idle = rules_->find_idle(config_.plugins);
  if (idle.empty()) return {};
  return UnexpectedOf<StartupError>(StartupError(ExitCode::kConfig, std::move(idle)));
}

StartupResult<void> Daemon::use_compression() {
  const http::CompressionOptions& chosen = config_.compression;
  const auto is_missing = [](bool wanted, compress::Coding coding) {
    return wanted && !compress::is_available(coding);
  };
  const char* missing = is_missing(chosen.brotli, compress::Coding::kBrotli) ? "brotli"
                        : is_missing(chosen.zstd, compress::Coding::kZstd)   ? "zstd"
                                                                             : nullptr;
  if (missing != nullptr) {
    return fail_start(
        ExitCode::kConfig,
        fmt::format("http.compression.{0}: this program was built without {0}", missing));
  }
  if (!chosen.gzip && !chosen.brotli && !chosen.zstd) return {};
  app_->use(http::compression(chosen));
  for (RouteOptions& route : config_.routes) {
    route.files.compressed_types = chosen.types;
    route.files.compressed_min = chosen.min_size;
  }
  return {};
}

int Daemon::run(bool quiet) {
  if (config_.daemon.daemonize) announce(quiet);  // while there is a terminal to say it on
  if (auto left = leave_terminal(); !left) return report(left.error());
  // Before the first thread, the logger's: each inherits which signals are blocked.
  const auto signals = net::SignalWatcher::create(
      app_->loop(), {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, reload_signal()},
      [this](int signal, int value) { on_signal(signal, value); });
  if (!signals) {
    return report({ExitCode::kSystem, fmt::format("signals: {}", signals.error().message())});
  }
  auto logger = log::Logger::install(config_.log);
  if (!logger) return report(logger.error());
  logger_ = *std::move(logger);
  if (auto logged = start_access_log(); !logged) return report(logged.error());
  for (const auto& warning : config_.warnings) SSX_LOG_WARN("{}", warning);

  if (!config_.daemon.daemonize) announce(quiet);  // from here on signals are heard
  if (auto started = start_udp(); !started) return report(started.error());
  for (const auto& name : app_->server().names()) {
    // A log that goes to the console would only say it twice.
    if (config_.log.async) SSX_LOG_INFO("listening on {}{}", scheme_of(name), name);
  }
  if (auto opened = open_databases(); !opened) return report(opened.error());
  attach_counters();
  if (plugins_ != nullptr) {
    if (auto started = plugins_->start(); !started) return report(started.error());
  }
  const auto served = app_->serve();
  counted_.clear();
  udp_.reset();
  if (plugins_ != nullptr) plugins_->stop();
  SSX_LOG_INFO("ended");
  if (plugins_ != nullptr && !plugins_->problem().empty()) {
    return report({ExitCode::kConfig, plugins_->problem()});
  }
  return served ? 0 : report(served.error());
}

// In this order: the lock of the pid file, the threads of the logger and the signalfd belong to the
// process that goes on.
StartupResult<void> Daemon::leave_terminal() {
  if (config_.daemon.daemonize) {
    if (const auto done = sys::daemonize(); !done) {
      return fail_start(ExitCode::kSystem, fmt::format("daemonize: {}", done.error().message()));
    }
  }
  if (config_.daemon.pid_file.empty()) return {};
  auto file = PidFile::create(config_.daemon.pid_file);
  if (!file) return tl::unexpected(std::move(file).error());
  pid_file_.emplace(*std::move(file));
  return {};
}

// Not sooner: neither threads nor open databases get through a fork.
StartupResult<void> Daemon::open_databases() {
  if (auto opened = databases_.open(config_.opened_databases(), app_->tasks()); !opened) {
    return opened;
  }
  databases_.watch(app_->loop());
  return {};
}

StartupResult<void> Daemon::start_access_log() {
  const http::AccessLogOptions& access = config_.access_log;
  if (!access.enabled) return {};
  const auto lines = logger_->open_lines({access.path});
  if (!lines) {
    return fail_start(
        ExitCode::kCannotCreate,
        fmt::format("log.access: no file can be made of \"{}\": {}; change log.access.path, or the "
                    "folder's rights",
                    access.path, lines.error().code().message()));
  }
  const auto set = app_->service().log_accesses(access, *lines);
  if (!set) {
    return fail_start(ExitCode::kConfig,
                      fmt::format("{}: {}", set.error().where(), set.error().code().message()));
  }
  return {};
}

StartupResult<void> Daemon::start_udp() {
  if (!config_.udp.enabled) return {};
  auto server = net::UdpServer::create(app_->loop(), config_.udp, net::UdpServer::echo());
  if (!server) {
    return fail_start(ExitCode::kUnavailable,
                      fmt::format("udp {}:{}: {}", config_.udp.address, config_.udp.port,
                                  server.error().message()));
  }
  udp_ = *std::move(server);
  SSX_LOG_INFO("listening on udp {}", udp_->address().to_string());
  return {};
}

void Daemon::attach_counters() {
  counted_.push_back(metrics_.attach<log::Logger>(kLogFields, *logger_));
  if (udp_ != nullptr) {
    counted_.push_back(metrics_.attach<net::UdpCounters>(net::kUdpFields, udp_->counters()));
  }
  for (auto& [name, database] : databases_.all()) {
    const db::PoolCounters& counters = database.pool().counters();
    counted_.push_back(metrics_.attach<db::PoolCounters>(db::kPoolFields, counters));
  }
}

void Daemon::announce(bool quiet) const {
  if (quiet) return;
  for (const auto& name : app_->server().names())
    fmt::print(stdout, "listening on {}{}\n", scheme_of(name), name);
  std::fflush(stdout);
}

void Daemon::drain(Duration idle_grace, Duration timeout) {
  if (plugins_ != nullptr) plugins_->drain(timeout);
  app_->drain(idle_grace, timeout);
}

void Daemon::reload_plugins(int value) {
  bool is_known = false;
  for (const PluginOptions& plugin : config_.plugins) {
    if (!plugin.enabled || reload_value(plugin.name) != value) continue;
    is_known = true;
    SSX_LOG_INFO("plugin {}: reloading", plugin.name);
    plugins_->reload(plugin.name, nullptr);
  }
  if (!is_known) {
    SSX_LOG_WARN("signal {}: it names no plugin that was on at the start; restart",
                 reload_signal());
  }
}

/// As the file has it now. What else has changed in it takes a restart.
Expected<PluginOptions, std::string> Daemon::reread_plugin(std::string_view name) const {
  const auto refuse = [](std::string why) { return UnexpectedOf<std::string>(std::move(why)); };
  auto config = ServerConfig::load(source_.path, source_.overrides);
  if (!config) return refuse(fmt::format("{}", fmt::join(config.error().sentences(), "; ")));
  const auto folder = sys::getcwd();
  if (!folder) return refuse(folder.error().message());
  config->make_paths_absolute(*folder);
  const auto found = std::ranges::find(config->plugins, name, &PluginOptions::name);
  if (found == config->plugins.end()) return refuse(source_.path + " has no such plugin any more");
  if (!found->enabled) return refuse(source_.path + " has it off: that takes a restart");
  return std::move(*found);
}

void Daemon::on_signal(int signal, int value) {
  if (signal == reload_signal()) return reload_plugins(value);
  switch (signal) {
    case SIGTERM:
    case SIGINT:
      SSX_LOG_INFO("signal {}: ending", signal);
      if (++stops_ == 1) return drain(kStopGrace, kStopTimeout);
      return app_->stop();
    case SIGQUIT:
      SSX_LOG_INFO("signal {}: answering what is under way, then ending", signal);
      return drain(config_.daemon.drain_idle_grace, config_.daemon.shutdown_timeout);
    case SIGUSR1:
      SSX_LOG_INFO("signal {}: reopening the logs", signal);
      return logger_->reopen();
    default:
      SSX_LOG_WARN("signal {}: this version cannot reload or upgrade while it runs; restart it",
                   signal);
  }
}

}  // namespace ssx

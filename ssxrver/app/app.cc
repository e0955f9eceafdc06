#include "ssxrver/app/app.h"

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <future>
#include <utility>

#include "http/error_pages.h"
#include "http/fallback.h"
#include "http/middleware.h"
#include "http/router.h"
#include "http/service.h"
#include "ssxrver/app/listen_error.h"
#include "ssxrver/app/route_book.h"
#include "ssxrver/app/route_swaps.h"
#include "ssxrver/base/assert.h"
#include "ssxrver/base/log.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/net/signals.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"
#include "ssxrver/net/tcp_server.h"

namespace ssx {
namespace {

// SIGINT and SIGTERM: soon, yet without cutting off whoever is being answered.
constexpr Duration kStopGrace = std::chrono::milliseconds(250);
constexpr Duration kStopTimeout = std::chrono::seconds(2);

StartupError system_error(const char* what, const Error& error) {
  return {ExitCode::kSystem, fmt::format("{}: {}", what, error.message())};
}

}  // namespace

App::App(AppOptions options) : options_(std::move(options)) {}

App::~App() {
  stop();
  thread_.join();
}

// ---- building

App& App::use(http::Middleware middleware) {
  middleware_.push_back(std::move(middleware));
  return *this;
}

void App::add_route(std::vector<http::Method> methods, std::string pattern, http::Handler handler,
                    RouteSettings settings) {
  routes_.add_route(std::move(methods), std::move(pattern), std::move(handler),
                    std::move(settings));
}

void App::add_upgrade(std::string pattern, HandlerMaker make, RouteSettings settings) {
  routes_.add_upgrade(std::move(pattern), std::move(make), std::move(settings));
}

RouteGroup App::make_group(std::string_view prefix, RouteSettings settings) {
  return routes_.make_group(prefix, std::move(settings));
}

App& App::files(std::string_view pattern, std::string root, RouteSettings settings) {
  routes_.files(pattern, std::move(root), std::move(settings));
  return *this;
}

App& App::rewrite(std::vector<http::Method> methods, std::string_view pattern, std::string_view to,
                  std::string host) {
  routes_.rewrite(std::move(methods), pattern, to, std::move(host));
  return *this;
}

App& App::mount(std::string_view name, RouteSet set) {
  SSX_ASSERT(book_ == nullptr);  // while it runs: replace()
  mounted_.emplace_back(name, std::move(set));
  return *this;
}

StartupResult<std::shared_ptr<const http::Router>> App::build_routes() {
  book_ = std::make_unique<RouteBook>(RouteBook::Surroundings{
      middleware_, options_.http, options_.tasks, websockets_, tasks_, disposal_});
  mounted_.emplace(mounted_.begin(), "", std::exchange(routes_, {}));
  routes_.is_taken_ = true;
  auto table = book_->begin(std::exchange(mounted_, {}));
  if (table) return *std::move(table);
  return tl::unexpected(StartupError(ExitCode::kConfig, std::move(table.error().sentences)));
}

StartupResult<http::Handler> App::build_fallback() {
  auto fallback = http::compose(middleware_, http::Handler(&http::answer_without_route));
  if (fallback) return *std::move(fallback);
  return fail_start(ExitCode::kConfig, fmt::format("use: {}", fallback.error().message()));
}

App& App::listen(std::uint16_t port) {
  net::ListenOptions where;
  where.port = port;
  return listen(std::move(where));
}

App& App::listen(net::ListenOptions where) { return tcp(std::move(where), nullptr); }

App& App::tcp(std::uint16_t port, TcpHandler handler) {
  net::ListenOptions where;
  where.port = port;
  return tcp(std::move(where), std::move(handler));
}

App& App::tcp(net::ListenOptions where, TcpHandler handler) {
  listeners_.push_back({std::move(where), std::move(handler)});
  return *this;
}

App& App::log_accesses(LineSink sink, http::AccessLogOptions options) {
  access_sink_ = sink;
  access_log_ = std::move(options);
  return *this;
}

App& App::workers(unsigned count) {
  options_.server.workers.count = count;
  return *this;
}

App& App::on_worker_start(std::function<void(net::Worker&)> callback) {
  on_worker_start_.push_back(std::move(callback));
  return *this;
}

App& App::on_start(StartStep step) {
  start_steps_.push_back(std::move(step));
  return *this;
}

// ---- running

int App::run() {
  if (const auto bound = bind(); !bound) return report(bound.error());
  int stops = 0;
  const auto signals = net::SignalWatcher::create(
      *loop_, {SIGINT, SIGTERM},
      [this, &stops](int, int) { return ++stops == 1 ? drain(kStopGrace, kStopTimeout) : stop(); });
  if (!signals) return report(system_error("signals", signals.error()));
  for (std::size_t i = 0; i < server_->names().size(); ++i) {
    fmt::print(stdout, "listening on {}{}\n", scheme_of(i), server_->names()[i]);
  }
  std::fflush(stdout);
  const auto served = serve();
  return served ? 0 : report(served.error());
}

const char* App::scheme_of(std::size_t listener) const {
  return http_[listener] && !server_->names()[listener].starts_with("unix:") ? "http://" : "";
}

StartupResult<net::SocketAddress> App::start() {
  std::promise<StartupResult<net::SocketAddress>> started;
  auto outcome = started.get_future();
  auto thread =
      Thread::start("ssxrver", std::nullopt, [this, started = std::move(started)]() mutable {
        if (auto bound = bind(); !bound)
          return started.set_value(tl::unexpected(std::move(bound).error()));
        on_serving_ = [&started, address = server_->address()] { started.set_value(address); };
        auto served = serve();
        if (served) {
          if (on_serving_) on_serving_();  // stopped before
        } else {
          forget_server();
          started.set_value(tl::unexpected(std::move(served).error()));
        }
      });
  if (!thread) return tl::unexpected(system_error("start", thread.error()));
  thread_ = *std::move(thread);
  return outcome.get();
}

void App::wait() { thread_.join(); }

StartupResult<void> App::check() {
  if (options_.server.listeners.empty() && listeners_.empty()) {
    return fail_start(ExitCode::kConfig, "nothing to listen on: call listen(port)");
  }
  const auto page = http::ErrorPages::find_problem(options_.http.error_pages);
  if (!page.empty()) return fail_start(ExitCode::kNoInput, page);
  if (options_.server.workers.count == 0)
    return fail_start(ExitCode::kConfig, "at least one worker is needed");
  if (options_.server.loop.kills_too_early())
    return fail_start(ExitCode::kConfig, "loop.stall_kill must be longer than loop.stall_warn");
  return {};
}

StartupResult<void> App::bind() {
  auto routes = build_routes();
  if (!routes) return tl::unexpected(std::move(routes).error());
  auto fallback = build_fallback();
  if (!fallback) return tl::unexpected(std::move(fallback).error());
  if (auto checked = check(); !checked) return checked;
  tasks_ = net::TaskPool::create(options_.tasks);
  auto loop = net::EventLoop::create(options_.server.loop);
  if (!loop) return tl::unexpected(system_error("event loop", loop.error()));
  loop_ = *std::move(loop);
  control_.store(loop_.get());
  disposal_.open(*loop_);
  if (stop_asked_) loop_->stop();
  service_ = std::make_unique<http::Service>(*std::move(routes), options_.http, worker_count(),
                                             *std::move(fallback));
  websockets_.open(worker_count(), options_.websockets);
  if (access_sink_) {
    if (const auto set = service_->log_accesses(access_log_, access_sink_); !set) {
      return fail_start(ExitCode::kConfig,
                        fmt::format("{}: {}", set.error().where(), set.error().code().message()));
    }
  }

  net::TcpServerOptions server_options = options_.server;
  server_options.connection.linger_timeout = options_.http.timeouts.linger;
  server_options.memory.idle_timeout = options_.http.timeouts.idle;
  if (options_.http.timeouts.first_byte.count() > 0) {
    server_options.access.proxy_header_timeout = options_.http.timeouts.first_byte;
  }
  std::vector<std::shared_ptr<const TcpHandler>> handlers(server_options.listeners.size());
  http_.resize(handlers.size(), true);
  for (auto& [where, handler] : listeners_) {
    server_options.listeners.push_back(where);
    http_.push_back(!handler);
    handlers.push_back(handler ? std::make_shared<const TcpHandler>(std::move(handler)) : nullptr);
  }
  auto factory = [service = service_.get(), handlers](net::Worker& worker, std::uint32_t listener) {
    if (handlers[listener] != nullptr) return net::serve_stream(handlers[listener]);
    return service->make_session(worker.index());
  };
  auto server = net::TcpServer::create(*loop_, net::KernelStack::instance(),
                                       std::move(server_options), std::move(factory));
  if (!server) return tl::unexpected(explain_listen_failure(server.error()));
  server_ = *std::move(server);
  swaps_ = std::make_unique<RouteSwaps>(*loop_, *server_, *service_);
  watch_memory();
  if (attach_counters_) counted_ = attach_counters_();
  server_->on_drain([this](net::Worker& worker) {
    websockets_.worker(worker.index()).close_all(websocket::CloseCode::kGoingAway);
  });
  return set_guard();
}

void App::watch_memory() {
  service_->watch_memory(server_->overload());
  server_->on_memory_stop([service = service_.get()](net::Worker& worker) {
    service->worker(worker.index()).spare_memory.give_up();
  });
}

/// Of workers that have not run: their loops belong to this thread.
void App::forget_server() {
  counted_.reset();
  server_.reset();
}

StartupResult<void> App::set_guard() {
  auto guard = http::RequestGuard::create(options_.server.access.trusted_proxies,
                                          options_.http.real_ip_header, options_.http.request_rates,
                                          &server_->admission(), &server_->overload());
  if (!guard) return tl::unexpected(system_error("limits of requests", guard.error()));
  service_->set_guard(*std::move(guard));
  return {};
}

StartupResult<void> App::serve() {
  if (const auto launched = tasks_->launch(); !launched) {
    return tl::unexpected(system_error("task threads", launched.error()));
  }
  StartupResult<void> outcome;
  loop_->run([this, &outcome] {
    net::spawn(*loop_, begin(outcome), [this, &outcome](const std::exception_ptr& thrown) {
      net::log_failure(thrown);
      fail_serving(outcome, {ExitCode::kSoftware, "a step of the start has thrown"});
    });
  });
  // From here on in the order of need: connections use tasks, tasks may still post to loops.
  server_->stop();
  tasks_->stop(net::TaskPool::Pending::kDrop);
  swaps_->end();
  if (!is_serving_) forget_server();
  return outcome;
}

Task<> App::begin(StartupResult<void>& outcome) {
  for (const StartStep& step : start_steps_) {
    auto done = co_await step();
    if (!done) co_return fail_serving(outcome, std::move(done).error());
    if (draining_) co_return;  // the end of the drain stops the loop
  }
  auto serving = begin_serving();
  if (!serving) fail_serving(outcome, std::move(serving).error());
}

StartupResult<void> App::begin_serving() {
  const auto on_start = [this](net::Worker& worker) {
    for (const auto& callback : on_worker_start_) callback(worker);
  };
  if (const auto started = server_->start(on_start); !started) {
    return tl::unexpected(system_error("worker threads", started.error()));
  }
  is_serving_ = true;
  if (on_serving_) std::exchange(on_serving_, nullptr)();
  return {};
}

void App::fail_serving(StartupResult<void>& outcome, StartupError error) {
  outcome = StartupResult<void>(tl::unexpected(std::move(error)));
  loop_->stop();
}

// Either bind() sees that a stop was asked for, or this sees the loop.
void App::stop() {
  stop_asked_ = true;
  if (net::EventLoop* const loop = control_) loop->stop();
}

void App::drain() { drain(options_.drain_idle_grace, options_.shutdown_timeout); }

void App::drain(Duration idle_grace, Duration timeout) {
  net::EventLoop* const loop = control_;
  if (loop == nullptr) return stop();  // nothing is under way
  loop->post([this, idle_grace, timeout] {
    if (std::exchange(draining_, true)) return loop_->stop();
    server_->drain(idle_grace, timeout, [this] { loop_->stop(); });
  });
}

// ---- replacing routes

// Whatever becomes of it, somebody is told.
struct App::Replacement {
  Replacement(std::string_view its_name, RouteSet its_set, RouteSwaps::Then its_then)
      : name(its_name), set(std::move(its_set)), then(std::move(its_then)) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (then) then(not_running("the server does not run, or ends"));
  }

  const std::string name;
  RouteSet set;
  RouteSwaps::Then then;
};

void App::replace(std::string_view name, RouteSet set, RouteSwaps::Then then) {
  auto wanted = std::make_unique<Replacement>(name, std::move(set), std::move(then));
  net::EventLoop* const loop = control_;
  if (loop == nullptr) return;
  loop->post([this, wanted = std::move(wanted)] { replace_now(*wanted); });
}

void App::replace_now(Replacement& wanted) {
  if (draining_ || loop_->is_stopping()) return;
  const auto table = book_->replace(wanted.name, std::move(wanted.set));
  RouteSwaps::Then then = std::move(wanted.then);
  if (table) return swaps_->send(*table, std::move(then));
  if (then) then(UnexpectedOf<RouteProblems>(table.error()));
}

bool App::post(net::ConnectionId id, UniqueFunction<void(net::Connection&)> fn) {
  return server_ != nullptr && server_->post(id, std::move(fn));
}

net::EventLoop& App::loop() noexcept { return *loop_; }

int report(const StartupError& error) {
  std::fputs(("ssxrver: " + error.text() + "\n").c_str(), stderr);
  return error.exit_status();
}

}  // namespace ssx

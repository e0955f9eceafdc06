// The face of the framework: routes, listeners, and run().
//
//   ssx::App app;
//   app.get("/", [](const ssx::Request&) { return "Hello, world!\n"; });
//   return app.listen(8080).run();
//
// Thread: one thread builds and runs it; stop(), drain() and post() any thread
// Owner:  main
// Life:   build .. run() (or start() .. wait()) .. destruction; it runs once
// Bounds: AppOptions; once it runs, routes come and go in sets only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/handler.h"
#include "http/method.h"
#include "ssxrver/app/options.h"
#include "ssxrver/app/route_set.h"
#include "ssxrver/app/routes.h"
#include "ssxrver/base/line_sink.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/base/thread.h"
#include "ssxrver/base/unique_function.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/disposal.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/tcp_stream.h"
#include "websocket/service.h"

namespace ssx {

namespace http {
class Router;
class Service;
}  // namespace http
namespace net {
class TaskPool;
class TcpServer;
class EventLoop;
class Worker;
}  // namespace net
namespace metrics {
class Registry;
}  // namespace metrics
class RouteBook;
class RouteSwaps;

class App final : public Routes<App> {
 public:
  using TcpHandler = std::function<Task<>(net::TcpStream)>;
  using StartStep = std::function<Task<StartupResult<void>>()>;

  using Routes<App>::post;  // and post() of functions, below

  explicit App(AppOptions options = {});
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Surrounds every route, those that follow and those that are there, and the answers to requests
  /// that no route is for. The first is the outermost.
  App& use(http::Middleware middleware);
  /// Files below `root`, for GET and HEAD.
  App& files(std::string_view pattern, std::string root, RouteSettings settings = {});

  /// Asks again with another target: `to` is a path, which may name the placeholders of `pattern`,
  /// and keeps the query unless it has one (http/target_template.h). Handler, settings and
  /// middleware are those of the route that it leads to. No methods = every method.
  App& rewrite(std::vector<http::Method> methods, std::string_view pattern, std::string_view to,
               std::string host = {});

  /// Before it runs: the routes of a set, in the first table. `name` is for replace(), and for
  /// errors; it is the only set of that name.
  App& mount(std::string_view name, RouteSet set);
  /// Any thread, while it runs: the routes of this set in place of those that were mounted by that
  /// name, or last put there; beside all others if there are none. An empty set takes them away;
  /// the name "" stands for the App's own.
  ///
  /// Each worker turns to the new table between two turns of its loop, and no request falls in
  /// between: one that has found its route ends with it, and so do WebSockets. The old handlers are
  /// destroyed on the control loop when the last of their requests and sockets has ended, and so is
  /// a set that was refused; bytes of Response::permanent() must outlive that, and the sending.
  ///
  /// `then` is called on the control loop once every worker has the new table, or when nothing has
  /// changed because of a problem: a pattern that is none, a route that is there already. When the
  /// App does not run, or ends, that is a problem too (told at once, on this thread, if its loop
  /// does not exist yet or has ended). Calls take effect in their order, and need not wait for each
  /// other.
  void replace(std::string_view name, RouteSet set,
               UniqueFunction<void(const RoutesResult&)> then = nullptr);

  /// HTTP on this port of 127.0.0.1 (0 = any free one), or wherever the options say.
  App& listen(std::uint16_t port);
  App& listen(net::ListenOptions where);
  /// A protocol of one's own: the handler runs once per connection, which closes when it returns.
  App& tcp(std::uint16_t port, TcpHandler handler);
  App& tcp(net::ListenOptions where, TcpHandler handler);

  /// A line for each exchange, such as of log::Logger::open_lines(); `options.path` and `enabled`
  /// are not looked at. The sink outlives the App.
  App& log_accesses(LineSink sink, http::AccessLogOptions options = {});

  /// Before bind(): from there on this registry, which outlives the App, shows what all layers
  /// count (docs/reference/counters.md). Any thread may ask it.
  App& count_into(metrics::Registry& registry);

  App& workers(unsigned count);
  /// The first thing that each worker's loop runs: on its thread, before its first connection.
  /// Several are called in their order.
  App& on_worker_start(std::function<void(net::Worker&)> callback);
  /// What comes before the first request: tables to create, a cache to fill. The steps run on the
  /// control loop, each when the one before has ended; the task threads run, signals are heard, and
  /// clients wait. The first that fails, or throws, is the error of run(), start() or serve(); a
  /// stop() or drain() meanwhile cancels the one that runs.
  App& on_start(StartStep step);
  [[nodiscard]] AppOptions& options() noexcept { return options_; }
  [[nodiscard]] unsigned worker_count() const noexcept { return options_.server.workers.count; }

  /// Runs until SIGINT, SIGTERM or stop(). Prints one sentence when it cannot start. An exit code.
  [[nodiscard]] int run();

  /// Binds and starts in threads of its own; the address of the first listener.
  StartupResult<net::SocketAddress> start();
  /// Returns when it has ended.
  void wait();

  // In steps, for a program that has something to do in between (the daemon).
  /// Binds, but starts no thread: every error that the environment may cause is known after it.
  StartupResult<void> bind();
  /// Runs the steps of on_start(), starts the workers, and turns the control loop until stop() or
  /// the end of drain(). After bind().
  StartupResult<void> serve();

  /// Any thread, any time, any number of times. Ends at once: what is queued is lost. Before run()
  /// or start() it makes them end as soon as they have begun.
  void stop();
  /// Any thread, any time. Accepts nothing more, answers what is under way, then ends. Bounded by
  /// shutdown_timeout. A second call ends at once.
  void drain();
  /// The same with bounds of the caller's.
  void drain(Duration idle_grace, Duration timeout);

  /// Any thread: fn(connection) on its worker; a stale id is a counted no-op. False when that
  /// worker has ended.
  bool post(net::ConnectionId id, UniqueFunction<void(net::Connection&)> fn);

  /// After bind().
  [[nodiscard]] net::EventLoop& loop() noexcept;
  [[nodiscard]] net::TcpServer& server() noexcept { return *server_; }
  [[nodiscard]] http::Service& service() noexcept { return *service_; }
  [[nodiscard]] websocket::Service& websockets() noexcept { return websockets_; }
  /// The task threads (`AppOptions::tasks`), for handlers and coroutines with blocking work. After
  /// bind(); they run while serve() does.
  [[nodiscard]] net::TaskPool& tasks() noexcept { return *tasks_; }

 private:
  struct Listener {
    net::ListenOptions where;
    TcpHandler handler;  ///< empty: HTTP
  };

  friend class Routes<App>;

  void add_route(std::vector<http::Method> methods, std::string pattern, http::Handler handler,
                 RouteSettings settings);
  void add_upgrade(std::string pattern, HandlerMaker make, RouteSettings settings);
  RouteGroup make_group(std::string_view prefix, RouteSettings settings);
  StartupResult<std::shared_ptr<const http::Router>> build_routes();
  StartupResult<http::Handler> build_fallback();
  Task<> begin(StartupResult<void>& outcome);
  StartupResult<void> begin_serving();
  void fail_serving(StartupResult<void>& outcome, StartupError error);
  struct Replacement;
  void replace_now(Replacement& wanted);
  StartupResult<void> check();
  void watch_memory();
  void forget_server();
  StartupResult<void> set_guard();
  [[nodiscard]] const char* scheme_of(std::size_t listener) const;

  AppOptions options_;
  net::Disposal disposal_;  ///< outlives all that handlers are in
  websocket::Service websockets_{&disposal_};
  std::vector<http::Middleware> middleware_;
  RouteSet routes_;
  std::vector<std::pair<std::string, RouteSet>> mounted_;
  std::vector<Listener> listeners_;  ///< behind those of the options
  std::vector<std::function<void(net::Worker&)>> on_worker_start_;
  std::vector<StartStep> start_steps_;
  UniqueFunction<void()> on_serving_;  ///< for start(): called once, if it comes to that
  LineSink access_sink_;
  http::AccessLogOptions access_log_;
  std::vector<bool> http_;  ///< per listener of the server, once bound
  std::atomic<bool> stop_asked_{false};
  std::atomic<net::EventLoop*> control_{nullptr};  ///< loop_, for other threads
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::TaskPool> tasks_;
  std::unique_ptr<RouteBook> book_;
  std::unique_ptr<http::Service> service_;
  std::unique_ptr<net::TcpServer> server_;
  std::unique_ptr<RouteSwaps> swaps_;
  /// Of count_into(): what attaches the counters, and their registrations, which end before them.
  /// The types are hidden, so that a program that does not ask has no code of it.
  std::function<std::shared_ptr<void>()> attach_counters_;
  std::shared_ptr<void> counted_;
  Thread thread_;
  bool draining_ = false;
  bool is_serving_ = false;  ///< the workers have begun
};

/// Prints the sentences of an error to stderr; the exit status to return from main.
int report(const StartupError& error);

}  // namespace ssx

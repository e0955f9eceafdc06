// The face of the framework: routes, listeners, and run().
//
//   ssx::App app;
//   app.get("/", [](const ssx::Request&) { return "Hello, world!\n"; });
//   return app.listen(8080).run();
//
// Thread: one thread builds and runs it; stop(), drain() and post() any thread
// Owner:  main
// Life:   build .. run() (or start() .. wait()) .. destruction; it runs once
// Bounds: AppOptions; routes cannot be added once it runs
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
#include "http/router.h"
#include "ssxrver/app/options.h"
#include "ssxrver/app/routes.h"
#include "ssxrver/base/line_sink.h"
#include "ssxrver/base/startup_error.h"
#include "ssxrver/base/thread.h"
#include "ssxrver/coro/task.h"
#include "ssxrver/net/connection.h"
#include "ssxrver/net/connection_id.h"
#include "ssxrver/net/socket_address.h"
#include "ssxrver/net/tcp_stream.h"
#include "websocket/upgrade_handler.h"

namespace ssx {

namespace http {
class Service;
}
namespace net {
class TaskPool;
class TcpServer;
class EventLoop;
}  // namespace net

class App final : public Routes<App> {
 public:
  using TcpHandler = std::function<Task<>(net::TcpStream)>;

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

  /// WebSockets (websocket/handlers.h) at a path, "/chat/{room}":
  ///
  ///   app.ws("/echo", {.on_message = [](auto& socket, Message message) { socket.send(message);
  ///   }}); app.ws<Member>("/chat/{room}", {.on_upgrade = ..., .on_message = ...});
  template <class T = websocket::NoData>
  App& ws(std::string_view pattern, websocket::Handlers<T> handlers, RouteSettings settings = {}) {
    if (!settings.handler_timeout) settings.handler_timeout = handlers.limits.handshake_timeout;
    return get(pattern,
               websocket::make_handler(websockets_, std::string(pattern), std::move(handlers)),
               std::move(settings));
  }

  /// HTTP on this port of 127.0.0.1 (0 = any free one), or wherever the options say.
  App& listen(std::uint16_t port);
  App& listen(net::ListenOptions where);
  /// A protocol of one's own: the handler runs once per connection, which closes when it returns.
  App& tcp(std::uint16_t port, TcpHandler handler);
  App& tcp(net::ListenOptions where, TcpHandler handler);

  /// A line for each exchange, such as of log::Logger::open_lines(); `options.path` and `enabled`
  /// are not looked at. The sink outlives the App.
  App& log_accesses(LineSink sink, http::AccessLogOptions options = {});

  App& workers(unsigned count);
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
  /// Starts the workers and turns the main loop until stop() or the end of drain(). After bind().
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
  /// The task threads (`AppOptions::tasks`), for handlers and coroutines with blocking work.
  [[nodiscard]] net::TaskPool& tasks() noexcept { return *tasks_; }

 private:
  struct Listener {
    net::ListenOptions where;
    TcpHandler handler;  ///< empty: HTTP
  };

  struct PendingRoute {
    std::vector<http::Method> methods;
    std::string pattern;
    http::Handler handler;
    RouteSettings settings;
    std::shared_ptr<const http::TargetTemplate> rewrite = {};
  };

  friend class RouteGroup;
  friend class Routes<App>;

  void add_route(std::vector<http::Method> methods, std::string pattern, http::Handler handler,
                 RouteSettings settings);
  RouteGroup make_group(std::string_view prefix, RouteSettings settings);
  void build_routes();
  Result<void> build_route(PendingRoute route);
  StartupResult<void> check();
  void watch_memory();
  StartupResult<void> set_guard();
  [[nodiscard]] const char* scheme_of(std::size_t listener) const;

  AppOptions options_;
  websocket::Service websockets_;
  std::vector<http::Middleware> middleware_;
  std::vector<PendingRoute> routes_;
  http::Router router_;
  http::Handler fallback_;
  std::vector<std::string> problems_;
  std::vector<Listener> listeners_;  ///< behind those of the options
  LineSink access_sink_;
  http::AccessLogOptions access_log_;
  std::vector<bool> http_;  ///< per listener of the server, once bound
  std::atomic<bool> stop_asked_{false};
  std::atomic<net::EventLoop*> control_{nullptr};  ///< loop_, for other threads
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::TaskPool> tasks_;
  std::unique_ptr<http::Service> service_;
  std::unique_ptr<net::TcpServer> server_;
  Thread thread_;
  bool draining_ = false;
};

/// Prints the sentences of an error to stderr; the exit status to return from main.
int report(const StartupError& error);

}  // namespace ssx

// The code of the guides that no program of docs/examples has: compiled, not run.
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http/files/files.h"
#include "ssxrver/log/logger.h"
#include "ssxrver/metrics/registry.h"
#include "ssxrver/metrics/text_format.h"
#include "ssxrver/net/linux/kernel_stack.h"
#include "ssxrver/ssxrver.h"

namespace ssx::test {

using namespace std::chrono_literals;

bool may_read(const Request& request);
Response show_user(const Request& request);
Response slow_report(const Request& request);
Task<Response> take_upload(const Request& request);
std::vector<std::string> lines();
void use(std::string_view bytes);

int embedding() {
  ssx::App app;
  app.get("/users/{id}", [](const ssx::Request& request) -> ssx::Response {
    const auto id = request.param_as<std::uint64_t>("id");
    if (!id) return ssx::Status::kBadRequest;
    return ssx::Response::json("{\"id\":" + std::to_string(*id) + "}\n");
  });
  app.files("/*", "/srv/www");
  return app.listen(8080).run();
}

void routes(ssx::App& app, const Middleware& authenticate) {
  app.post("/upload", take_upload, {.body = ssx::BodyMode::kStream, .body_max = 8ULL << 30});
  app.get("/report", slow_report, {.run_on = ssx::RunOn::kTasks});

  auto api = app.group("/api", {.handler_timeout = 5s, .middleware = {authenticate}});
  api.get("/users/{id}", show_user);

  app.get("/numbers", [](const ssx::Request&) {
    return ssx::Response::stream([](ssx::BodyWriter& body) -> ssx::Task<> {
      for (int i = 0; i < 1000; ++i) {
        if (!co_await body.write(std::to_string(i) + "\n")) co_return;
      }
    });
  });
}

int counting() {
  ssx::metrics::Registry counters;  // outlives the App
  ssx::App app;
  app.count_into(counters);
  app.get("/metrics", [&counters](const ssx::Request&) {
    auto page = ssx::Response::text(ssx::metrics::to_text(counters.scrape()));
    page.content_type(ssx::metrics::kTextContentType);
    return page;
  });
  return app.listen(8080).run();
}

ssx::RouteSet greeting(const std::string& text) {
  ssx::RouteSet set;
  set.get("/", [text](const ssx::Request&) { return text; });
  return set;
}

void replaced_routes(ssx::App& app) {
  app.mount("greeting", greeting("hello"));
  app.post("/greeting", [&app](const ssx::Request& request) {
    app.replace("greeting", greeting(std::string(request.body().text)),
                [](const ssx::RoutesResult& done) {
                  if (!done) SSX_LOG_ERROR("{}", done.error().text());
                });
    return ssx::Status::kAccepted;
  });
}

Task<Result<std::string>> price_of(std::string id);
Task<Result<std::string>> stock_of(std::string id);

ssx::Task<ssx::Result<std::string>> offer(std::string id) {
  const auto both = co_await ssx::when_all_ok(price_of(id), stock_of(id));
  if (!both) co_return ssx::fail(both.error());
  const auto& [price, stock] = *both;
  co_return price + ", " + stock + " left\n";
}

void offers(ssx::App& app) {
  app.get("/offers/{id}", [](const ssx::Request& request) -> ssx::Task<ssx::Response> {
    const std::string id(request.param("id"));
    const auto text = co_await ssx::net::with_timeout(2s, offer(id));
    if (!text && text.error() == ssx::net::Errc::kTimedOut) {
      co_return ssx::Status::kGatewayTimeout;
    }
    if (!text) co_return ssx::Status::kBadGateway;
    co_return ssx::Response(*text);
  });
}

/// Goes through a file until it ends, or until it is asked to stop.
Result<std::string> slow_checksum(const std::string& path, const std::stop_token& stop);
struct Report {
  explicit Report(std::string_view month);
  bool add_next_day();
  std::string text();
};

void tasks_of_a_route(ssx::App& app) {
  app.options().tasks.threads = 4;
  app.get("/reports/{month}",
          [](const ssx::Request& request) -> ssx::Response {
            Report report(request.param("month"));
            while (report.add_next_day()) {  // blocks for a while
              if (request.stop_token().stop_requested()) return ssx::Status::kServiceUnavailable;
            }
            return report.text();
          },
          {.run_on = ssx::RunOn::kTasks, .handler_timeout = 10s});
}

ssx::Task<ssx::Result<std::string>> checksum_of(ssx::net::TaskPool& tasks, std::string path) {
  auto job = tasks.run([path](const std::stop_token& stop) { return slow_checksum(path, stop); });
  co_return co_await job;
}

ssx::Task<ssx::Result<bool>> are_equal(ssx::net::TaskPool& tasks, std::string a, std::string b) {
  const auto both = co_await ssx::when_all_ok(checksum_of(tasks, a), checksum_of(tasks, b));
  if (!both) co_return ssx::fail(both.error());
  const auto& [first, second] = *both;
  co_return first == second;
}

void tasks_of_coroutines(ssx::App& app) {
  app.get("/same/{a}/{b}", [&app](const ssx::Request& request) -> ssx::Task<ssx::Response> {
    const std::string a(request.param("a"));
    const std::string b(request.param("b"));
    const auto same = co_await ssx::net::with_timeout(5s, are_equal(app.tasks(), a, b));
    if (!same && same.error() == ssx::net::Errc::kTimedOut) co_return ssx::Status::kGatewayTimeout;
    if (!same) co_return ssx::answer_to_error(request, same.error());
    co_return *same ? "the same\n" : "not the same\n";
  });
}

void tasks_a_few_at_a_time(ssx::App& app) {
  // One for each worker, whose loop alone uses it.
  const auto scans = std::make_shared<std::deque<ssx::Semaphore>>();
  const ssx::SemaphoreOptions few{.permits = 2, .waiters_max = 100};
  for (unsigned i = 0; i < app.worker_count(); ++i) scans->emplace_back(few);
  app.get("/scan/{path}", [&app, scans](const ssx::Request& request) -> ssx::Task<ssx::Response> {
    const auto permit = co_await scans->at(request.worker()).acquire();
    if (!permit) co_return ssx::answer_to_overload(request);
    const std::string path(request.param("path"));
    const auto sum = co_await checksum_of(app.tasks(), path);
    if (!sum) co_return ssx::answer_to_error(request, sum.error());
    co_return *sum + "\n";
  });
}

void files(ssx::App& app) {
  app.get("/reports/{id}",
          [files = *http::Files::open({.root = "/srv/reports"})](const Request& request) {
            if (!may_read(request)) return Response(Status::kForbidden);
            return files.answer(request, std::string(request.param("id")) + ".pdf");
          });
}

void access_log(ssx::App& app, const log::LogOptions& options) {
  auto logger = log::Logger::install(options);
  app.log_accesses(*(*logger)->open_lines({"access"}), {.format = "json"});
}

ssx::Task<> show(ssx::http::Client& client) {
  const auto response = co_await client.get("http://127.0.0.1:8080/");
  if (!response) {
    fmt::print("{}\n", response.error().message());
  } else {
    fmt::print("{} {}", response->status(), response->body());
  }
}

void make_client(net::Connections& connections, const net::Resolver& resolver,
                 const http::ClientOptions& options) {
  ssx::http::Client client(connections, ssx::net::KernelStack::instance(), resolver, options);
}

Task<std::optional<Error>> put(ssx::http::Client& client, std::string token, std::string text) {
  ssx::http::ClientRequest request;
  request.method = "PUT";
  request.url = "http://10.0.0.1/upload";
  request.fields = {{.name = "Authorization", .value = "Bearer " + token}};
  request.body = text;             // sent with its length
  request.expect_continue = true;  // asks before it sends the body
  request.total = std::chrono::seconds(10);
  const auto response = co_await client.fetch(std::move(request));
  if (!response) co_return response.error();
  co_return std::nullopt;
}

Task<std::optional<Error>> stream(ssx::http::Client& client, ssx::http::ClientRequest request) {
  auto response = co_await client.open(std::move(request));
  if (!response) co_return response.error();
  for (;;) {
    const auto piece = co_await response->read();
    if (!piece) co_return piece.error();  // cut short, too slow, malformed
    if (piece->empty()) break;            // the end
    use(*piece);                          // good until the next read()
  }
  co_return std::nullopt;
}

void upload(ssx::http::ClientRequest& request) {
  request.body = ssx::http::RequestBody::streamed(
      [](ssx::http::UploadWriter& writer) -> ssx::Task<ssx::Result<void>> {
        for (const auto& line : lines()) {
          const auto written = co_await writer.write(line);
          if (!written) co_return written;
        }
        co_return ssx::Result<void>();
      });
}

void show(std::string_view text);

void open_websockets(net::Connections& connections, const net::Resolver& resolver,
                     const std::string& token) {
  ssx::WebSocketClientOptions options;
  options.url = "ws://127.0.0.1:8080/chat";
  options.fields = {{.name = "Authorization", .value = "Bearer " + token}};
  options.limits.subprotocols = {"chat.v2", "chat.v1"};
  ssx::WebSocketClient client(connections, ssx::net::KernelStack::instance(), resolver, options);
}

ssx::Task<> greet(ssx::WebSocketClient& client) {
  auto socket = co_await client.open();
  if (!socket) {
    show(socket.error().message());
    co_return;
  }
  show(socket->answer().field("server"));  // of the 101
  (void)co_await socket->send("hello");
  while (auto message = co_await socket->receive()) show(message->payload);
  show(socket->close_reason());
}

ssx::Task<> download(net::Connections& connections, const net::Resolver& resolver,
                     ssx::WebSocketClientOptions options) {
  options.receive_pieces = true;
  options.limits.message_max = options.limits.frame_max = 1ULL << 40;
  options.limits.assembly_timeout = 10min;  // of one message, without the time that we take for it
  ssx::WebSocketClient client(connections, ssx::net::KernelStack::instance(), resolver, options);
  auto socket = co_await client.open();
  if (!socket) co_return;
  while (auto piece = co_await socket->receive_piece()) {
    show(piece->payload);
    if (piece->ends) break;
  }
}

void keep_a_websocket(net::Connections& connections, const net::Resolver& resolver,
                      ssx::WebSocketClientOptions options) {
  options.reconnect.enabled = true;
  ssx::WebSocketClient client(connections, ssx::net::KernelStack::instance(), resolver, options);
  ssx::WebSocketClientHandlers handlers;
  handlers.on_open = [](auto& socket, const auto&) { socket.send("hello"); };
  handlers.on_message = [](auto&, const ssx::Message& message) { show(message.payload); };
  handlers.on_retry = [](const ssx::ConnectFailure& why, auto) { show(why.message()); };
  if (const auto begun = client.connect(std::move(handlers)); !begun) show(begun.error().message());
}

void go_through_a_proxy(ssx::WebSocketClientOptions& options) {
  options.proxy = {.kind = ssx::WebSocketClientProxy::Kind::kSocks5,
                   .host = "10.0.0.9",
                   .port = 1080,
                   .user = "me",
                   .password = "secret"};
}

}  // namespace ssx::test

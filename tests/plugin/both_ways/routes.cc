#include "tests/plugin/both_ways/routes.h"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;

struct Member {
  std::string room;
};

sdk::Response greet(const sdk::Request& request) {
  return "Hello, " + std::string(request.param("name")) + "!\n";
}

sdk::Task<sdk::Response> count_later(const sdk::Request& request) {
  const auto until = request.query_as<int>("until");
  if (!until) co_return sdk::Status::kBadRequest;
  co_await sdk::sleep_for(1ms);
  co_return sdk::Response::json(std::to_string(*until));
}

sdk::Response count_in_pieces(const sdk::Request&) {
  return sdk::Response::stream([](sdk::BodyWriter& body) -> sdk::Task<> {
    for (int i = 0; i < 3; ++i) {
      co_await sdk::sleep_for(1ms);
      const std::string piece = std::to_string(i) + '\n';
      if (!co_await body.write(piece)) co_return;
    }
  });
}

sdk::Task<std::string> measure_body(const sdk::Request& request) {
  std::size_t bytes = 0;
  while (const auto piece = co_await request.body().read()) {
    if (piece->empty()) break;
    bytes += piece->size();
  }
  co_return std::to_string(bytes);
}

sdk::Upgrade<Member> enter(const sdk::Request& request) {
  if (request.header("X-Banned")) return sdk::reject(sdk::Status::kForbidden);
  return Member{std::string(request.param("room"))};
}

void join(sdk::WebSocket<Member>& socket) {
  if (!socket.subscribe(socket->room)) socket.close(sdk::CloseCode::kTryAgainLater);
}

sdk::Task<> tell(sdk::WebSocket<Member>& socket, const sdk::Message& message) {
  co_await sdk::sleep_for(1ms);
  socket.send(message);
  socket.publish(socket->room, message.payload);
}

}  // namespace

void add_routes(sdk::App& app) {
  app.get("/greet/{name}", greet)
      .get("/count", count_later)
      .get("/pieces", count_in_pieces)
      .post("/measure", measure_body, {.body = sdk::BodyMode::kStream, .body_max = 1 << 20})
      .get("/gone", [](const sdk::Request&) { return sdk::Status::kGone; })
      .get("/task",
           [&app](const sdk::Request&) -> sdk::Task<sdk::Response> {
             auto job = app.tasks().run([] { return std::string("from a task thread"); });
             auto text = co_await job;
             if (!text) co_return sdk::Status::kServiceUnavailable;
             co_return *std::move(text);
           })
      .get("/throws",
           [](const sdk::Request&) -> sdk::Response { throw std::runtime_error("on purpose"); });
  app.ws<Member>(
      "/room/{room}",
      {.limits = {.message_max = 1000}, .on_upgrade = enter, .on_open = join, .on_message = tell});
  app.ws<Member>("/pongs/{room}", {.limits = {.ignore_pong = false},
                                   .on_upgrade = enter,
                                   .on_pong = [](auto& socket, std::string_view said) {
                                     socket.send(std::string("pong ") + std::string(said));
                                   }});
}

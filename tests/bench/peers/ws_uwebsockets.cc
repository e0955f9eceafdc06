// ws_app.cc on uWebSockets, which is built outside of this tree: ws_uwebsockets PORT
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "App.h"

namespace {

struct Nothing {};
using Socket = uWS::WebSocket<false, true, Nothing>;
using Behavior = uWS::App::WebSocketBehavior<Nothing>;

constexpr unsigned kFileMax = 1U << 30;

Behavior behavior() {
  Behavior made;
  made.compression = uWS::DISABLED;
  made.maxPayloadLength = kFileMax;
  made.idleTimeout = 120;
  made.maxBackpressure = 64 << 20;
  return made;
}

void count(Socket* socket, std::string_view message, uWS::OpCode) {
  socket->send(std::to_string(message.size()), uWS::OpCode::TEXT);
}

}  // namespace

int main(int argc, char** argv) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 0;
  uWS::App app;
  Behavior echo = behavior();
  echo.message = [](Socket* socket, std::string_view message, uWS::OpCode opcode) {
    socket->send(message, opcode);
  };
  Behavior counting = behavior();
  counting.message = &count;
  Behavior broadcast = behavior();
  broadcast.open = [](Socket* socket) { socket->subscribe("all"); };
  broadcast.message = [&app](Socket*, std::string_view message, uWS::OpCode opcode) {
    app.publish("all", message, opcode);
  };
  Behavior sink = behavior();
  sink.message = &count;
  app.ws<Nothing>("/echo", std::move(echo))
      .ws<Nothing>("/sink", std::move(sink))
      .ws<Nothing>("/whole", std::move(counting))
      .ws<Nothing>("/broadcast", std::move(broadcast))
      .listen("127.0.0.1", port,
              [](auto* listening) {
                if (listening == nullptr) std::exit(1);
              })
      .run();
}

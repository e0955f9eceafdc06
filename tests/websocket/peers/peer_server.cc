// Our side of what README.md here says every server of this folder does.
//
// usage: peer_server [PORT]
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ssxrver/ssxrver.h"

namespace {

using ssx::CloseCode;
using ssx::Message;
using ssx::Request;
using ssx::WebSocketOptions;
using ssx::websocket::DeflateMode;
using ssx::websocket::DeflateOptions;
using ssx::websocket::Handlers;
using ssx::websocket::to_int;

/// What the last socket that ended was told: "CODE REASON".
struct LastClose {
  std::string text;

  void note(CloseCode code, std::string_view reason) {
    text = fmt::format("{} {}", to_int(code), reason);
  }
};

Handlers<> echo(LastClose& last, WebSocketOptions limits = {}) {
  return {.limits = std::move(limits),
          .on_message = [](auto& socket, const Message& message) { socket.send(message); },
          .on_close = [&last](auto&, CloseCode code,
                              std::string_view reason) { last.note(code, reason); }};
}

DeflateOptions deflate(bool with_takeover) {
  return {.mode = DeflateMode::kBoth,
          .server_context_takeover = with_takeover,
          .client_context_takeover = with_takeover,
          .min_size = 0};
}

/// Closes what it opens, with the code of the path.
struct Closing {
  CloseCode code;
};

Handlers<Closing> closing(LastClose& last) {
  return {.on_upgrade = [](const Request& request) -> ssx::Upgrade<Closing> {
            const auto code = request.param_as<std::uint16_t>("code");
            if (!code) return ssx::reject(ssx::Status::kBadRequest);
            return Closing{CloseCode(*code)};
          },
          .on_open = [](auto& socket) { socket.close(socket->code, "as asked"); },
          .on_close = [&last](auto&, CloseCode code,
                              std::string_view reason) { last.note(code, reason); }};
}

}  // namespace

int main(int argc, char** argv) {
  LastClose last;
  ssx::App app;
  // One worker, so that `last` is everybody's and nobody waits for it.
  app.workers(1)
      .ws("/echo", echo(last))
      .ws("/deflate", echo(last, {.deflate = deflate(false)}))
      .ws("/takeover", echo(last, {.deflate = deflate(true)}))
      .ws("/fragments", echo(last, {.send_fragment_size = 10}))
      .ws("/ping", {.on_message = [](auto& socket, const Message& m) { socket.ping(m.payload); },
                    .on_pong = [](auto& socket, std::string_view pong) { socket.send(pong); }})
      .ws("/subprotocol",
          {.limits = {.subprotocols = {"chat.v2", "chat.v1"}},
           .on_message = [](auto& socket, const Message&) { socket.send(socket.subprotocol()); }})
      .ws("/close/{code}", closing(last))
      .get("/closed", [&last](const Request&) { return last.text; })
      .get("/", [](const Request&) {
        return ssx::Response::html("<!doctype html><title>peer</title>");
      });
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0)).run();
}

// What Autobahn|Testsuite talks to: an echo with room for its largest messages.
//
// usage: autobahn_echo PORT [off | receive | both | takeover]
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ssxrver/ssxrver.h"

namespace {

ssx::WebSocketOptions options(std::string_view mode) {
  using ssx::websocket::DeflateMode;
  ssx::WebSocketOptions limits;
  limits.message_max = limits.frame_max = 64 << 20;
  limits.fragments_max = 100'000;
  limits.control_rate = {};
  limits.backpressure.max = 256 << 20;
  limits.deflate.ratio_max = 0;
  if (mode == "receive") limits.deflate.mode = DeflateMode::kReceive;
  if (mode == "both" || mode == "takeover") limits.deflate.mode = DeflateMode::kBoth;
  limits.deflate.server_context_takeover = limits.deflate.client_context_takeover =
      mode == "takeover";
  return limits;
}

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  ssx::App app;
  app.workers(1).ws(
      "/", {.limits = options(argc > 2 ? argv[2] : "off"),
            .on_message = [](auto& socket, const ssx::Message& message) { socket.send(message); }});
  return app.listen(port).run();
}

// The program that a user would write, for the table of WebSocket servers:
//
//   ws_app PORT [reuseport]
//
//   /echo       every message comes back
//   /sink       pieces as they come; after the last one, how many bytes there were
//   /store      the same, once they are written to a file
//   /whole      the same of a whole message
//   /broadcast  every message goes to all others
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "ssxrver/ssxrver.h"

namespace {

using ssx::websocket::Message;
using ssx::websocket::Piece;

constexpr std::size_t kFileMax = std::size_t{1} << 30;

struct Received {
  std::uint64_t bytes = 0;
};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// A file that goes when it is closed.
struct Stored {
  std::unique_ptr<std::FILE, Close> file{std::tmpfile()};
  std::uint64_t bytes = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto port = static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  ssx::websocket::Options large;
  large.message_max = kFileMax;
  large.fragments_max = 1 << 20;
  ssx::AppOptions options;
  options.server.workers.count = 1;
  if (argc > 2) options.server.workers.accept = ssx::net::AcceptMode::kReusePort;
  ssx::App app(std::move(options));
  app.ws("/echo",
         {.on_message = [](auto& socket, const Message& message) { socket.send(message); }});
  app.ws<Received>("/sink", {.limits = large, .on_piece = [](auto& socket, const Piece& piece) {
                               socket->bytes += piece.payload.size();
                               if (!piece.ends) return;
                               socket.send(std::to_string(std::exchange(socket->bytes, 0)));
                             }});
  app.ws<Stored>("/store", {.limits = large, .on_piece = [](auto& socket, const Piece& piece) {
                              socket->bytes +=
                                  std::fwrite(piece.payload.data(), 1, piece.payload.size(),
                                              socket->file.get());
                              if (!piece.ends) return;
                              std::fflush(socket->file.get());
                              socket.send(std::to_string(std::exchange(socket->bytes, 0)));
                            }});
  app.ws("/whole", {.limits = large, .on_message = [](auto& socket, const Message& message) {
                      socket.send(std::to_string(message.payload.size()));
                    }});
  app.ws(
      "/broadcast",
      {.on_open = [](auto& socket) { (void)socket.subscribe("all"); },
       .on_message = [](auto& socket, const Message& message) { socket.publish("all", message); }});
  return app.listen(port).run();
}

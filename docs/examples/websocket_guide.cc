// What docs/guide/websocket.md shows, as one program:  websocket_guide [PORT]
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "ssxrver/ssxrver.h"

namespace {

using namespace std::chrono_literals;
using ssx::BackpressurePolicy;
using ssx::CloseCode;
using ssx::Message;
using ssx::Piece;
using ssx::PreparedMessage;
using ssx::reject;
using ssx::Request;
using ssx::Status;
using ssx::Task;
using ssx::Upgrade;
using ssx::WebSocket;

void add_echo(ssx::App& app) {
  app.ws("/echo",
         {.on_message = [](auto& socket, const Message& message) { socket.send(message); }});
}

struct Member {
  std::string name;
  std::string room;
};

void add_rooms(ssx::App& app) {
  app.ws<Member>(
      "/rooms/{room}",
      {.limits = {.message_max = 4096, .ping_interval = 20s},
       .on_upgrade = [](const Request& request) -> Upgrade<Member> {
         auto name = request.query("name");
         if (!name) return reject(Status::kBadRequest);
         return Member{std::string(*name), "rooms/" + std::string(request.param("room"))};
       },
       .on_open = [](auto& member) { (void)member.subscribe(member->room); },
       .on_message =
           [](auto& member, const Message& message) {
             member.publish(member->room, member->name + ": " + std::string(message.payload));
           },
       .on_close =
           [](auto& member, CloseCode, std::string_view) {
             member.publish(member->room, member->name + " has left");
           }});
}

Task<bool> is_known(std::string token) {
  co_await ssx::net::sleep_for(1ms);  // a look into a database, say
  co_return token == "let-me-in";
}

// Coroutines: the next message waits until this one is done with.
void add_slow(ssx::App& app) {
  app.ws<std::string>(
      "/slow", {.on_upgrade = [](const Request& request) -> Task<Upgrade<std::string>> {
                  std::string token(request.query("token").value_or(""));
                  const bool known = co_await is_known(token);
                  if (!known) co_return reject(Status::kForbidden);
                  co_return Upgrade<std::string>(std::move(token));
                },
                .on_message = [](WebSocket<std::string>& socket, const Message& message) -> Task<> {
                  co_await ssx::net::sleep_for(1ms);
                  socket.send(message);
                }});
}

// What comes of a message, as it comes: none of it is kept, however long it is.
void add_upload(ssx::App& app) {
  app.ws<std::uint64_t>("/upload", {.limits = {.message_max = 1ULL << 40, .frame_max = 1ULL << 40},
                                    .on_piece = [](auto& bytes, const Piece& piece) {
                                      *bytes += piece.payload.size();
                                      if (piece.ends) bytes.send(std::to_string(*bytes));
                                    }});
}

// Prices that nobody wants to have old: who reads slowly gets the latest.
void add_prices(ssx::App& app) {
  app.ws("/prices", {.on_open = [](auto& socket) {
           (void)socket.subscribe("prices", BackpressurePolicy::kLatest);
         }});
}

void add_work(ssx::App& app) {
  app.ws("/work", {.on_message = [](auto& socket, const Message& message) {
           // The socket may be gone when the thread is done; what it says then is dropped.
           std::thread([handle = socket.handle(), text = std::string(message.payload)] {
             handle.send("done: " + text);
           }).detach();
         }});
}

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  add_echo(app);
  add_rooms(app);
  add_slow(app);
  add_upload(app);
  add_prices(app);
  add_work(app);
  // From anywhere, on any thread.
  app.post("/prices", [&app](const Request& request) {
    app.websockets().publish("prices", PreparedMessage::text(request.body().text));
    return Status::kAccepted;
  });
  return app.listen(argc > 1 ? static_cast<std::uint16_t>(std::atoi(argv[1])) : 8080).run();
}

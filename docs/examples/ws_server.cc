// Talks to many WebSockets, and keeps what they send:  ws_server [PORT [FOLDER]]
//
// Texts are shown; each binary message becomes a file of FOLDER as it streams in, whatever its
// length. Commands: "list", "say N TEXT", "all TEXT" and "quit".
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "ssxrver/ssxrver.h"

namespace {

template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(format, std::forward<Args>(args)...);
  std::fflush(stdout);
}

/// What is kept for a socket.
struct Member {
  int number = 0;
  int files = 0;
  std::string text;  ///< that has come so far
  std::string path;  ///< of the file that is coming
  std::ofstream file;
  std::uint64_t bytes = 0;
  std::chrono::steady_clock::time_point began;
};
using Socket = ssx::WebSocket<Member>;

/// Who is there. One worker calls the handlers; commands come from another thread.
class Peers {
 public:
  Peers(ssx::App& app, std::string folder) : app_(app), folder_(std::move(folder)) {}

  void enter(Socket& socket) {
    const std::scoped_lock lock(mutex_);
    socket->number = ++last_;
    peers_.emplace(last_, Peer{socket.id(), socket.peer().to_string(), &socket});
    say("{} has come from {}\n", last_, peers_.at(last_).address);
  }
  void leave(Socket& socket, ssx::CloseCode code) {
    const std::scoped_lock lock(mutex_);
    peers_.erase(socket->number);
    say("{} has gone: {}\n", socket->number, ssx::websocket::to_int(code));
  }

  void take(Socket& socket, const ssx::Piece& piece) {
    if (piece.opcode == ssx::Opcode::kText) return take_text(socket, piece);
    Member& member = *socket;
    if (piece.begins) {
      member.path = fmt::format("{}/{}-{}.bin", folder_, member.number, ++member.files);
      member.file.open(member.path, std::ios::binary | std::ios::trunc);
      member.bytes = 0;
      member.began = std::chrono::steady_clock::now();
    }
    member.file.write(piece.payload.data(), static_cast<std::streamsize>(piece.payload.size()));
    member.bytes += piece.payload.size();
    if (!piece.ends) return;
    member.file.close();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - member.began;
    say("{} {} {}: {} bytes, {:.1f} MB/s\n", member.number,
        member.file ? "sent" : "cannot be written:", member.path, member.bytes,
        static_cast<double>(member.bytes) / took.count() / 1e6);
    member.file.clear();
    socket.send(fmt::format("took {} bytes", member.bytes));
  }

  /// False when there is nothing more to do.
  bool obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    int number = 0;
    words >> verb;
    if (verb == "quit") return false;
    if (verb == "list") {
      list();
    } else if (verb == "all") {
      send(0, rest_of(words));
    } else if (verb == "say" && words >> number) {
      send(number, rest_of(words));
    } else {
      say("list, say N TEXT, all TEXT or quit\n");
    }
    return true;
  }

 private:
  struct Peer {
    ssx::net::ConnectionId id;
    std::string address;
    Socket* socket;
  };

  static void take_text(Socket& socket, const ssx::Piece& piece) {
    std::string& text = socket->text;
    if (text.size() < 64 << 10) text += piece.payload;
    if (piece.ends) say("{}: {}\n", socket->number, std::exchange(text, {}));
  }
  static std::string rest_of(std::istringstream& words) {
    std::string rest;
    std::getline(words >> std::ws, rest);
    return rest;
  }
  void list() {
    const std::scoped_lock lock(mutex_);
    for (const auto& [number, peer] : peers_) say("{} {}\n", number, peer.address);
    say("{} peers\n", peers_.size());
  }
  // 0: to all. The connection is there when the function runs, and so is its socket.
  void send(int number, const std::string& text) {
    const std::scoped_lock lock(mutex_);
    if (number != 0 && !peers_.contains(number)) say("nobody is {}\n", number);
    for (const auto& [other, peer] : peers_) {
      if (number != 0 && number != other) continue;
      app_.post(peer.id, [this, name = other, text](ssx::net::Connection&) {
        Socket* socket = nullptr;
        {
          const std::scoped_lock there(mutex_);
          const auto found = peers_.find(name);
          if (found != peers_.end()) socket = found->second.socket;
        }
        if (socket != nullptr) socket->send(text);
      });
    }
  }

  ssx::App& app_;
  const std::string folder_;
  std::mutex mutex_;
  std::map<int, Peer> peers_;
  int last_ = 0;
};

// On a thread of its own, since reading a line waits.
void read_lines(Peers& peers, ssx::App& app) {
  std::ifstream lines("/dev/stdin");
  std::string line;
  while (std::getline(lines, line)) {
    if (!peers.obey(line)) return app.drain();
  }
}

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  Peers peers(app, argc > 2 ? argv[2] : ".");
  ssx::websocket::Handlers<Member> handlers;
  handlers.limits.message_max = std::size_t{1} << 40;
  handlers.limits.frame_max = 16 << 20;
  handlers.limits.fragments_max = 1 << 30;
  handlers.limits.assembly_timeout = {};
  handlers.on_open = [&peers](Socket& socket) { peers.enter(socket); };
  handlers.on_piece = [&peers](Socket& socket, const ssx::Piece& piece) {
    peers.take(socket, piece);
  };
  handlers.on_close = [&peers](Socket& socket, ssx::CloseCode code, std::string_view) {
    peers.leave(socket, code);
  };
  app.workers(1).ws("/", std::move(handlers));
  app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080));
  std::thread(read_lines, std::ref(peers), std::ref(app)).detach();
  return app.run();
}

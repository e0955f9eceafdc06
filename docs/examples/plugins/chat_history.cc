// A chat room per path, whose last messages a newcomer is told: a plugin.
//
//   {"name": "chat", "library": "chat_history.so", "mount": "/talk", "config": {"history": 50}}
//
//   ws://127.0.0.1:4507/talk/red?name=Ada
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssxrver/plugin/plugin.h"

namespace {

namespace sdk = ssx::plugin;

/// What was said in each room. Any thread: rooms are shared by all workers.
class History {
 public:
  History(std::size_t lines_max, std::size_t rooms_max)
      : lines_max_(lines_max), rooms_max_(rooms_max) {}

  /// Nothing is kept of rooms that come when there are `rooms_max` already: a room is a word that
  /// anybody may make up.
  void add(const std::string& room, std::string line) {
    const std::lock_guard lock(mutex_);
    if (rooms_.size() >= rooms_max_ && !rooms_.contains(room)) return;
    auto& lines = rooms_[room];
    lines.push_back(std::move(line));
    if (lines.size() > lines_max_) lines.pop_front();
  }
  [[nodiscard]] std::vector<std::string> of(const std::string& room) const {
    const std::lock_guard lock(mutex_);
    const auto found = rooms_.find(room);
    if (found == rooms_.end()) return {};
    return {found->second.begin(), found->second.end()};
  }

  /// One line for each: "room\ntext\n". Neither has a line break.
  [[nodiscard]] std::string to_text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [room, lines] : rooms_) {
      for (const auto& line : lines) text.append(room).append("\n").append(line).append("\n");
    }
    return text;
  }
  void add_from(std::string_view text) {
    while (!text.empty()) {
      const std::string_view room = take_line(text);
      add(std::string(room), std::string(take_line(text)));
    }
  }

 private:
  static std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
  }

  const std::size_t lines_max_;
  const std::size_t rooms_max_;
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<std::string>> rooms_;
};

struct Member {
  std::string name;
  std::string room;
};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.find_first_of("\r\n") == text.npos;
}

void set_up(sdk::Host& host) {
  const auto bound = [&host](std::string_view key, std::int64_t fallback) {
    return static_cast<std::size_t>(host.config().integer(key, fallback));
  };
  const auto history = std::make_shared<History>(bound("history", 20), bound("rooms", 1000));
  // A reload loses nothing: the next generation begins with what this one knows.
  host.on_export(1, [history] { return history->to_text(); });
  host.on_import([history](std::uint32_t, std::string_view text) { history->add_from(text); });

  host.ws<Member>("/{room}",
                  {.limits = {.message_max = 4096},
                   .on_upgrade = [](const sdk::Request& request) -> sdk::Upgrade<Member> {
                     auto name = request.query("name");
                     if (!name || !is_name(*name) || !is_name(request.param("room")))
                       return sdk::reject(sdk::Status::kBadRequest);
                     return Member{*std::move(name), std::string(request.param("room"))};
                   },
                   .on_open =
                       [history](sdk::WebSocket<Member>& socket) {
                         if (!socket.subscribe(socket->room)) {
                           socket.close(sdk::CloseCode::kTryAgainLater);
                           return;
                         }
                         for (const auto& line : history->of(socket->room)) socket.send(line);
                       },
                   .on_message =
                       [history](sdk::WebSocket<Member>& socket, const sdk::Message& message) {
                         if (message.payload.find_first_of("\r\n") != message.payload.npos) return;
                         std::string line = socket->name + ": " + std::string(message.payload);
                         socket.send(line);
                         socket.publish(socket->room, line);
                         history->add(socket->room, std::move(line));
                       }});
}

}  // namespace

SSX_PLUGIN("chat_history", "1.0.0", set_up, .summary = "Chat rooms that remember",
           .config_schema = R"({
             "type": "object",
             "properties": {
               "history": {"type": "integer", "minimum": 1, "maximum": 10000},
               "rooms": {"type": "integer", "minimum": 1, "maximum": 100000}
             },
             "additionalProperties": false
           })",
           .state_version_min = 1, .state_version_max = 1)

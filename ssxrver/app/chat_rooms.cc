#include "ssxrver/app/chat_rooms.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/utf8.h"
#include "ssxrver/json/json.h"

namespace ssx {
namespace {

constexpr json::ParseLimits kStrict{
    .bytes_max = 8 * ChatRooms::kTextMax, .depth_max = 4, .strict = true};

std::string error_text(const char* what) {
  return json::write(json::Object{{"type", "error"}, {"text", what}}, json::kCompact);
}

std::string event(const char* type, std::int64_t id, const std::string& name) {
  return json::write(json::Object{{"type", type}, {"id", id}, {"name", name}}, json::kCompact);
}

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; }

/// Line feeds and tabs may stand in what is said.
bool is_sayable(std::string_view text) noexcept {
  return std::ranges::none_of(text, [](char c) { return is_control(c) && c != '\n' && c != '\t'; });
}

/// "ada", "ada 2", "ada 3": the first that nobody has.
std::string free_name(const std::vector<std::string>& members, const std::string& wanted) {
  std::string name = wanted;
  for (unsigned number = 2; std::ranges::find(members, name) != members.end(); ++number) {
    const std::string tail = " " + std::to_string(number);
    const auto front = std::string_view(wanted).substr(0, ChatRooms::kNameMax - tail.size());
    name = wanted.substr(0, utf8_front(front)) + tail;
  }
  return name;
}

}  // namespace

ChatRooms::ChatRooms(std::size_t history, Now now) : history_(history), now_(now) {}

bool ChatRooms::is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kNameMax && utf8_front(text) == text.size() &&
         std::ranges::none_of(text, is_control) && text.front() != ' ' && text.back() != ' ';
}

// Roughly the time, and above every other of its room: of an earlier run of the server, too.
std::int64_t ChatRooms::next_id(Room& room) const {
  room.last_id = std::max(room.last_id + 1, now_());
  return room.last_id;
}

void ChatRooms::keep(Room& room, const std::string& message) const {
  if (history_ == 0) return;
  room.history.push_back(message);
  room.history_bytes += message.size();
  while (room.history.size() > history_ || room.history_bytes > kHistoryBytesMax) {
    room.history_bytes -= room.history.front().size();
    room.history.pop_front();
  }
}

std::optional<ChatRooms::Joined> ChatRooms::join(const std::string& room_name,
                                                 const std::string& name) {
  const MutexLock lock(mutex_);
  auto found = rooms_.find(room_name);
  if (found == rooms_.end()) {
    if (rooms_.size() == kRoomsMax) return std::nullopt;
    found = rooms_.try_emplace(room_name).first;
  }
  Room& room = found->second;
  if (room.members.size() == kMembersMax) return std::nullopt;
  Joined joined;
  joined.name = free_name(room.members, name);
  room.members.push_back(joined.name);
  const std::int64_t id = next_id(room);
  joined.notice = event("join", id, joined.name);
  json::Array members(room.members.begin(), room.members.end());
  joined.welcome = json::write(json::Object{{"type", "welcome"},
                                            {"id", id},
                                            {"room", room_name},
                                            {"name", joined.name},
                                            {"members", std::move(members)}},
                               json::kCompact);
  // What is kept is JSON already.
  joined.welcome.pop_back();
  joined.welcome += ",\"history\":[";
  for (const std::string& message : room.history) {
    if (&message != &room.history.front()) joined.welcome += ',';
    joined.welcome += message;
  }
  joined.welcome += "]}";
  return joined;
}

std::string ChatRooms::leave(const std::string& room_name, const std::string& name) {
  const MutexLock lock(mutex_);
  const auto found = rooms_.find(room_name);
  SSX_ASSERT(found != rooms_.end(), room_name);
  Room& room = found->second;
  const auto gone = std::ranges::find(room.members, name);
  SSX_ASSERT(gone != room.members.end(), name);
  room.members.erase(gone);
  std::string notice = event("leave", next_id(room), name);
  if (room.members.empty()) rooms_.erase(found);
  return notice;
}

ChatRooms::Heard ChatRooms::say(const std::string& room_name, const std::string& name,
                                std::string_view sent) {
  const auto parsed = json::parse(sent, 0, kStrict);
  const json::Value* text = parsed ? parsed->root.find("text") : nullptr;
  if (text == nullptr || text->string() == nullptr)
    return {error_text("say {\"text\": \"...\"}"), false};
  const std::string& said = *text->string();
  if (said.empty()) return {error_text("there is nothing in it"), false};
  if (said.size() > kTextMax) return {error_text("too long: 4096 bytes at the most"), false};
  if (!is_sayable(said)) return {error_text("no control characters"), false};
  const MutexLock lock(mutex_);
  const auto found = rooms_.find(room_name);
  SSX_ASSERT(found != rooms_.end(), room_name);
  std::string message = json::write(
      json::Object{
          {"type", "message"}, {"id", next_id(found->second)}, {"name", name}, {"text", said}},
      json::kCompact);
  keep(found->second, message);
  return {std::move(message), true};
}

}  // namespace ssx

#include "ssxrver/app/chat_rooms.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"
#include "ssxrver/base/utf8.h"
#include "ssxrver/json/json.h"

namespace ssx {
namespace {

constexpr json::ParseLimits kStrict{
    .bytes_max = ChatRooms::kSentMax, .depth_max = 4, .strict = true};

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

bool ChatRooms::may_join(std::string_view room, std::string_view name) {
  if (is_name(room) && is_name(name)) return true;
  const MutexLock lock(mutex_);
  counters_.names_refused.add();
  return false;
}

// Roughly the time, and above every other of its room: of an earlier run of the server, too.
std::int64_t ChatRooms::next_id(Room& room) const {
  room.last_id = std::max(room.last_id + 1, now_());
  return room.last_id;
}

void ChatRooms::keep(Room& room, const std::string& message) {
  if (history_ == 0) return;
  room.history.push_back(message);
  room.history_bytes += message.size();
  for (;;) {
    const bool are_too_many = room.history.size() > history_;
    if (!are_too_many && room.history_bytes <= kHistoryBytesMax) return;
    (are_too_many ? counters_.history_max_hit : counters_.history_bytes_max_hit).add();
    room.history_bytes -= room.history.front().size();
    room.history.pop_front();
  }
}

std::optional<ChatRooms::Joined> ChatRooms::join(const std::string& room_name,
                                                 const std::string& name) {
  const MutexLock lock(mutex_);
  auto found = rooms_.find(room_name);
  if (found == rooms_.end()) {
    if (rooms_.size() == kRoomsMax) {
      counters_.rooms_max_hit.add();
      return std::nullopt;
    }
    found = rooms_.try_emplace(room_name).first;
  }
  Room& room = found->second;
  if (room.members.size() == kMembersMax) {
    counters_.members_max_hit.add();
    return std::nullopt;
  }
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

const char* ChatRooms::refuse(const std::string* said) {
  const bool is_too_long = said != nullptr && said->size() > kTextMax;
  const char* what = nullptr;
  if (said == nullptr) {
    what = "say {\"text\": \"...\"}";
  } else if (said->empty()) {
    what = "there is nothing in it";
  } else if (is_too_long) {
    what = "too long: 4096 bytes at the most";
  } else if (!is_sayable(*said)) {
    what = "no control characters";
  }
  if (what == nullptr) return nullptr;
  const MutexLock lock(mutex_);
  (is_too_long ? counters_.text_max_hit : counters_.sent_refused).add();
  return what;
}

ChatRooms::Heard ChatRooms::say(const std::string& room_name, const std::string& name,
                                std::string_view sent) {
  const auto parsed = json::parse(sent, 0, kStrict);
  const json::Value* text = parsed ? parsed->root.find("text") : nullptr;
  const std::string* said = text == nullptr ? nullptr : text->string();
  if (const char* what = refuse(said)) return {error_text(what), false};
  const MutexLock lock(mutex_);
  const auto found = rooms_.find(room_name);
  SSX_ASSERT(found != rooms_.end(), room_name);
  std::string message = json::write(
      json::Object{
          {"type", "message"}, {"id", next_id(found->second)}, {"name", name}, {"text", *said}},
      json::kCompact);
  keep(found->second, message);
  return {std::move(message), true};
}

}  // namespace ssx

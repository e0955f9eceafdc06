// Who is in which room of a chat, and what was said there of late. It sends nothing: what there is
// to tell others is handed back as a text.
//
// Thread: any; one lock, held for no longer than it takes to change a list
// Owner:  the handler of a `websocket:chat` route
// Life:   that of the server
// Bounds: kRoomsMax, kMembersMax of each; kNameMax, kTextMax; kHistoryBytesMax of each room
//
// docs/guide/websocket.md has the texts, one JSON object each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssxrver/base/mutex.h"
#include "ssxrver/metrics/counter.h"

namespace ssx {

class ChatRooms {
 public:
  static constexpr std::size_t kRoomsMax = 1024;
  static constexpr std::size_t kMembersMax = 256;
  static constexpr std::size_t kNameMax = 32;            ///< bytes of a room's or a member's name
  static constexpr std::size_t kTextMax = 4 << 10;       ///< bytes of what is said at once
  static constexpr std::size_t kSentMax = 8 * kTextMax;  ///< of the JSON that it comes in
  static constexpr std::size_t kHistoryBytesMax = 64 << 10;
  /// Bytes of a welcome: the history, whose messages have more than 32 bytes and a comma between
  /// them, and names in which each byte is escaped.
  static constexpr std::size_t kWelcomeMax =
      kHistoryBytesMax + kHistoryBytesMax / 32 + (kMembersMax + 2) * (2 * kNameMax + 3) + 128;

  /// Limits that were met. Written while the lock is held, read by any thread.
  struct Counters {
    metrics::Counter rooms_max_hit;
    metrics::Counter members_max_hit;
    metrics::Counter names_refused;          ///< longer than kNameMax, or none at all
    metrics::Counter text_max_hit;           ///< said, and not handed on
    metrics::Counter sent_refused;           ///< longer than kSentMax, or not what a client says
    metrics::Counter history_max_hit;        ///< messages forgotten for a new one: `history`
    metrics::Counter history_bytes_max_hit;  ///< the same: kHistoryBytesMax
  };

  /// Milliseconds since 1970, as the clock on the wall has it.
  using Now = std::int64_t (*)();

  explicit ChatRooms(std::size_t history, Now now);

  /// Whether a room, or somebody, may be called so: 1 .. kNameMax bytes of UTF-8, no control
  /// characters, no blank at an end.
  [[nodiscard]] static bool is_name(std::string_view text) noexcept;
  /// Whether both are names.
  [[nodiscard]] bool may_join(std::string_view room, std::string_view name);

  struct Joined {
    std::string name;     ///< that is free: of a second "ada", "ada 2"
    std::string welcome;  ///< for who has come
    std::string notice;   ///< for the others
  };
  /// Nothing when there is no room for another room or member.
  [[nodiscard]] std::optional<Joined> join(const std::string& room, const std::string& name);
  /// For the others. The last one takes the room along.
  [[nodiscard]] std::string leave(const std::string& room, const std::string& name);

  struct Heard {
    std::string text;
    bool is_for_all = false;  ///< else for who has said it: what is wrong with it
  };
  /// What `name` has sent: an object with a "text".
  [[nodiscard]] Heard say(const std::string& room, const std::string& name, std::string_view sent);

  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

 private:
  struct Room {
    std::vector<std::string> members;  ///< in the order of their coming
    std::deque<std::string> history;   ///< the oldest first
    std::size_t history_bytes = 0;
    std::int64_t last_id = 0;
  };
  /// What is wrong with it is counted; nothing when it can be handed on.
  [[nodiscard]] const char* refuse(const std::string* said);
  [[nodiscard]] std::int64_t next_id(Room& room) const;
  void keep(Room& room, const std::string& message) SSX_REQUIRES(mutex_);

  const std::size_t history_;
  const Now now_;
  Counters counters_;
  Mutex mutex_;
  std::map<std::string, Room, std::less<>> rooms_ SSX_GUARDED_BY(mutex_);
};

}  // namespace ssx

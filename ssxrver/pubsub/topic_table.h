// Who of one worker has subscribed to what.
//
// Thread: loop-only
// Owner:  what a protocol keeps for each worker
// Life:   longer than its subscribers
// Bounds: none of its own: subscriptions_of() is for its user to look at
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ssxrver/base/string_hash.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/pubsub/hub.h"

namespace ssx::pubsub {

class TopicTable;

/// Derive from it. Leaves everything (leave_all) before it goes.
class Subscriber {
 public:
  Subscriber() = default;
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  void leave_all() noexcept;

 protected:
  ~Subscriber();

 private:
  friend class TopicTable;
  struct Place;
  struct Places;
  std::unique_ptr<Places> places_;  ///< null: none
};

class TopicTable {
 public:
  TopicTable(Hub& hub, unsigned worker);
  ~TopicTable();
  TopicTable(const TopicTable&) = delete;
  TopicTable& operator=(const TopicTable&) = delete;

  /// `note` is what visit() says of it. False: it had, and now has this note.
  bool subscribe(Subscriber& who, std::string_view topic, const net::EventLoop& loop,
                 std::uint8_t note = 0);
  /// False: it had not.
  bool unsubscribe(Subscriber& who, std::string_view topic);
  [[nodiscard]] bool is_subscribed(const Subscriber& who, std::string_view topic) const noexcept;
  [[nodiscard]] static std::size_t subscriptions_of(const Subscriber& who) noexcept;
  /// How many of this worker have subscribed.
  [[nodiscard]] std::size_t subscribers_of(std::string_view topic) const noexcept;
  /// Null when none of this worker has.
  [[nodiscard]] const Topic* find(std::string_view topic) const noexcept;

  /// Calls visit(subscriber, note) for each that is there now. It may subscribe and leave whomever
  /// it likes: who has left is not visited any more, who comes is not visited yet.
  template <class Visit>
  void visit(std::string_view topic, Visit&& visit) {
    Entry* const entry = find_entry(topic);
    if (entry == nullptr) return;
    const Visiting guard(*this, *entry);
    for (std::size_t i = 0, count = entry->members.size(); i < count; ++i) {
      const Member member = entry->members[i];
      if (member.who != nullptr) visit(*member.who, member.note);
    }
  }

 private:
  friend class Subscriber;

  struct Member {
    Subscriber* who = nullptr;  ///< null: has left during a visit
    std::uint32_t place = 0;    ///< among the places of `who`
    std::uint8_t note = 0;
  };
  struct Entry {
    TopicRef topic;
    std::vector<Member> members;
    std::size_t holes = 0;
    unsigned visits = 0;  ///< under way: members stay where they are
  };
  class Visiting {
   public:
    Visiting(TopicTable& table, Entry& entry) noexcept : table_(table), entry_(entry) {
      ++entry_.visits;
    }
    ~Visiting() {
      if (--entry_.visits == 0) table_.close_holes(entry_);
    }

   private:
    TopicTable& table_;
    Entry& entry_;
  };
  [[nodiscard]] Entry* find_entry(std::string_view topic) noexcept;
  static void leave_all(Subscriber& who) noexcept;
  void leave(Subscriber& who, std::size_t place) noexcept;
  void close_holes(Entry& entry) noexcept;
  void remove_if_empty(Entry& entry) noexcept;

  Hub& hub_;
  const unsigned worker_;
  std::unordered_map<std::string, Entry, StringHash, std::equal_to<>> entries_;
};

/// Where a subscriber stands among the members of a topic.
struct Subscriber::Place {
  TopicTable::Entry* entry = nullptr;
  std::uint32_t member = 0;
};

/// All of one table. It is left through `leave_all`, so that whoever never subscribes, though he
/// might, has no code of tables.
struct Subscriber::Places {
  TopicTable& table;
  void (*const leave_all)(Subscriber& who) noexcept;
  std::vector<Place> list = {};
};

}  // namespace ssx::pubsub

#include "ssxrver/pubsub/topic_table.h"

#include <algorithm>
#include <utility>

#include "ssxrver/base/assert.h"

namespace ssx::pubsub {

Subscriber::~Subscriber() { SSX_ASSERT(places_ == nullptr || places_->list.empty()); }

void Subscriber::leave_all() noexcept {
  if (places_ != nullptr) places_->leave_all(*this);
}

TopicTable::TopicTable(Hub& hub, unsigned worker) : hub_(hub), worker_(worker) {}
TopicTable::~TopicTable() { SSX_ASSERT(entries_.empty()); }

TopicTable::Entry* TopicTable::find_entry(std::string_view topic) noexcept {
  const auto found = entries_.find(topic);
  return found == entries_.end() ? nullptr : &found->second;
}

bool TopicTable::subscribe(Subscriber& who, std::string_view topic, const net::EventLoop& loop,
                           std::uint8_t note) {
  auto found = entries_.find(topic);
  if (found == entries_.end()) {
    found = entries_.emplace(topic, Entry{}).first;
    found->second.topic = hub_.enter(topic, worker_, loop);
  }
  Entry& entry = found->second;
  if (who.places_ == nullptr)
    who.places_ = std::make_unique<Subscriber::Places>(*this, &TopicTable::leave_all);
  std::vector<Subscriber::Place>& places = who.places_->list;
  for (const Subscriber::Place& place : places) {
    if (place.entry != &entry) continue;
    entry.members[place.member].note = note;
    return false;
  }
  const auto place = static_cast<std::uint32_t>(places.size());
  places.push_back({&entry, static_cast<std::uint32_t>(entry.members.size())});
  entry.members.push_back({&who, place, note});
  return true;
}

bool TopicTable::unsubscribe(Subscriber& who, std::string_view topic) {
  const Entry* const entry = find_entry(topic);
  if (entry == nullptr || who.places_ == nullptr) return false;
  for (std::size_t i = 0; i < who.places_->list.size(); ++i) {
    if (who.places_->list[i].entry != entry) continue;
    leave(who, i);
    return true;
  }
  return false;
}

void TopicTable::leave_all(Subscriber& who) noexcept {
  Subscriber::Places& places = *who.places_;
  while (!places.list.empty()) places.table.leave(who, places.list.size() - 1);
  who.places_.reset();
}

// The last one takes the place that becomes free, here and there.
void TopicTable::leave(Subscriber& who, std::size_t place) noexcept {
  std::vector<Subscriber::Place>& places = who.places_->list;
  const Subscriber::Place left = places[place];
  Entry& entry = *left.entry;
  if (place + 1 < places.size()) {
    places[place] = places.back();
    places[place].entry->members[places[place].member].place = static_cast<std::uint32_t>(place);
  }
  places.pop_back();
  if (entry.visits > 0) {
    entry.members[left.member].who = nullptr;
    ++entry.holes;
    return;
  }
  Member& free = entry.members[left.member];
  free = entry.members.back();
  if (free.who != &who) free.who->places_->list[free.place].member = left.member;
  entry.members.pop_back();
  remove_if_empty(entry);
}

void TopicTable::close_holes(Entry& entry) noexcept {
  if (std::exchange(entry.holes, 0) == 0) return;
  std::erase_if(entry.members, [](const Member& member) { return member.who == nullptr; });
  for (std::uint32_t i = 0; i < entry.members.size(); ++i) {
    const Member& member = entry.members[i];
    member.who->places_->list[member.place].member = i;
  }
  remove_if_empty(entry);
}

void TopicTable::remove_if_empty(Entry& entry) noexcept {
  if (!entry.members.empty()) return;
  const TopicRef topic = std::move(entry.topic);
  hub_.leave(*topic, worker_);
  entries_.erase(topic->name());
}

bool TopicTable::is_subscribed(const Subscriber& who, std::string_view topic) const noexcept {
  const auto found = entries_.find(topic);
  if (found == entries_.end() || who.places_ == nullptr) return false;
  return std::any_of(who.places_->list.begin(), who.places_->list.end(),
                     [&found](const auto& place) { return place.entry == &found->second; });
}

std::size_t TopicTable::subscriptions_of(const Subscriber& who) noexcept {
  return who.places_ == nullptr ? 0 : who.places_->list.size();
}

std::size_t TopicTable::subscribers_of(std::string_view topic) const noexcept {
  const auto found = entries_.find(topic);
  if (found == entries_.end()) return 0;
  return found->second.members.size() - found->second.holes;
}

const Topic* TopicTable::find(std::string_view topic) const noexcept {
  const auto found = entries_.find(topic);
  return found == entries_.end() ? nullptr : found->second.topic.get();
}

}  // namespace ssx::pubsub

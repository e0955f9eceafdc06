#include "websocket/worker_state.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ssxrver/base/string_hash.h"
#include "ssxrver/net/connections.h"
#include "websocket/service.h"
#include "websocket/session.h"

namespace ssx::websocket {

void MessageBlock::Done::call(Continuation& self) noexcept {
  auto& done = static_cast<Done&>(self);
  (done.session_->*done.tell_)();
}

WorkerState::WorkerState(Service& service, std::uint32_t index, std::uint64_t unsent_max)
    : unsent(unsent_max),
      posted(std::make_shared<ByteBudget>(unsent_max)),
      service_(service),
      index_(index) {}
WorkerState::~WorkerState() = default;

std::unique_ptr<MessageBlock> WorkerState::take_block() {
  if (spare_.empty()) return std::make_unique<MessageBlock>();
  auto block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

void WorkerState::give_back(std::unique_ptr<MessageBlock> block) noexcept {
  block->handler.reset();
  if (spare_.size() == kSpareMax || block->buffer.capacity() > kSpareBytesMax) return;
  block->buffer.clear();
  block->holds = false;
  block->utf8.reset();
  if (spare_.capacity() == 0) spare_.reserve(kSpareMax);
  spare_.push_back(std::move(block));
}

void WorkerState::keep_if_large(MessageBuffer& buffer, net::EventLoop& loop) {
  if (buffer.capacity() <= kSpareBytesMax) return;
  if (!large_) large_ = LocalRef<LargeSpare>(new LargeSpare(loop));
  large_->keep(buffer);
}

std::unique_ptr<Underway> WorkerState::take_underway() {
  if (spare_underway_.empty()) return std::make_unique<Underway>();
  auto underway = std::move(spare_underway_.back());
  spare_underway_.pop_back();
  return underway;
}

void WorkerState::give_back(std::unique_ptr<Underway> underway) noexcept {
  if (spare_underway_.size() == kSpareMax) return;
  if (spare_underway_.capacity() == 0) spare_underway_.reserve(kSpareMax);
  std::destroy_at(underway.get());
  std::construct_at(underway.get());
  spare_underway_.push_back(std::move(underway));
}

LocalRef<RouteHere> WorkerState::here(std::shared_ptr<const Route> route) {
  const auto known =
      std::ranges::find(here_, route.get(), [](const RouteHere* here) { return &here->route(); });
  if (known != here_.end()) return LocalRef<RouteHere>(*known);
  return LocalRef<RouteHere>(here_.emplace_back(new RouteHere(std::move(route), *this)));
}

void WorkerState::forget(const RouteHere& here) noexcept { std::erase(here_, &here); }

std::unique_ptr<Deflate> WorkerState::make_deflate(const DeflateParams& params,
                                                   const Options& options, Role role) {
  DeflatePool& pool = deflate_pool_.get(service_.deflate_budget());
  return std::make_unique<Deflate>(params, options, role, pool);
}

// ---- what many are sent

pubsub::TopicTable& WorkerState::topics() { return topics_.get(service_.hub(), index_); }

LocalRef<SharedMessage> WorkerState::share(const PreparedMessage& message) {
  if (shared_ && shared_->message().is_same(message)) return shared_;
  LocalRef<SharedMessage> shared(new SharedMessage(message));
  shared_ = message.frame().size() <= kSpareBytesMax ? shared : LocalRef<SharedMessage>();
  return shared;
}

void WorkerState::publish(std::string_view topic, const PreparedMessage& message,
                          const Session* except) {
  counters.published.add();
  // Who has no subscribers here must ask whether there are any elsewhere.
  pubsub::TopicRef elsewhere;
  const pubsub::TopicTable* const here = topics_.if_made();
  const pubsub::Topic* shared = here == nullptr ? nullptr : here->find(topic);
  if (shared == nullptr) {
    elsewhere = service_.find(topic);
    shared = elsewhere.get();
  }
  if (shared == nullptr) return;
  service_.post(*shared, message, index_);
  deliver(topic, message, except);
}

void WorkerState::deliver(std::string_view topic, const PreparedMessage& message,
                          const Session* except) {
  if (is_delivering_) {
    published_meanwhile_.push_back({std::string(topic), message, except});
    return;
  }
  is_delivering_ = true;
  deliver_one(topic, message, except);
  for (std::size_t i = 0; i < published_meanwhile_.size(); ++i) {
    const Publication next = published_meanwhile_[i];
    deliver_one(next.topic, next.message, next.except);
  }
  published_meanwhile_.clear();
  is_delivering_ = false;
}

void WorkerState::deliver_one(std::string_view topic, const PreparedMessage& message,
                              const Session* except) {
  pubsub::TopicTable* const here = topics_.if_made();
  if (here == nullptr) return;
  const LocalRef<SharedMessage> shared = share(message);
  const std::size_t hash = StringHash()(topic) | 1;  // not WaitingMessage::kNoTopic
  here->visit(topic, [&](pubsub::Subscriber& subscriber, std::uint8_t note) {
    Session& session = *static_cast<Membership&>(subscriber).session;
    if (&session == except) return;
    counters.delivered.add();
    session.deliver(shared, note, hash);
  });
}

template <class Visit>
void WorkerState::for_each_session(Visit&& visit) {
  if (connections_ == nullptr) return;
  connections_->for_each([this, &visit](net::Connection& connection) {
    net::Protocol& protocol = connection.protocol();
    if (protocol.owner() == this) visit(static_cast<Session&>(protocol));
  });
}

bool WorkerState::has_too_much_unsent(TimePoint now) {
  return unsent.is_over(now, [this] {
    std::uint64_t bytes = 0;
    for_each_session([&bytes](const Session& session) { bytes += session.unsent_memory(); });
    return bytes;
  });
}

std::string& WorkerState::empty_coded() noexcept {
  if (coded.capacity() > kSpareBytesMax) std::string().swap(coded);
  coded.clear();
  return coded;
}

// Handlers that are told may open others, which are not visited; none is deleted before the end of
// the turn.
void WorkerState::close_all(CloseCode code) {
  std::vector<Session*> open;
  for_each_session([&open](Session& session) { open.push_back(&session); });
  for (Session* const session : open) session->close(code, {});
}

Session* WorkerState::first_session_for_test() {
  Session* first = nullptr;
  for_each_session([&first](Session& session) {
    if (first == nullptr) first = &session;
  });
  return first;
}

}  // namespace ssx::websocket

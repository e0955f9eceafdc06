#include "websocket/service.h"

#include <chrono>
#include <string>

#include "ssxrver/base/log.h"

namespace ssx::websocket {

void Service::open(unsigned workers, const ServiceOptions& options) {
  options_ = options;
  deflate_budget_ = std::make_unique<ByteBudget>(options.deflate_memory);
  for (unsigned index = 0; index < workers; ++index)
    workers_.push_back(std::make_unique<WorkerState>(*this, index, options.unsent_max / workers));
}

std::shared_ptr<const Route> Service::share(std::unique_ptr<Route> route) {
  route->label = labels_.get().keep(route->name);
  return disposal_ != nullptr ? disposal_->share(std::move(route)) : std::move(route);
}

void Service::publish(std::string_view name, const PreparedMessage& message) const {
  if (const pubsub::TopicRef topic = find(name)) post(*topic, message, std::nullopt);
}

pubsub::TopicRef Service::find(std::string_view topic) const {
  const pubsub::Hub* const hub = hub_.if_made();
  return hub == nullptr ? nullptr : hub->find(topic);
}

// The topic is of the hub, which is there then.
void Service::post(const pubsub::Topic& topic, const PreparedMessage& message,
                   std::optional<unsigned> except) const {
  const std::size_t bytes = message.frame().size() + WorkerState::kPostedEach;
  hub_.if_made()->post(topic, except, [&](unsigned index) -> net::EventLoop::Function {
    WorkerState& state = *workers_[index];
    if (!state.posted->try_take(bytes)) {
      SSX_LOG_RATED(WARN, std::chrono::seconds(1),
                    "worker {} is behind: what others publish does not reach its subscribers",
                    index);
      return {};
    }
    return [&state, ref = topic.shared_from_this(), message] {
      state.posted->give_back(message.frame().size() + WorkerState::kPostedEach);
      state.deliver(ref->name(), message, nullptr);
    };
  });
}

}  // namespace ssx::websocket

#include "websocket/service.h"

#include <string>

namespace ssx::websocket {

void Service::open(unsigned workers, const ServiceOptions& options) {
  options_ = options;
  deflate_budget_ = std::make_unique<DeflateBudget>(options.deflate_memory);
  hub_ = std::make_unique<pubsub::Hub>(workers);
  for (unsigned index = 0; index < workers; ++index)
    workers_.push_back(std::make_unique<WorkerState>(*this, index));
}

void Service::publish(std::string_view name, const PreparedMessage& message) const {
  if (const pubsub::TopicRef topic = hub_->find(name)) post(*topic, message, std::nullopt);
}

void Service::post(const pubsub::Topic& topic, const PreparedMessage& message,
                   std::optional<unsigned> except) const {
  hub_->post(topic, except, [&](unsigned index) {
    return [&state = *workers_[index], ref = topic.shared_from_this(), message] {
      state.deliver(ref->name(), message, nullptr);
    };
  });
}

}  // namespace ssx::websocket

#include "http/worker_state.h"

#include <chrono>
#include <utility>

#include "http/service.h"

namespace ssx::http {

WorkerState::WorkerState(Service& of_service, std::uint32_t worker,
                         std::shared_ptr<const Router> router)
    : service(of_service),
      index(worker),
      writer(of_service.options()),
      path_scratch(of_service.options().parser.target_max),
      error_pages(of_service.options().error_pages),
      default_limits_(of_service.default_limits()),
      routes_(new HeldRoutes(std::move(router))),
      exchange_(std::make_unique<Exchange>(of_service, &spare_memory)) {
  spare_.reserve(kSpareMax);
}

void WorkerState::use(std::shared_ptr<const Router> router) {
  routes_ = LocalRef<HeldRoutes>(new HeldRoutes(std::move(router)));
}

std::unique_ptr<Exchange> WorkerState::take_exchange() {
  auto next = spare_.empty() ? std::make_unique<Exchange>(service, &spare_memory)
                             : std::move(spare_.back());
  if (!spare_.empty()) spare_.pop_back();
  return std::exchange(exchange_, std::move(next));
}

void WorkerState::give_back(std::unique_ptr<Exchange> exchange) noexcept {
  exchange->clear();
  if (spare_.size() < kSpareMax) spare_.push_back(std::move(exchange));
}

void WorkerState::tell_time(const net::EventLoop& loop) {
  const auto wall = loop.clock().wall_now().time_since_epoch();
  const auto second = std::chrono::floor<std::chrono::seconds>(wall);
  writer.set_time(second.count());
  next_second_ = loop.now() + (std::chrono::seconds(1) - (wall - second));
  wall_next_second_ = WallTime(second + std::chrono::seconds(1));
}

}  // namespace ssx::http

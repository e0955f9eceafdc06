#include "ssxrver/pubsub/hub.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ssx::pubsub {
namespace {

TEST(Hub, PostsOnceToEachWorkerThatHasSubscribers) {
  const auto loop = *net::EventLoop::create();
  Hub hub(3);
  const TopicRef topic = hub.enter("news", 0, *loop);
  EXPECT_EQ(hub.enter("news", 2, *loop), topic);
  std::vector<unsigned> told;
  const auto make = [&told](unsigned worker) {
    return [&told, worker] { told.push_back(worker); };
  };
  EXPECT_EQ(hub.post(*topic, std::nullopt, make), 2U);
  EXPECT_EQ(hub.post(*topic, 2, make), 1U);
  const auto make_for_two = [&make](unsigned worker) -> net::EventLoop::Function {
    if (worker == 2) return make(worker);
    return {};
  };
  EXPECT_EQ(hub.post(*topic, std::nullopt, make_for_two), 1U);
  hub.leave(*topic, 0);
  EXPECT_EQ(hub.post(*topic, std::nullopt, make), 1U);
  hub.leave(*topic, 2);
  EXPECT_EQ(hub.post(*topic, std::nullopt, make), 0U);
  EXPECT_EQ(hub.find(std::string_view("news!", 4)), nullptr);
  loop->stop();
  loop->run();
  EXPECT_EQ(told, (std::vector<unsigned>{0, 2, 0, 2, 2}));
}

TEST(Hub, ForgetsALoopThatHasEnded) {
  Hub hub(1);
  auto loop = *net::EventLoop::create();
  const TopicRef topic = hub.enter("news", 0, *loop);
  loop->stop();
  loop->run();
  loop.reset();
  EXPECT_EQ(hub.post(*topic, std::nullopt, [](unsigned) { return [] {}; }), 0U);
  hub.leave(*topic, 0);
}

}  // namespace
}  // namespace ssx::pubsub

#include "ssxrver/net/task_work.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

#include "ssxrver/net/error.h"

namespace ssx::net::internal {
namespace {

// Who takes no token pays for none.
using Plain = decltype([] { return 1; });
using Stoppable = decltype([](std::stop_token) { return 1; });
using Either = decltype([](auto&&... token) { return sizeof...(token); });
static_assert(std::same_as<StopOf<Plain>, StopFlag> && sizeof(StopFlag) == 1);
static_assert(std::same_as<StopOf<Stoppable>, std::stop_source>);
static_assert(std::same_as<StopOf<Either>, std::stop_source>);
static_assert(std::same_as<ResultOf<Stoppable>, Result<int>>);

template <class Work>
ResultOf<Work> call(Work work) {
  return call_work(work, StopOf<Work>());
}

TEST(TaskWork, GivesAResultOfWhatItReturns) {
  EXPECT_EQ(call([] { return 5; }).value(), 5);
  EXPECT_EQ(*call([] { return std::make_unique<int>(6); }).value(), 6);
  EXPECT_TRUE(call([] {}).has_value());
  EXPECT_TRUE(call([](const std::stop_token&) {}).has_value());
}

TEST(TaskWork, IsOneResultWhereItReturnsOne) {
  const auto failing = [](const std::stop_token&) -> Result<std::string> {
    return fail(Errc::kBadAddress, "work");
  };
  static_assert(std::same_as<ResultOf<decltype(failing)>, Result<std::string>>);
  EXPECT_EQ(call(failing).error(), make_error_code(Errc::kBadAddress));
}

TEST(TaskWork, IsGivenTheTokenThatItTakes) {
  auto asks = [](std::stop_token stop) { return stop.stop_requested(); };
  std::stop_source stop;
  EXPECT_FALSE(call_work(asks, stop).value());
  stop.request_stop();
  EXPECT_TRUE(call_work(asks, stop).value());
  EXPECT_EQ(call(Either()).value(), 1u);
}

TEST(TaskWork, HasAFlagThatStaysSet) {
  StopFlag flag;
  EXPECT_FALSE(flag.stop_requested());
  flag.request_stop();
  flag.request_stop();
  EXPECT_TRUE(flag.stop_requested());
}

}  // namespace
}  // namespace ssx::net::internal

#include "ssxrver/load/server_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <thread>
#include <vector>

#include "ssxrver/sys/process.h"

namespace ssx::load {
namespace {

using ::testing::HasSubstr;

TEST(ServerMeter, SeesTimeAndMemoryOfAProcess) {
  auto meter = ServerMeter::create(sys::process_id());
  ASSERT_TRUE(meter);
  meter->begin();
  const TimePoint end = SystemClock::instance().now() + std::chrono::milliseconds(50);
  std::vector<char> memory(16 << 20, 'x');
  std::uint64_t work = 0;
  while (SystemClock::instance().now() < end) work += static_cast<std::uint64_t>(memory[work % 7]);
  meter->end();
  EXPECT_GT(work, 0U);
  const ServerUse& use = meter->use();
  EXPECT_GT(use.cpu, std::chrono::milliseconds(5));
  EXPECT_GT(use.resident_before, 0U);
  EXPECT_GE(use.resident_after, use.resident_before + memory.size() / 2);
  EXPECT_GE(use.resident_peak, use.resident_after);
}

TEST(ServerMeter, KeepsTheTimeOfAThreadThatHasEnded) {
  auto meter = ServerMeter::create(sys::process_id());
  ASSERT_TRUE(meter);
  meter->begin();
  std::thread([] {
    const TimePoint end = SystemClock::instance().now() + std::chrono::milliseconds(50);
    while (SystemClock::instance().now() < end) {
    }
  }).join();
  meter->end();
  EXPECT_GT(meter->use().cpu, std::chrono::milliseconds(5));
  EXPECT_GE(meter->use().span, std::chrono::milliseconds(50));
}

TEST(ServerMeter, SaysThatTheServerHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  auto meter = ServerMeter::create(child);
  ASSERT_TRUE(meter);
  meter->begin();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  meter->end();
  EXPECT_TRUE(meter->use().has_ended);
  EXPECT_EQ(meter->use().cpu, Duration(0));
}

TEST(ServerMeter, SaysThatThereIsNoSuchProcess) {
  const auto meter = ServerMeter::create(4'194'304);
  ASSERT_FALSE(meter);
  EXPECT_THAT(meter.error().text(), HasSubstr("--pid 4194304: there is no such process"));
}

}  // namespace
}  // namespace ssx::load

#include "ssxrver/log/async_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "ssxrver/base/log.h"
#include "tests/log/log_folder.h"
#include "tests/support/manual_clock.h"

namespace ssx::log {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

class AsyncBackendTest : public testing::Test {
 protected:
  AsyncBackendTest() {
    options_.async = true;
    options_.path = folder_.path();
    options_.pattern = "%v";
    options_.fatal_signals = false;
    output_ = std::make_unique<Output>(options_, clock_);
    EXPECT_TRUE(output_->open());
    set_level(Level::kInfo);
    auto started = AsyncBackend::start(options_, *output_, clock_);
    EXPECT_TRUE(started);
    backend_ = *std::move(started);
  }
  ~AsyncBackendTest() override {
    backend_.reset();
    set_level(Level::kWarn);
  }

  LogFolder folder_;
  test::ManualClock clock_;
  LogOptions options_;
  std::unique_ptr<Output> output_;
  std::unique_ptr<AsyncBackend> backend_;
};

TEST_F(AsyncBackendTest, FlushesWhenTheIntervalIsOver) {
  SSX_LOG_INFO("waits");
  int passed = 0;
  for (; folder_.lines().empty(); ++passed) clock_.advance(seconds(1));
  EXPECT_THAT(folder_.lines(), ElementsAre("waits"));
  EXPECT_GE(passed, options_.flush.count());
}

TEST_F(AsyncBackendTest, AParkedBackEndIsWokenByALine) {
  // Longer than all its naps: it parks.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  SSX_LOG_ERROR("here");
  while (folder_.lines().empty()) std::this_thread::yield();
  EXPECT_THAT(folder_.lines(), ElementsAre("here"));
}

TEST_F(AsyncBackendTest, StopWritesEverythingOut) {
  for (int i = 0; i < 100; ++i) SSX_LOG_INFO("{}", i);
  backend_.reset();
  EXPECT_EQ(folder_.lines().size(), 100U);
}

TEST_F(AsyncBackendTest, ReopenComesBeforeALaterFlush) {
  for (int i = 1; i <= 10; ++i) {
    backend_->reopen();
    ASSERT_TRUE(RingHub::instance().flush(seconds(30)));
    ASSERT_EQ(folder_.files().size(), static_cast<std::size_t>(i + 1));
  }
}

}  // namespace
}  // namespace ssx::log

// A loop on the test's thread, and pools whose threads a test can hold up.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <latch>
#include <memory>
#include <utility>
#include <vector>

#include "ssxrver/coro/task.h"
#include "ssxrver/net/event_loop.h"
#include "ssxrver/net/spawn.h"
#include "ssxrver/net/task_pool.h"

namespace ssx::net::test {

/// Shared, because who counts down last may still be inside when who waited goes on.
using Latch = std::shared_ptr<std::latch>;
inline Latch make_latch(std::ptrdiff_t count = 1) { return std::make_shared<std::latch>(count); }

class TaskPoolTest : public testing::Test {
 protected:
  std::unique_ptr<TaskPool> pool_of(TaskOptions options) {
    auto pool = TaskPool::start(options);
    EXPECT_TRUE(pool.has_value());
    return *std::move(pool);
  }
  void run_until(const bool& done) {
    loop->run_until([&done] { return done; });
  }
  /// Runs a Task to its end.
  void finish(Task<> task) {
    bool done = false;
    const auto body = [](Task<> inner, bool& flag) -> Task<> {
      co_await std::move(inner);
      flag = true;
    };
    spawn(*loop, body(std::move(task), done), [&done](const std::exception_ptr& thrown) {
      done = true;
      std::rethrow_exception(thrown);
    });
    run_until(done);
  }
  /// Keeps one task thread busy until `release` is counted down.
  void hold_a_thread(TaskPool& pool, const Latch& release) {
    const Latch begun = make_latch();
    pool.run(
        *loop,
        [begun, release] {
          begun->count_down();
          release->wait();
        },
        [](const Result<void>&) {});
    begun->wait();
  }
  /// Work whose result is noted in `results`.
  void note_result(TaskPool& pool, std::vector<Result<int>>& results, int value) {
    pool.run(
        *loop, [value] { return value; },
        [&results](const Result<int>& result) { results.push_back(result); });
  }
  void wait_for(const std::vector<Result<int>>& results, std::size_t count) {
    loop->run_until([&results, count] { return results.size() >= count; });
  }

  std::unique_ptr<EventLoop> loop = *EventLoop::create();
};

}  // namespace ssx::net::test

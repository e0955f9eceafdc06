// Several workers at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "ssxrver/base/thread.h"
#include "ssxrver/pubsub/hub.h"
#include "ssxrver/pubsub/topic_table.h"

namespace ssx::pubsub {
namespace {

struct Reader : Subscriber {};

// Threads come and go while others publish: what is posted arrives, and nothing else does.
TEST(HubThreads, PublishWhileOthersSubscribe) {
  constexpr unsigned kWorkers = 3;
  Hub hub(kWorkers);
  std::atomic<std::uint64_t> posted{0};
  std::atomic<std::uint64_t> arrived{0};
  std::atomic<unsigned> done{0};
  const auto work = [&](unsigned worker) {
    const auto loop = *net::EventLoop::create();
    TopicTable table(hub, worker);
    Reader reader;
    std::function<void(int)> step = [&](int left) {
      if (left == 0) {
        ++done;
        return;
      }
      if (left % 2 == 0) {
        table.subscribe(reader, "news", *loop);
      } else {
        reader.leave_all();
      }
      if (const TopicRef topic = hub.find("news"))
        posted += hub.post(*topic, std::nullopt, [&](unsigned) { return [&] { ++arrived; }; });
      loop->post([&step, left] { step(left - 1); });
    };
    loop->post([&] { step(500); });
    loop->run([&] {
      loop->assert_in_loop_thread();
      loop->run_every(std::chrono::milliseconds(1), [&] {
        if (done == kWorkers) loop->stop();
      });
    });
    reader.leave_all();
  };
  std::vector<Thread> threads;
  for (unsigned i = 0; i < kWorkers; ++i)
    threads.push_back(*Thread::start("worker", std::nullopt, [&work, i] { work(i); }));
  for (Thread& thread : threads) thread.join();
  EXPECT_EQ(arrived, posted);
  EXPECT_GT(posted, 0U);
  EXPECT_EQ(hub.find("news"), nullptr);
}

}  // namespace
}  // namespace ssx::pubsub

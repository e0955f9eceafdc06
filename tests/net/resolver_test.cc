#include "ssxrver/net/resolver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "ssxrver/net/error.h"
#include "ssxrver/sys/address.h"
#include "tests/net/loop_fixture.h"

namespace ssx::net {
namespace {

using Addresses = Result<std::vector<SocketAddress>>;

sys::RawAddress ipv4(std::uint8_t last) { return sys::make_ipv4({{10, 0, 0, last}, 0}); }

class ResolverTest : public LoopTest {
 protected:
  void TearDown() override { end_loop(); }

  static Task<> ask(const Resolver& resolver, std::string host, Duration patience,
                    std::optional<Addresses>& answer) {
    answer = co_await resolver.resolve(std::move(host), 80, patience);
  }
  Addresses resolve(const Resolver& resolver, const std::string& host) {
    std::optional<Addresses> answer;
    spawn(*loop, ask(resolver, host, 5s, answer), &log_failure);
    loop->run_until([&answer] { return answer.has_value(); });
    return *answer;
  }

  std::unique_ptr<TaskPool> tasks = *TaskPool::start({.threads = 2});
};

TEST_F(ResolverTest, ALiteralNeverLeavesTheLoop) {
  const Resolver resolver(*tasks, [](const std::string&) -> Result<std::vector<sys::RawAddress>> {
    return fail(ssx::Errc::kUnsupported, "asked");
  });
  for (const char* const literal : {"127.0.0.1", "::1", "10.1.2.3", "2001:db8::1"}) {
    std::optional<Addresses> answer;
    start(ask(resolver, literal, 5s, answer));
    ASSERT_TRUE(answer && *answer) << literal;
    EXPECT_EQ((*answer)->at(0), *SocketAddress::parse(literal, 80));
  }
  EXPECT_EQ(tasks->counters().done.value(), 0U);
}

TEST_F(ResolverTest, GivesEveryAddressInItsOrderWithThePort) {
  std::atomic<std::thread::id> asked_on;
  const Resolver resolver(*tasks, [&asked_on](const std::string& host) {
    EXPECT_EQ(host, "a.example");
    asked_on = std::this_thread::get_id();
    return Result<std::vector<sys::RawAddress>>({ipv4(2), ipv4(1)});
  });
  const Addresses found = resolve(resolver, "a.example");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).to_string(), "10.0.0.2:80");
  EXPECT_EQ(found->at(1).to_string(), "10.0.0.1:80");
  EXPECT_NE(asked_on.load(), std::this_thread::get_id());
}

TEST_F(ResolverTest, KeepsToItsNumberOfAddresses) {
  for (const std::size_t count :
       {Resolver::kAddressesMax - 1, Resolver::kAddressesMax, Resolver::kAddressesMax + 1}) {
    const Resolver resolver(*tasks, [count](const std::string&) {
      return Result<std::vector<sys::RawAddress>>(std::vector(count, ipv4(1)));
    });
    const Addresses found = resolve(resolver, "a.example");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), std::min(count, Resolver::kAddressesMax));
  }
}

TEST_F(ResolverTest, TellsThatThereIsNone) {
  const Resolver nothing(*tasks, [](const std::string&) -> Result<std::vector<sys::RawAddress>> {
    return fail(ssx::Errc::kNotFound, "look_up");
  });
  EXPECT_EQ(resolve(nothing, "a.example").error(), make_error_code(ssx::Errc::kNotFound));
  const Resolver empty(*tasks, [](const std::string&) {
    return Result<std::vector<sys::RawAddress>>(std::vector<sys::RawAddress>());
  });
  EXPECT_EQ(resolve(empty, "a.example").error(), make_error_code(ssx::Errc::kNotFound));
}

TEST_F(ResolverTest, AsksTheSystem) {
  const Resolver resolver(*tasks);
  const Addresses found = resolve(resolver, "localhost");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->at(0).port(), 80);
}

TEST_F(ResolverTest, WithoutTaskThreadsItSaysSo) {
  const auto none = *TaskPool::start({});
  EXPECT_FALSE(resolve(Resolver(*none), "a.example"));
}

/// A resolver that answers when the test lets it.
class SlowResolverTest : public ResolverTest {
 protected:
  void TearDown() override {
    gate.unlock();
    ResolverTest::TearDown();
    tasks->stop(TaskPool::Pending::kRun);
  }
  std::mutex gate;
  std::unique_ptr<Resolver> resolver = [this] {
    gate.lock();
    return std::make_unique<Resolver>(*tasks, [this](const std::string&) {
      const std::lock_guard wait(gate);
      return Result<std::vector<sys::RawAddress>>({ipv4(1)});
    });
  }();
};

TEST_F(SlowResolverTest, GivesUpWhenItsPatienceIsOver) {
  std::optional<Addresses> answer;
  start(ask(*resolver, "a.example", 5s, answer));
  advance(5s - 1ns);
  EXPECT_FALSE(answer);
  advance(1ns);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error(), make_error_code(Errc::kTimedOut));
}

TEST_F(SlowResolverTest, AnAnswerThatNobodyWaitsForIsDropped) {
  std::optional<Addresses> answer;
  {
    Task<> task = ask(*resolver, "a.example", 5s, answer);
    class Never final : public Continuation {
     public:
      Never() : Continuation([](Continuation&) noexcept { ADD_FAILURE(); }) {}
    } never;
    loop->post([&] { EXPECT_FALSE(task.start(never)); });
    idle();
  }
  gate.unlock();
  tasks->stop(TaskPool::Pending::kRun);
  idle();
  EXPECT_FALSE(answer);
  gate.lock();
}

}  // namespace
}  // namespace ssx::net

#include "tests/support/sim/kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/sys/event.h"
#include "ssxrver/sys/file.h"
#include "ssxrver/sys/process.h"
#include "ssxrver/sys/socket.h"
#include "tests/support/open_files.h"
#include "tests/support/temp_dir.h"

namespace ssx::sim {
namespace {

sys::SocketPair connected() {
  auto pair = sys::socket_pair(SOCK_STREAM);
  EXPECT_TRUE(pair.has_value());
  return std::move(*pair);
}

std::string receive_text(int fd, std::size_t room = 100) {
  std::string text(room, '\0');
  const auto count = sys::receive(fd, std::as_writable_bytes(std::span(text)));
  text.resize(count.value_or(0));
  return text;
}

TEST(SimKernel, CountsEveryCallByName) {
  auto [here, there] = connected();
  const CallWatch watch;
  ASSERT_TRUE(sys::send(here.get(), as_bytes("ab")));
  EXPECT_EQ(receive_text(there.get()), "ab");
  EXPECT_FALSE(sys::receive(there.get(), {}).has_value());
  EXPECT_EQ(watch.of(Call::kSend), 1U);
  EXPECT_EQ(watch.of(Call::kReceive), 2U);
  EXPECT_EQ(watch.total(), 3U);
}

TEST(SimKernel, CallsThatAskTheKernelNothingAreNotInTheTotal) {
  const CallWatch watch;
  EXPECT_GT(sys::thread_id(), 0);
  EXPECT_EQ(sys::environment("SSX_NO_SUCH_NAME"), "");
  EXPECT_EQ(watch.of(Call::kThreadId), 1U);
  EXPECT_EQ(watch.of(Call::kEnvironment), 1U);
  EXPECT_EQ(watch.total(), 0U);
}

TEST(SimKernel, ErrorsNameTheFunction) {
  FaultPlan plan;
  plan.fail(Call::kOpenTemporary, EDQUOT);
  const auto file = sys::open_temporary("/");
  ASSERT_FALSE(file);
  EXPECT_TRUE(file.error().is_errno(EDQUOT));
  EXPECT_STREQ(file.error().where(), "open_temporary");
  EXPECT_EQ(plan.faults(), 1U);
  EXPECT_STREQ(plan.latest_fault(), "open_temporary");
}

TEST(SimKernel, RulesOfOneCallTakeTurnsInTheirOrder) {
  FaultPlan plan;
  plan.pass(Call::kEventfdCreate, 1).fail(Call::kEventfdCreate, EMFILE, 2);
  plan.fail(Call::kEventfdCreate, ENFILE);
  std::vector<int> errors;
  for (int i = 0; i < 5; ++i) {
    const auto fd = sys::eventfd_create();
    errors.push_back(fd ? 0 : fd.error().code().value());
  }
  EXPECT_EQ(errors, (std::vector<int>{0, EMFILE, EMFILE, ENFILE, 0}));
}

TEST(SimKernel, AFailedCallHasDoneNothing) {
  auto [here, there] = connected();
  FaultPlan plan;
  plan.fail(Call::kSend, EAGAIN);
  EXPECT_FALSE(sys::send(here.get(), as_bytes("lost")));
  EXPECT_FALSE(sys::receive(there.get(), {}));
  ASSERT_TRUE(sys::send(here.get(), as_bytes("kept")));
  EXPECT_EQ(receive_text(there.get()), "kept");
}

TEST(SimKernel, ThePlanEndsWithItsScope) {
  {
    FaultPlan plan;
    plan.fail(Call::kEventfdCreate, EMFILE, kForever).fail_at_nth(1).random(1, {.failures = 1000});
    EXPECT_FALSE(sys::eventfd_create());
  }
  EXPECT_TRUE(sys::eventfd_create());
  const FaultPlan next;
  EXPECT_TRUE(sys::eventfd_create());
  EXPECT_EQ(next.faults(), 0U);
}

TEST(SimKernelDeathTest, ASecondPlanAtOnceIsAMistake) {
  const FaultPlan plan;
  EXPECT_DEATH(FaultPlan(), "assertion failed");
}

TEST(SimKernel, ShortCountsAtEveryLength) {
  const std::string whole = "0123456789";
  for (std::size_t most = 1; most <= whole.size(); ++most) {
    auto [here, there] = connected();
    FaultPlan plan;
    plan.limit_bytes(Call::kSend, most).limit_bytes(Call::kReceive, most);
    EXPECT_EQ(sys::send(here.get(), as_bytes(whole)).value(), most);
    EXPECT_EQ(receive_text(there.get()), whole.substr(0, most));
  }
}

TEST(SimKernel, SendVectorIsCutInsideAPart) {
  std::array<char, 3> first{'a', 'b', 'c'};
  std::array<char, 4> second{'d', 'e', 'f', 'g'};
  const std::array<iovec, 3> parts{{{first.data(), 3}, {nullptr, 0}, {second.data(), 4}}};
  for (std::size_t most = 1; most <= 8; ++most) {
    auto [here, there] = connected();
    FaultPlan plan;
    plan.limit_bytes(Call::kSendVector, most, 1);
    const std::size_t expected = std::min<std::size_t>(most, 7);
    EXPECT_EQ(sys::send_vector(here.get(), parts).value(), expected);
    EXPECT_EQ(receive_text(there.get()), std::string("abcdefg").substr(0, expected));
    EXPECT_EQ(plan.faults(), most < 7 ? 1U : 0U);
  }
}

TEST(SimKernel, SendFileAndFilesGiveShortCounts) {
  const test::TempDir directory;
  auto file = sys::open_temporary(directory.path().c_str()).value();
  FaultPlan plan;
  plan.limit_bytes(Call::kWrite, 4, 1).limit_bytes(Call::kPwrite, 2, 1);
  plan.limit_bytes(Call::kRead, 1, 1).limit_bytes(Call::kPread, 3, 1);
  plan.limit_bytes(Call::kSendFile, 5, 1).fail(Call::kSendFile, EAGAIN);
  EXPECT_EQ(sys::write(file.get(), as_bytes("012345678")).value(), 4U);
  EXPECT_EQ(sys::pwrite(file.get(), as_bytes("456789"), 4).value(), 2U);
  EXPECT_EQ(sys::pwrite(file.get(), as_bytes("6789"), 6).value(), 4U);
  std::array<std::byte, 10> bytes;
  EXPECT_EQ(sys::pread(file.get(), bytes, 2).value(), 3U);
  EXPECT_EQ(as_text(std::span(bytes).first(3)), "234");
  EXPECT_EQ(sys::read(file.get(), bytes).value(), 1U);
  auto [here, there] = connected();
  EXPECT_EQ(sys::send_file(here.get(), file.get(), 0, 10).value(), 5U);
  EXPECT_TRUE(sys::send_file(here.get(), file.get(), 5, 5).error().is_errno(EAGAIN));
  EXPECT_EQ(sys::send_file(here.get(), file.get(), 5, 5).value(), 5U);
  EXPECT_EQ(receive_text(there.get()), "0123456789");
}

TEST(SimKernel, CloseClosesEvenWhenItFails) {
  const std::size_t before = test::open_files();
  auto fd = sys::eventfd_create().value();
  FaultPlan plan;
  plan.fail(Call::kClose, EIO, 2);
  EXPECT_TRUE(sys::close(fd.release()).error().is_errno(EIO));
  { const auto another = sys::eventfd_create().value(); }
  EXPECT_EQ(plan.faults(), 2U);
  EXPECT_EQ(test::open_files(), before);
}

TEST(SimKernel, AConnectInProgressReallyGoesOn) {
  auto listener = sys::socket(AF_INET, SOCK_STREAM).value();
  sys::RawAddress any{};
  any.storage.ss_family = AF_INET;
  any.size = 16;
  ASSERT_TRUE(sys::bind(listener.get(), any));
  ASSERT_TRUE(sys::listen(listener.get(), 1));
  const auto address = sys::local_address(listener.get()).value();
  auto client = sys::socket(AF_INET, SOCK_STREAM).value();
  FaultPlan plan;
  plan.fail(Call::kConnect, EINPROGRESS);
  EXPECT_TRUE(sys::connect(client.get(), address).error().is_errno(EINPROGRESS));
  EXPECT_TRUE(sys::accept(listener.get(), nullptr));
  EXPECT_EQ(sys::take_socket_error(client.get()).value(), 0);
}

TEST(SimKernel, FailsTheNthCallWhicheverItIs) {
  FaultPlan plan;
  plan.fail_at_nth(3, EINVAL);
  EXPECT_TRUE(sys::eventfd_create());  // create and close: calls 1 and 2
  EXPECT_TRUE(sys::getcwd().error().is_errno(EINVAL));
  EXPECT_TRUE(sys::getcwd());
  EXPECT_EQ(plan.calls(), 4U);
}

TEST(SimKernel, FailAtNthPassesOverWhatOnlyAMistakeMakesFail) {
  auto event = sys::eventfd_create().value();
  FaultPlan plan;
  plan.fail_at_nth(1);
  EXPECT_TRUE(sys::eventfd_signal(event.get()));
  EXPECT_EQ(sys::eventfd_take(event.get()).value(), 1U);
  const auto created = sys::epoll_create();
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code().value(), usual_error(Call::kEpollCreate));
}

TEST(SimKernel, AnotherThreadCanBeLeftOut) {
  FaultPlan plan;
  plan.only_this_thread().fail_at_nth(1);
  std::thread([] { EXPECT_TRUE(sys::getcwd()); }).join();
  EXPECT_FALSE(sys::getcwd());
}

std::vector<std::size_t> random_counts(std::uint64_t seed) {
  auto [here, there] = connected();
  FaultPlan plan;
  plan.random(seed, {.short_counts = 500, .again = 200});
  std::vector<std::size_t> counts;
  for (int i = 0; i < 50; ++i) {
    counts.push_back(sys::send(here.get(), as_bytes("0123456789")).value_or(0));
  }
  return counts;
}

TEST(SimKernel, ARandomPlanRepeatsItselfFromItsSeed) {
  const auto counts = random_counts(7);
  EXPECT_EQ(random_counts(7), counts);
  EXPECT_NE(random_counts(8), counts);
  EXPECT_GT(std::count(counts.begin(), counts.end(), 0U), 0);   // EAGAIN
  EXPECT_GT(std::count(counts.begin(), counts.end(), 10U), 0);  // whole
  EXPECT_GT(std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0 && n < 10; }), 0);
}

TEST(SimKernel, ARandomPlanFailsOnlyWhenAsked) {
  FaultPlan plan;
  plan.random(1, {.failures = 1000});
  EXPECT_TRUE(sys::getcwd().error().is_errno(usual_error(Call::kGetcwd)));
}

TEST(SimKernel, EventsComeInASeededOrderAndAtMostAsManyAsAllowed) {
  auto epoll = sys::epoll_create().value();
  std::vector<sys::UniqueFd> fds;
  for (int i = 0; i < 16; ++i) {
    fds.push_back(sys::eventfd_create().value());
    ASSERT_TRUE(sys::epoll_add(epoll.get(), fds.back().get(), EPOLLIN, nullptr));
    ASSERT_TRUE(sys::epoll_modify(epoll.get(), fds.back().get(), EPOLLIN, &fds[0] + i));
    ASSERT_TRUE(sys::eventfd_signal(fds.back().get()));
  }
  const auto order = [&epoll] {
    std::array<epoll_event, 32> events;
    const std::size_t count = sys::epoll_wait(epoll.get(), events, 0).value();
    std::vector<const void*> users;
    for (std::size_t i = 0; i < count; ++i) {
      const void* const user = events[i].data.ptr;  // of a packed struct: no reference to it
      users.push_back(user);
    }
    return users;
  };
  FaultPlan plan;
  const auto plain = order();
  plan.shuffle_events(3);
  const auto shuffled = order();
  plan.shuffle_events(3);
  EXPECT_EQ(order(), shuffled);
  EXPECT_NE(shuffled, plain);
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), plain.begin(), plain.end()));
  plan.limit_bytes(Call::kEpollWait, 3, 1);
  EXPECT_EQ(order().size(), 3U);
}

TEST(SimKernel, AnInventedEagainDoesNotSwallowTheEdge) {
  auto [here, there] = connected();
  auto epoll = sys::epoll_create().value();
  ASSERT_TRUE(sys::epoll_add(epoll.get(), there.get(), EPOLLIN | EPOLLET, nullptr));
  ASSERT_TRUE(sys::send(here.get(), as_bytes("abc")));
  std::array<epoll_event, 4> events;
  FaultPlan plan;
  plan.fail(Call::kReceive, EAGAIN).limit_bytes(Call::kReceive, 1, 1);
  std::string got;
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(sys::epoll_wait(epoll.get(), events, 0).value(), 1U) << "turn " << turn;
    got += receive_text(there.get());
  }
  EXPECT_EQ(got, "abc");
  EXPECT_EQ(sys::epoll_wait(epoll.get(), events, 0).value(), 0U);
}

TEST(SimKernel, DatagramBatchesAreLimitedByMessages) {
  auto pair = sys::socket_pair(SOCK_DGRAM).value();
  std::array<char, 2> text{'h', 'i'};
  iovec part{text.data(), text.size()};
  std::array<mmsghdr, 3> messages{};
  for (auto& message : messages) {
    message.msg_hdr.msg_iov = &part;
    message.msg_hdr.msg_iovlen = 1;
  }
  FaultPlan plan;
  plan.limit_bytes(Call::kSendBatch, 2, 1).limit_bytes(Call::kReceiveBatch, 1, 1);
  EXPECT_EQ(sys::send_batch(pair.first.get(), messages).value(), 2U);
  EXPECT_EQ(sys::receive_batch(pair.second.get(), messages).value(), 1U);
  EXPECT_EQ(sys::receive_batch(pair.second.get(), messages).value(), 1U);
}

}  // namespace
}  // namespace ssx::sim

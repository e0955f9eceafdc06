// E07: the tables of addresses, asked by many threads at once, count exactly.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/net/address_counts.h"
#include "ssxrver/net/address_rates.h"
#include "ssxrver/net/admission.h"

namespace ssx::net {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr unsigned kThreads = 4;
constexpr TimePoint kNow{std::chrono::hours(1)};

SocketAddress address(unsigned number) {
  return *SocketAddress::parse(
      "10.0." + std::to_string(number / 256) + "." + std::to_string(number % 256), 80);
}

template <class Work>
void on_every_thread(Work work) {
  std::latch ready(kThreads);
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&ready, &work, thread] {
      ready.arrive_and_wait();
      work(thread);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(AddressThreads, NobodyHasOneConnectionTooMany) {
  constexpr std::uint32_t kMost = 3;
  constexpr unsigned kAddresses = 20;
  AddressCounts counts(kMost, 7);
  std::array<std::atomic<int>, kAddresses> inside{};
  std::atomic<bool> above{false};
  std::atomic<int> refused{0};
  on_every_thread([&](unsigned thread) {
    for (unsigned i = 0; i < 20'000; ++i) {
      const unsigned number = (i * 7 + thread) % kAddresses;
      const AddressKey key = AddressKey::of(address(number));
      if (!counts.try_add(key)) {
        ++refused;
        continue;
      }
      if (inside[number].fetch_add(1) >= static_cast<int>(kMost)) above = true;
      if (i % 16 == 0) std::this_thread::yield();
      inside[number].fetch_sub(1);
      counts.remove(key);
    }
  });
  EXPECT_FALSE(above);
  EXPECT_EQ(counts.size(), 0U);
}

TEST(AddressThreads, ExactlyAsManyComeInAsThereArePlaces) {
  constexpr std::uint32_t kMost = 100;
  AddressCounts counts(kMost, 7);
  std::atomic<std::uint32_t> taken{0};
  on_every_thread([&](unsigned) {
    for (unsigned i = 0; i < 1000; ++i) {
      taken += counts.try_add(AddressKey::of(address(i % 5))) ? 1 : 0;
    }
  });
  EXPECT_EQ(taken, 5 * kMost);
  for (unsigned number = 0; number < 5; ++number) {
    EXPECT_EQ(counts.of(AddressKey::of(address(number))), kMost);
  }
}

TEST(AddressThreads, ABucketGivesExactlyItsTokens) {
  AddressRates rates({.events = 10, .per = 1s, .burst = 1000}, 7);
  std::atomic<std::uint32_t> taken{0};
  std::atomic<std::uint32_t> late{0};
  on_every_thread([&](unsigned) {
    for (unsigned i = 0; i < 5000; ++i) taken += rates.take(address(i % 3), kNow) ? 1 : 0;
  });
  on_every_thread([&](unsigned) {
    for (unsigned i = 0; i < 5000; ++i) late += rates.take(address(i % 3), kNow + 7s) ? 1 : 0;
  });
  EXPECT_EQ(taken, 3000U);
  EXPECT_EQ(late, 3 * 70U);  // what has come back in seven seconds
  EXPECT_EQ(rates.forgotten(), 0U);
}

TEST(AddressThreads, ListsAndLimitsTogether) {
  const auto admission =
      *Admission::create({}, {.deny = {"10.0.0.0/28"},
                              .connections_per_ip = 50,
                              .accept_rate_per_ip = {.events = 1, .per = 60s, .burst = 70}});
  std::atomic<std::uint32_t> counted{0};
  std::atomic<std::uint32_t> denied{0};
  std::atomic<std::uint32_t> too_fast{0};
  std::atomic<std::uint32_t> too_many{0};
  on_every_thread([&](unsigned) {
    for (unsigned i = 0; i < 32 * 100; ++i) {
      switch (admission->judge_peer(address(i % 32), ProxyMode::kOff, kNow)) {
        case Admission::Verdict::kWelcomeCounted:
          ++counted;
          break;
        case Admission::Verdict::kDenied:
          ++denied;
          break;
        case Admission::Verdict::kTooFast:
          ++too_fast;
          break;
        case Admission::Verdict::kTooMany:
          ++too_many;
          break;
        case Admission::Verdict::kWelcome:
        case Admission::Verdict::kBlocked:
        case Admission::Verdict::kUntrusted:
          ADD_FAILURE();
      }
    }
  });
  EXPECT_EQ(denied, kThreads * 16 * 100);
  EXPECT_EQ(counted, 16U * 50);
  EXPECT_EQ(too_many, 16U * 20);
  EXPECT_EQ(too_fast, kThreads * 16 * 100 - 16 * 70);
}

}  // namespace
}  // namespace ssx::net

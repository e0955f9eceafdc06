#include "tests/support/counting_allocator.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "ssxrver/base/bytes.h"
#include "ssxrver/sys/socket.h"

namespace ssx::test {
namespace {

struct alignas(64) Line {
  std::byte bytes[64];
};

/// A compiler may leave out a new whose memory nobody looks at.
template <class T>
T* seen(T* memory) {
  asm volatile("" : : "g"(memory) : "memory");
  return memory;
}

TEST(CountingAllocator, CountsNewAndDelete) {
  const AllocationCount before = allocations();
  std::unique_ptr<int> number(seen(new int(1)));
  std::vector<char> bytes(100);
  seen(bytes.data());
  const AllocationCount held = allocations() - before;
  EXPECT_EQ(held.news, 2);
  EXPECT_EQ(held.deletes, 0);
  EXPECT_EQ(held.bytes, 104);
  number.reset();
  EXPECT_EQ((allocations() - before).deletes, 1);
}

TEST(CountingAllocator, CountsEveryFormOfNew) {
  const AllocationCount before = allocations();
  delete seen(new char);
  delete[] seen(new char[3]);
  delete seen(new (std::nothrow) char);
  delete[] seen(new (std::nothrow) char[3]);
  auto* const line = seen(new Line);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(line) % 64, 0U);
  delete line;
  delete[] seen(new Line[2]);
  delete seen(new (std::nothrow) Line);
  delete[] seen(new (std::nothrow) Line[2]);
  const AllocationCount made = allocations() - before;
  EXPECT_EQ(made.news, 8);
  EXPECT_EQ(made.deletes, 8);
}

TEST(CountingAllocator, CountsEachThreadForItself) {
  const AllocationCount all = allocations_of_all();
  AllocationCount theirs;
  std::thread other([&theirs] {
    const AllocationCount before = allocations();
    delete seen(new int(1));
    theirs = allocations() - before;
  });
  const AllocationCount before = allocations();
  other.join();
  EXPECT_EQ(theirs.news, 1);
  EXPECT_EQ((allocations() - before).news, 0);
  EXPECT_GE((allocations_of_all() - all).news, 1);
}

TEST(CountingAllocator, SystemCallsAllocateNothingSimulatedOrNot) {
  auto [here, there] = sys::socket_pair(SOCK_STREAM).value();
  std::array<char, 4> text{'a', 'b', 'c', 'd'};
  const std::array<iovec, 1> parts{{{text.data(), text.size()}}};
  std::array<std::byte, 16> room;
  const AllocationCount before = allocations();
  const auto sent = sys::send(here.get(), as_bytes("abcd"));
  const auto more = sys::send_vector(here.get(), parts);
  const auto received = sys::receive(there.get(), room);
  const auto nothing = sys::receive(there.get(), room);
  EXPECT_EQ((allocations() - before).news, 0);
  EXPECT_EQ(sent.value() + more.value(), received.value());
  EXPECT_TRUE(nothing.error().is_errno(EAGAIN));
}

}  // namespace
}  // namespace ssx::test

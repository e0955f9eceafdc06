#include "ssxrver/sys/raw_call.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ssx::sys::internal {
namespace {

TEST(RawCall, GivesWhatTheSystemCallAnswers) { EXPECT_EQ(raw_call(SYS_getpid, {}), ::getpid()); }

TEST(RawCall, GivesTheErrorBelowZeroAndLeavesErrnoAlone) {
  errno = EDOM;
  std::array<char, 1> byte{};
  EXPECT_EQ(raw_call(SYS_read, {.first = -1, .second = raw(byte.data()), .third = 1}), -EBADF);
  EXPECT_EQ(errno, EDOM);
}

// mmap(2) has six arguments, and refuses when one of them is another.
TEST(RawCall, HandsOverAllSixArguments) {
  const long page = ::sysconf(_SC_PAGESIZE);
  const RawArguments one_page{.second = page,
                              .third = PROT_READ | PROT_WRITE,
                              .fourth = MAP_PRIVATE | MAP_ANONYMOUS,
                              .fifth = -1};
  const long at = raw_call(SYS_mmap, one_page);
  ASSERT_GT(at, 0);
  auto* const memory = reinterpret_cast<char*>(at);
  memory[page - 1] = 'x';
  EXPECT_EQ(memory[0], 0);
  EXPECT_EQ(raw_call(SYS_munmap, {.first = at, .second = page}), 0);
  RawArguments odd = one_page;
  odd.sixth = 1;  // no multiple of a page
  EXPECT_EQ(raw_call(SYS_mmap, odd), -EINVAL);
}

TEST(RawCall, MovesBytes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::array<char, 3> sent{'a', 'b', 'c'};
  EXPECT_EQ(raw_call(SYS_write, {.first = ends[1], .second = raw(sent.data()), .third = 3}), 3);
  std::array<char, 8> got{};
  EXPECT_EQ(raw_call(SYS_read, {.first = ends[0], .second = raw(got.data()), .third = 8}), 3);
  EXPECT_EQ(got[2], 'c');
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace ssx::sys::internal

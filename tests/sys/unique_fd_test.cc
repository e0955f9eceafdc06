#include "ssxrver/sys/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace ssx::sys {
namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesInTheDestructor) {
  const int fd = open_null();
  {
    const UniqueFd owner(fd);
    EXPECT_TRUE(owner);
    EXPECT_EQ(owner.get(), fd);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, IsEmptyByDefaultAndAfterAMove) {
  UniqueFd first;
  EXPECT_FALSE(first);
  EXPECT_EQ(first.get(), -1);
  UniqueFd second(open_null());
  const int fd = second.get();
  first = std::move(second);
  EXPECT_FALSE(second);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(first.get(), fd);
  const UniqueFd third(std::move(first));
  EXPECT_EQ(third.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, AssignmentClosesWhatItHeld) {
  UniqueFd kept(open_null());
  const int old = kept.get();
  kept = UniqueFd(open_null());
  EXPECT_FALSE(is_open(old) && old != kept.get());
  EXPECT_TRUE(is_open(kept.get()));
}

TEST(UniqueFd, AssigningItselfKeepsTheDescriptor) {
  UniqueFd owner(open_null());
  UniqueFd& same = owner;
  owner = std::move(same);
  EXPECT_TRUE(is_open(owner.get()));
}

TEST(UniqueFd, ReleaseGivesTheDescriptorAway) {
  UniqueFd owner(open_null());
  const int fd = owner.release();
  EXPECT_FALSE(owner);
  EXPECT_TRUE(is_open(fd));
  ::close(fd);
}

TEST(UniqueFd, ResetTakesAnother) {
  UniqueFd owner(open_null());
  const int first = owner.get();
  const int second = open_null();
  owner.reset(second);
  EXPECT_FALSE(is_open(first));
  EXPECT_EQ(owner.get(), second);
  owner.reset();
  EXPECT_FALSE(is_open(second));
}

TEST(UniqueFd, ReportsNothingAboutErrno) {
  errno = 0;
  { const UniqueFd empty; }
  EXPECT_EQ(errno, 0);
}

#ifndef NDEBUG
TEST(UniqueFdDeathTest, ADescriptorThatSomebodyElseClosedStopsADebugBuild) {
  EXPECT_DEATH(
      {
        const UniqueFd owner(open_null());
        ::close(owner.get());
      },
      "assertion failed");
}
#endif

}  // namespace
}  // namespace ssx::sys

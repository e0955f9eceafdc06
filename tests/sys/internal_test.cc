#include "ssxrver/sys/internal.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace ssx::sys::internal {
namespace {

TEST(Retry, RepeatsAsLongAsSignalsInterrupt) {
  int calls = 0;
  const auto answer = retry([&calls] {
    errno = EINTR;
    return ++calls < 4 ? -1 : 7;
  });
  EXPECT_EQ(answer, 7);
  EXPECT_EQ(calls, 4);
}

TEST(Retry, HandsOnEveryOtherError) {
  int calls = 0;
  const auto answer = retry([&calls] {
    ++calls;
    errno = EAGAIN;
    return -1L;
  });
  EXPECT_EQ(answer, -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(calls, 1);
}

TEST(Retry, DoesNotLookAtErrnoAfterASuccess) {
  errno = EINTR;
  EXPECT_EQ(retry([] { return 0; }), 0);
}

TEST(Answer, MinusOneIsTheErrnoUnderTheFunctionsName) {
  errno = ENOSPC;
  const auto nothing = done(-1, "one");
  const auto fd = own(-1, "two");
  const auto count = moved(-1, "three");
  EXPECT_EQ(nothing.error().message(), "one: No space left on device");
  EXPECT_EQ(fd.error().message(), "two: No space left on device");
  EXPECT_EQ(count.error().message(), "three: No space left on device");
}

TEST(Answer, EverythingElseIsAValue) {
  EXPECT_TRUE(done(0, "done"));
  EXPECT_EQ(moved(0, "moved").value(), 0U);
  EXPECT_EQ(moved(9, "moved").value(), 9U);
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(own(fd, "own").value().get(), fd);
}

}  // namespace
}  // namespace ssx::sys::internal

#include "ssxrver/load/tally.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace ssx::load {
namespace {

TEST(Tally, AddsUpEverything) {
  Tally one;
  one.carried = 1;
  one.requests = 10;
  one.answered = 6;
  one.unfinished = 2;
  one.unsent = 1;
  one.standing = 4;
  one.connects = 3;
  one.bytes_in = 100;
  one.fail(Failure::kTimeout);
  one.fail(Failure::kReset, 2);
  one.latency.record(Duration(5));
  Tally sum = one;
  sum.add(one);
  EXPECT_EQ(sum.begun(), 22U);
  EXPECT_EQ(sum.answered, 12U);
  EXPECT_EQ(sum.unfinished, 4U);
  EXPECT_EQ(sum.unsent, 2U);
  EXPECT_EQ(sum.connects, 6U);
  EXPECT_EQ(sum.standing, 8U);
  EXPECT_EQ(sum.bytes_in, 200U);
  EXPECT_EQ(sum.failed(), 6U);
  EXPECT_EQ(sum.latency.count(), 2U);
  EXPECT_EQ(sum.begun(), sum.answered + sum.failed() + sum.unfinished);
}

TEST(Tally, KeepsTheFirstRefusal) {
  Tally sum;
  for (const int error : {0, EMFILE, ECONNREFUSED}) {
    Tally one;
    one.note_refusal(error);
    sum.add(one);
  }
  EXPECT_EQ(sum.refusal, EMFILE);
}

TEST(Tally, NamesEachFailure) {
  EXPECT_EQ(to_string(Failure::kConnect), "connect");
  EXPECT_EQ(to_string(Failure::kStatus), "status");
}

}  // namespace
}  // namespace ssx::load

#include "ssxrver/load/echo_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ssx::load {
namespace {

using ::testing::HasSubstr;

template <class Options>
Options options(std::uint64_t size, std::string url = "127.0.0.1:7") {
  Options made;
  made.url = std::move(url);
  made.size = size;
  return made;
}
template <class Options>
std::string refusal(const Options& given) {
  const auto plan = make_plan(given);
  return plan ? "it was taken" : plan.error().text();
}

TEST(EchoCommand, PutsAMessageTogether) {
  const auto plan = make_plan(options<TcpOptions>(3));
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->message, "abc");
  EXPECT_EQ(plan->target.to_string(), "127.0.0.1:7");
  EXPECT_EQ(make_plan(options<TcpOptions>(3, "[::1]:7"))->target.to_string(), "[::1]:7");
}

TEST(EchoCommand, RefusesWhatIsNoPlace) {
  for (const char* bad : {"127.0.0.1", "127.0.0.1:", ":7", "127.0.0.1:0", "127.0.0.1:65536"})
    EXPECT_THAT(refusal(options<TcpOptions>(3, bad)), HasSubstr("expected HOST:PORT")) << bad;
}

TEST(EchoCommand, HasLimitsOfItsSize) {
  EXPECT_THAT(refusal(options<TcpOptions>(0)), HasSubstr("--size 0"));
  EXPECT_TRUE(make_plan(options<TcpOptions>(1)));
  EXPECT_THAT(refusal(options<UdpOptions>(7)), HasSubstr("expected 8 to 65507"));
  EXPECT_TRUE(make_plan(options<UdpOptions>(8)));
  EXPECT_TRUE(make_plan(options<UdpOptions>(65'507)));
  EXPECT_THAT(refusal(options<UdpOptions>(65'508)), HasSubstr("expected 8 to 65507"));
}

}  // namespace
}  // namespace ssx::load

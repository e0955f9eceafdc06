#include "ssxrver/load/http_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ssx::load {
namespace {

using ::testing::HasSubstr;

HttpOptions options(std::string url = "http://127.0.0.1:81/a?b=c") {
  HttpOptions made;
  made.url = std::move(url);
  return made;
}
std::string refusal(const HttpOptions& given) {
  const auto plan = make_plan(given);
  return plan ? "it was taken" : plan.error().text();
}

TEST(HttpCommand, PutsARequestTogether) {
  const auto plan = make_plan(options());
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->request, "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n");
  EXPECT_EQ(plan->target.to_string(), "127.0.0.1:81");
  EXPECT_TRUE(plan->keeps_connections);
}

TEST(HttpCommand, SendsWhatItIsToldTo) {
  HttpOptions given = options();
  given.method = "POST";
  given.body = "hello";
  given.fields = {"host: other", "X-A: b"};
  EXPECT_EQ(make_plan(given)->request,
            "POST /a?b=c HTTP/1.1\r\nhost: other\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello");
}

TEST(HttpCommand, AsksForAnEndWhereEachRequestHasAConnection) {
  HttpOptions given = options();
  given.each = true;
  const auto plan = make_plan(given);
  EXPECT_THAT(plan->request, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_FALSE(plan->keeps_connections);
}

TEST(HttpCommand, FindsAHost) {
  EXPECT_EQ(make_plan(options("http://localhost:82/"))->target.port(), 82);
  EXPECT_THAT(refusal(options("http://no.such.host.invalid/")), HasSubstr("no.such.host.invalid"));
}

TEST(HttpCommand, RefusesWhatCannotBeDone) {
  EXPECT_THAT(refusal(options("nonsense")), HasSubstr("\"nonsense\""));
  EXPECT_THAT(refusal(options("https://127.0.0.1/")), HasSubstr("https is not in this build"));
  HttpOptions given = options();
  given.method = "get";
  EXPECT_THAT(refusal(given), HasSubstr("-m \"get\" is no method"));
  for (const char* line : {"no colon", "a b: c", "A: b\r\nC: d"}) {
    given = options();
    given.fields = {line};
    EXPECT_THAT(refusal(given), HasSubstr("expected a field")) << line;
  }
  given = options();
  given.each = true;
  given.depth = 2;
  EXPECT_THAT(refusal(given), HasSubstr("does not go with several at once"));
  given = options();
  given.body = "x";
  given.file = "y";
  EXPECT_EQ(refusal(given), "--data and --file are two bodies: expected one");
  given = options();
  given.idle = true;
  given.depth = 2;
  EXPECT_THAT(refusal(given), HasSubstr("do not go with several requests at once"));
  given = options();
  given.connections = 1;
  given.threads = 2;
  EXPECT_THAT(refusal(given), HasSubstr("more threads than connections"));
  given = options();
  given.sources = {"here"};
  EXPECT_THAT(refusal(given), HasSubstr("--source \"here\": is no address"));
}

}  // namespace
}  // namespace ssx::load

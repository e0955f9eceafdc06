#include "http/event_writer.h"

#include <gmock/gmock.h>

#include "ssxrver/net/awaitables.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {
namespace {

using testing::HasSubstr;

class Events : public SessionTest {
 protected:
  Events() {
    on(Method::kGet, "/ticks", [](const Request& request) {
      const std::string from(last_event_id(request).value_or("0"));
      return Response::events([from](EventWriter& events) -> Task<> {
        const std::string data = "from " + from;
        const ServerEvent first{.data = data, .event = "start", .id = "7"};
        if (!co_await events.send(first)) co_return;
        co_await net::sleep_for(1s);
        if (!co_await events.send("two\nlines")) co_return;
        if (!co_await events.comment("still here")) co_return;
      });
    });
    on(Method::kGet, "/bad", [this](const Request&) {
      return Response::events([this](EventWriter& events) -> Task<> {
        const ServerEvent bad{.data = "x", .event = "a\nb"};
        const auto sent = co_await events.send(bad);
        refusal = sent ? "" : sent.error().message();
        co_await events.send("good");
      });
    });
  }
  std::string refusal;
};

TEST_F(Events, ArriveWhenTheyAreSent) {
  Client client = connect();
  client.send(get("/ticks", "Last-Event-ID: 42\r\n"));
  const std::string first = hear(client);
  EXPECT_THAT(first, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(first, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(first, HasSubstr("event: start\n"));
  EXPECT_THAT(first, HasSubstr("data: from 42\n"));
  EXPECT_THAT(first, HasSubstr("id: 7\n"));
  EXPECT_THAT(first, Not(HasSubstr("two")));
  advance(1s);
  const std::string second = hear(client);
  EXPECT_THAT(second, HasSubstr("data: two\ndata: lines\n\n"));
  EXPECT_THAT(second, HasSubstr("still here"));
  EXPECT_TRUE(second.ends_with("0\r\n\r\n"));
}

TEST_F(Events, ThatWouldBreakTheStreamAreNotSent) {
  Client client = connect();
  const Answer answer = ask(client, get("/bad"));
  EXPECT_EQ(answer.body, "data: good\n\n");
  EXPECT_THAT(refusal, HasSubstr("event that breaks its stream"));
}

}  // namespace
}  // namespace ssx::http::test

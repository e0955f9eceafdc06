#include "http/exchange.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "http/service.h"

namespace ssx::http {
namespace {

class ExchangeTest : public testing::Test {
 protected:
  void read(const std::string& text) {
    bytes = text;
    const auto parsed = exchange.parser.parse(bytes, exchange.head);
    ASSERT_EQ(parsed.progress, Progress::kDone);
    head_size = parsed.head_size;
  }
  /// As the receive area is used again.
  void lose_bytes() { bytes.assign(bytes.size(), '\xA5'); }

  Service service{Router(), {}, 1};
  Exchange exchange{service};
  Counters counters;
  net::SocketAddress peer;
  std::string bytes;
  std::size_t head_size = 0;
};

TEST_F(ExchangeTest, KeepsTheHeadWhenTheReceiveAreaIsUsedAgain) {
  read("POST /a%20b?q HTTP/1.1\r\nHost: h.example\r\nX-Field: value\r\n\r\n");
  exchange.set_path("/a b");
  exchange.keep(bytes, TimePoint{});
  lose_bytes();
  const Head& kept = exchange.head;
  EXPECT_EQ(kept.target, "/a%20b?q");
  EXPECT_EQ(kept.path, "/a%20b");
  EXPECT_EQ(kept.query, "q");
  EXPECT_EQ(kept.host, "h.example");
  EXPECT_EQ(kept.fields.find("x-field"), "value");
  EXPECT_EQ(kept.method_text, "POST");
  EXPECT_EQ(exchange.path(), "/a b");
}

TEST_F(ExchangeTest, MovesParametersAndBodyWithTheRequest) {
  read("POST /users/7 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody");
  exchange.set_path(exchange.head.path);
  exchange.params.clear();
  exchange.params.push({"id", exchange.path().substr(7)});
  exchange.body = {std::string_view(bytes).substr(head_size), -1, 4};
  const Request& request = exchange.make_request(peer, 3, "POST /users/{id}", counters);
  exchange.keep(std::string_view(bytes).substr(0, head_size), TimePoint{});
  lose_bytes();
  EXPECT_EQ(request.path(), "/users/7");
  EXPECT_EQ(request.param("id"), "7");
  EXPECT_EQ(request.body().text, "body");
  EXPECT_EQ(request.route(), "POST /users/{id}");
  EXPECT_EQ(request.worker(), 3u);
}

TEST_F(ExchangeTest, KeepsOnlyOnce) {
  read("GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
  exchange.set_path("/x");
  exchange.keep(bytes, TimePoint{});
  exchange.keep({}, TimePoint{});
  EXPECT_EQ(exchange.head.host, "h");
  EXPECT_TRUE(exchange.is_kept());
}

TEST_F(ExchangeTest, IsAsGoodAsNewAfterClear) {
  read("GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
  exchange.set_path("/x");
  exchange.keep(bytes, TimePoint{});
  exchange.make_request(peer, 0, "route", counters).set_attribute("user", "somebody");
  exchange.clear();
  EXPECT_FALSE(exchange.is_kept());
  EXPECT_FALSE(exchange.request.has_value());
  EXPECT_EQ(exchange.path(), "");
  read("GET /y HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(exchange.make_request(peer, 0, "", counters).attribute("user"), std::nullopt);
  EXPECT_EQ(exchange.head.host, "other");
}

TEST_F(ExchangeTest, CancelsWhatRunsWhenItIsCleared) {
  bool ended = false;
  struct AtEnd {
    bool& flag;
    ~AtEnd() { flag = true; }
  };
  struct Never {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
  };
  exchange.handler = [](bool& flag) -> Task<Response> {
    const AtEnd at_end{flag};
    co_await Never();
    co_return Status::kOk;
  }(ended);
  ASSERT_FALSE(exchange.handler.start(exchange.done));
  EXPECT_FALSE(ended);
  exchange.clear();
  EXPECT_TRUE(ended);
}

TEST_F(ExchangeTest, ForgetsAHeadWhoseBytesHaveMoved) {
  read("GET /a?b HTTP/1.1\r\nHost: a\r\n\r\n");
  exchange.set_path(exchange.head.path);
  exchange.forget_head();
  EXPECT_EQ(exchange.path(), "");
  EXPECT_EQ(exchange.head.target, "");
  EXPECT_TRUE(exchange.head.fields.empty());
  EXPECT_EQ(exchange.head.method, Method::kGet);
}

}  // namespace
}  // namespace ssx::http

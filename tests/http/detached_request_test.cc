#include "http/detached_request.h"

#include <gtest/gtest.h>

#include <string>

#include "http/exchange.h"
#include "http/service.h"
#include "ssxrver/sys/file.h"

namespace ssx::http {
namespace {

TEST(DetachedRequest, OutlivesWhatItIsACopyOf) {
  std::shared_ptr<const DetachedRequest> copy;
  {
    Service service(Router(), {}, 1);
    Exchange exchange(service);
    Counters counters;
    const auto peer = *net::SocketAddress::parse("192.0.2.7", 4711);
    std::string bytes =
        "POST http://h.example/users/7?a=b HTTP/1.1\r\nHost: h.example\r\nX-Field: v\r\n"
        "Content-Length: 4\r\n\r\nbody";
    const auto parsed = exchange.parser.parse(bytes, exchange.head);
    ASSERT_EQ(parsed.progress, Progress::kDone);
    exchange.set_path(exchange.head.path);
    exchange.params.clear();
    exchange.params.push({"id", exchange.path().substr(7)});
    exchange.body = {std::string_view(bytes).substr(parsed.head_size), -1, 4};
    const Request& request = exchange.make_request(peer, 3, "route", counters);
    request.set_attribute("user", "somebody");
    copy = *DetachedRequest::copy(request);
    bytes.assign(bytes.size(), '\xA5');
  }
  const Request& request = copy->request();
  EXPECT_EQ(request.method(), Method::kPost);
  EXPECT_EQ(request.path(), "/users/7");
  EXPECT_EQ(request.param("id"), "7");
  EXPECT_EQ(request.query("a"), "b");
  EXPECT_EQ(request.host(), "h.example");
  EXPECT_EQ(request.header("x-field"), "v");
  EXPECT_EQ(request.body().text, "body");
  EXPECT_EQ(request.peer().to_string(), "192.0.2.7:4711");
  EXPECT_EQ(request.client().to_string(), "192.0.2.7:4711");
  EXPECT_EQ(request.worker(), 3u);
  EXPECT_EQ(request.attribute("user"), "somebody");
}

// What a request was rewritten to is not among the bytes of its head.
TEST(DetachedRequest, OutlivesWhatItWasRewrittenTo) {
  std::shared_ptr<const DetachedRequest> copy;
  {
    Router router;
    Route old;
    old.rewrite = std::make_shared<const TargetTemplate>(
        *TargetTemplate::parse("/new/{id}?kept={id}", {"id"}, TargetTemplate::Kind::kPath));
    ASSERT_TRUE(router.add("", {}, "/old/{id}", std::move(old)));
    Service service(std::move(router), {}, 1);
    Exchange exchange(service);
    Counters counters;
    const net::SocketAddress peer;
    const std::string bytes = "GET /old/a-longer-value HTTP/1.1\r\nHost: h\r\n\r\n";
    ASSERT_EQ(exchange.parser.parse(bytes, exchange.head).progress, Progress::kDone);
    exchange.set_path(exchange.head.path);
    auto match =
        service.worker(0).router().match("h", Method::kGet, exchange.path(), exchange.params);
    ASSERT_EQ(exchange.follow_rewrites(service.worker(0).router(), match), Errc::kOk);
    copy = *DetachedRequest::copy(exchange.make_request(peer, 0, "", counters));
  }
  EXPECT_EQ(copy->request().path(), "/new/a-longer-value");
  EXPECT_EQ(copy->request().query(), "kept=a-longer-value");
  EXPECT_EQ(copy->request().target(), "/old/a-longer-value");
}

TEST(DetachedRequest, HasADescriptorOfItsOwnForASpooledBody) {
  auto file = *sys::open_temporary("/tmp");
  ASSERT_TRUE(sys::write(file.get(), as_bytes("spooled")));
  Head head;
  head.fields.bind("");
  const Params params;
  const Body body{{}, file.get(), 7, nullptr};
  const net::SocketAddress peer;
  const Request request(head, "/", params, body, peer, 0);
  const auto copy = *DetachedRequest::copy(request);
  file.reset();
  std::array<std::byte, 8> bytes;
  EXPECT_EQ(*sys::pread(copy->request().body().file, bytes, 0), 7u);
}

TEST(DetachedRequest, SaysThatADescriptorCannotBeDuplicated) {
  Head head;
  head.fields.bind("");
  const Params params;
  const Body body{{}, 1 << 20, 7, nullptr};  // which is not open
  const net::SocketAddress peer;
  const Request request(head, "/", params, body, peer, 0);
  EXPECT_FALSE(DetachedRequest::copy(request).has_value());
}

}  // namespace
}  // namespace ssx::http

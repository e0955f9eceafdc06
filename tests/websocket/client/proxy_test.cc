// The client through proxies: played ones here, those of others in proxy_peers_test.cc.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "http/client/http_connect.h"
#include "ssxrver/net/error.h"
#include "tests/websocket/client/client_fixture.h"
#include "websocket/client/opening.h"

namespace ssx::websocket::test {
namespace {

using namespace std::literals;  // NOLINT(google-build-using-namespace): literals only
using Kind = ClientProxy::Kind;

class ProxyTest : public ClientTest {
 protected:
  void open_by(ClientProxy proxy) {
    ClientOptions wanted = to("ws://a.example:81/echo");
    proxy.host = "10.0.0.9";
    wanted.proxy = std::move(proxy);
    opened.reset();
    make_client(std::move(wanted));
    open();
  }
};

TEST_F(ProxyTest, GoesThroughSocks5) {
  open_by({.kind = Kind::kSocks5, .port = 1080, .user = "me", .password = "secret"});
  EXPECT_EQ(stack.asked.back(), "10.0.0.9:1080");
  EXPECT_EQ(request(), "\5\2\0\2"sv);
  reply("\5\2"sv);
  EXPECT_EQ(request(), "\1\2me\6secret"sv);
  reply("\1\0"sv);
  EXPECT_EQ(request(), "\5\1\0\3\11a.example\0\x51"sv) << "the proxy looks the name up";
  reply("\5\0\0\1\0\0\0\0\0\0"sv);
  const std::string asked = request();
  EXPECT_TRUE(asked.starts_with("GET /echo HTTP/1.1\r\nHost: a.example:81\r\n")) << asked;
  reply(answer_to(asked) + said("hi"));
  ASSERT_TRUE(opened && *opened) << opened->error().message();
  EXPECT_EQ(receive(**opened), "text hi");
}

TEST_F(ProxyTest, GoesThroughConnect) {
  open_by({.kind = Kind::kHttp, .user = "Aladdin", .password = "open sesame"});
  EXPECT_EQ(stack.asked.back(), "10.0.0.9:3128");
  EXPECT_EQ(request(),
            "CONNECT a.example:81 HTTP/1.1\r\nHost: a.example:81\r\n"
            "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n");
  reply("HTTP/1.1 200 OK\r\n\r\n");
  const std::string asked = request();
  EXPECT_EQ(asked.find("Proxy-Authorization"), std::string::npos) << "that is the proxy's alone";
  reply(answer_to(asked));
  EXPECT_TRUE(opened && *opened);
}

TEST_F(ProxyTest, SaysWhyTheProxyMakesNoWay) {
  open_by({.kind = Kind::kHttp});
  EXPECT_FALSE(request().empty());
  reply("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(failure_code(), make_error_code(net::Errc::kProxyLogin));
  EXPECT_EQ(opened->error().status, 407);
  open_by({.kind = Kind::kSocks5});
  EXPECT_FALSE(request().empty());
  reply("\5\0\5\5"sv);
  ASSERT_TRUE(opened && !*opened);
  EXPECT_TRUE(opened->error().error.is_errno(ECONNREFUSED));
  EXPECT_EQ(opened->error().message(), "socks5 proxy: Connection refused");
  EXPECT_TRUE(peer().read_available().size() < 32 && peer().ended());
}

TEST_F(ProxyTest, GivesProxyAndServerOneTime) {
  open_by({.kind = Kind::kHttp});
  advance(6s);
  EXPECT_FALSE(request().empty());
  reply("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_FALSE(request().empty());
  advance(4s - 1ms);
  EXPECT_FALSE(opened);
  advance(1ms + kTick);
  EXPECT_EQ(failure_code(), make_error_code(Errc::kHandshakeTimedOut));
}

TEST_F(ProxyTest, ReadsSoMuchOfAnAnswer) {
  const auto failed = [this](http::Errc code) {
    return client->counters().failed[static_cast<std::size_t>(code)].value();
  };
  for (const std::size_t count : {7U, 8U, 9U}) {
    open_by({.kind = Kind::kHttp});
    EXPECT_FALSE(request().empty());
    std::string answer;
    for (std::size_t i = 0; i < count; ++i) answer += "HTTP/1.1 100 Continue\r\n\r\n";
    reply(answer);
    EXPECT_EQ(opened.has_value(), count > 8) << count;
    EXPECT_EQ(failed(http::Errc::kTooManyInterim), count > 8 ? 1U : 0U);
  }
  const std::size_t most = http::HttpConnect::kLimits.head_max;
  for (const std::size_t size : {most - 1, most, most + 1}) {
    open_by({.kind = Kind::kHttp});
    EXPECT_FALSE(request().empty());
    std::string answer = "HTTP/1.1 200 OK\r\n";
    while (answer.size() + 1002 < size) answer += "X: " + std::string(500, 'x') + "\r\n";
    answer += "X: " + std::string(size - answer.size() - 7, 'x') + "\r\n\r\n";
    reply(answer);
    EXPECT_EQ(opened.has_value(), size > most) << size;
    EXPECT_EQ(failed(http::Errc::kHeadTooLong), size > most ? 1U : 0U);
  }
}

TEST_F(ProxyTest, ChecksItsUserBeforeItAsks) {
  open_by({.kind = Kind::kHttp, .user = "a\r\nX: y", .password = "z"});
  EXPECT_EQ(failure_code(), make_error_code(ssx::Errc::kInvalidArgument));
  open_by({.kind = Kind::kSocks5, .user = "me"});
  EXPECT_EQ(failure_code(), make_error_code(ssx::Errc::kInvalidArgument));
  EXPECT_TRUE(stack.asked.empty());
}

}  // namespace
}  // namespace ssx::websocket::test

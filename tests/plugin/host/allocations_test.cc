// What the border costs in memory: nothing, for a literal that is answered at once.
#include "http/handler.h"
#include "http/head.h"
#include "http/params.h"
#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/counting_allocator.h"

namespace ssx::plugins {
namespace {

using test::text;

class PluginAllocations : public test::PluginTest {
 protected:
  /// How often a handler that answers so allocates when it is called a second time.
  std::int64_t count_news(ssxrver_response response) {
    plugin.on_create = [this, response](ssxrver_error*) {
      return plugin.route("GET", "", [this, response](const auto*, auto* exchange, auto*) {
        http_table->answer(exchange, &response);
        return SSXRVER_OK;
      });
    };
    instance = *make();
    http_table = &plugin.http();
    const auto routes = instance->take_routes();
    const http::Head head;
    const http::Params params;
    const http::Body body;
    const net::SocketAddress peer;
    const http::Request request(head, "/fake", params, body, peer, 0);
    EXPECT_EQ(routes[0].handler(request).body_size(), response.body.size);
    const auto before = ssx::test::allocations();
    {
      const http::Response again = routes[0].handler(request);
      EXPECT_EQ(again.status(), http::Status::kOk);
    }
    return (ssx::test::allocations() - before).news;
  }
  static ssxrver_response hello() {
    ssxrver_response response{};
    response.size = sizeof(response);
    response.status = 200;
    response.body_kind = SSXRVER_BODY_STATIC;
    response.body = text("Hello world!");
    return response;
  }

  const ssxrver_http* http_table = nullptr;
};

TEST_F(PluginAllocations, AreNoneForALiteral) { EXPECT_EQ(count_news(hello()), 0); }

TEST_F(PluginAllocations, AreNoneForATypeThatIsSaidOften) {
  ssxrver_response response = hello();
  const std::string elsewhere = "application/json";
  response.content_type = text(elsewhere);
  EXPECT_EQ(count_news(response), 0);
}

TEST_F(PluginAllocations, AreCountedHereAtAll) {
  static const std::string kLong(100, 'x');
  ssxrver_response response = hello();
  response.body_kind = SSXRVER_BODY_COPY;
  response.body = text(kLong);
  EXPECT_EQ(count_news(response), 1);
}

}  // namespace
}  // namespace ssx::plugins

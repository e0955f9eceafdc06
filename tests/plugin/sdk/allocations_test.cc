// What the SDK costs in memory: nothing, for a literal that is answered at once.
#include <gtest/gtest.h>

#include <string>

#include "ssxrver/plugin/sdk/http_handler.h"
#include "tests/support/counting_allocator.h"

namespace ssx::plugin {
namespace {

/// A host that looks at an answer, and keeps nothing of it.
class PluginSdkAllocations : public testing::Test {
 protected:
  PluginSdkAllocations() {
    http_.answer = [](ssxrver_exchange* exchange, const ssxrver_response* response) {
      *reinterpret_cast<ssxrver_response*>(exchange) = *response;
    };
    internal::tables.http = &http_;
  }
  ~PluginSdkAllocations() override { internal::tables = {}; }

  /// How often a call of the handler allocates.
  template <class F>
  std::int64_t count_news(F function) {
    const ssxrver_handler handler = internal::make_http_handler(function, 0);
    const auto before = ssx::test::allocations();
    ssxrver_operation started{};
    EXPECT_EQ(handler.handle(handler.state, nullptr, reinterpret_cast<ssxrver_exchange*>(&given_),
                             &started),
              SSXRVER_OK);
    const std::int64_t news = (ssx::test::allocations() - before).news;
    handler.release(handler.state);
    return news;
  }

  ssxrver_http http_{};
  ssxrver_response given_{};
};

TEST_F(PluginSdkAllocations, AreNoneForALiteral) {
  EXPECT_EQ(count_news([](const Request&) { return "Hello world!"; }), 0);
  EXPECT_EQ(given_.status, 200);
  EXPECT_EQ(internal::to_view(given_.body), "Hello world!");
  EXPECT_EQ(given_.content_type.data, nullptr) << "what a host takes for plain text";
}

TEST_F(PluginSdkAllocations, AreNoneForShortJson) {
  EXPECT_EQ(count_news([](const Request&) { return Response::json("{}"); }), 0);
  EXPECT_EQ(internal::to_view(given_.content_type), "application/json");
}

TEST_F(PluginSdkAllocations, AreCountedHereAtAll) {
  EXPECT_EQ(count_news([](const Request&) { return std::string(100, 'x'); }), 1);
}

}  // namespace
}  // namespace ssx::plugin

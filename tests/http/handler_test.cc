#include "http/handler.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace ssx::http {
namespace {

// What may be a handler, and what must not compile as one.
using ReturnsLiteral = decltype([](const Request&) { return "text"; });
using ReturnsString = decltype([](const Request&) { return std::string(); });
using ReturnsStatus = decltype([](const Request&) { return Status::kNotFound; });
using ReturnsResponse = decltype([](const Request&) { return Response(); });
using ReturnsNothing = decltype([](const Request&) {});
using ReturnsNumber = decltype([](const Request&) { return 200; });
using TakesNothing = decltype([] { return "text"; });
using Changes = decltype([count = 0](const Request&) mutable { return std::to_string(++count); });
static_assert(SyncHandler<ReturnsLiteral>);
static_assert(SyncHandler<ReturnsString>);
static_assert(SyncHandler<ReturnsStatus>);
static_assert(SyncHandler<ReturnsResponse>);
static_assert(!SyncHandler<ReturnsNothing>, "a request would stay without an answer");
static_assert(!SyncHandler<ReturnsNumber>);
static_assert(!SyncHandler<TakesNothing>);
static_assert(!SyncHandler<Changes>, "several workers call it at the same time");

class Handlers : public testing::Test {
 protected:
  Head head;
  Params params;
  Body body;
  net::SocketAddress peer;
  Request request{head, "/path", params, body, peer, 3};
};

template <class T>
std::string text_of(T&& response) {
  if (const auto* text = std::get_if<std::string>(&response.content())) return *text;
  return std::string(std::get<Response::View>(response.content()).bytes);
}

TEST_F(Handlers, MakeAResponseOfWhateverTheyReturn) {
  EXPECT_EQ(text_of(make_handler([](const Request&) { return "literal"; })(request)), "literal");
  EXPECT_EQ(text_of(make_handler([](const Request& r) { return std::string(r.path()); })(request)),
            "/path");
  const auto status = make_handler([](const Request&) { return Status::kNotFound; })(request);
  EXPECT_EQ(status.status(), Status::kNotFound);
  EXPECT_FALSE(status.has_body());
}

TEST_F(Handlers, KeepWhatTheyCapture) {
  auto shared = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = shared;
  {
    const Handler handler =
        make_handler([held = std::move(shared)](const Request&) { return std::to_string(*held); });
    EXPECT_EQ(text_of(handler(request)), "7");
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST_F(Handlers, MayBePlainFunctions) {
  struct Local {
    static Response answer(const Request& r) { return std::to_string(r.worker()); }
  };
  EXPECT_EQ(text_of(make_handler(&Local::answer)(request)), "3");
}

}  // namespace
}  // namespace ssx::http

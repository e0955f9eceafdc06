#include "ssxrver/plugin/sdk/http_handler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ssxrver/plugin/sdk/loop.h"
#include "tests/plugin/sdk/fake_host.h"

namespace ssx::plugin {
namespace {

using namespace std::chrono_literals;

/// A handler as the host has it.
class Given {
 public:
  template <class F>
  Given(FakeHost& host, F&& function)
      : host_(host), raw_(internal::make_http_handler(std::forward<F>(function), 0)) {}
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;
  ~Given() { raw_.release(raw_.state); }

  std::int32_t call() {
    return raw_.handle(raw_.state, host_.request(), host_.exchange(), &started_);
  }
  void cancel() { started_.cancel(started_.state); }
  [[nodiscard]] std::uint32_t flags() const { return raw_.flags; }

 private:
  FakeHost& host_;
  ssxrver_handler raw_;
  ssxrver_operation started_{};
};

Task<Response> answer_later(const Request& request) {
  co_await sleep_for(5ms);
  co_return std::string(request.path());
}

TEST(PluginHandler, AFunctionAnswersAtOnce) {
  FakeHost host;
  Given handler(host, [](const Request& request) { return std::string(request.path()); });
  EXPECT_EQ(handler.flags() & SSXRVER_HANDLER_LATER, 0U);
  EXPECT_EQ(handler.call(), SSXRVER_OK);
  EXPECT_EQ(host.answer.body, "/a");
  EXPECT_EQ(host.answers, 1);
}

TEST(PluginHandler, ATextThatOutlivesTheCallIsGivenAsItIs) {
  FakeHost host;
  static const std::string kKept = "kept";
  Given literal(host, [](const Request&) { return "literal"; });
  Given view(host, [](const Request&) { return std::string_view(kKept); });
  Given reference(host, [](const Request&) -> const std::string& { return kKept; });
  EXPECT_EQ(literal.call(), SSXRVER_OK);
  EXPECT_EQ(host.answer.body, "literal");
  EXPECT_EQ(host.answer.body_kind, SSXRVER_BODY_STATIC);
  EXPECT_EQ(host.answer.status, 200);
  EXPECT_EQ(host.answer.content_type, Response::kText);
  EXPECT_EQ(view.call(), SSXRVER_OK);
  EXPECT_EQ(host.answer.body, "kept");
  EXPECT_EQ(host.answer.body_kind, SSXRVER_BODY_STATIC);
  EXPECT_EQ(reference.call(), SSXRVER_OK);
  EXPECT_EQ(host.answer.body_kind, SSXRVER_BODY_COPY) << "nobody has said that it outlives it";
  Given thrower(host, [](const Request&) -> const char* { throw std::runtime_error("broken"); });
  EXPECT_EQ(thrower.call(), SSXRVER_ERROR);
  EXPECT_EQ(host.answer.failure, "broken");
}

TEST(PluginHandler, WhatAFunctionThrowsGoesToTheHost) {
  FakeHost host;
  Given standard(host, [](const Request&) -> Response { throw std::runtime_error("broken"); });
  EXPECT_EQ(standard.call(), SSXRVER_ERROR);
  EXPECT_EQ(host.answer.failure, "broken");
  Given other(host, [](const Request&) -> Response { throw 7; });
  EXPECT_EQ(other.call(), SSXRVER_ERROR);
  EXPECT_EQ(host.answer.failure, "something that is no std::exception was thrown");
}

TEST(PluginHandler, ACoroutineAnswersLater) {
  FakeHost host;
  Given handler(host, answer_later);
  EXPECT_NE(handler.flags() & SSXRVER_HANDLER_LATER, 0U);
  ASSERT_EQ(handler.call(), SSXRVER_PENDING);
  EXPECT_EQ(host.answers, 0);
  EXPECT_EQ(host.delays.front(), 5'000'000);
  host.end_wait();
  EXPECT_EQ(host.answer.body, "/a");
  EXPECT_EQ(host.answers, 1);
}

TEST(PluginHandler, ACoroutineThatNeedNotWaitAnswersAtOnce) {
  FakeHost host;
  Given handler(host, [](const Request&) -> Task<std::string> { co_return "now"; });
  EXPECT_EQ(handler.call(), SSXRVER_OK);
  EXPECT_EQ(host.answer.body, "now");
}

TEST(PluginHandler, ACoroutineThatIsCancelledTakesItsWaitBack) {
  FakeHost host;
  Given handler(host, answer_later);
  ASSERT_EQ(handler.call(), SSXRVER_PENDING);
  handler.cancel();
  EXPECT_EQ(host.cancelled(), 1);
  EXPECT_EQ(host.waits(), 0U);
  EXPECT_EQ(host.answers, 0);
}

TEST(PluginHandler, WhatACoroutineThrowsGoesToTheHost) {
  FakeHost host;
  Given late(host, [](const Request&) -> Task<Response> {
    co_await sleep_for(1ms);
    throw std::runtime_error("late");
  });
  ASSERT_EQ(late.call(), SSXRVER_PENDING);
  host.end_wait();
  EXPECT_EQ(host.answer.failure, "late");
  Given early(host, [](const Request&) -> Task<Response> {
    throw std::runtime_error("early");
    co_return "never";
  });
  EXPECT_EQ(early.call(), SSXRVER_ERROR);
  EXPECT_EQ(host.answer.failure, "early");
}

TEST(PluginHandler, ReadsABodyAsItComes) {
  FakeHost host;
  host.pieces = {"ab", "", "c"};
  Given handler(host, [](const Request& request) -> Task<Response> {
    std::string whole;
    while (const auto piece = co_await request.body().read()) {
      if (piece->empty()) break;
      whole += *piece;
    }
    co_return whole;
  });
  ASSERT_EQ(handler.call(), SSXRVER_PENDING);
  host.end_wait();
  EXPECT_EQ(host.answer.body, "ablatec");
}

}  // namespace
}  // namespace ssx::plugin

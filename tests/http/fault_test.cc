#include "http/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "http/error.h"
#include "http/exchange.h"
#include "http/service.h"
#include "ssxrver/net/error.h"
#include "tests/support/captured_log.h"

namespace ssx::http {
namespace {

template <class Thrown>
Response answer_to(const Request& request, const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return answer_to_exception(request);
  }
}

TEST(Fault, NamesTheRouteAndWhatWasThrown) {
  Service service(Router(), {}, 1);
  Exchange exchange(service);
  Counters counters;
  const net::SocketAddress peer;
  const Request& request = exchange.make_request(peer, 0, "GET /route", counters);
  ssx::test::CapturedLog log;
  EXPECT_EQ(answer_to(request, std::runtime_error("out of luck")).status(),
            Status::kInternalServerError);
  EXPECT_THAT(log.lines(), testing::ElementsAre("GET /route: the handler threw: out of luck"));
  EXPECT_EQ(answer_to(request, 7).status(), Status::kInternalServerError);
  EXPECT_EQ(counters.handler_errors.value(), 2u);
}

TEST(Fault, AnswersAFullQueueWith503AndWhenToComeAgain) {
  Service service(Router(), {}, 1);
  Exchange exchange(service);
  Counters counters;
  const net::SocketAddress peer;
  const Request& request = exchange.make_request(peer, 0, "GET /route", counters);
  ssx::test::CapturedLog log;
  Response answer = answer_to_error(request, {net::Errc::kTaskQueueFull, "task queue"});
  EXPECT_EQ(answer.status(), Status::kServiceUnavailable);
  EXPECT_EQ(answer.field("Retry-After"), "1");
  EXPECT_EQ(counters.of(Errc::kOverloaded).value(), 1u);
  EXPECT_EQ(answer_to_overload(request).status(), Status::kServiceUnavailable);
  EXPECT_EQ(counters.of(Errc::kOverloaded).value(), 2u);
  EXPECT_TRUE(log.lines().empty());  // who asks for too much cannot fill the log
}

TEST(Fault, AnswersErrorsAsTheTableSays) {
  Service service(Router(), {}, 1);
  Exchange exchange(service);
  Counters counters;
  const net::SocketAddress peer;
  const Request& request = exchange.make_request(peer, 0, "GET /route", counters);
  ssx::test::CapturedLog log;
  const Error ours(make_error_code(Errc::kNotForm), "form");
  EXPECT_EQ(answer_to_error(request, ours).status(), Status::kUnsupportedMediaType);
  EXPECT_EQ(counters.of(Errc::kNotForm).value(), 1u);
  EXPECT_TRUE(log.lines().empty());
  EXPECT_EQ(answer_to_error(request, Error::from_errno(28, "write")).status(),
            Status::kInternalServerError);
  EXPECT_THAT(log.lines(), testing::ElementsAre(testing::HasSubstr("GET /route: write: ")));
  // A bound that somebody has reached is not the queue of the task threads.
  EXPECT_EQ(answer_to_error(request, {ssx::Errc::kOverflow, "body"}).status(),
            Status::kInternalServerError);
  EXPECT_EQ(counters.of(Errc::kOverloaded).value(), 0u);
}

}  // namespace
}  // namespace ssx::http

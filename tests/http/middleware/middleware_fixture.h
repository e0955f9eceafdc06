// A session whose routes are surrounded by one middleware.
//
//   surround(cors(options));                       // before the first question
//   EXPECT_EQ(ask(get("/text")).status, 200);
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/fallback.h"
#include "http/middleware.h"
#include "tests/http/session_fixture.h"

namespace ssx::http::test {

class MiddlewareTest : public SessionTest {
 protected:
  void surround(const Middleware& middleware) { chain.push_back(middleware); }

  void add(Method method, std::string_view path, Handler handler) {
    auto composed = compose(chain, std::move(handler));
    ASSERT_TRUE(composed.has_value());
    Route route{*std::move(composed), RouteLimits::from(options), std::string(path)};
    route.fallback = *compose(chain, Handler(&answer_without_route));
    ASSERT_TRUE(router.add("", {method}, path, std::move(route)));
  }
  /// One question on a connection of its own.
  Answer ask(std::string_view bytes) {
    Client client = connect();
    return SessionTest::ask(client, bytes);
  }

  std::vector<Middleware> chain;
};

}  // namespace ssx::http::test

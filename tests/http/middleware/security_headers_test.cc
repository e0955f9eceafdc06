#include "http/middleware/security_headers.h"

#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

class SecurityHeaders : public MiddlewareTest {
 protected:
  void build(const SecurityHeaderOptions& options_) {
    surround(security_headers(options_));
    add(Method::kGet, "/", [](const Request&) { return "x"; });
    add(Method::kGet, "/own", [](const Request&) {
      Response response = Response::permanent("own");
      response.prepared_fields("x-frame-options: SAMEORIGIN\r\n");
      return std::move(response.set("Referrer-Policy", "no-referrer"));
    });
  }
};

TEST_F(SecurityHeaders, AreThereByDefault) {
  build({});
  for (const std::string& question : {get("/"), request("POST", "/")}) {
    const Answer answer = ask(question);
    EXPECT_EQ(answer.field("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(answer.field("X-Frame-Options"), "DENY");
    EXPECT_EQ(answer.field("Referrer-Policy"), "strict-origin-when-cross-origin");
    EXPECT_EQ(answer.count("Strict-Transport-Security"), 0u);
    EXPECT_EQ(answer.count("Content-Security-Policy"), 0u);
  }
}

TEST_F(SecurityHeaders, LeaveWhatAHandlerHasSet) {
  build({});
  const Answer answer = ask(get("/own"));
  EXPECT_EQ(answer.field("X-Frame-Options"), "SAMEORIGIN");
  EXPECT_EQ(answer.count("X-Frame-Options"), 1u);
  EXPECT_EQ(answer.field("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(answer.count("Referrer-Policy"), 1u);
  EXPECT_EQ(answer.count("X-Content-Type-Options"), 1u);
}

TEST_F(SecurityHeaders, AreAsOneWantsThem) {
  build({.frame_options = "",
         .content_security_policy = "default-src 'self'",
         .permissions_policy = "camera=()",
         .hsts_max_age = std::chrono::hours(1),
         .hsts_include_subdomains = true});
  const Answer answer = ask(get("/"));
  EXPECT_EQ(answer.count("X-Frame-Options"), 0u);
  EXPECT_EQ(answer.field("Content-Security-Policy"), "default-src 'self'");
  EXPECT_EQ(answer.field("Permissions-Policy"), "camera=()");
  // RFC 6797 6.1
  EXPECT_EQ(answer.field("Strict-Transport-Security"), "max-age=3600; includeSubDomains");
}

TEST_F(SecurityHeaders, WithAValueThatCannotBeSentAreAnErrorOfTheServer) {
  build({.content_security_policy = "default-src\r\nX: y"});
  EXPECT_EQ(ask(get("/")).status, 500);
}

}  // namespace
}  // namespace ssx::http::test

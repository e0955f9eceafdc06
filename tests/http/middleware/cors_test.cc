#include "http/middleware/cors.h"

#include "tests/http/middleware/middleware_fixture.h"

namespace ssx::http::test {
namespace {

// The sections are those of the Fetch Standard.
class Cors : public MiddlewareTest {
 protected:
  void build() {
    surround(cors(policy));
    add(Method::kGet, "/", [](const Request&) { return "x"; });
    add(Method::kGet, "/varied",
        [](const Request&) { return std::move(Response("x").set("Vary", "Accept")); });
  }
  static std::string preflight(std::string_view origin, std::string_view method,
                               std::string_view headers = "") {
    std::string lines = "Origin: ";
    lines.append(origin).append("\r\nAccess-Control-Request-Method: ").append(method);
    if (!headers.empty()) lines.append("\r\nAccess-Control-Request-Headers: ").append(headers);
    return request("OPTIONS", "/", lines.append("\r\n"));
  }
  static std::string from(std::string_view origin) {
    return get("/", std::string("Origin: ").append(origin).append("\r\n"));
  }

  CorsOptions policy{.enabled = true,
                     .origins = {"https://a.example", "https://b.example:8443"},
                     .methods = {"GET", "PUT"},
                     .headers = {"Content-Type", "X-Y"},
                     .expose_headers = {"X-Z", "X-W"}};
};

TEST_F(Cors, AllowsTheOriginsOfTheList) {  // 4.10 CORS check
  build();
  for (const char* origin : {"https://a.example", "https://b.example:8443"}) {
    const Answer answer = ask(from(origin));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.field("Access-Control-Allow-Origin"), origin);
    EXPECT_EQ(answer.field("Access-Control-Expose-Headers"), "X-Z, X-W");
    EXPECT_EQ(answer.count("Access-Control-Allow-Credentials"), 0u);
    EXPECT_EQ(answer.field("Vary"), "Origin");
  }
}

TEST_F(Cors, SaysNothingToOthers) {
  build();
  for (const char* origin : {"https://evil.example", "http://a.example", "https://a.example:443",
                             "https://a.example.evil", "https://A.example", "null", "*"}) {
    const Answer answer = ask(from(origin));
    EXPECT_EQ(answer.status, 200);  // the browser keeps it from the page
    EXPECT_EQ(answer.count("Access-Control-Allow-Origin"), 0u) << origin;
    EXPECT_EQ(answer.field("Vary"), "Origin") << "caches must not mix them (3.2.5)";
  }
}

TEST_F(Cors, VariesWithoutAnOriginToo) {  // 3.2.5: CORS protocol and HTTP caches
  build();
  EXPECT_EQ(ask(get("/")).field("Vary"), "Origin");
  EXPECT_EQ(ask(get("/varied")).count("Vary"), 2u);
  EXPECT_EQ(ask(get("/nowhere")).count("Vary"), 0u);  // nobody surrounds that one here
}

TEST_F(Cors, AnswersPreflights) {  // 4.8
  build();
  const Answer answer = ask(preflight("https://a.example", "PUT", "content-type,x-y"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.field("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(answer.field("Access-Control-Allow-Methods"), "GET, PUT");
  EXPECT_EQ(answer.field("Access-Control-Allow-Headers"), "Content-Type, X-Y");
  EXPECT_EQ(answer.field("Access-Control-Max-Age"), "600");
  EXPECT_EQ(answer.count("Vary"), 3u);
  EXPECT_EQ(answer.body, "");
}

TEST_F(Cors, RefusesPreflights) {
  build();
  for (const std::string& question :
       {preflight("https://evil.example", "GET"), preflight("https://a.example", "DELETE"),
        preflight("https://a.example", "get"),  // methods are told apart by case (RFC 9110 9.1)
        preflight("https://a.example", "GET", "authorization"),
        preflight("https://a.example", "GET", "x-y, x-other"),
        preflight("https://a.example", "GET", "x-y;x")}) {
    const Answer answer = ask(question);
    EXPECT_EQ(answer.status, 403) << question;
    EXPECT_EQ(answer.count("Access-Control-Allow-Origin"), 0u);
    EXPECT_EQ(answer.count("Access-Control-Allow-Methods"), 0u);
    EXPECT_EQ(answer.field("Vary"), "Origin");
  }
}

TEST_F(Cors, LeavesOtherOptionsAlone) {  // RFC 9110 9.3.7
  build();
  const Answer plain = ask(request("OPTIONS", "/"));
  EXPECT_EQ(plain.status, 204);
  EXPECT_NE(plain.field("Allow"), "");
  const Answer asked = ask(request("OPTIONS", "/", "Origin: https://a.example\r\n"));
  EXPECT_NE(asked.field("Allow"), "");
  EXPECT_EQ(asked.field("Access-Control-Allow-Origin"), "https://a.example");
}

TEST_F(Cors, AllowsAllOrigins) {
  policy.origins = {"*"};
  policy.headers = {"*"};
  build();
  const Answer answer = ask(from("https://any.example"));
  EXPECT_EQ(answer.field("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(answer.count("Vary"), 0u);
  const Answer asked = ask(preflight("null", "GET", "authorization, x-any"));
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(asked.field("Access-Control-Allow-Headers"), "authorization, x-any");
  EXPECT_EQ(ask(preflight("null", "GET", "a b")).status, 403);
}

TEST_F(Cors, AllowsCredentialsToTheListAlone) {  // 3.2.5
  policy.credentials = true;
  build();
  const Answer answer = ask(from("https://a.example"));
  EXPECT_EQ(answer.field("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(answer.field("Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(ask(from("https://evil.example")).count("Access-Control-Allow-Credentials"), 0u);
  EXPECT_EQ(ask(preflight("https://a.example", "GET")).field("Access-Control-Allow-Credentials"),
            "true");
}

TEST_F(Cors, AllowsNoCredentialsToAllOrigins) {
  policy.origins = {"*"};
  policy.credentials = true;
  build();
  const Answer answer = ask(from("https://a.example"));
  EXPECT_EQ(answer.field("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(answer.count("Access-Control-Allow-Credentials"), 0u);
}

}  // namespace
}  // namespace ssx::http::test

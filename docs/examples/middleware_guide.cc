// What docs/guide/middleware.md shows, as one program:  middleware_guide [PORT]
#include <chrono>
#include <cstdlib>
#include <string>

#include "ssxrver/ssxrver.h"

namespace {

using namespace std::chrono_literals;
using ssx::Request;
using ssx::Response;
using ssx::Status;
using ssx::Task;

/// Around functions: what is inside is called like one.
const ssx::Middleware with_worker([](const Request& request, const ssx::Next& next) -> Response {
  Response answer = next(request);
  answer.set("X-Worker", std::to_string(request.worker()));
  return answer;
});

Task<bool> is_open_now(const Request& request) {
  co_await ssx::net::sleep_for(1ms);  // a look into a database, say
  co_return request.path() != "/closed";
}

/// Around anything: it may wait before and behind.
const ssx::Middleware door([](const Request& request,
                              const ssx::AsyncNext& next) -> Task<Response> {
  if (!co_await is_open_now(request)) co_return Status::kForbidden;
  co_return co_await next(request);
});

/// Around anything, and no coroutine: what is asked first, what is done last. Either may be null.
const ssx::Middleware only_https = ssx::Middleware::hooks(
    [](const Request& request) -> std::optional<Response> {
      if (request.header("X-Forwarded-Proto") != "http") return std::nullopt;  // go on
      return Response::redirect(
          "https://" + std::string(request.host()) + std::string(request.target()),
          Status::kPermanentRedirect);
    },
    [](const Request&, Response& answer) {
      if (!answer.has("Cache-Control")) answer.set("Cache-Control", "no-store");
    });

const ssx::Middleware with_language = ssx::Middleware::hooks(
    [](const Request& request) -> std::optional<Response> {
      request.set_attribute("language", std::string(request.query("lang").value_or("en")));
      return std::nullopt;
    },
    nullptr);

Response greet(const Request& request) {
  return request.attribute("language") == "de" ? "Guten Tag!\n" : "Hello!\n";
}

void add_order(ssx::App& app) {
  app.use(ssx::request_id());        // outermost: sees every request and every answer
  app.use(ssx::security_headers());  // inside of it
  auto api = app.group("/api", {.middleware = {only_https}});
  api.get("/greet", greet, {.middleware = {with_language}});  // innermost
}

void add_request_id(ssx::App& app) {
  app.use(ssx::request_id({.field = "X-Request-Id", .trust_request = true}));
  app.get("/name", [](const Request& request) {
    return std::string(request.attribute("request_id").value_or("")) + "\n";
  });
}

void add_security_headers(ssx::App& app) {
  app.use(ssx::security_headers({.content_security_policy = "default-src 'self'",
                                 .hsts_max_age = std::chrono::hours(24 * 365)}));
}

void add_cors(ssx::App& app) {
  const ssx::CorsOptions pages{.origins = {"https://app.example"},
                               .methods = {"GET", "PUT"},
                               .headers = {"Content-Type"},
                               .credentials = true};
  auto shared = app.group("/shared", {.middleware = {ssx::cors(pages)}});
  shared.get("/data", [](const Request&) { return Response::json("[1]"); });
  shared.put("/data", [](const Request&) { return Status::kNoContent; });
}

bool add_basic_auth(ssx::App& app) {
  const auto staff = ssx::basic_auth({
      .realm = "staff",
      .users = {{"ann",
                 "{sha256:"
                 "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
                 "}"}},  // printf %s secret | sha256sum
  });
  if (!staff) return false;  // a name or hash that cannot be
  auto rooms = app.group("/staff", {.middleware = {*staff}});
  rooms.get("/", [](const Request& request) {
    return "hello, " + std::string(*request.attribute("user")) + "\n";
  });
  return true;
}

Task<std::string> user_of(std::string token) {
  co_await ssx::net::sleep_for(1ms);
  co_return token == "t-2" ? "bob" : "";
}

void add_bearer_tokens(ssx::App& app) {
  const ssx::AsyncTokenCheck check = [](const Request& request,
                                        std::string_view token) -> Task<bool> {
    std::string user = co_await user_of(std::string(token));
    if (user.empty()) co_return false;
    request.set_attribute("user", std::move(user));
    co_return true;
  };
  auto machines = app.group("/machines", {.middleware = {ssx::bearer_token(check)}});
  machines.get("/", [](const Request& request) {
    return "hello, " + std::string(*request.attribute("user")) + "\n";
  });
}

bool add_rate_limit(ssx::App& app) {
  const auto few = ssx::rate_limit({.rate = {.events = 5, .per = 60s, .burst = 3}});
  if (!few) return false;
  app.post("/login", [](const Request&) { return Status::kNoContent; }, {.middleware = {*few}});
  return true;
}

void add_compression(ssx::App& app) {
  auto texts = app.group("/texts", {.middleware = {ssx::compression({.min_size = 256})}});
  texts.get("/long", [](const Request&) { return Response::text(std::string(4096, 'a')); });
  texts.get("/account", [](const Request&) {
    Response answer(std::string(4096, 'a'));
    answer.set("Cache-Control", "private, no-transform");  // a secret in it
    return answer;
  });
}

bool add_signed_cookies(ssx::App& app, const std::string& key) {
  const auto cookies = ssx::SignedCookies::create({.keys = {key}, .names = {"__Host-user"}});
  if (!cookies) return false;
  auto site = app.group("/site", {.middleware = {cookies->middleware()}});
  site.get("/", [](const Request& request) {
    const auto user = ssx::signed_cookie(request, "__Host-user");
    return user ? "hello, " + std::string(*user) + "\n" : std::string("who are you?\n");
  });
  site.post("/enter", [cookies](const Request& request) -> Response {
    Response answer = Response::redirect("/site/", Status::kSeeOther);
    const auto set = cookies->set(answer, "__Host-user", request.query("name").value_or(""));
    return set ? std::move(answer) : ssx::answer_to_error(request, set.error());
  });
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  ssx::App app;
  add_order(app);
  add_request_id(app);
  add_security_headers(app);
  add_cors(app);
  add_bearer_tokens(app);
  add_compression(app);
  if (!add_basic_auth(app) || !add_rate_limit(app) || !add_signed_cookies(app, "not a good secret"))
    return EXIT_FAILURE;
  app.get("/worker", [](const Request&) { return "here\n"; }, {.middleware = {with_worker}});
  app.get("/closed", [](const Request&) { return "open\n"; }, {.middleware = {door}});
  app.get("/open", [](const Request&) { return "open\n"; }, {.middleware = {door}});
  return app.listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080)).run();
}

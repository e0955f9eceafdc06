#include "ssxrver/app/builtin_routes.h"

#include <sys/stat.h>

#include <chrono>
#include <string>

#include "tests/app/app_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using test::RawClient;

class BuiltInRoutes : public test::AppTest {
 protected:
  static RouteOptions route(std::string match, std::string handler) {
    RouteOptions options;
    options.match = std::move(match);
    options.handler = std::move(handler);
    return options;
  }
  void add(const RouteOptions& options) {
    const auto added = add_route(*app, options);
    ASSERT_TRUE(added) << added.error().text();
  }
  /// What is wrong with it.
  std::string refusal(const RouteOptions& options, ExitCode code) {
    const auto added = add_route(*app, options);
    if (added) return "it was taken";
    EXPECT_EQ(added.error().code(), code);
    return added.error().text();
  }
};

TEST_F(BuiltInRoutes, AnswerWithText) {
  RouteOptions text = route("/text", "text");
  text.answer = {418, "text/x-tea", "short and stout"};
  add(text);
  app->listen(0);
  const auto answer = ask(start(), "/text");
  EXPECT_EQ(answer.status, 418);
  EXPECT_EQ(answer.field("Content-Type"), "text/x-tea");
  EXPECT_EQ(answer.count("Content-Type"), 1u);
  EXPECT_EQ(answer.body, "short and stout");
}

TEST_F(BuiltInRoutes, SayNothingOfATypeWhereThereIsNoContent) {
  RouteOptions empty = route("/empty", "text");
  add(empty);
  RouteOptions none = route("/none", "text");
  none.answer = {204, "text/plain", "never sent"};
  add(none);
  app->listen(0);
  const auto port = start();
  for (const char* target : {"/empty", "/none"}) {
    const auto answer = ask(port, target);
    EXPECT_EQ(answer.status, target == std::string("/none") ? 204 : 200);
    EXPECT_EQ(answer.count("Content-Type"), 0u) << target;
    EXPECT_EQ(answer.body, "");
  }
}

TEST_F(BuiltInRoutes, AnswerWithAStatusAndItsPage) {
  RouteOptions gone = route("/gone", "status");
  gone.answer.status = 410;
  add(gone);
  RouteOptions own = route("/own", "status");
  own.answer = {451, "text/plain", "a page of its own"};
  add(own);
  app->listen(0);
  const auto port = start();
  const auto page = ask(port, "/gone");
  EXPECT_EQ(page.status, 410);
  EXPECT_NE(page.body.find("410 Gone"), std::string::npos) << page.body;
  const auto given = ask(port, "/own");
  EXPECT_EQ(given.status, 451);
  EXPECT_EQ(given.body, "a page of its own");
}

TEST_F(BuiltInRoutes, SendABodyBack) {
  app->options().server.workers.count = 1;
  app->options().http.body_spool_threshold = 1000;
  add(route("/echo", "echo"));
  app->listen(0);
  RawClient client = RawClient::tcp(start());
  for (const std::size_t size :
       {0UL, 10UL, 1000UL, 1001UL, 50000UL}) {  // from memory and from a file
    const std::string body(size, 'x');
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: " +
                std::to_string(size) + "\r\n\r\n" + body);
    const auto answer = client.read_response();
    EXPECT_TRUE(answer.body == body) << size;
    EXPECT_EQ(answer.field("Content-Type"), "a/b");
  }
}

TEST_F(BuiltInRoutes, ServeFilesForTheMethodsThatFilesHave) {
  test::TempDir directory;
  directory.write("page.txt", "page");
  RouteOptions files = route("/files/*", "static");
  files.files.root = directory.path();
  add(files);
  app->listen(0);
  const auto port = start();
  EXPECT_EQ(ask(port, "/files/page.txt").body, "page");
  RawClient client = RawClient::tcp(port);
  client.send("DELETE /files/page.txt HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto answer = client.read_response();
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(BuiltInRoutes, SendElsewhere) {
  RouteOptions moved = route("/old/{id}/*", "redirect");
  moved.to = "/new/{rest}?id={id}";
  moved.answer.status = 308;
  add(moved);
  RouteOptions far = route("/far/*", "redirect");
  far.to = "https://b.example/{rest}";
  far.answer.status = 302;
  add(far);
  app->listen(0);
  const auto port = start();
  const auto answer = ask(port, "/old/a%26b/x/y%20z?q=1");
  EXPECT_EQ(answer.status, 308);
  EXPECT_EQ(answer.field("Location"), "/new/x/y%20z?id=a%26b");
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(ask(port, "/far/a?q=1").status, 302);
  EXPECT_EQ(ask(port, "/far/a?q=1").field("Location"), "https://b.example/a?q=1");
  // Neither another host nor another line.
  EXPECT_EQ(ask(port, "/far//evil.example/%3Fa%23").field("Location"),
            "https://b.example/evil.example/%3Fa%23");
  RouteOptions wrong = route("/x", "redirect");
  wrong.to = "/{id}";
  EXPECT_EQ(refusal(wrong, ExitCode::kConfig),
            "route \"/x\": \"to\": {id} is no part of \"match\"");
}

TEST_F(BuiltInRoutes, AskAgainWithAnotherTarget) {
  RouteOptions old = route("/old/*", "rewrite");
  old.to = "/new/{rest}";
  add(old);
  RouteOptions text = route("/new/a", "text");
  text.answer.body = "answered";
  text.around.middleware = {"request_id"};
  add(text);
  RouteOptions loop = route("/loop", "rewrite");
  loop.to = "/loop?x";
  add(loop);
  app->listen(0);
  const auto port = start();
  const auto answer = ask(port, "/old/a?q=1");
  EXPECT_EQ(answer.body, "answered");
  EXPECT_EQ(answer.count("X-Request-Id"), 1u);
  EXPECT_EQ(ask(port, "/old/b").status, 404);
  EXPECT_EQ(ask(port, "/loop").status, 500);
}

TEST_F(BuiltInRoutes, HaveARateOfTheirOwn) {
  app->options().server.workers.count = 2;
  RouteOptions text = route("/text", "text");
  text.around.rate_limit = {1, std::chrono::seconds(60), 5};
  add(text);
  add(route("/free", "text"));
  app->listen(0);
  const auto port = start();
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(ask(port, "/text").status, 200) << i;
  const auto refused = ask(port, "/text");
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.field("Retry-After"), "");
  EXPECT_EQ(ask(port, "/free").status, 200);
}

TEST_F(BuiltInRoutes, AreSurroundedByMiddleware) {
  RouteOptions text = route("/text", "text");
  text.around.middleware = {"request_id", "security_headers"};
  text.around.rate_limit = {1, std::chrono::seconds(60), 1};
  add(text);
  app->listen(0);
  const auto port = start();
  for (const int status : {200, 429}) {  // around what comes behind them
    const auto answer = ask(port, "/text");
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.field("X-Request-Id").size(), 32u);
    EXPECT_EQ(answer.field("X-Content-Type-Options"), "nosniff");
  }
}

TEST_F(BuiltInRoutes, LetInWhoStandsInAFile) {
  test::TempDir directory;
  directory.write("users", "ann:secret");
  directory.write("tokens", "t0ken");
  for (const char* name : {"users", "tokens"})
    ASSERT_EQ(::chmod((directory.path() + "/" + name).c_str(), 0600), 0);
  RouteOptions basic = route("/basic", "text");
  basic.around.auth = "basic:" + directory.path() + "/users";
  add(basic);
  RouteOptions bearer = route("/bearer", "text");
  bearer.around.auth = "bearer:" + directory.path() + "/tokens";
  add(bearer);
  app->listen(0);
  const auto port = start();
  const auto come = [port](std::string_view target, const std::string& credentials) {
    RawClient client = RawClient::tcp(port);
    client.send(get(target, "Authorization: " + credentials + "\r\n"));
    return client.read_response().status;
  };
  EXPECT_EQ(ask(port, "/basic").status, 401);
  EXPECT_EQ(come("/basic", "Basic YW5uOnNlY3JldA=="), 200);
  EXPECT_EQ(come("/basic", "Basic YW5uOnNlY3JlcA=="), 401);
  EXPECT_EQ(ask(port, "/bearer").status, 401);
  EXPECT_EQ(come("/bearer", "Bearer t0ken"), 200);
  EXPECT_EQ(come("/bearer", "Bearer t0kem"), 401);
}

TEST_F(BuiltInRoutes, RunOnTaskThreads) {
  app->options().tasks.threads = 1;
  RouteOptions text = route("/text", "text");
  text.run_on_tasks = true;
  text.answer.body = "from a task thread";
  add(text);
  RouteOptions echo = route("/echo", "echo");
  add(echo);
  app->listen(0);
  EXPECT_EQ(ask(start(), "/text").body, "from a task thread");
}

TEST_F(BuiltInRoutes, WhoseSurroundingsCannotBeMadeAreRefused) {
  RouteOptions unknown = route("/x", "text");
  unknown.around.middleware = {"magic"};
  EXPECT_EQ(refusal(unknown, ExitCode::kConfig), "route \"/x\": no middleware is called \"magic\"");
  RouteOptions nowhere = route("/x", "text");
  nowhere.around.auth = "basic:/nowhere";
  EXPECT_EQ(refusal(nowhere, ExitCode::kConfig),
            "route \"/x\": \"/nowhere\" cannot be read: No such file or directory");
  test::TempDir directory;
  directory.write("users", "ann:secret\nbob:$apr1$qvgwKDAd$3.tzr24SeCC1aY05PDkis1");
  const std::string users = directory.path() + "/users";
  ASSERT_EQ(::chmod(users.c_str(), 0600), 0);
  RouteOptions slow = route("/x", "text");
  slow.around.auth = "basic:" + users;
  EXPECT_EQ(refusal(slow, ExitCode::kConfig),
            "route \"/x\": \"" + users + "\": line 2: a hash of this kind needs a task thread");
}

TEST_F(BuiltInRoutes, AreRefusedWithTheRouteAndTheReason) {
  EXPECT_EQ(refusal(route("/x", "magic"), ExitCode::kConfig),
            "route \"/x\": no handler is called \"magic\"");
  RouteOptions split = route("/split", "text");
  split.answer.content_type = "text/plain\r\nX-Injected: 1";
  EXPECT_NE(refusal(split, ExitCode::kConfig).find("route \"/split\""), std::string::npos);
  RouteOptions nowhere = route("/nowhere/*", "static");
  nowhere.files.root = "/nowhere/at/all";
  EXPECT_NE(refusal(nowhere, ExitCode::kNoInput).find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace ssx

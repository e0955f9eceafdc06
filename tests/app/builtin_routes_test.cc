#include "ssxrver/app/builtin_routes.h"

#include <string>

#include "tests/app/app_fixture.h"
#include "tests/support/temp_dir.h"

namespace ssx {
namespace {

using http::RouteOptions;
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
  for (const std::size_t size : {0, 10, 1000, 1001, 50'000}) {  // from memory and from a file
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

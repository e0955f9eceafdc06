// What surrounds a route: run_on, middleware, rate_limit, auth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "ssxrver/config/server_config.h"
#include "tests/support/temp_dir.h"

namespace ssx::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RouteTables : public testing::Test {
 protected:
  /// `keys` are those of a route that answers with a text; `more` stands at the top level.
  static StartupResult<ServerConfig> parse(const std::string& keys, const std::string& more = "") {
    return ServerConfig::parse(
        "{" + more + "\"http\": {\"routes\": [{\"handler\": \"text\",\n" + keys + "}]}}", {}, "t");
  }
  static std::vector<std::string> problems(const std::string& keys, const std::string& more = "") {
    const auto config = parse(keys, more);
    return config ? std::vector<std::string>() : config.error().sentences();
  }
  static RouteOptions route(const std::string& keys, const std::string& more = "") {
    const auto config = parse(keys, more);
    EXPECT_TRUE(config) << config.error().text();
    if (!config) return {};
    const auto again = ServerConfig::parse(config->to_json());
    EXPECT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->routes, config->routes);
    return config->routes.at(0);
  }
  std::string write(const std::string& name, const std::string& text, unsigned mode = 0600) const {
    folder.write(name, text);
    const std::string path = folder.path() + "/" + name;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  test::TempDir folder;
};

TEST_F(RouteTables, HaveNothingAroundByDefault) {
  EXPECT_EQ(route(R"("match": "/")").around, http::SurroundOptions());
  EXPECT_EQ(route(R"("run_on": "loop", "rate_limit": "", "auth": "", "middleware": [])").around,
            http::SurroundOptions());
}

TEST_F(RouteTables, BindARate) {
  EXPECT_EQ(route(R"("rate_limit": "10/s burst 20")").around.rate_limit,
            (net::Rate{10, std::chrono::seconds(1), 20}));
  EXPECT_THAT(problems(R"("rate_limit": "often")"),
              ElementsAre("t:2:15: /http/routes/0/rate_limit: expected a rate such as \"1000/s "
                          "burst 2000\", found \"often\""));
}

TEST_F(RouteTables, BindMiddlewareByItsNames) {
  EXPECT_THAT(route(R"("middleware": ["security_headers", "request_id"])").around.middleware,
              ElementsAre("security_headers", "request_id"));
  EXPECT_THAT(problems(R"("middleware": ["request_ids"])"),
              ElementsAre("t:2:16: /http/routes/0/middleware/0: expected \"request_id\" or "
                          "\"security_headers\" (\"request_id\"?), found \"request_ids\""));
  EXPECT_THAT(problems(R"("middleware": ["request_id", "request_id"])"),
              ElementsAre(HasSubstr("/middleware/1: \"request_id\" is there already")));
  EXPECT_THAT(problems(R"("middleware": "request_id")"),
              ElementsAre(HasSubstr("/middleware: expected a list of names")));
}

TEST_F(RouteTables, RunOnTaskThreadsWhereThereAreSome) {
  const std::string threads = "\"task_processes\": 1,";
  EXPECT_TRUE(route(R"("run_on": "tasks")", threads).run_on_tasks);
  EXPECT_FALSE(route(R"("run_on": "loop")").run_on_tasks);
  EXPECT_THAT(problems(R"("run_on": "tasks")"),
              ElementsAre("t:2:11: /http/routes/0/run_on: there is no task thread: "
                          "\"task_processes\" is 0"));
  EXPECT_TRUE(ServerConfig::parse(
      R"({"task_processes": 1, "http": {"routes":
          [{"handler": "status", "status": 404, "run_on": "tasks"}]}})"));
  for (const std::string handler : {"static", "echo"}) {
    const auto config =
        ServerConfig::parse("{\"task_processes\": 1, \"http\": {\"routes\": [{\"handler\": \"" +
                            handler + "\", \"run_on\": \"tasks\"}]}}");
    ASSERT_FALSE(config) << handler;
    EXPECT_THAT(config.error().text(), HasSubstr("/http/routes/0/run_on: the handler \"" + handler +
                                                 "\" runs on the loop"));
  }
}

TEST_F(RouteTables, LetInWhoStandsInAFile) {
  const auto users = write("users", "ann:secret\n");
  EXPECT_EQ(route("\"auth\": \"basic:" + users + "\"").around.auth, "basic:" + users);
  const auto tokens = write("tokens", "secret\n");
  EXPECT_EQ(route("\"auth\": \"bearer:" + tokens + "\"").around.auth, "bearer:" + tokens);
}

TEST_F(RouteTables, RefuseAFileThatCannotBeUsed) {
  const std::string where = "t:2:9: /http/routes/0/auth: ";
  EXPECT_THAT(problems(R"("auth": "digest:x")"),
              ElementsAre(where + "expected \"basic:FILE\" or \"bearer:FILE\", found "
                                  "\"digest:x\""));
  EXPECT_THAT(problems(R"("auth": "basic:/nowhere/at/all")"),
              ElementsAre(where + "\"/nowhere/at/all\" cannot be read: No such file or directory"));
  const auto open = write("open", "ann:secret\n", 0644);
  EXPECT_THAT(
      problems("\"auth\": \"basic:" + open + "\""),
      ElementsAre(where + "\"" + open + "\" holds secrets and everybody may read it: chmod o= it"));
  const auto wrong = write("wrong", "ann:secret\nbob\n");
  EXPECT_THAT(problems("\"auth\": \"basic:" + wrong + "\""),
              ElementsAre(where + "\"" + wrong +
                          "\": line 2: expected NAME:PASSWORD or NAME:{sha256:HEX}"));
}

TEST_F(RouteTables, HashesThatTakeTheirTimeNeedTaskThreads) {
  const auto users = write("users", "ann:secret\nbob:$apr1$qvgwKDAd$3.tzr24SeCC1aY05PDkis1\n");
  const std::string auth = "\"auth\": \"basic:" + users + "\"";
  EXPECT_EQ(route(auth, "\"task_processes\": 1,").around.auth, "basic:" + users);
  EXPECT_THAT(problems(auth),
              ElementsAre("t:2:9: /http/routes/0/auth: \"" + users +
                          "\": line 2: a hash of this kind needs a task thread, and "
                          "\"task_processes\" is 0"));
}

TEST_F(RouteTables, FindAFileFromTheWorkingDirectory) {
  write("users", "ann:secret\n");
  const std::string there = R"("daemon": {"working_directory": ")" + folder.path() + "\"},";
  EXPECT_EQ(route(R"("auth": "basic:users")", there).around.auth, "basic:users");
  EXPECT_THAT(problems(R"("auth": "basic:others")", there),
              ElementsAre(HasSubstr("/others\" cannot be read")));
  auto config = *parse(R"("auth": "basic:users")", there);
  config.make_paths_absolute("/srv");
  EXPECT_EQ(config.routes[0].around.auth, "basic:/srv/users");
  config.make_paths_absolute("/other");
  EXPECT_EQ(config.routes[0].around.auth, "basic:/srv/users");
}

std::vector<std::string> refusals(const std::string& entry) {
  const auto config = ServerConfig::parse("{\"http\": {\"routes\": [\n" + entry + "]}}", {}, "t");
  return config ? std::vector<std::string>() : config.error().sentences();
}

TEST(TargetTables, BindWhereARequestGoes) {
  const auto config = ServerConfig::parse(R"({"http": {"routes": [
      {"match": "/a/{id}/*", "handler": "redirect", "to": "https://b.example/{rest}?id={id}"},
      {"match": "/b", "handler": "redirect", "to": "/c?", "status": 308},
      {"match": "/d/*", "methods": ["GET"], "host": "h", "handler": "rewrite", "to": "/e/{rest}"}
      ]}})");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->routes[0].to, "https://b.example/{rest}?id={id}");
  EXPECT_EQ(config->routes[0].answer.status, 301);
  EXPECT_EQ(config->routes[1].answer.status, 308);
  EXPECT_EQ(config->routes[2].to, "/e/{rest}");
  const auto again = ServerConfig::parse(config->to_json());
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->routes, config->routes);
}

TEST(TargetTables, NeedATarget) {
  for (const std::string handler : {"redirect", "rewrite"}) {
    EXPECT_THAT(
        refusals("{\"handler\": \"" + handler + "\"}"),
        ElementsAre("t:2:1: /http/routes/0: the handler \"" + handler + "\" needs the key \"to\""));
  }
  EXPECT_THAT(refusals(R"({"handler": "echo", "to": "/x"})"),
              ElementsAre(HasSubstr("to: belongs to the handlers \"redirect\" and \"rewrite\"")));
}

TEST(TargetTables, KnowThePartsOfTheMatch) {
  EXPECT_THAT(refusals(R"({"match": "/u/{name}", "handler": "rewrite", "to": "/x/{nme}"})"),
              ElementsAre("t:2:52: /http/routes/0/to: {nme} is no part of \"match\"; did you mean "
                          "{name}?"));
  EXPECT_THAT(refusals(R"({"match": "/u", "handler": "redirect", "to": "/{rest}"})"),
              ElementsAre("t:2:46: /http/routes/0/to: {rest} is no part of \"match\""));
  EXPECT_THAT(refusals(R"({"match": "/*", "handler": "redirect", "to": "https://{rest}.a/"})"),
              ElementsAre(HasSubstr("/to: {rest} would choose the host")));
  EXPECT_THAT(refusals(R"({"handler": "rewrite", "to": "https://a/"})"),
              ElementsAre(HasSubstr("/to: expected a path such as")));
  EXPECT_THAT(refusals(R"({"handler": "redirect", "to": "//a/"})"),
              ElementsAre(HasSubstr("/to: expected a path such as")));
}

TEST(TargetTables, HaveTheStatusOfARedirect) {
  for (const int status : {301, 302, 303, 307, 308}) {
    EXPECT_THAT(
        refusals(R"({"handler": "redirect", "to": "/", "status": )" + std::to_string(status) + "}"),
        ElementsAre());
  }
  for (const int status : {200, 300, 304, 305, 306, 309, 404}) {
    const auto number = std::to_string(status);
    EXPECT_THAT(refusals(R"({"handler": "redirect", "to": "/", "status": )" + number + "}"),
                ElementsAre("t:2:46: /http/routes/0/status: expected 301, 302, 303, 307 or 308, "
                            "found " +
                            number));
  }
}

TEST(TargetTables, LeaveTheRestToTheRouteThatAnswers) {
  for (const std::string key :
       {R"("max_body_size": 1)", R"("timeouts": {})", R"("rate_limit": "1/s")", R"("auth": "")",
        R"("middleware": [])", R"("run_on": "loop")"}) {
    EXPECT_THAT(refusals(R"({"handler": "rewrite", "to": "/x", )" + key + "}"),
                ElementsAre(HasSubstr("belongs to handlers that answer themselves")))
        << key;
  }
  EXPECT_THAT(refusals(R"({"handler": "rewrite", "to": "/x", "status": 301})"),
              ElementsAre(HasSubstr("status: belongs to")));
}

}  // namespace
}  // namespace ssx::config

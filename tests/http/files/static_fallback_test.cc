// What answers where no file is: try_files, spa_fallback, lists of folders; and cache_control.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/http/files/static_fixture.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

namespace fs = std::filesystem;
using sim::Call;

bool has(const Answer& answer, std::string_view part) {
  return answer.body.find(part) != std::string::npos;
}

// ---- try_files

class TryFiles : public StaticTest {
 protected:
  TryFiles() {
    write("page.html", "page");
    write("file", "file");
    write("folder/index.html", "folder");
    fs::create_directories(path_of("bare"));
    write("late.html", "late");
  }
};

TEST_F(TryFiles, AreTriedInOrder) {
  files.try_files = {"$uri", "$uri.html", "$uri/", "/late.html"};
  EXPECT_EQ(fetch("/file").body, "file");
  EXPECT_EQ(fetch("/page").body, "page");
  EXPECT_EQ(fetch("/page").field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(fetch("/folder/").body, "folder");
  EXPECT_EQ(fetch("/").body, "<h1>home</h1>");
  EXPECT_EQ(fetch("/nothing").body, "late");
  EXPECT_EQ(fetch("/nothing/at/all").body, "late");
  EXPECT_EQ(fetch("/bare/").body, "late");
  EXPECT_EQ(fetch("/nothing").status, 200);
}

TEST_F(TryFiles, SendAFolderToItsSlash) {
  files.try_files = {"$uri", "$uri/", "=404"};
  EXPECT_EQ(fetch("/folder").field("Location"), "/folder/");
  EXPECT_EQ(fetch("/folder?a=b").field("Location"), "/folder/?a=b");
  EXPECT_EQ(fetch("/bare").field("Location"), "/bare/");
  EXPECT_EQ(fetch("/bare/").status, 404);
}

TEST_F(TryFiles, MayEndWithAStatus) {
  files.try_files = {"$uri", "=410"};
  EXPECT_EQ(fetch("/file").status, 200);
  EXPECT_EQ(fetch("/nothing").status, 410);
  EXPECT_EQ(fetch("/folder").status, 410);  // "$uri" is for files
}

TEST_F(TryFiles, EndWith404) {
  files.try_files = {"$uri"};
  EXPECT_EQ(fetch("/nothing").status, 404);
}

TEST_F(TryFiles, KeepTheirOrderWhateverIsCached) {
  files.try_files = {"/maintenance.html", "$uri"};
  EXPECT_EQ(fetch("/file").body, "file");
  write("maintenance.html", "later");
  EXPECT_EQ(fetch("/file").body, "later");
  fs::remove(path_of("maintenance.html"));
  advance(files.open_file_cache.ttl);
  EXPECT_EQ(fetch("/file").body, "file");
}

TEST_F(TryFiles, FillTheCacheWithFilesAndNotWithPaths) {
  files.try_files = {"$uri", "/late.html"};
  files.open_file_cache.max = 2;
  fetch("/file");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(fetch("/nothing" + std::to_string(i)).body, "late");
  const sim::CallWatch watch;
  EXPECT_EQ(fetch("/file").body, "file");
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);
}

TEST_F(TryFiles, NeverLeaveTheRootOrShowDotfiles) {
  files.try_files = {"$uri", "$uri.html", "/../secret.txt", "/.hidden", "=404"};
  write(".hidden", "canary");
  write("folder/.html", "canary");
  for (const char* target : {"/nothing", "/bare/", "/.hidden", "/../secret.txt"}) {
    const Answer answer = fetch(target);
    EXPECT_EQ(answer.status / 100, 4) << target;
    EXPECT_FALSE(has(answer, "canary")) << target;
  }
  EXPECT_EQ(fetch("/folder/").body, "folder");
}

TEST_F(TryFiles, StopAtWhatGoesWrong) {
  files.try_files = {"$uri", "/late.html"};
  for (const auto& [error, status] : {std::pair(EMFILE, 503), {EACCES, 403}, {EIO, 500}}) {
    sim::FaultPlan plan;
    plan.fail(Call::kOpenBeneath, error);
    EXPECT_EQ(fetch("/file").status, status);
  }
}

// ---- spa_fallback

class Application : public StaticTest {
 protected:
  Application() {
    files.spa_fallback = "/index.html";
    write("app.js", "js");
    fs::create_directories(path_of("assets"));
  }
};

TEST_F(Application, AnswersForItsPages) {
  for (const char* target : {"/users", "/users/7", "/users/", "/a.b/c", "/assets/"}) {
    EXPECT_EQ(fetch(target).status, 200) << target;
    EXPECT_EQ(fetch(target).body, "<h1>home</h1>") << target;
    EXPECT_EQ(fetch(target).field("Content-Type"), "text/html; charset=utf-8");
  }
  EXPECT_EQ(fetch_head("/users").status, 200);
  EXPECT_EQ(fetch("/app.js").body, "js");
}

TEST_F(Application, AnswersForNoFileThatIsMissing) {
  for (const char* target : {"/app.css", "/assets/logo.png", "/.env", "/.git/config", "/.git/"})
    EXPECT_EQ(fetch(target).status, 404) << target;
}

TEST_F(Application, MayBeMissingItself) {
  files.spa_fallback = "/app.html";
  EXPECT_EQ(fetch("/users").status, 404);
}

TEST_F(Application, ComesAfterTryFiles) {
  files.try_files = {"$uri", "$uri.html"};
  write("page.html", "page");
  EXPECT_EQ(fetch("/page").body, "page");
  EXPECT_EQ(fetch("/users").body, "<h1>home</h1>");
}

// ---- cache_control

using CacheControl = StaticTest;

TEST_F(CacheControl, IsThatOfTheFirstRule) {
  files.cache_control = {{"*.html", "no-cache"}, {"/assets/*", "max-age=31536000, immutable"}};
  write("assets/a.js", "js");
  write("robots.txt", "x");
  EXPECT_EQ(fetch("/").field("Cache-Control"), "no-cache");
  EXPECT_EQ(fetch("/assets/a.js").field("Cache-Control"), "max-age=31536000, immutable");
  EXPECT_EQ(fetch("/robots.txt").count("Cache-Control"), 0u);
  EXPECT_EQ(fetch("/nothing.html").count("Cache-Control"), 0u);
  EXPECT_EQ(fetch("/", "If-None-Match: *\r\n").field("Cache-Control"), "no-cache");  // 15.4.5
  EXPECT_EQ(fetch("/", "Range: bytes=0-1\r\n").field("Cache-Control"), "no-cache");
}

TEST_F(CacheControl, GoesByTheFileThatAnswers) {
  files.cache_control = {{"/app.html", "no-store"}, {"*", "max-age=60"}};
  files.spa_fallback = "/app.html";
  write("app.html", "app");
  EXPECT_EQ(fetch("/users").field("Cache-Control"), "no-store");
  EXPECT_EQ(fetch("/").field("Cache-Control"), "max-age=60");
}

// ---- autoindex; H07 of the abuse tests

class AbuseH07 : public StaticTest {
 protected:
  AbuseH07() {
    write("music/b.ogg", "12345");
    write("music/a <b>.ogg", "1");
    write("music/.secret", "canary");
    fs::create_directories(path_of("music/albums"));
    EXPECT_EQ(::mkfifo(path_of("music/fifo").c_str(), 0600), 0);
    fs::create_symlink("b.ogg", path_of("music/link_inside"));
    fs::create_symlink("../../secret.txt", path_of("music/link_outside"));
    write("music/line\r\nX-Evil: 1", "1");
  }
};

TEST_F(AbuseH07, IsOffByDefault) {
  EXPECT_EQ(fetch("/music/").status, 404);
  EXPECT_EQ(fetch("/music/?format=json").status, 404);
}

TEST_F(AbuseH07, ShowsWhatCanBeAskedFor) {
  files.autoindex = true;
  const Answer answer = fetch("/music/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.field("X-Content-Type-Options"), "nosniff");
  EXPECT_TRUE(has(answer, "<a href=\"./albums/\">albums/</a>"));
  EXPECT_TRUE(has(answer, "<a href=\"./a%20%3Cb%3E.ogg\">a &lt;b&gt;.ogg</a>"));
  EXPECT_TRUE(has(answer, "<a href=\"../\">"));
  EXPECT_LT(answer.body.find("albums"), answer.body.find("b.ogg"));
  for (const char* hidden : {".secret", "fifo", "link_", "Evil", "<b>"})
    EXPECT_FALSE(has(answer, hidden)) << hidden;
  EXPECT_EQ(fetch_head("/music/").field("Content-Length"), std::to_string(answer.body.size()));
  EXPECT_EQ(fetch("/music").field("Location"), "/music/");
  EXPECT_EQ(fetch("/music/a%20%3Cb%3E.ogg").body, "1");
}

TEST_F(AbuseH07, FollowsThePolicies) {
  files.autoindex = true;
  files.allow_dotfiles = true;
  files.follow_symlinks = true;
  const Answer answer = fetch("/music/");
  EXPECT_TRUE(has(answer, ".secret"));
  EXPECT_TRUE(has(answer, "link_inside"));
  EXPECT_FALSE(has(answer, "link_outside"));
}

TEST_F(AbuseH07, SpeaksJson) {
  files.autoindex = true;
  const Answer answer = fetch("/music/?format=json");
  EXPECT_EQ(answer.field("Content-Type"), "application/json");
  EXPECT_TRUE(answer.body.starts_with("{\"path\": \"/music/\", \"truncated\": false"));
  EXPECT_TRUE(has(answer,
                  "{\"name\": \"b.ogg\", \"type\": \"file\", \"size\": 5, "
                  "\"mtime\": \"1994-11-06T08:49:37Z\"}"));
}

TEST_F(AbuseH07, GivesWayToAnIndex) {
  files.autoindex = true;
  EXPECT_EQ(fetch("/").body, "<h1>home</h1>");
  files.index = {};
  restart();
  serve();
  EXPECT_TRUE(talk(get("/")).find("index.html") != std::string::npos);
  EXPECT_TRUE(talk(get("/")).find("../") == std::string::npos);  // this is the top
}

TEST_F(AbuseH07, HasSoManyRowsAndSaysWhenThereAreMore) {
  files.autoindex = true;
  for (int i = 0; i < 10; ++i) write("ten/" + std::to_string(i), "x");
  for (const std::size_t most : {9, 10, 11}) {
    files.autoindex_max = most;
    auto handler = *StaticHandler::create(files);
    restart();
    ASSERT_TRUE(router.add("", {Method::kGet}, "/*",
                           {[&handler](const Request& request) { return handler->answer(request); },
                            RouteLimits::from(options), "files"}));
    const std::string said = talk(get("/ten/?format=json"));
    std::size_t rows = 0;
    for (auto at = said.find("\"name\""); at != std::string::npos;
         at = said.find("\"name\"", at + 1))
      ++rows;
    EXPECT_EQ(rows, std::min<std::size_t>(most, 10));
    EXPECT_EQ(said.find("\"truncated\": true") != std::string::npos, most < 10);
    EXPECT_EQ(handler->counters(0).autoindex_max_hit.value(), most < 10 ? 1u : 0u);
  }
}

TEST_F(AbuseH07, SaysWhenAFolderCannotBeRead) {
  files.autoindex = true;
  fetch("/");
  for (const auto& [error, status] : {std::pair(EMFILE, 503), {EACCES, 403}, {EIO, 500}}) {
    for (const Call call : {Call::kDuplicate, Call::kListOpenDirectory}) {
      sim::FaultPlan plan;
      plan.fail(call, error);
      EXPECT_EQ(fetch("/music/").status, status) << error;
    }
  }
  sim::FaultPlan plan;
  plan.fail(Call::kStatAt, ENOENT, 100);  // all gone between two calls
  EXPECT_FALSE(has(fetch("/music/"), "b.ogg"));
}

}  // namespace
}  // namespace ssx::http::test

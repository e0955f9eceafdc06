#include "http/files/static_handler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "ssxrver/sys/file.h"
#include "tests/http/files/static_fixture.h"
#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

namespace fs = std::filesystem;
using sim::Call;

using StaticFiles = StaticTest;

TEST_F(StaticFiles, AreServedWithTheirFields) {
  write("style.css", "p{}");
  const Answer answer = fetch("/style.css");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "p{}");
  EXPECT_EQ(answer.field("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(answer.field("Content-Length"), "3");
  EXPECT_EQ(answer.field("Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_TRUE(answer.field("ETag").starts_with('"'));
  EXPECT_EQ(answer.count("Content-Type"), 1u);
}

TEST_F(StaticFiles, NeedARootThatIsThere) {
  files.root = directory.file("nowhere");
  EXPECT_FALSE(make_static_handler(files));
  files.root = path_of("index.html");
  EXPECT_FALSE(make_static_handler(files));
}

TEST_F(StaticFiles, AnswerAFolderWithItsIndex) {
  write("folder/index.html", "inner");
  EXPECT_EQ(fetch("/").body, "<h1>home</h1>");
  EXPECT_EQ(fetch("/folder/").body, "inner");
  EXPECT_EQ(fetch("/folder/").field("Content-Type"), "text/html; charset=utf-8");
}

TEST_F(StaticFiles, TryEachIndexInTurn) {
  files.index = {"default.htm", "index.html"};
  write("folder/default.htm", "first");
  fs::create_directories(path_of("odd/default.htm"));  // a folder is no index
  write("odd/index.html", "second");
  EXPECT_EQ(fetch("/").body, "<h1>home</h1>");
  EXPECT_EQ(fetch("/folder/").body, "first");
  EXPECT_EQ(fetch("/odd/").body, "second");
}

TEST_F(StaticFiles, ShowNoFolderWithoutAnIndex) {
  fs::create_directory(path_of("folder"));
  EXPECT_EQ(fetch("/folder/").status, 404);
}

TEST_F(StaticFiles, ForbidFoldersWhenThereAreNoIndexNames) {
  files.index = {};
  EXPECT_EQ(fetch("/").status, 403);
}

TEST_F(StaticFiles, SendAFolderToItsSlash) {
  write("folder/index.html", "inner");
  write("a b/index.html", "inner");
  const Answer answer = fetch("/folder");
  EXPECT_EQ(answer.status, 301);
  EXPECT_EQ(answer.field("Location"), "/folder/");
  EXPECT_EQ(fetch("/folder?x=y&z").field("Location"), "/folder/?x=y&z");
  EXPECT_EQ(fetch("/a%20b").field("Location"), "/a%20b/");
  EXPECT_EQ(fetch("http://a.example/folder?q").field("Location"), "/folder/?q");
  EXPECT_EQ(fetch_head("/folder").field("Location"), "/folder/");
}

TEST_F(StaticFiles, SendNobodyToAnotherServer) {
  write("evil.example/index.html", "inner");
  write("x:/y/index.html", "inner");
  for (const char* target : {"//evil.example", "///evil.example", "//evil.example/x/..//",
                             "http://a.example//evil.example"}) {
    const std::string location = fetch(target).field("Location");
    EXPECT_FALSE(location.starts_with("//")) << target;
    EXPECT_EQ(location.find("://"), std::string::npos) << target;
  }
  EXPECT_EQ(fetch("//evil.example").field("Location"), "/evil.example/");
  EXPECT_EQ(fetch("/x://y").field("Location"), "/x://y/");  // a path, whatever it looks like
}

TEST_F(StaticFiles, MayLieBelowAPathOfTheSite) {
  write("folder/file.txt", "text");
  serve("/files/*");
  EXPECT_EQ(fetch("/files/folder/file.txt").body, "text");
  EXPECT_EQ(fetch("/files/").body, "<h1>home</h1>");
  EXPECT_EQ(fetch("/files/folder").field("Location"), "/files/folder/");
  EXPECT_EQ(fetch("/folder/file.txt").status, 404);
}

TEST_F(StaticFiles, MayBeOneFileOfARoute) {
  write("favicon.ico", "icon");
  serve("/favicon.ico");
  EXPECT_EQ(fetch("/favicon.ico").body, "icon");
  EXPECT_EQ(fetch("/index.html").status, 404);
}

TEST_F(StaticFiles, AreForGetAndHead) {
  const auto handler = *make_static_handler(files);
  ASSERT_TRUE(router.add("", {}, "/*", {handler, RouteLimits::from(options), "files"}));
  EXPECT_EQ(fetch("/").status, 200);
  EXPECT_EQ(fetch_head("/").status, 200);
  Client client = connect();
  const Answer answer = ask(client, request("DELETE", "/"));
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.field("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(ask(client, post("/", "x")).status, 405);
}

TEST_F(StaticFiles, AnswerHeadWithTheFieldsOfGet) {
  const std::string large(200 << 10, 'x');
  write("large.bin", large);
  for (const char* target : {"/", "/large.bin"}) {
    EXPECT_EQ(fetch_head(target).head, fetch(target).head);
  }
}

TEST_F(StaticFiles, HaveNamesOfManyKinds) {
  for (const char* name : {"a b.txt", "100%.txt", "ü€😀.txt", "a+b.txt", "a&b=c.txt", "~.txt",
                           "a;b", "-", "a..b", "...", "UPPER.TXT"}) {
    write(name, name);
  }
  EXPECT_EQ(fetch("/a%20b.txt").body, "a b.txt");
  EXPECT_EQ(fetch("/100%25.txt").body, "100%.txt");
  EXPECT_EQ(fetch("/%C3%BC%E2%82%AC%F0%9F%98%80.txt").body, "ü€😀.txt");
  EXPECT_EQ(fetch("/a+b.txt").body, "a+b.txt");  // a plus is a plus in a path
  EXPECT_EQ(fetch("/a&b=c.txt").body, "a&b=c.txt");
  EXPECT_EQ(fetch("/~.txt").body, "~.txt");
  EXPECT_EQ(fetch("/a;b").body, "a;b");
  EXPECT_EQ(fetch("/-").body, "-");
  EXPECT_EQ(fetch("/a..b").body, "a..b");
  EXPECT_EQ(fetch("/...").status, 404);  // begins with a dot
  EXPECT_EQ(fetch("/upper.txt").status, 404);
  EXPECT_EQ(fetch("/index.html/").status, 404);
  EXPECT_EQ(fetch("/index.html/x").status, 404);
  EXPECT_EQ(fetch("/" + std::string(300, 'x')).status, 404);  // longer than a name may be
}

TEST_F(StaticFiles, HideWhatBeginsWithADot) {
  write(".htpasswd", "secret");
  write(".git/config", "secret");
  write("folder/.hidden/x", "secret");
  write(".well-known/acme", "public");
  for (const char* target : {"/.htpasswd", "/.git/config", "/.git", "/folder/.hidden/x",
                             "/%2ehtpasswd", "/.well-known/../.htpasswd"}) {
    EXPECT_EQ(fetch(target).status, 404) << target;
  }
  EXPECT_EQ(fetch("/.well-known/acme").body, "public");
}

TEST_F(StaticFiles, ShowWhatBeginsWithADotWhenAsked) {
  files.allow_dotfiles = true;
  write(".htpasswd", "not so secret");
  EXPECT_EQ(fetch("/.htpasswd").body, "not so secret");
}

TEST_F(StaticFiles, FollowLinksOnlyInsideAndOnlyWhenAsked) {
  write("target.txt", "target");
  fs::create_symlink("target.txt", path_of("inside"));
  fs::create_symlink("../secret.txt", path_of("outside"));
  fs::create_symlink("loop", path_of("loop"));
  for (const char* target : {"/inside", "/outside", "/loop"}) EXPECT_EQ(fetch(target).status, 404);
}

TEST_F(StaticFiles, FollowLinksThatStayInside) {
  files.follow_symlinks = true;
  write("target.txt", "target");
  fs::create_symlink("target.txt", path_of("inside"));
  fs::create_symlink("../secret.txt", path_of("outside"));
  fs::create_symlink("loop", path_of("loop"));
  EXPECT_EQ(fetch("/inside").body, "target");
  for (const char* target : {"/outside", "/loop"}) EXPECT_EQ(fetch(target).status, 404);
}

TEST_F(StaticFiles, AreNothingButFiles) {
  ASSERT_EQ(::mkfifo(path_of("fifo").c_str(), 0600), 0);
  EXPECT_EQ(fetch("/fifo").status, 404);
}

TEST_F(StaticFiles, MayNotBeReadable) {
  write("private.txt", "private");
  sim::FaultPlan plan;  // root may read everything, so the rights alone would not do
  plan.fail(Call::kOpenBeneath, EACCES);
  const Answer answer = fetch("/private.txt");
  EXPECT_EQ(answer.status, 403);
  EXPECT_NE(answer.body.find("403 Forbidden"), std::string::npos);
}

TEST_F(StaticFiles, AreServedAtTheBoundBetweenSmallAndLarge) {
  files.open_file_cache.small_file_max = 1000;
  fetch("/");  // connects
  for (const std::size_t size : {0, 999, 1000, 1001, 100'000}) {
    const std::string name = std::to_string(size) + ".bin";
    const std::string text = pattern(size);
    write(name, text);
    const auto open_before = ssx::test::open_files();
    for (int i = 0; i < 3; ++i) {
      const Answer answer = fetch("/" + name);
      EXPECT_TRUE(answer.body == text) << size;
      EXPECT_EQ(answer.field("Content-Length"), std::to_string(size));
      EXPECT_EQ(answer.field("Content-Type"), "application/octet-stream");
    }
    EXPECT_EQ(ssx::test::open_files() - open_before, size > 1000 ? 1u : 0u) << size;
  }
}

TEST_F(StaticFiles, LeaveBySendfileFromASizeOnThoughTheyAreInMemory) {
  files.sendfile_min = 8000;
  fetch("/");  // connects
  for (const std::size_t size : {7999, 8000, 8001}) {
    const std::string name = std::to_string(size) + ".bin";
    const std::string text = pattern(size);
    write(name, text);
    const auto open_before = ssx::test::open_files();
    const sim::CallWatch watch;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(fetch("/" + name).body == text) << size;
      EXPECT_EQ(fetch_head("/" + name).field("Content-Length"), std::to_string(size));
    }
    EXPECT_EQ(watch.of(Call::kSendFile), size < 8000 ? 0u : 3u) << size;
    EXPECT_EQ(ssx::test::open_files() - open_before, size < 8000 ? 0u : 1u) << size;
  }
}

// Read again for every request, it would be dearer than by sendfile.
TEST_F(StaticFiles, AreNotReadIntoMemoryThatCannotKeepThem) {
  files.open_file_cache.memory_max = 999;
  fetch("/");  // connects
  for (const std::size_t size : {999, 1000}) {
    const std::string name = std::to_string(size) + ".bin";
    write(name, pattern(size));
    const auto open_before = ssx::test::open_files();
    EXPECT_TRUE(fetch("/" + name).body == pattern(size));
    EXPECT_EQ(ssx::test::open_files() - open_before, size > 999 ? 1u : 0u) << size;
  }
}

TEST_F(StaticFiles, AreReadAndWrittenWithoutSendfile) {
  files.sendfile = false;
  const std::string text = pattern(300 << 10);
  write("large.bin", text);
  const std::string small = pattern(15 << 10);  // in memory, and sent from there
  write("small.bin", small);
  const sim::CallWatch watch;
  Client client = (serve(), connect());
  tell(client, get("/large.bin"));
  EXPECT_TRUE(hear(client).ends_with("\r\n\r\n" + text));
  EXPECT_TRUE(ask(client, get("/small.bin")).body == small);
  EXPECT_EQ(watch.of(Call::kSendFile), 0u);
  EXPECT_GT(watch.of(Call::kPread), 0u);
}

TEST_F(StaticFiles, MayBeLargerThanFourGigabytes) {
  write("sparse.bin", "");
  const std::uint64_t size = 5'000'000'000;
  ASSERT_EQ(::truncate(path_of("sparse.bin").c_str(), static_cast<off_t>(size)), 0);
  const Answer answer = fetch_head("/sparse.bin");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Length"), "5000000000");
  Client client = connect();
  tell(client, get("/sparse.bin"));
  EXPECT_GT(client.read(1 << 10).size(), 0u);
  EXPECT_GT(connection->unsent_bytes(), 4'900'000'000u);
  client.reset();
  idle();
}

TEST_F(StaticFiles, AreNotAnsweredWhenThereIsNoDescriptorLeft) {
  for (const int shortage : {EMFILE, ENFILE, ENOMEM}) {
    sim::FaultPlan plan;
    plan.fail(Call::kOpenBeneath, shortage);
    EXPECT_EQ(fetch("/").status, 503) << shortage;
    EXPECT_EQ(fetch("/nothing").status, 404);
  }
  sim::FaultPlan plan;
  plan.fail(Call::kPread, EIO);
  EXPECT_EQ(fetch("/").status, 500);
  EXPECT_EQ(fetch("/").status, 200);
}

TEST_F(StaticFiles, AreRefusedAsTheSystemSays) {
  struct Fault {
    int error;
    int status;
  };
  const Fault faults[] = {{ENOENT, 404}, {ENOTDIR, 404}, {ELOOP, 404},  {EXDEV, 404},
                          {ENXIO, 404},  {EISDIR, 404},  {EACCES, 403}, {EMFILE, 503},
                          {ENFILE, 503}, {ENOMEM, 503},  {EIO, 500},    {ESTALE, 500}};
  write("file.txt", "text");
  const auto open_before = ssx::test::open_files();
  for (const auto& [error, status] : faults) {
    for (const Call call : {Call::kOpenBeneath, Call::kFstat}) {
      sim::FaultPlan plan;
      plan.fail(call, error);
      const Answer answer = fetch("/file.txt");
      EXPECT_EQ(answer.status, status) << sim::name(call) << ' ' << error;
      EXPECT_TRUE(answer.body.ends_with("</html>\n"));
      EXPECT_EQ(plan.faults(), 1u);
    }
  }
  EXPECT_EQ(fetch("/" + std::string(300, 'x')).status, 404);  // ENAMETOOLONG
  EXPECT_EQ(fetch("/file.txt").body, "text");
  EXPECT_LE(ssx::test::open_files(), open_before + 3);  // the root, and the two ends of a socket
}

// The folder itself opens, its index does not: that is no reason to say that there is none.
TEST_F(StaticFiles, SayWhatIsWrongWithAnIndex) {
  files.index = {"default.htm", "index.html"};
  write("folder/index.html", "inner");
  struct Fault {
    int error;
    int status;
  };
  for (const auto& [error, status] :
       {Fault{EMFILE, 503}, {ENFILE, 503}, {ENOMEM, 503}, {EACCES, 403}, {EIO, 500}}) {
    sim::FaultPlan plan;
    plan.pass(Call::kOpenBeneath, 2).fail(Call::kOpenBeneath, error);
    EXPECT_EQ(fetch("/folder/").status, status) << error;
  }
  EXPECT_EQ(fetch("/folder/").body, "inner");
}

TEST_F(StaticFiles, TakeTypesOfTheConfiguration) {
  files.mime = {{"html", "text/x-own"}};
  EXPECT_EQ(fetch("/").field("Content-Type"), "text/x-own");
}

}  // namespace
}  // namespace ssx::http::test

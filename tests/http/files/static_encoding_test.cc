// Compressed siblings: which one is chosen, and what is said about it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/http/files/multipart_parts.h"
#include "tests/http/files/static_fixture.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

namespace fs = std::filesystem;
using sim::Call;

std::string accept(std::string_view value) {
  return "Accept-Encoding: " + std::string(value) + "\r\n";
}

class Siblings : public StaticTest {
 protected:
  Siblings() {
    files.precompressed = {"br", "gz", "zst"};
    write("a.css", "the file itself");
    write("a.css.br", "brotli");
    write("a.css.gz", "gzipped");
  }
  std::string body_for(std::string_view value) { return fetch("/a.css", accept(value)).body; }
};

TEST_F(Siblings, AreChosenByWhatTheClientTakes) {
  EXPECT_EQ(fetch("/a.css").body, "the file itself");
  EXPECT_EQ(body_for(""), "the file itself");
  EXPECT_EQ(body_for("gzip"), "gzipped");
  EXPECT_EQ(body_for("br"), "brotli");
  EXPECT_EQ(body_for("zstd"), "the file itself");
  EXPECT_EQ(body_for("gzip, deflate, br, zstd"), "brotli");  // by the order of the option
  EXPECT_EQ(body_for("gzip;q=1, br;q=0.9"), "gzipped");      // by weight before that
  EXPECT_EQ(body_for("gzip;q=0, *"), "brotli");
  EXPECT_EQ(body_for("*;q=0"), "the file itself");  // rather than nothing
  EXPECT_EQ(body_for("gzip;q=0.5, identity"), "the file itself");
  EXPECT_EQ(body_for("gzip, identity;q=0"), "gzipped");
}

TEST_F(Siblings, FollowTheOrderOfTheOption) {
  files.precompressed = {"gz", "br"};
  EXPECT_EQ(body_for("gzip, br"), "gzipped");
}

TEST_F(Siblings, SayWhatTheyAre) {
  std::set<std::string> etags;
  for (const auto& [value, coding] : {std::pair("", ""), {"gzip", "gzip"}, {"br", "br"}}) {
    const Answer answer = fetch("/a.css", accept(value));
    EXPECT_EQ(answer.field("Content-Encoding"), coding);
    EXPECT_EQ(answer.field("Content-Type"), "text/css; charset=utf-8");
    EXPECT_EQ(answer.field("Vary"), "Accept-Encoding");
    EXPECT_EQ(answer.field("Content-Length"), std::to_string(answer.body.size()));
    EXPECT_EQ(fetch_head("/a.css", accept(value)).head, answer.head);
    etags.insert(answer.field("ETag"));
  }
  EXPECT_EQ(etags.size(), 3u);
}

TEST_F(Siblings, MakeNobodyVaryWhoHasNone) {
  EXPECT_EQ(fetch("/").count("Vary"), 0u);
  files.precompressed = {};
  restart();
  serve();
  Client client = connect();
  const Answer answer = ask(client, get("/a.css", accept("gzip, br")));
  EXPECT_EQ(answer.body, "the file itself");
  EXPECT_EQ(answer.count("Vary"), 0u);
  client.close();
  idle();
}

TEST_F(Siblings, MayBeAskedForByName) {
  const Answer answer = fetch("/a.css.gz", accept("gzip"));
  EXPECT_EQ(answer.body, "gzipped");
  EXPECT_EQ(answer.field("Content-Type"), "application/gzip");
  EXPECT_EQ(answer.count("Content-Encoding"), 0u);
}

TEST_F(Siblings, ServeTheIndexOfAFolder) {
  write("index.html.gz", "gzipped index");
  const Answer answer = fetch("/", accept("gzip"));
  EXPECT_EQ(answer.body, "gzipped index");
  EXPECT_EQ(answer.field("Content-Type"), "text/html; charset=utf-8");
}

TEST_F(Siblings, AreNothingWithoutTheFile) {
  write("alone.gz", "gzipped");
  EXPECT_EQ(fetch("/alone", accept("gzip")).status, 404);
}

// Not for every request: neither those that are there, nor those that are not.
TEST_F(Siblings, AreLookedForOncePerTtl) {
  for (const char* target : {"/a.css", "/index.html"}) {
    fetch(target, accept("gzip, br, zstd"));
    const sim::CallWatch watch;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(fetch(target, accept("gzip, br, zstd")).status, 200);
      advance(1s);
    }
    EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);
    advance(1s);
    EXPECT_EQ(fetch(target, accept("gzip")).status, 200);
    EXPECT_EQ(watch.of(Call::kOpenBeneath), 4u);
    EXPECT_EQ(watch.of(Call::kPread), 0u);
  }
}

TEST_F(Siblings, ComeAndGo) {
  EXPECT_EQ(body_for("gzip"), "gzipped");
  fs::remove(path_of("a.css.gz"));
  write("a.css.zst", "zstd");
  EXPECT_EQ(body_for("gzip, zstd;q=0.1"), "gzipped");
  advance(files.open_file_cache.ttl);
  EXPECT_EQ(body_for("gzip, zstd;q=0.1"), "zstd");
}

TEST_F(Siblings, ThatAreLargeAreSentAndKeptOpen) {
  write("a.css.gz", pattern(100'000));
  EXPECT_TRUE(body_for("gzip") == pattern(100'000));
  const sim::CallWatch watch;
  EXPECT_TRUE(body_for("gzip") == pattern(100'000));
  EXPECT_EQ(body_for(""), "the file itself");
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);
  EXPECT_GE(watch.of(Call::kSendFile), 1u);
}

TEST_F(Siblings, ThatCameShortAreLookedAtAgain) {
  write("a.css.gz", pattern(100'000));
  ASSERT_EQ(body_for("gzip").size(), 100'000u);
  fs::resize_file(path_of("a.css.gz"), 1000);
  Client client = connect();
  EXPECT_LT(hear_to_end(client, get("/a.css", accept("gzip"))).size(), 100'000u);
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(body_for("gzip") == pattern(100'000).substr(0, 1000));
}

// ---- A17 of the abuse tests

using AbuseA17 = Siblings;

TEST_F(AbuseA17, Gives304ForTheVeryVariantOnly) {
  const std::string plain = fetch("/a.css").field("ETag");
  const std::string gzip = fetch("/a.css", accept("gzip")).field("ETag");
  const auto status = [this](std::string_view coding, const std::string& etag) {
    return fetch("/a.css", accept(coding) + "If-None-Match: " + etag + "\r\n").status;
  };
  EXPECT_EQ(status("gzip", gzip), 304);
  EXPECT_EQ(status("", plain), 304);
  EXPECT_EQ(status("gzip", plain), 200);
  EXPECT_EQ(status("", gzip), 200);
  EXPECT_EQ(status("br", gzip + ", " + plain), 200);
  const Answer unchanged = fetch("/a.css", accept("gzip") + "If-None-Match: *\r\n");
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.field("ETag"), gzip);
  EXPECT_EQ(unchanged.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(unchanged.count("Content-Encoding"), 0u);
}

TEST_F(AbuseA17, GivesRangesOfTheChosenVariant) {
  const std::string gzip = fetch("/a.css", accept("gzip")).field("ETag");
  const std::string part = "Range: bytes=1-3\r\n";
  const Answer answer = fetch("/a.css", accept("gzip") + part);
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.body, "zip");
  EXPECT_EQ(answer.field("Content-Range"), "bytes 1-3/7");
  EXPECT_EQ(answer.field("Content-Encoding"), "gzip");
  EXPECT_EQ(answer.field("ETag"), gzip);
  EXPECT_EQ(fetch("/a.css", part + "If-Range: " + gzip + "\r\n").status, 200);
  EXPECT_EQ(fetch("/a.css", accept("gzip") + part + "If-Range: " + gzip + "\r\n").status, 206);
  EXPECT_EQ(fetch("/a.css", accept("gzip") + "Range: bytes=7-\r\n").status, 416);
  EXPECT_EQ(fetch("/a.css", "Range: bytes=7-\r\n").status, 206);
}

// The coding is that of the parts, not of the multipart that holds them.
TEST_F(AbuseA17, SaysTheCodingInEachPart) {
  const Answer answer = fetch("/a.css", accept("gzip") + "Range: bytes=0-0,2-2\r\n");
  EXPECT_EQ(answer.count("Content-Encoding"), 0u);
  const auto parts = multipart_parts(answer);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].head,
            "Content-Type: text/css; charset=utf-8\r\nContent-Encoding: gzip\r\n"
            "Content-Range: bytes 0-0/7\r\n");
}

TEST_F(AbuseA17, ReadsListsOfTagsAsTheyAre) {
  const std::string etag = fetch("/a.css").field("ETag");
  std::string hundred;
  for (int i = 0; i < 100; ++i) hundred += "\"" + std::to_string(i) + "\", ";
  const auto status = [this](const std::string& list) {
    return fetch("/a.css", "If-None-Match: " + list + "\r\n").status;
  };
  EXPECT_EQ(status(hundred + etag), 304);
  EXPECT_EQ(status(hundred + "W/" + etag), 304);
  EXPECT_EQ(status(hundred + "\"x\""), 200);
  EXPECT_EQ(status(etag.substr(1, etag.size() - 2)), 200);  // without its quotes
  EXPECT_EQ(status("*"), 304);
  EXPECT_EQ(fetch("/a.css", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n").status, 304);
  EXPECT_EQ(fetch("/a.css", "If-Unmodified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n").status, 200);
  EXPECT_EQ(fetch("/a.css", "If-Match: W/" + etag + "\r\n").status, 412);
}

// ---- H06 of the abuse tests: siblings, dotfiles, backups

using AbuseH06 = Siblings;

TEST_F(AbuseH06, IgnoresASiblingThatIsOlder) {
  write("a.css", "changed", 784111778);
  const Answer answer = fetch("/a.css", accept("gzip, br"));
  EXPECT_EQ(answer.body, "changed");
  EXPECT_EQ(answer.count("Content-Encoding") + answer.count("Vary"), 0u);
  touch("a.css.gz", 784111779);
  advance(files.open_file_cache.ttl);
  EXPECT_EQ(body_for("gzip, br"), "gzipped");
}

TEST_F(AbuseH06, IgnoresASiblingThatLeavesTheRoot) {
  outside("secret.gz", "canary");
  fs::create_symlink("../secret.gz", path_of("index.html.gz"));
  EXPECT_EQ(fetch("/", accept("gzip")).body, "<h1>home</h1>");
}

TEST_F(AbuseH06, DeniesDotfilesInEverySpelling) {
  for (const char* name : {".htpasswd", ".git/HEAD", ".env", "sub/.svn/entries", ".a.css.gz"})
    write(name, "canary");
  write(".a.css", "canary");
  for (const char* target :
       {"/.htpasswd", "/%2ehtpasswd", "/.git/HEAD", "/./.env", "/sub/.svn/entries", "/sub/.svn/",
        "/sub/.svn", "/x/../.env", "/.a.css", "/.well-known/../.env"}) {
    for (const char* coding : {"", "gzip"}) {
      const Answer answer = fetch(target, accept(coding));
      EXPECT_EQ(answer.status, 404) << target;
      EXPECT_EQ(answer.body.find("canary"), std::string::npos) << target;
    }
  }
}

// Nobody can tell them from files that are meant: they are served, as nginx does.
TEST_F(AbuseH06, ServesBackupsLikeAnyFile) {
  for (const char* name : {"a.css~", "a.css.bak", "#a.css#"}) write(name, "backup");
  for (const char* target : {"/a.css~", "/a.css.bak", "/%23a.css%23"})
    EXPECT_EQ(fetch(target).body, "backup") << target;
}

}  // namespace
}  // namespace ssx::http::test

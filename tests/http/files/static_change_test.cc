// Files that change while they are cached, and while they are being sent.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/http/files/static_fixture.h"
#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

namespace fs = std::filesystem;
using sim::Call;

class ChangingFiles : public StaticTest {
 protected:
  ChangingFiles() {
    files.open_file_cache.small_file_max = 1000;
    files.sendfile_min = 800;
    files.precompressed.clear();  // so that a look at the disk is one call
  }
  void replace(std::string_view name, std::string_view text) {
    write("new", text);
    fs::rename(path_of("new"), path_of(name));
  }
  void wait_for_the_next_look() { advance(files.open_file_cache.ttl); }
};

// ---- conditional requests

TEST_F(ChangingFiles, AreNotSentAgainToWhoeverHasThem) {
  const Answer first = fetch("/");
  const std::string etag = first.field("ETag");
  for (const std::string& lines :
       {"If-None-Match: " + etag + "\r\n", "If-None-Match: W/" + etag + "\r\n",
        "If-None-Match: \"x\", " + etag + "\r\n", std::string("If-None-Match: *\r\n"),
        std::string("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n")}) {
    const Answer answer = fetch("/", lines);
    EXPECT_EQ(answer.status, 304) << lines;
    EXPECT_EQ(answer.field("ETag"), etag);
    EXPECT_EQ(answer.field("Last-Modified"), first.field("Last-Modified"));
    EXPECT_EQ(answer.count("Content-Type") + answer.count("Content-Length"), 0u);
    EXPECT_EQ(fetch_head("/", lines).status, 304);
  }
  EXPECT_EQ(fetch("/", "If-None-Match: \"x\"\r\n").status, 200);
  EXPECT_EQ(fetch("/", "If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n").status, 200);
}

TEST_F(ChangingFiles, AreSentAgainWhenTheyHaveChanged) {
  const std::string etag = fetch("/").field("ETag");
  write("index.html", "<h1>town</h1>", 784111778);  // the same size, a second later
  wait_for_the_next_look();
  const Answer answer = fetch("/", "If-None-Match: " + etag + "\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "<h1>town</h1>");
  EXPECT_NE(answer.field("ETag"), etag);
  EXPECT_EQ(answer.field("Last-Modified"), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST_F(ChangingFiles, HaveNoValidatorsWhenThoseAreOff) {
  files.etag = false;
  const Answer answer = fetch("/", "If-None-Match: *\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.count("ETag") + answer.count("Last-Modified"), 0u);
}

// ---- in the cache

TEST_F(ChangingFiles, AreNotLookedAtWhileTheyAreFresh) {
  for (const std::size_t size : {500, 900, 5000}) {
    const std::string name = std::to_string(size);
    write(name, pattern(size));
    const std::string target = "/" + name;
    fetch(target);
    const sim::CallWatch watch;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(fetch(target).status, 200);
      advance(1s);
    }
    EXPECT_EQ(watch.of(Call::kOpenBeneath) + watch.of(Call::kFstat) + watch.of(Call::kPread), 0u);
    advance(1s);  // the fifth
    EXPECT_EQ(fetch(target).status, 200);
    EXPECT_EQ(watch.of(Call::kOpenBeneath), 1u);
    EXPECT_EQ(watch.of(Call::kPread), 0u);  // it is still the same
  }
}

TEST_F(ChangingFiles, AreLookedAtEachTimeWithoutATtl) {
  files.open_file_cache.ttl = 0ms;
  EXPECT_EQ(fetch("/").body, "<h1>home</h1>");
  write("index.html", "changed");
  EXPECT_EQ(fetch("/").body, "changed");
}

TEST_F(ChangingFiles, AreReadEachTimeWithoutACache) {
  files.open_file_cache.max = 0;
  fetch("/");
  const auto open_before = ssx::test::open_files();
  write("index.html", "changed");
  EXPECT_EQ(fetch("/").body, "changed");
  write("index.html", pattern(5000));
  EXPECT_EQ(fetch("/").body, pattern(5000));
  EXPECT_EQ(ssx::test::open_files(), open_before);
}

TEST_F(ChangingFiles, AreFoundChangedAtTheNextLook) {
  for (const std::size_t size : {500, 900, 5000}) {
    const std::string old = pattern(size);
    write("file", old);
    ASSERT_TRUE(fetch("/file").body == old);
    replace("file", "replaced");
    EXPECT_TRUE(fetch("/file").body == old);  // the old one, whole
    wait_for_the_next_look();
    EXPECT_EQ(fetch("/file").body, "replaced");
    wait_for_the_next_look();
    replace("file", pattern(size + 1));
    EXPECT_TRUE(fetch("/file").body == pattern(size + 1));
    wait_for_the_next_look();
    fs::remove(path_of("file"));
    EXPECT_EQ(fetch("/file").status, 404);
    write("file", "back");
    EXPECT_EQ(fetch("/file").body, "back");
    wait_for_the_next_look();
    fs::remove(path_of("file"));
    EXPECT_EQ(fetch("/file").status, 404);
  }
}

TEST_F(ChangingFiles, AreServedOnWhileADeletedOneIsFresh) {
  write("large.bin", pattern(5000));
  fetch("/large.bin");
  fs::remove(path_of("large.bin"));
  EXPECT_TRUE(fetch("/large.bin").body == pattern(5000));
}

TEST_F(ChangingFiles, MayBecomeFoldersAndTheOtherWayRound) {
  write("thing", "file");
  EXPECT_EQ(fetch("/thing").body, "file");
  fs::remove(path_of("thing"));
  write("thing/index.html", "index");
  wait_for_the_next_look();
  EXPECT_EQ(fetch("/thing").field("Location"), "/thing/");
  EXPECT_EQ(fetch("/thing/").body, "index");
  fs::remove_all(path_of("thing"));
  write("thing", "file again");
  wait_for_the_next_look();
  EXPECT_EQ(fetch("/thing/").status, 404);
  EXPECT_EQ(fetch("/thing").body, "file again");
}

TEST_F(ChangingFiles, StayInTheCacheWhenALookFailsForWantOfADescriptor) {
  fetch("/");
  wait_for_the_next_look();
  for (const std::uint64_t passed : {0u, 1u}) {  // the folder, its index
    sim::FaultPlan plan;
    plan.pass(Call::kOpenBeneath, passed).fail(Call::kOpenBeneath, EMFILE);
    EXPECT_EQ(fetch("/").status, 503);
  }
  const sim::CallWatch watch;
  EXPECT_EQ(fetch("/").status, 200);
  EXPECT_EQ(watch.of(Call::kPread), 0u);
}

TEST_F(ChangingFiles, LeaveTheCacheWhenOthersComeMoreOften) {
  files.open_file_cache.max = 2;
  for (const char* name : {"a", "b", "c"}) write(name, pattern(5000));
  fetch("/a");
  const auto open_before = ssx::test::open_files();
  for (int i = 0; i < 3; ++i) {
    for (const char* target : {"/a", "/b", "/c"}) EXPECT_EQ(fetch(target).status, 200);
  }
  EXPECT_EQ(ssx::test::open_files(), open_before + 1);  // two stay open
}

TEST_F(ChangingFiles, AreKeptAsFarAsTheirMemoryGoes) {
  files.open_file_cache.memory_max = 1500;
  for (const char* name : {"a", "b"}) write(name, pattern(1000));
  for (const char* target : {"/a", "/b"}) fetch(target);
  const sim::CallWatch watch;
  fetch("/b");
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);
  fetch("/a");
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 1u);
}

TEST_F(ChangingFiles, AreCutToWhatTheyHaveWhenTheyShrinkWhileTheyAreRead) {
  write("small.txt", pattern(900));
  {
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kPread, 300);
    EXPECT_TRUE(fetch("/small.txt").body == pattern(900));
  }
  wait_for_the_next_look();
}

// ---- while they are being sent

class FilesOnTheirWay : public ChangingFiles {
 protected:
  static constexpr std::size_t kSize = 3 << 20;

  /// A client that has asked for the file, and for another one behind it, and has read nothing.
  Client ask_for_large(bool with_sendfile) {
    files.sendfile = with_sendfile;
    write("large.bin", pattern(kSize));
    if (router.empty()) serve();
    Client client = connect();
    tell(client, get("/large.bin") + get("/index.html"));
    EXPECT_GT(connection->unsent_bytes(), kSize / 2);
    return client;
  }
  /// The large file, as a client gets it that reads what comes.
  std::string whole() {
    const std::string said = talk(get("/large.bin"));
    EXPECT_TRUE(said.starts_with("HTTP/1.1 200 OK\r\n"));
    const auto body = said.find("\r\n\r\n") + 4;
    EXPECT_NE(said.find("\r\nContent-Length: " + std::to_string(said.size() - body) + "\r\n"),
              std::string::npos);
    return said.substr(body);
  }
};

class FilesOnTheirWayEitherWay : public FilesOnTheirWay, public testing::WithParamInterface<bool> {
 protected:
  FilesOnTheirWayEitherWay() { files.sendfile = GetParam(); }
};

TEST_F(FilesOnTheirWay, ArriveWholeWhenTheyAreReplacedOrDeleted) {
  for (const bool with_sendfile : {true, false}) {
    restart();
    Client client = ask_for_large(with_sendfile);
    replace("large.bin", "another file");
    fs::remove(path_of("large.bin"));
    const std::string said = hear(client);
    const auto body = said.find("\r\n\r\n") + 4;
    EXPECT_TRUE(said.substr(body, kSize) == pattern(kSize));
    EXPECT_TRUE(said.ends_with("<h1>home</h1>"));
    client.close();
    idle();
  }
}

TEST_F(FilesOnTheirWay, ArriveAsLongAsWasSaidWhenTheyGrow) {
  Client client = ask_for_large(true);
  fs::resize_file(path_of("large.bin"), kSize + 1000);
  const std::string said = hear(client);
  const auto body = said.find("\r\n\r\n") + 4;
  EXPECT_TRUE(said.substr(body, kSize) == pattern(kSize));
  EXPECT_TRUE(said.substr(body + kSize).starts_with("HTTP/1.1 200 OK\r\n"));
}

// The promised length cannot be kept: the connection ends, and nothing of the next answer is taken
// for a part of the file.
TEST_F(FilesOnTheirWay, EndTheConnectionWhenTheyShrink) {
  for (const bool with_sendfile : {true, false}) {
    restart();
    Client client = ask_for_large(with_sendfile);
    fs::resize_file(path_of("large.bin"), kSize / 2);
    const std::string said = hear(client);
    EXPECT_TRUE(client.ended());
    EXPECT_LT(said.size(), kSize);
    EXPECT_EQ(said.find("<h1>home</h1>"), std::string::npos);
    EXPECT_EQ(said.find("HTTP/1.1", 10), std::string::npos);
    EXPECT_TRUE(table->empty());
  }
}

// The cache holds it open with the size that it had, and that was promised before anybody could
// notice: nobody gets a part of it for the whole, and the next one gets what there is.
TEST_P(FilesOnTheirWayEitherWay, EndOneConnectionWhenTheyHaveShrunkInTheCache) {
  write("large.bin", pattern(kSize));
  EXPECT_EQ(fetch_head("/large.bin").field("Content-Length"), std::to_string(kSize));
  for (const std::size_t left : {kSize / 2, kSize / 3, std::size_t{0}}) {
    fs::resize_file(path_of("large.bin"), left);
    Client client = connect();
    const std::string said = hear_to_end(client, get("/large.bin") + get("/index.html"));
    EXPECT_TRUE(said.substr(said.find("\r\n\r\n") + 4) == pattern(kSize).substr(0, left)) << left;
    EXPECT_TRUE(client.ended());
    const sim::CallWatch watch;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(whole() == pattern(kSize).substr(0, left)) << left;
    EXPECT_EQ(watch.of(Call::kOpenBeneath), 1u);  // one look is enough
  }
}

// Its content is still in memory, but is not what is sent.
TEST_F(FilesOnTheirWay, EndOneConnectionWhenTheyHaveShrunkInTheCacheAndLeaveBySendfile) {
  files.open_file_cache.small_file_max = files.sendfile_min = 20'000;
  write("small.bin", pattern(20'000));
  EXPECT_TRUE(fetch("/small.bin").body == pattern(20'000));
  fs::resize_file(path_of("small.bin"), 10'000);
  Client client = connect();
  const std::string said = hear_to_end(client, get("/small.bin") + get("/index.html"));
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(said.substr(said.find("\r\n\r\n") + 4) == pattern(10'000));
  const sim::CallWatch watch;
  EXPECT_TRUE(fetch("/small.bin").body == pattern(10'000));
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 1u);
}

// Those who were promised the old length before the first of them was cut.
TEST_F(FilesOnTheirWay, EndEveryConnectionThatWasPromisedMore) {
  Client first = ask_for_large(true);
  Client second = connect();
  tell(second, get("/large.bin"));
  fs::resize_file(path_of("large.bin"), kSize / 2);
  EXPECT_LT(hear(first).size(), kSize);
  EXPECT_EQ(fetch_head("/large.bin").field("Content-Length"), std::to_string(kSize / 2));
  EXPECT_LT(hear(second).size(), kSize);
  EXPECT_TRUE(first.ended());
  EXPECT_TRUE(second.ended());
  const sim::CallWatch watch;
  EXPECT_TRUE(whole() == pattern(kSize).substr(0, kSize / 2));
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);  // the second told of the old entry
}

// It says nothing about the file that a client goes, or that the disk fails.
TEST_F(FilesOnTheirWay, StayInTheCacheWhenSomethingElseEndsTheConnection) {
  Client client = ask_for_large(true);
  client.reset();
  idle();
  EXPECT_TRUE(table->empty());
  const sim::CallWatch watch;
  EXPECT_TRUE(whole() == pattern(kSize));
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);
}

TEST_P(FilesOnTheirWayEitherWay, EndTheConnectionWhenTheyCannotBeRead) {
  write("large.bin", pattern(kSize));
  serve();
  Client client = connect();
  const Call call = files.sendfile ? Call::kSendFile : Call::kPread;
  sim::FaultPlan plan;
  plan.limit_bytes(call, 1000, 1).fail(call, EIO);
  const std::string said = hear_to_end(client, get("/large.bin") + get("/nothing"));
  EXPECT_EQ(plan.faults(), 2u);
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(said.substr(said.find("\r\n\r\n") + 4) == pattern(1000));
  EXPECT_TRUE(table->empty());
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutSendfile, FilesOnTheirWayEitherWay, testing::Bool());

TEST_F(FilesOnTheirWay, LoseNothingToShortCountsAndInterruptions) {
  write("large.bin", pattern(20'000));
  serve();
  Client client = connect();
  sim::FaultPlan plan;
  plan.random(7, {.short_counts = 500, .again = 300});
  for (int i = 0; i < 20; ++i) {
    const Answer answer = ask(client, get("/large.bin"));
    ASSERT_TRUE(answer.body == pattern(20'000)) << i;
  }
  EXPECT_GT(plan.faults(), 20u);
}

TEST_F(FilesOnTheirWay, AreClosedWhenTheClientHasGone) {
  Client client = ask_for_large(true);
  files.open_file_cache.max = 0;
  const auto open_before = ssx::test::open_files();
  client.close();
  idle();
  EXPECT_TRUE(table->empty());
  EXPECT_LE(ssx::test::open_files(), open_before - 2);
}

}  // namespace
}  // namespace ssx::http::test

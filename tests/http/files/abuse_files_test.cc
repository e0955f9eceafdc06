// Files as somebody hostile would have them or ask for them: groups A and H of the abuse tests.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ssxrver/sys/unique_fd.h"
#include "tests/http/files/multipart_parts.h"
#include "tests/http/files/static_fixture.h"
#include "tests/support/full_size.h"
#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

namespace fs = std::filesystem;
using sim::Call;

std::string range(std::string_view value) { return "Range: " + std::string(value) + "\r\n"; }

// ---- A16: ranges

class AbuseA16 : public StaticTest {
 protected:
  AbuseA16() { write("file", text); }
  const std::string text = pattern(5000);
};

TEST_F(AbuseA16, ThousandsOfRangesAreTheWholeFile) {
  for (const char* piece : {"0-,", "0-0,", "-1,", "4999-,", ","}) {
    std::string value = "bytes=";
    while (value.size() < 7800) value += piece;
    const Answer answer = fetch("/file", range(value));
    EXPECT_EQ(answer.status, 200) << piece;
    EXPECT_TRUE(answer.body == text);
  }
}

TEST_F(AbuseA16, DescendingRangesAreTheWholeFile) {
  std::string value = "bytes=4000-4000";
  for (int i = 1; i < 10; ++i) value += fmt::format(",{}-{}", 4000 - i * 10, 4000 - i * 10);
  EXPECT_EQ(fetch("/file", range(value)).status, 200);
}

// Whatever is asked for: what comes is the file, a part of it, or nothing.
TEST_F(AbuseA16, EveryAnswerEqualsTheFile) {
  const std::vector<std::string> numbers = {"",
                                            "0",
                                            "1",
                                            "4998",
                                            "4999",
                                            "5000",
                                            "5001",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "18446744073709551615",
                                            "18446744073709551616",
                                            "99999999999999999999"};
  for (const std::string& first : numbers) {
    for (const std::string& last : numbers) {
      const Answer answer = fetch("/file", range("bytes=" + first + "-" + last));
      if (answer.status == 206) {
        std::size_t from = 0;
        std::size_t to = 0;
        ASSERT_EQ(
            std::sscanf(answer.field("Content-Range").c_str(), "bytes %zu-%zu/5000", &from, &to),
            2);
        ASSERT_LE(from, to);
        ASSERT_LT(to, 5000u);
        EXPECT_TRUE(answer.body == text.substr(from, to - from + 1)) << first << '-' << last;
      } else if (answer.status == 416) {
        EXPECT_EQ(answer.field("Content-Range"), "bytes */5000");
      } else {
        EXPECT_EQ(answer.status, 200);
        EXPECT_TRUE(answer.body == text) << first << '-' << last;
      }
    }
  }
}

TEST_F(AbuseA16, OtherMethodsHaveNoRanges) {
  const auto handler = *make_static_handler(files);
  ASSERT_TRUE(router.add("", {}, "/*", {handler, RouteLimits::from(options), "files"}));
  Client client = connect();
  EXPECT_EQ(ask(client, request("DELETE", "/file", range("bytes=0-1"))).status, 405);
  EXPECT_EQ(ask(client, head("/file", range("bytes=0-1"))).status, 200);
  EXPECT_EQ(ask(client, post("/file", "x", range("bytes=0-1"))).status, 405);
}

// Three times the file is the most that one request can bring about.
TEST_F(AbuseA16, NoAnswerIsMuchMoreThanThreeFiles) {
  const Answer answer = fetch("/file", range("bytes=0-,0-,0-"));
  EXPECT_EQ(multipart_parts(answer).size(), 3u);
  EXPECT_LT(answer.body.size(), 3 * 5000u + 1000);
}

// A reader that does not read costs no memory, however many parts it wants.
TEST_F(AbuseA16, PartsOfALargeFileTakeNoMemory) {
  write("large", pattern(3 << 20));
  serve();
  Client client = connect();
  tell(client, get("/large", range("bytes=0-,0-,0-")));
  EXPECT_GT(connection->unsent_bytes(), 8u << 20);
  EXPECT_LT(connection->out().memory_bytes(), 4096u);
  const std::string said = hear(client);
  EXPECT_GT(said.size(), 9u << 20);
  EXPECT_TRUE(said.ends_with("--\r\n"));
}

// ---- H02: links

class AbuseH02 : public StaticTest {
 protected:
  AbuseH02() {
    write("target.txt", "target");
    write("folder/inner.txt", "inner");
    outside("other/inner.txt", "canary");
    const auto link = [this](const char* to, const char* name) {
      fs::create_symlink(to, path_of(name));
    };
    link("target.txt", "inside");
    link("folder", "folder_link");
    link("../secret.txt", "outside");
    link("..", "up");
    link("/", "slash");
    link("loop", "loop");
    link("nowhere", "dangling");
    link("/proc/self/environ", "environ");
    link("/proc/self/root", "top");
    link("/proc/self/fd/0", "stdin");
    fs::create_symlink(directory.file("secret.txt"), path_of("absolute"));
    fs::create_symlink(path_of("target.txt"), path_of("absolute_inside"));
    fs::create_hard_link(path_of("target.txt"), path_of("hard"));
  }
  void expect_nothing_of_the_outside() {
    for (const char* target :
         {"/outside", "/up/secret.txt", "/up", "/up/", "/slash/etc/passwd", "/loop", "/dangling",
          "/environ", "/top/etc/passwd", "/stdin", "/absolute", "/absolute_inside"}) {
      for (const char* lines : {"", "Accept-Encoding: gzip, br\r\n"}) {
        const Answer answer = fetch(target, lines);
        EXPECT_EQ(answer.status, 404) << target;
        EXPECT_EQ(answer.body.find("canary"), std::string::npos) << target;
        EXPECT_EQ(answer.body.find("root:"), std::string::npos) << target;
      }
    }
  }
};

TEST_F(AbuseH02, NoLinkIsFollowedByDefault) {
  expect_nothing_of_the_outside();
  EXPECT_EQ(fetch("/inside").status, 404);
  EXPECT_EQ(fetch("/folder_link/inner.txt").status, 404);
  EXPECT_EQ(fetch("/hard").body, "target");  // it is as much the file as the other name
}

TEST_F(AbuseH02, NoLinkLeavesTheRootWhereTheyAreFollowed) {
  files.follow_symlinks = true;
  expect_nothing_of_the_outside();
  EXPECT_EQ(fetch("/inside").body, "target");
  EXPECT_EQ(fetch("/folder_link/inner.txt").body, "inner");
}

TEST_F(AbuseH02, NoLinkIsFollowedByAnOldKernel) {
  files.follow_symlinks = true;
  fetch("/");
  sim::FaultPlan plan;
  plan.fail(Call::kOpenBeneath, ENOSYS, 1000);
  expect_nothing_of_the_outside();
  EXPECT_EQ(fetch("/target.txt").body, "target");
  EXPECT_EQ(fetch("/folder/inner.txt").body, "inner");
}

// A folder that is now one of ours and now a link to another's.
TEST_F(AbuseH02, NoSwapOfFoldersOpensAWay) {
  const int rounds = ssx::test::full_size(2000, 50'000);
  files.open_file_cache.max = 0;
  options.keepalive_requests = static_cast<std::uint64_t>(rounds) + 1;
  fs::create_symlink("../other", path_of("swap_link"));
  fs::create_directories(path_of("swap_dir"));
  write("swap_dir/inner.txt", "inner");
  fs::rename(path_of("swap_dir"), path_of("swap"));
  for (const bool follows : {false, true}) {
    files.follow_symlinks = follows;
    restart();
    serve();
    std::jthread swapper([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        ::rename(path_of("swap").c_str(), path_of("swap_dir").c_str());
        ::rename(path_of("swap_link").c_str(), path_of("swap").c_str());
        ::rename(path_of("swap").c_str(), path_of("swap_link").c_str());
        ::rename(path_of("swap_dir").c_str(), path_of("swap").c_str());
      }
    });
    Client client = connect();
    int served = 0;
    for (int i = 0; i < rounds; ++i) {
      const Answer answer = ask(client, get("/swap/inner.txt"));
      ASSERT_EQ(answer.body.find("canary"), std::string::npos);
      ASSERT_TRUE(answer.status == 404 || answer.status == 503 || answer.body == "inner");
      served += answer.status == 200 ? 1 : 0;
    }
    swapper.request_stop();
    swapper.join();
    EXPECT_GT(served, 0);
    client.close();
    idle();
  }
}

// ---- H03: files that change while they are sent

class AbuseH03 : public StaticTest, public testing::WithParamInterface<bool> {
 protected:
  static constexpr std::size_t kSize = 3 << 20;
  AbuseH03() {
    files.sendfile = GetParam();
    write("large.bin", pattern(kSize));
  }
  /// Asks for parts of the file, and for another file behind them, and reads nothing yet.
  Client ask_for_parts() {
    serve();
    Client client = connect();
    tell(client, get("/large.bin", range("bytes=0-1999999,1000000-")) + get("/index.html"));
    EXPECT_GT(connection->unsent_bytes(), kSize);
    return client;
  }
};

TEST_P(AbuseH03, PartsOfAFileThatShrinksEndTheConnection) {
  for (const std::size_t left : {std::size_t{0}, kSize / 4, kSize / 2}) {
    restart();
    write("large.bin", pattern(kSize));
    Client client = ask_for_parts();
    fs::resize_file(path_of("large.bin"), left);
    const std::string said = hear(client);
    EXPECT_TRUE(client.ended());
    EXPECT_EQ(said.find("<h1>home</h1>"), std::string::npos);
    EXPECT_EQ(said.find("HTTP/1.1", 10), std::string::npos);
    EXPECT_TRUE(table->empty());
  }
}

TEST_P(AbuseH03, PartsAreOfTheFileThatWasOpened) {
  Client client = ask_for_parts();
  fs::resize_file(path_of("large.bin"), kSize + 1000);
  ASSERT_EQ(::chmod(path_of("large.bin").c_str(), 0), 0);
  write("new", "another file");
  fs::rename(path_of("new"), path_of("large.bin"));
  fs::remove(path_of("large.bin"));
  const std::string said = hear(client);
  EXPECT_TRUE(said.ends_with("<h1>home</h1>"));
  const std::string text = pattern(kSize);
  EXPECT_NE(said.find(text.substr(0, 2'000'000)), std::string::npos);
  EXPECT_NE(said.find(text.substr(1'000'000)), std::string::npos);
}

TEST_P(AbuseH03, ADiskThatFailsEndsTheConnection) {
  serve();
  Client client = connect();
  const Call call = files.sendfile ? Call::kSendFile : Call::kPread;
  sim::FaultPlan plan;
  plan.limit_bytes(call, 1000, 1).fail(call, EIO);
  const std::string said =
      hear_to_end(client, get("/large.bin", range("bytes=0-99999,200000-299999")) + get("/"));
  EXPECT_EQ(said.find("<h1>home</h1>"), std::string::npos);
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(table->empty());
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutSendfile, AbuseH03, testing::Bool());

// ---- H04: what is no file, and odd names

using AbuseH04 = StaticTest;

TEST_F(AbuseH04, NothingButFilesIsServedAndNothingBlocks) {
  ASSERT_EQ(::mkfifo(path_of("fifo").c_str(), 0600), 0);
  const sys::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string at = path_of("socket");
  ASSERT_LT(at.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, at.c_str(), at.size() + 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const bool has_device = ::mknod(path_of("zero").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0;
  fs::create_directory(path_of("folder"));
  fs::create_directory(path_of("folder.gz"));
  ASSERT_EQ(::mkfifo(path_of("index.html.gz").c_str(), 0600), 0);
  const auto open_before = (fetch("/"), ssx::test::open_files());
  for (const char* target : {"/fifo", "/socket", "/folder/", "/fifo/", "/index.html/"})
    EXPECT_EQ(fetch(target, "Accept-Encoding: gzip\r\n").status, 404) << target;
  if (has_device) {
    EXPECT_EQ(fetch("/zero").status, 404);
  }
  EXPECT_EQ(fetch("/", "Accept-Encoding: gzip\r\n").body, "<h1>home</h1>");
  EXPECT_EQ(ssx::test::open_files(), open_before);
}

TEST_F(AbuseH04, AnEmptyFileIsEmpty) {
  write("empty.txt", "");
  const Answer answer = fetch("/empty.txt");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Length"), "0");
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(fetch("/empty.txt", "If-None-Match: " + answer.field("ETag") + "\r\n").status, 304);
}

TEST_F(AbuseH04, NamesWithControlsCannotBeAskedFor) {
  for (const char* name : {"a\nb", "a\rb", "a\r\nX-Evil: 1", "a\tb", "a\x1b[2J"})
    write(name, "canary");
  for (const char* target : {"/a%0ab", "/a%0Db", "/a%0d%0aX-Evil:%201", "/a%09b", "/a%1b[2J",
                             "/index.html%00", "/%00", "/a%00/../index.html"}) {
    const std::string said = talk(get(target));
    EXPECT_TRUE(said.starts_with("HTTP/1.1 400 ")) << target;
    EXPECT_EQ(said.find("canary"), std::string::npos) << target;
    EXPECT_EQ(said.find("X-Evil"), std::string::npos) << target;
  }
}

TEST_F(AbuseH04, NamesMayBeOfAnyLanguage) {
  const char* names[] = {"ü", "日本語.txt", "😀", "a b", "%", "%41", "a;b", "a:b", "'\"<>", "~"};
  for (const char* name : names) {
    write(name, name);
    std::string target = "/";
    for (const char* at = name; *at != '\0'; ++at)
      target += fmt::format("%{:02X}", static_cast<unsigned char>(*at));
    EXPECT_EQ(fetch(target).body, name) << name;
  }
  write("\xff\xfe", "canary");  // no UTF-8
  EXPECT_EQ(talk(get("/%ff%fe")).substr(0, 13), "HTTP/1.1 400 ");
  EXPECT_EQ(fetch("/%2541").body, "%41");  // decoded once
}

}  // namespace
}  // namespace ssx::http::test

// Parts of files, and conditions: what the handler makes of Range, If-Range and the rest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/http/files/multipart_parts.h"
#include "tests/http/files/static_fixture.h"
#include "tests/support/sim/kernel.h"

namespace ssx::http::test {
namespace {

using sim::Call;

const std::string kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string range(std::string_view value) { return "Range: " + std::string(value) + "\r\n"; }
std::string if_range(std::string_view value) { return "If-Range: " + std::string(value) + "\r\n"; }

/// From memory, by sendfile, by read and write, and from memory while the file is open too.
class PartsOfFiles : public StaticTest, public testing::WithParamInterface<int> {
 protected:
  static constexpr std::size_t kSize = 5000;
  PartsOfFiles() {
    files.open_file_cache.small_file_max = GetParam() % 3 == 0 ? kSize : kSize - 1;
    files.sendfile = GetParam() % 2 == 1;
    files.sendfile_min = kSize;
    write("a.txt", text);
  }
  const std::string text = pattern(kSize);
};

TEST_P(PartsOfFiles, AreTheBytesThatWereAskedFor) {
  struct Case {
    const char* range;
    std::size_t first, size;
  };
  const Answer whole = fetch("/a.txt");
  EXPECT_EQ(whole.field("Accept-Ranges"), "bytes");
  for (const auto& [value, first, size] : {Case{"bytes=0-0", 0, 1},
                                           {"bytes=0-4999", 0, 5000},
                                           {"bytes=0-", 0, 5000},
                                           {"bytes=4999-", 4999, 1},
                                           {"bytes=100-199", 100, 100},
                                           {"bytes=-1", 4999, 1},
                                           {"bytes=-5001", 0, 5000},
                                           {"bytes=10-99999999999999999999", 10, 4990}}) {
    const Answer answer = fetch("/a.txt", range(value));
    EXPECT_EQ(answer.status, 206) << value;
    EXPECT_TRUE(answer.body == text.substr(first, size)) << value;
    EXPECT_EQ(answer.field("Content-Range"),
              fmt::format("bytes {}-{}/5000", first, first + size - 1));
    EXPECT_EQ(answer.count("Content-Range"), 1u);
    for (const char* same : {"ETag", "Last-Modified", "Content-Type", "Accept-Ranges"})
      EXPECT_EQ(answer.field(same), whole.field(same)) << same;
  }
}

TEST_P(PartsOfFiles, AreNotThereBehindTheEnd) {
  for (const char* value : {"bytes=5000-", "bytes=99999999999999999999-", "bytes=-0"}) {
    const Answer answer = fetch("/a.txt", range(value));
    EXPECT_EQ(answer.status, 416) << value;
    EXPECT_EQ(answer.field("Content-Range"), "bytes */5000");
    EXPECT_NE(answer.body.find("416 Range Not Satisfiable"), std::string::npos);
  }
}

TEST_P(PartsOfFiles, AreTheWholeWhereTheRangeIsNone) {
  for (const char* value : {"bytes=5-4", "bytes=x", "items=0-1", "bytes=", "0-1"}) {
    const Answer answer = fetch("/a.txt", range(value));
    EXPECT_EQ(answer.status, 200) << value;
    EXPECT_TRUE(answer.body == text);
    EXPECT_EQ(answer.count("Content-Range"), 0u);
  }
  EXPECT_EQ(fetch("/a.txt", range("bytes=0-1") + range("bytes=0-1")).status, 200);
}

TEST_P(PartsOfFiles, ComeTogetherAsMultipart) {
  const Answer answer = fetch("/a.txt", range("bytes=0-9,4000-,-1"));
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.count("Content-Range"), 0u);  // RFC 9110 15.3.7.2
  EXPECT_EQ(answer.count("Content-Type"), 1u);
  EXPECT_EQ(answer.field("Content-Length"), std::to_string(answer.body.size()));
  const auto parts = multipart_parts(answer);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(parts[0].body == text.substr(0, 10));
  EXPECT_TRUE(parts[1].body == text.substr(4000));
  EXPECT_TRUE(parts[2].body == text.substr(4999));
  EXPECT_EQ(parts[1].head,
            "Content-Type: text/plain; charset=utf-8\r\nContent-Range: bytes 4000-4999/5000\r\n");
  EXPECT_EQ(fetch("/a.txt").body.size(), kSize);  // and the connection goes on
}

TEST_P(PartsOfFiles, AreOnePartWhereOnlyOneIsThere) {
  const Answer answer = fetch("/a.txt", range("bytes=0-9,5000-,6000-"));
  EXPECT_EQ(answer.field("Content-Range"), "bytes 0-9/5000");
  EXPECT_TRUE(answer.body == text.substr(0, 10));
}

TEST_P(PartsOfFiles, AreForGetOnly) {
  const Answer answer = fetch_head("/a.txt", range("bytes=0-9"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Length"), "5000");
  EXPECT_EQ(fetch_head("/a.txt", range("bytes=5000-")).status, 200);
}

TEST_P(PartsOfFiles, AreOfTheVeryFileThatWasMeant) {
  advance(1s);  // the file is of the second in which the clock began
  const std::string etag = fetch("/a.txt").field("ETag");
  const std::string part = range("bytes=0-9");
  for (const std::string& same : {etag, kDate})
    EXPECT_EQ(fetch("/a.txt", part + if_range(same)).status, 206) << same;
  for (const std::string& other :
       {"W/" + etag, std::string("\"x\""), std::string("Sun, 06 Nov 1994 08:49:38 GMT"),
        std::string("nonsense"), std::string("*")}) {
    EXPECT_EQ(fetch("/a.txt", part + if_range(other)).status, 200) << other;
    EXPECT_EQ(fetch("/a.txt", range("bytes=5000-") + if_range(other)).status, 200) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(FromMemoryAndDisk, PartsOfFiles, testing::Range(0, 4));

using Ranges = StaticTest;

TEST_F(Ranges, MayBeSwitchedOff) {
  files.range = false;
  const Answer answer = fetch("/", range("bytes=0-1"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.count("Accept-Ranges"), 0u);
}

TEST_F(Ranges, AreIgnoredAboveTheirLimitAndCounted) {
  for (const std::size_t most : {1, 2, 16}) {
    files.ranges_max = most;
    auto handler = *StaticHandler::create(files);
    restart();
    ASSERT_TRUE(router.add("", {Method::kGet}, "/*",
                           {[&handler](const Request& request) { return handler->answer(request); },
                            RouteLimits::from(options), "files"}));
    Client client = connect();
    for (const std::size_t count : {most - 1, most, most + 1}) {
      if (count == 0) continue;
      std::string value = "bytes=0-0";
      for (std::size_t i = 1; i < count; ++i) value += fmt::format(",{}-{}", i, i);
      write("index.html", pattern(100));
      const Answer answer = ask(client, get("/", range(value)));
      EXPECT_EQ(answer.status, count > most ? 200 : 206) << value;
    }
    EXPECT_EQ(handler->counters(0).ranges_max_hit.value(), 1u);
    client.close();
    idle();
  }
}

// One send for the head and what is behind it up to the first part, one sendfile for each part.
TEST_F(Ranges, OfALargeFileLeaveBySendfile) {
  write("large.bin", pattern(3 << 20));
  fetch("/large.bin", range("bytes=0-0"));
  const sim::CallWatch watch;
  const Answer answer = fetch("/large.bin", range("bytes=100000-139999,1000000-1039999"));
  EXPECT_EQ(multipart_parts(answer).at(1).body, pattern(3 << 20).substr(1'000'000, 40'000));
  EXPECT_EQ(watch.of(Call::kPread), 0u);
  EXPECT_GE(watch.of(Call::kSendFile), 2u);
  EXPECT_EQ(watch.of(Call::kOpenBeneath), 0u);
}

TEST_F(Ranges, OfAnEmptyFile) {
  write("empty", "");
  EXPECT_EQ(fetch("/empty", range("bytes=0-")).status, 416);
  EXPECT_EQ(fetch("/empty", range("bytes=0-")).field("Content-Range"), "bytes */0");
  EXPECT_EQ(fetch("/empty", range("bytes=-5")).status, 200);
}

TEST_F(Ranges, ReachBehindFourGigabytes) {
  write("sparse.bin", "");
  ASSERT_EQ(::truncate(path_of("sparse.bin").c_str(), 5'000'000'000), 0);
  const Answer answer = fetch("/sparse.bin", range("bytes=4999999998-"));
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.body, std::string(2, '\0'));
  EXPECT_EQ(answer.field("Content-Range"), "bytes 4999999998-4999999999/5000000000");
}

// ---- the order of RFC 9110 13.2.2

using Preconditions = StaticTest;

TEST_F(Preconditions, FailWhereTheFileIsAnother) {
  const std::string etag = fetch("/").field("ETag");
  for (const std::string& lines :
       {std::string("If-Match: \"x\"\r\n"), "If-Match: W/" + etag + "\r\n",
        std::string("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n"),
        "If-Match: \"x\"\r\nIf-None-Match: " + etag + "\r\n"}) {
    EXPECT_EQ(fetch("/", lines).status, 412) << lines;
    EXPECT_EQ(fetch_head("/", lines).status, 412) << lines;
    EXPECT_EQ(fetch("/", lines + range("bytes=0-1")).status, 412) << lines;
  }
  EXPECT_EQ(fetch("/", "If-Match: " + etag + "\r\n").status, 200);
  EXPECT_EQ(fetch("/", "If-Match: *\r\n").status, 200);
  EXPECT_EQ(fetch("/nothing", "If-Match: *\r\n").status, 404);  // 13.2.1
}

TEST_F(Preconditions, ComeBeforeTheRange) {
  const std::string etag = fetch("/").field("ETag");
  EXPECT_EQ(fetch("/", "If-None-Match: " + etag + "\r\n" + range("bytes=0-1")).status, 304);
  EXPECT_EQ(fetch("/", "If-None-Match: \"x\"\r\n" + range("bytes=0-1")).status, 206);
  EXPECT_EQ(fetch("/", "If-Match: " + etag + "\r\n" + range("bytes=0-1")).status, 206);
  EXPECT_EQ(fetch("/", "If-None-Match: " + etag + "\r\n" + range("bytes=99-")).status, 304);
}

TEST_F(Preconditions, AreNoneWithoutValidators) {
  files.etag = false;
  EXPECT_EQ(fetch("/", "If-Match: \"x\"\r\n").status, 200);
  EXPECT_EQ(fetch("/", range("bytes=0-1")).status, 206);
  EXPECT_EQ(fetch("/", range("bytes=0-1") + if_range(kDate)).status, 200);
}

TEST_F(Preconditions, GiveNoRangeByTheDateOfThisSecond) {
  const auto second = std::chrono::floor<std::chrono::seconds>(clock.wall_now().time_since_epoch());
  write("new.txt", "0123456789", second.count());
  const std::string date = fetch("/new.txt").field("Last-Modified");
  EXPECT_EQ(fetch("/new.txt", range("bytes=0-1") + if_range(date)).status, 200);
  advance(1s);
  EXPECT_EQ(fetch("/new.txt", range("bytes=0-1") + if_range(date)).status, 206);
}

}  // namespace
}  // namespace ssx::http::test

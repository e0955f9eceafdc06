#include "http/error_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/http/session_fixture.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using sim::Call;
using ::testing::HasSubstr;

class Pages : public SessionTest {
 protected:
  Pages() {
    options.error_pages["404"] = directory.write("404.html", "<p>not here</p>");
    options.error_pages["5xx"] = directory.write("sorry.txt", "sorry");
    on(Method::kGet, "/", [](const Request&) { return "fine"; });
    on(Method::kGet, "/410", [](const Request&) { return Status::kGone; });
    on(Method::kGet, "/503", [](const Request&) { return Status::kServiceUnavailable; });
    on(Method::kGet, "/own",
       [](const Request&) { return std::move(Response("own").status(Status::kNotFound)); });
    on(Method::kGet, "/none",
       [](const Request&) { return std::move(Response(Status::kNotFound).content_type("")); });
  }
  Answer fetch(std::string_view target) {
    Client client = connect();
    return ask(client, get(target));
  }
  ssx::test::TempDir directory;
};

TEST_F(Pages, AnswerForErrorsWithoutABody) {
  const Answer missing = fetch("/nothing");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, "<p>not here</p>");
  EXPECT_EQ(missing.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(missing.field("Content-Length"), "15");
  const Answer busy = fetch("/503");
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.body, "sorry");
  EXPECT_EQ(busy.field("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(Pages, LeaveTheRestAlone) {
  EXPECT_EQ(fetch("/").body, "fine");
  EXPECT_EQ(fetch("/own").body, "own");
  EXPECT_EQ(fetch("/none").body, "");
  EXPECT_THAT(fetch("/410").body, HasSubstr("410 Gone"));
}

TEST_F(Pages, HaveAHead) {
  Client client = connect();
  const Answer answer = ask(client, head("/nothing"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.field("Content-Length"), "15");
}

TEST_F(Pages, AnswerForWhatIsNoRequest) {
  options.error_pages["4xx"] = directory.write("4xx.html", "what?");
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\n\r\n").ends_with("\r\n\r\nwhat?"));
  EXPECT_EQ(fetch("/nothing").body, "<p>not here</p>");  // its own comes first
}

TEST_F(Pages, AreReadAgainWhenTheyChange) {
  EXPECT_EQ(fetch("/nothing").body, "<p>not here</p>");
  directory.write("404.html", "changed, and longer");
  EXPECT_EQ(fetch("/nothing").body, "<p>not here</p>");
  advance(ErrorPages::kTtl);
  EXPECT_EQ(fetch("/nothing").body, "changed, and longer");
  const sim::CallWatch watch;
  advance(ErrorPages::kTtl);
  EXPECT_EQ(fetch("/nothing").body, "changed, and longer");
  EXPECT_EQ(watch.of(Call::kStat), 1u);
  EXPECT_EQ(watch.of(Call::kOpen), 0u);
}

TEST_F(Pages, StayWhenTheirFileIsGone) {
  fetch("/nothing");
  std::filesystem::remove(directory.file("404.html"));
  advance(ErrorPages::kTtl);
  EXPECT_EQ(fetch("/nothing").body, "<p>not here</p>");
}

TEST_F(Pages, AreNotThereWhenTheyWereNeverRead) {
  options.error_pages["404"] = directory.file("nowhere.html");
  EXPECT_THAT(fetch("/nothing").body, HasSubstr("404 Not Found"));
  directory.write("nowhere.html", "late");
  advance(ErrorPages::kTtl);
  EXPECT_EQ(fetch("/nothing").body, "late");
}

TEST(ErrorPages, SaysWhatIsWrongWithAFile) {
  const ssx::test::TempDir directory;
  const std::string good = directory.write("good.html", "");
  EXPECT_EQ(ErrorPages::find_problem({{"404", good}, {"4xx", good}, {"599", good}}), "");
  EXPECT_THAT(ErrorPages::find_problem({{"404", directory.file("bad.html")}}),
              HasSubstr("the page of 404"));
  EXPECT_THAT(ErrorPages::find_problem({{"404", directory.path()}}), HasSubstr("Invalid argument"));
  ASSERT_EQ(::mkfifo(directory.file("fifo").c_str(), 0600), 0);
  EXPECT_NE(ErrorPages::find_problem({{"404", directory.file("fifo")}}), "");
  for (const char* key : {"", "200", "399", "600", "4x", "xx4", "0404", "404 "})
    EXPECT_THAT(ErrorPages::find_problem({{key, good}}), HasSubstr("is no status")) << key;
}

TEST(ErrorPages, HaveABound) {
  const ssx::test::TempDir directory;
  for (const std::size_t size :
       {ErrorPages::kPageMax - 1, ErrorPages::kPageMax, ErrorPages::kPageMax + 1}) {
    const std::string path = directory.write("page.html", std::string(size, 'x'));
    const bool is_too_large = size > ErrorPages::kPageMax;
    EXPECT_EQ(ErrorPages::find_problem({{"404", path}}).empty(), !is_too_large);
    ErrorPages pages({{"404", path}});
    const auto page = pages.find(Status::kNotFound, TimePoint());
    EXPECT_EQ(page.get() == nullptr, is_too_large);
  }
}

TEST(ErrorPages, GiveNothingToAStatusWithoutAPage) {
  ErrorPages none({});
  Response response(Status::kNotFound);
  EXPECT_FALSE(none.give(response, TimePoint()));
  EXPECT_FALSE(response.has_body());
}

}  // namespace
}  // namespace ssx::http::test

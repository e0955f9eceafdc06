// Bodies of requests: whole and in pieces, in memory and in files, too large and never wanted.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "ssxrver/sys/file.h"
#include "tests/http/session_fixture.h"
#include "tests/support/open_files.h"
#include "tests/support/sim/kernel.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using sim::Call;

/// The whole body, wherever it is.
std::string text_of(const http::Body& body) {
  if (!body.is_spooled()) return std::string(body.text);
  std::string text(static_cast<std::size_t>(body.size), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto count =
        sys::pread(body.file, std::as_writable_bytes(std::span(text)).subspan(filled), filled);
    if (!count || *count == 0) break;
    filled += *count;
  }
  return text;
}

class Bodies : public SessionTest {
 protected:
  Bodies() {
    options.spool_path = directory.path();
    options.body_max = 100'000;
    options.body_spool_threshold = 10'000;
    options.upload_tmp_total = 200'000;
  }
  Client connect() {
    if (service != nullptr) return SessionTest::connect();
    on(Method::kPost, "/", [this](const Request& r) {
      was_spooled = r.body().is_spooled();
      size = r.body().size;
      return text_of(r.body());
    });
    on(Method::kGet, "/", [](const Request& r) { return std::to_string(r.body().size); });
    return SessionTest::connect();
  }

  ssx::test::TempDir directory;
  bool was_spooled = false;
  std::uint64_t size = 0;
};

TEST_F(Bodies, ReachTheHandlerWhole) {
  Client client = connect();
  for (const std::size_t bytes : {0, 1, 100, 9'999}) {
    const std::string body = pattern(bytes);
    EXPECT_EQ(ask(client, post("/", body)).body, body);
    EXPECT_EQ(size, bytes);
    EXPECT_EQ(ask(client, post_chunks("/", {body.substr(0, bytes / 2), "x"})).body,
              body.substr(0, bytes / 2) + "x");
  }
  EXPECT_EQ(counters().bodies_spooled.value(), 0u);
}

TEST_F(Bodies, MayComeWithAnyMethod) {
  Client client = connect();
  EXPECT_EQ(ask(client, request("GET", "/", "Content-Length: 3\r\n") + "abc").body, "3");
  EXPECT_EQ(
      ask(client, request("GET", "/", "Transfer-Encoding: chunked\r\n") + chunks({"ab"})).body,
      "2");
  EXPECT_EQ(ask(client, request("HEAD", "/", "Content-Length: 3\r\n") + "abc").body, "");
  EXPECT_EQ(ask(client, post("/", "still in step")).body, "still in step");
}

TEST_F(Bodies, GoToAFileAboveTheThreshold) {
  Client client = connect();
  for (const int more : {-1, 0, 1}) {
    const std::string body = pattern(static_cast<std::size_t>(10'000 + more));
    EXPECT_EQ(ask(client, post("/", body)).body, body);
    EXPECT_EQ(was_spooled, more > 0) << "in one piece, " << more;
    const std::string chunked = post_chunks("/", {body.substr(0, 5'000), body.substr(5'000)});
    EXPECT_EQ(ask(client, chunked).body, body);
    EXPECT_EQ(was_spooled, more > 0) << "in chunks, " << more;
    const std::string whole = post("/", body);
    tell(client, whole.substr(0, 3'000));
    EXPECT_EQ(ask(client, whole.substr(3'000)).body, body);
    EXPECT_EQ(was_spooled, more > 0) << "in two pieces, " << more;
  }
  EXPECT_EQ(counters().bodies_spooled.value(), 3u);
}

TEST_F(Bodies, LeaveNoFileBehind) {
  Client client = connect();
  const auto before = ssx::test::open_files();
  EXPECT_EQ(ask(client, post("/", pattern(50'000))).body, pattern(50'000));
  EXPECT_EQ(ssx::test::open_files(), before);
  EXPECT_TRUE(sys::list_directory(directory.path().c_str())->empty());
}

TEST_F(Bodies, LeaveNoFileBehindWhenTheyAreCut) {
  Client client = connect();
  tell(client, without_end(post("/", pattern(50'000))));
  const auto before = ssx::test::open_files();
  client.half_close();
  idle();
  EXPECT_EQ(ssx::test::open_files(), before - 2);  // the file, and the connection
  EXPECT_EQ(counters().cut_requests.value(), 1u);
  EXPECT_EQ(size, 0u);  // the handler never saw it
}

TEST_F(Bodies, AreRefusedAboveTheMaximumBeforeTheyAreSent) {
  for (const int more : {-1, 0, 1}) {
    Client client = connect();
    const std::size_t bytes = static_cast<std::size_t>(100'000 + more);
    const std::string lines = "Content-Length: " + std::to_string(bytes) + "\r\n";
    tell(client, request("POST", "/", lines));
    if (more <= 0) {
      EXPECT_EQ(client.read_available(), "");
      EXPECT_EQ(ask(client, pattern(bytes)).body, pattern(bytes));
    } else {
      const Answer answer = client.read_response();
      EXPECT_EQ(answer.status, 413);
      EXPECT_EQ(answer.field("Connection"), "close");
      EXPECT_NE(answer.body.find("413 Content Too Large"), std::string::npos);
    }
  }
  EXPECT_EQ(refused(Errc::kBodyTooLarge), 1u);
}

TEST_F(Bodies, AreRefusedAboveTheMaximumWhenTheyHaveNoLength) {
  for (const int more : {-1, 0, 1}) {
    Client client = connect();
    const std::string body = pattern(static_cast<std::size_t>(100'000 + more));
    tell(client, post_chunks("/", {body.substr(0, 60'000), body.substr(60'000)}));
    const Answer answer = client.read_response();
    EXPECT_EQ(answer.status, more > 0 ? 413 : 200);
    if (more <= 0) {
      EXPECT_EQ(answer.body, body);
    }
  }
  EXPECT_EQ(refused(Errc::kBodyTooLarge), 1u);
}

TEST_F(Bodies, MayBeLargerOrSmallerForOneRoute) {
  RouteLimits limits = RouteLimits::from(options);
  limits.body_max = 10;
  const auto handler = [](const Request& r) { return std::to_string(r.body().size); };
  on(Method::kPost, "/small", handler, limits);
  limits.body_max = 150'000;
  on(Method::kPost, "/large", handler, limits);
  limits.body_max = 0;
  on(Method::kPost, "/none", handler, limits);
  Client client = connect();
  EXPECT_EQ(ask(client, post("/small", pattern(10))).body, "10");
  EXPECT_EQ(ask(client, post("/large", pattern(150'000))).body, "150000");
  EXPECT_EQ(ask(client, post("/none", "")).body, "0");
  EXPECT_EQ(ask(client, post("/small", pattern(11))).status, 413);
  Client another = connect();
  EXPECT_EQ(ask(another, post("/none", "x")).status, 413);
  Client third = connect();
  EXPECT_EQ(ask(third, post_chunks("/none", {"x"})).status, 413);
}

TEST_F(Bodies, AreRefusedWhenTheSpoolIsFull) {
  options.upload_tmp_total = 60'000;
  for (const int more : {-1, 0, 1}) {
    Client client = connect();
    const std::string body = pattern(static_cast<std::size_t>(60'000 + more));
    const Answer answer = ask(client, post("/", body));
    EXPECT_EQ(answer.status, more > 0 ? 503 : 200) << more;
    EXPECT_EQ(answer.field("Connection"), more > 0 ? "close" : "");
  }
  EXPECT_EQ(refused(Errc::kSpoolFull), 1u);
}

TEST_F(Bodies, ShareTheSpoolAmongAllConnections) {
  options.upload_tmp_total = 60'000;
  Client first = connect();
  tell(first, without_end(post("/", pattern(40'000))));
  Client second = connect();
  EXPECT_EQ(ask(second, post("/", pattern(40'000))).status, 503);
  Client third = connect();
  EXPECT_EQ(ask(third, post("/", pattern(10'000))).status, 200);  // this one needs no file
  EXPECT_EQ(ask(first, pattern(40'000).substr(39'999)).status, 200);
  Client fourth = connect();
  EXPECT_EQ(ask(fourth, post("/", pattern(40'000))).status, 200);
}

TEST_F(Bodies, AreRefusedWhenThereIsNoFileToBeHad) {
  Client client = connect();
  {
    sim::FaultPlan plan;
    plan.fail(Call::kOpenTemporary, EMFILE);
    EXPECT_EQ(ask(client, post("/", pattern(20'000))).status, 503);
  }
  Client second = connect();
  {
    sim::FaultPlan plan;
    plan.fail(Call::kWrite, ENOSPC);
    EXPECT_EQ(ask(second, post("/", pattern(20'000))).status, 503);
  }
  Client third = connect();
  {
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kWrite, 777);
    EXPECT_EQ(ask(third, post("/", pattern(20'000))).body, pattern(20'000));
  }
  EXPECT_EQ(refused(Errc::kSpoolFull), 2u);
}

TEST_F(Bodies, AreRefusedWhenTheirChunksAreNone) {
  for (const std::string_view bad :
       {"x\r\n", "5\r\nhelloX", "5 \n", "-1\r\n", "ffffffffffffffffff\r\n"}) {
    Client client = connect();
    const Answer answer =
        ask(client, request("POST", "/", "Transfer-Encoding: chunked\r\n") + std::string(bad));
    EXPECT_EQ(answer.status, 400) << bad;
    EXPECT_EQ(answer.field("Connection"), "close");
  }
}

// ---- Expect: 100-continue (RFC 9110 10.1.1)

constexpr std::string_view kExpect = "Expect: 100-continue\r\n";

TEST_F(Bodies, AreAskedForWhenTheClientWaits) {
  Client client = connect();
  const std::string whole = post("/", "abc", kExpect);
  tell(client, whole.substr(0, whole.size() - 3));
  EXPECT_EQ(client.read_available(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(ask(client, "abc").body, "abc");
}

TEST_F(Bodies, AreNotAskedForWhenTheyAreThere) {
  Client client = connect();
  EXPECT_EQ(ask(client, post("/", "abc", kExpect)).body, "abc");
  const std::string whole = post("/", "abc", kExpect);
  tell(client, whole.substr(0, whole.size() - 2));
  EXPECT_EQ(client.read_available(), "");
  EXPECT_EQ(ask(client, "bc").body, "abc");
}

TEST_F(Bodies, AreNotAskedForWhenTheyWouldBeRefused) {
  Client client = connect();
  const std::string lines = "Content-Length: 100001\r\n" + std::string(kExpect);
  EXPECT_EQ(ask(client, request("POST", "/", lines)).status, 413);
  Client another = connect();
  EXPECT_EQ(ask(another, without_end(post("/nothing", "a", kExpect))).status, 404);
  Client third = connect();
  EXPECT_EQ(
      ask(third,
          without_end(request("PUT", "/", "Content-Length: 1\r\n" + std::string(kExpect)) + "x"))
          .status,
      405);
  Client fourth = connect();
  EXPECT_EQ(ask(fourth, post("/", "abc", "Expect: the unexpected\r\n")).status, 417);
}

TEST_F(Bodies, AreNotAskedForInHttp10) {
  Client client = connect();
  tell(client, "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_EQ(client.read_available(), "");
  EXPECT_EQ(ask(client, "x").body, "x");
}

TEST_F(Bodies, AreWaitedForAsLongAsOthersAfterTheyWereAskedFor) {
  Client client = connect();
  const std::string whole = post("/", "abc", kExpect);
  tell(client, whole.substr(0, whole.size() - 3));
  advance(options.timeouts.body + 100ms);
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 408);
}

}  // namespace
}  // namespace ssx::http::test

// Every system call of a conversation fails once. Whatever the client then gets is a part of the
// right answer, or an answer that says that something went wrong.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "http/files/static_handler.h"
#include "ssxrver/sys/file.h"
#include "tests/http/session_fixture.h"
#include "tests/support/fail_at_nth.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using sim::Call;

class Faults : public SessionTest {
 protected:
  Faults() {
    directory.write("small.txt", pattern(700));
    directory.write("large.bin", pattern(150 << 10));
    options.spool_path = directory.path();
    options.body_spool_threshold = 5'000;
  }

  bool set_up() {
    router = Router();
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kPost, "/size", [](const Request& r) { return std::to_string(r.body().size); });
    StaticOptions files;
    files.root = directory.path();
    files.open_file_cache.small_file_max = 1000;
    auto handler = make_static_handler(files);
    if (!handler) return false;
    EXPECT_TRUE(router.add("", {Method::kGet}, "/files/*",
                           {*std::move(handler), RouteLimits::from(options), "files"}));
    start_service();
    return true;
  }
  void tear_down() {
    table.reset();
    service.reset();
    router = Router();
  }
  /// One conversation with a server of its own, on system calls of the test's own.
  std::string converse(const std::string& first, const std::string& second = "") {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    sys::UniqueFd ours(ends[0]);
    Client client(ends[1]);
    if (!set_up()) return "";
    adopt(std::move(ours));
    client.send(first);
    idle();
    client.send(second);
    client.half_close();
    std::string said = hear(client);
    client.close();
    idle();
    EXPECT_TRUE(table->empty());
    tear_down();
    return said;
  }
  void expect_right_or_refused(const std::string& first, const std::string& second = "",
                               int error = 0) {
    const std::string whole = converse(first, second);
    ASSERT_TRUE(whole.starts_with("HTTP/1.1 200 OK\r\n")) << whole;
    const auto tries = sim::fail_at_nth(
        [&](const sim::FaultPlan& plan) {
          const std::string said = converse(first, second);
          if (plan.faults() == 0) {
            EXPECT_TRUE(said == whole);
          } else if (!whole.starts_with(said)) {
            EXPECT_TRUE(said.starts_with("HTTP/1.1 50")) << said.substr(0, 200);
            EXPECT_NE(said.find("</html>\n"), std::string::npos);
          }
        },
        error);
    EXPECT_GT(tries, 3u);
  }

  ssx::test::TempDir directory;
};

TEST_F(Faults, LeaveNoWrongAnswerFromMemory) { expect_right_or_refused(get("/") + get("/")); }

TEST_F(Faults, LeaveNoWrongAnswerOfASmallFile) {
  expect_right_or_refused(get("/files/small.txt"), get("/files/small.txt"));
}

TEST_F(Faults, LeaveNoWrongAnswerOfALargeFile) {
  expect_right_or_refused(get("/files/large.bin"), get("/"));
}

TEST_F(Faults, LeaveNoWrongAnswerToASpooledBody) {
  const std::string whole = post("/size", pattern(20'000));
  expect_right_or_refused(whole.substr(0, 7'000), whole.substr(7'000) + get("/"));
}

TEST_F(Faults, LeaveNoWrongAnswerWhateverTheError) {
  for (const int error : {ENOMEM, EIO, EINTR, ENOBUFS}) {
    SCOPED_TRACE(error);
    expect_right_or_refused(get("/files/large.bin") + get("/files/small.txt"), get("/"), error);
  }
}

TEST_F(Faults, OfShortCountsChangeNothing) {
  const std::string upload = post("/size", pattern(20'000));
  const std::string requests =
      get("/files/large.bin") + upload + get("/files/small.txt") + get("/");
  const std::string whole = converse(requests);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    sim::FaultPlan plan;
    plan.random(seed);
    ASSERT_TRUE(converse(requests) == whole) << seed;
    EXPECT_GT(plan.faults(), 0u);
  }
}

}  // namespace
}  // namespace ssx::http::test

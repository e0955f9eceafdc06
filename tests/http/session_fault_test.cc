// Every system call of a conversation fails once. Whatever the client then gets is a part of the
// right answer, or an answer that says that something went wrong.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

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
  static constexpr std::size_t kMedium = 300;

  Faults() {
    directory.write("small.txt", pattern(150));
    directory.write("medium.bin", pattern(kMedium));
    directory.write("large.bin", pattern(150 << 10));
    directory.write("index.html", "<h1>hello</h1>\n");
    options.spool_path = directory.path();
    options.body_spool_threshold = 5'000;
  }

  bool set_up() {
    router = Router();
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kGet, "/page", [this](const Request&) { return page; });
    on(Method::kPost, "/size", [](const Request& r) { return std::to_string(r.body().size); });
    StaticOptions files;
    files.root = directory.path();
    files.open_file_cache.small_file_max = 200;
    files.sendfile = sendfile;
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
    idle();  // the cache of files ends on its loop
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
    closed = table->counters().closed.value();
    resets = table->counters().resets.value();
    tear_down();
    return said;
  }
  /// The answers of a conversation; the last may be cut.
  static std::vector<std::string> take_apart(std::string_view said) {
    std::vector<std::string> answers;
    while (!said.empty()) {
      const auto length = said.find("Content-Length: ");
      const auto end = said.find("\r\n\r\n");
      std::size_t size = said.size();
      if (end != std::string_view::npos && length < end) {
        size = end + 4 + std::stoul(std::string(said.substr(length + 16, 10)));
      }
      answers.emplace_back(said.substr(0, size));
      said.remove_prefix(std::min(size, said.size()));
    }
    return answers;
  }
  /// Each of these answers is the right one, or one that says that something went wrong; the last
  /// may be the beginning of either.
  static void expect_no_wrong_answer(std::string_view said, const std::vector<std::string>& right,
                                     int error) {
    const auto answers = take_apart(said);
    ASSERT_LE(answers.size(), right.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] == right[i]) continue;
      if (i + 1 == answers.size() && right[i].starts_with(answers[i])) continue;
      const bool forbidden = error == EACCES && answers[i].starts_with("HTTP/1.1 403 ");
      EXPECT_TRUE(forbidden || answers[i].starts_with("HTTP/1.1 50"))
          << i << ": " << answers[i].substr(0, 200);
      EXPECT_TRUE(answers[i].ends_with("</html>\n") || i + 1 == answers.size()) << i;
    }
  }
  /// `answers`: how many there are when nothing fails.
  void expect_right_or_refused(std::size_t answers, const std::string& first,
                               const std::string& second = "", int error = 0) {
    const std::string whole = converse(first, second);
    const std::vector<std::string> right = take_apart(whole);
    ASSERT_EQ(right.size(), answers);
    for (const std::string& one : right) ASSERT_TRUE(one.starts_with("HTTP/1.1 200 OK\r\n")) << one;
    const auto tries = sim::fail_at_nth(
        [&](const sim::FaultPlan& plan) {
          const std::string said = converse(first, second);
          EXPECT_TRUE(said == whole || plan.faults() > 0);
          expect_no_wrong_answer(said, right, error);
        },
        error);
    EXPECT_GT(tries, 3u);
  }

  ssx::test::TempDir directory;
  const std::string page = pattern(ResponseWriter::kCopyMax + 1);
  bool sendfile = true;
  std::uint64_t closed = 0;  ///< of the latest conversation
  std::uint64_t resets = 0;
};

TEST_F(Faults, LeaveNoWrongAnswerFromMemory) {
  expect_right_or_refused(3, get("/") + get("/"), get("/"));
}

TEST_F(Faults, LeaveNoWrongAnswerOfASmallFile) {
  expect_right_or_refused(2, get("/files/small.txt"), get("/files/small.txt"));
}

TEST_F(Faults, LeaveNoWrongAnswerOfALargeFile) {
  expect_right_or_refused(3, get("/files/large.bin"), get("/files/large.bin") + get("/"));
}

TEST_F(Faults, LeaveNoWrongAnswerOfAFolder) {
  expect_right_or_refused(2, get("/files/"), get("/files/"));
}

TEST_F(Faults, LeaveNoWrongAnswerOfAFileThatIsCopied) {
  sendfile = false;
  expect_right_or_refused(2, get("/files/large.bin"), get("/"));
}

TEST_F(Faults, LeaveNoWrongAnswerToASpooledBody) {
  const std::string whole = post("/size", pattern(20'000));
  expect_right_or_refused(2, whole.substr(0, 7'000), whole.substr(7'000) + get("/"));
}

TEST_F(Faults, LeaveNoWrongAnswerToASpooledBodyInChunks) {
  const std::string body = pattern(20'000);
  const std::string whole = post_chunks("/size", {body, body, "abc"});
  expect_right_or_refused(2, whole.substr(0, 30'000), whole.substr(30'000) + get("/"));
}

// Nothing here opens a file: what fails ends the connection, and what was said stays right.
TEST_F(Faults, LeaveTheBeginningOfEveryOtherConversation) {
  struct Talk {
    std::string first;
    std::string second;
    std::string_view answer;
  };
  const std::string asking = post("/size", "abc", "Expect: 100-continue\r\n");
  const Talk talks[] = {
      {"BAD\r\n\r\n", pattern(1000), "HTTP/1.1 400 "},  // read on for a while after it
      {get("/nothing"), get("/", "Connection: close\r\n") + get("/"), "HTTP/1.1 404 "},
      {asking.substr(0, asking.size() - 3), "abc", "HTTP/1.1 100 "},
      {request("POST", "/size", "Content-Length: 100000000\r\n"), "abc", "HTTP/1.1 413 "},
      {get("/page").substr(0, 30), get("/page").substr(30), "HTTP/1.1 200 "}};
  for (const auto& [first, second, answer] : talks) {
    SCOPED_TRACE(answer);
    const std::string whole = converse(first, second);
    ASSERT_TRUE(whole.starts_with(answer)) << whole;
    const auto tries =
        sim::fail_at_nth([&whole, this, &one = first, &two = second](const sim::FaultPlan& plan) {
          const std::string said = converse(one, two);
          EXPECT_TRUE(whole.starts_with(said)) << said;
          EXPECT_TRUE(said == whole || plan.faults() > 0);
        });
    EXPECT_GT(tries, 3u);
  }
}

TEST_F(Faults, LeaveNoWrongAnswerWhateverTheError) {
  const std::string upload = post("/size", pattern(20'000));
  for (const int error : {ENOMEM, EIO, EINTR, ENOBUFS, EACCES, ECONNRESET, ETIMEDOUT}) {
    SCOPED_TRACE(error);
    expect_right_or_refused(5, get("/files/large.bin") + get("/files/small.txt") + get("/files/"),
                            upload + get("/"), error);
  }
}

// Each path of the reading and the writing side, cut short and put off at random places.
TEST_F(Faults, OfShortCountsChangeNothing) {
  const std::string upload = post("/size", pattern(20'000));
  const std::string requests =
      get("/files/large.bin") + upload + get("/files/small.txt") + get("/page");
  for (const bool with_sendfile : {true, false}) {
    sendfile = with_sendfile;
    const std::string whole = converse(requests);
    ASSERT_EQ(take_apart(whole).size(), 4u);
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      sim::FaultPlan plan;
      plan.random(seed, {.short_counts = 600, .again = 300});
      ASSERT_TRUE(converse(requests) == whole) << seed;
      ASSERT_GT(plan.faults(), 0u) << seed;
    }
  }
}

TEST_F(Faults, OfEveryKindTogetherLeaveNoWrongAnswer) {
  const std::string upload = post("/size", pattern(20'000));
  const std::string requests = get("/files/") + upload + get("/files/large.bin") + get("/page");
  const auto right = take_apart(converse(requests));
  std::size_t whole = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    sim::FaultPlan plan;
    plan.random(seed, {.short_counts = 300, .again = 200, .failures = 20});
    const std::string said = converse(requests);
    expect_no_wrong_answer(said, right, 0);
    ASSERT_FALSE(HasFailure()) << seed << ": " << plan.latest_fault();
    if (take_apart(said) == right) ++whole;
  }
  EXPECT_GT(whole, 10u);   // neither all of them failed
  EXPECT_LT(whole, 190u);  // nor none
}

TEST_F(Faults, OfReadsOfEveryLengthChangeNothing) {  // D08
  const std::string requests =
      get("/files/small.txt") + post("/size", pattern(300)) + post_chunks("/size", {"abc", "de"});
  const std::string whole = converse(requests);
  ASSERT_EQ(take_apart(whole).size(), 3u);
  for (std::size_t most = 1; most <= requests.size(); ++most) {
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kReceive, most);
    ASSERT_TRUE(converse(requests) == whole) << most;
  }
}

// D07: whatever part of an answer the system takes, and when it takes none in between.
class PartsOfAnswers : public Faults {
 protected:
  /// One conversation for each length from `first` to `last`, and one more for each.
  void expect_the_same(Call call, const std::string& requests, std::size_t first,
                       std::size_t last) {
    const std::string whole = converse(requests);
    ASSERT_TRUE(whole.starts_with("HTTP/1.1 200 OK\r\n"));
    for (std::size_t most = first; most <= last; ++most) {
      SCOPED_TRACE(most);
      {
        sim::FaultPlan plan;  // no more than this at once
        plan.limit_bytes(call, most);
        ASSERT_TRUE(converse(requests) == whole);
      }
      sim::FaultPlan plan;  // this much, and nothing for two turns
      plan.limit_bytes(call, most, 1).fail(call, EAGAIN, 2);
      ASSERT_TRUE(converse(requests) == whole);
    }
    sim::FaultPlan plan;
    plan.fail(call, EAGAIN, 2);
    ASSERT_TRUE(converse(requests) == whole);
    ASSERT_EQ(plan.faults(), 2u);
  }
};

TEST_F(PartsOfAnswers, FromMemoryLeaveByteForByte) {
  expect_the_same(Call::kSend, get("/"), 1, converse(get("/")).size());
}

TEST_F(PartsOfAnswers, OfSeveralPiecesLeaveByteForByte) {
  const std::string requests = get("/page") + get("/");
  const std::string whole = converse(requests);
  const std::size_t head = whole.find("\r\n\r\n") + 4;
  expect_the_same(Call::kSendVector, requests, 1, head + 5);
  expect_the_same(Call::kSendVector, requests, head + page.size() - 5, head + page.size() + 5);
}

TEST_F(PartsOfAnswers, OfFilesLeaveByteForByte) {
  expect_the_same(Call::kSendFile, get("/files/medium.bin") + get("/"), 1, kMedium);
}

TEST_F(PartsOfAnswers, OfFilesThatAreCopiedLeaveByteForByte) {
  sendfile = false;
  expect_the_same(Call::kSend, get("/files/medium.bin") + get("/"), 1, kMedium);
}

TEST_F(PartsOfAnswers, OfFilesLeaveByteForByteAlthoughReadsAreShort) {
  sendfile = false;
  const std::string requests = get("/files/medium.bin") + get("/");
  const std::string whole = converse(requests);
  for (std::size_t most = 1; most <= kMedium; ++most) {
    sim::FaultPlan plan;
    plan.limit_bytes(Call::kPread, most);
    ASSERT_TRUE(converse(requests) == whole) << most;
  }
}

// D15: on each way to write the connection ends, once, and it is counted.
TEST_F(Faults, EndTheConnectionOnEveryWayToWrite) {
  struct Way {
    Call call;
    std::string requests;
  };
  const Way ways[] = {{Call::kSend, get("/")},
                      {Call::kSendVector, get("/page")},
                      {Call::kSendFile, get("/files/large.bin")}};
  for (const auto& [call, requests] : ways) {
    const std::string whole = converse(requests);
    for (const int error : {EPIPE, ECONNRESET, ETIMEDOUT, ENOBUFS}) {
      SCOPED_TRACE(std::string(sim::name(call)) + " " + std::to_string(error));
      sim::FaultPlan plan;
      plan.fail(call, error);
      const std::string said = converse(requests);
      EXPECT_EQ(plan.faults(), 1u);
      EXPECT_LT(said.size(), whole.size());
      EXPECT_TRUE(whole.starts_with(said));
      EXPECT_EQ(closed, 1u);
      EXPECT_EQ(resets, error == ECONNRESET ? 1u : 0u);
    }
  }
}

}  // namespace
}  // namespace ssx::http::test

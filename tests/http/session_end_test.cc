// E02: connections that end while the session is in the middle of something.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/http/session_fixture.h"
#include "tests/support/open_files.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using net::Connection;

Error over() { return {net::make_error_code(net::Errc::kClosed), "test"}; }

struct Way {
  const char* name;
  std::function<void(Connection&)> end;
  bool keeps_answer;     ///< what the handler says still leaves
  bool goes_on = false;  ///< and so may the answer to the request behind
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"close", [](Connection& c) { c.close(over()); }, false},
      {"reset", [](Connection& c) { c.reset(over()); }, false},
      {"flush", [](Connection& c) { c.close_after_flush(Connection::Linger::kNo); }, true},
      {"linger", [](Connection& c) { c.close_after_flush(Connection::Linger::kYes); }, true},
      {"shutdown", [](Connection& c) { c.shutdown_write(); }, true, true},
      {"all", [](Connection& c) { c.table().close_all(over(), false); }, false},
      {"twice",
       [](Connection& c) {
         c.close_after_flush(Connection::Linger::kYes);
         c.close(over());
         c.reset(over());
       },
       false},
      {"pause and close",
       [](Connection& c) {
         c.pause_reading();
         c.resume_reading();
         c.close(over());
       },
       false},
  };
  return all;
}

class Ending : public SessionTest {
 protected:
  Ending() {
    options.spool_path = directory.path();
    options.body_spool_threshold = 5'000;
    on(Method::kGet, "/", [](const Request&) { return "hello\n"; });
    on(Method::kGet, "/end", [this](const Request&) { return end_it("from the end\n"); });
    on(Method::kPost, "/end",
       [this](const Request& r) { return end_it(std::to_string(r.body().size)); });
    on(Method::kPost, "/throw", [this](const Request&) -> Response {
      end_it("");
      throw 1;
    });
  }
  std::string end_it(std::string answer) {
    ++handled;
    way->end(*connection);
    return answer;
  }
  /// In two pieces, with an answer before and a request behind that gets none.
  void expect_one_end(const std::string& bytes, std::size_t cut) {
    SCOPED_TRACE(std::string(way->name) + ": " + bytes.substr(0, 30) + ", " + std::to_string(cut));
    handled = 0;
    const auto open_before = ssx::test::open_files();
    const std::uint64_t closed_before = service == nullptr ? 0 : table->counters().closed.value();
    Client client = connect();
    tell(client, get("/") + bytes.substr(0, cut));
    tell(client, bytes.substr(cut) + get("/"));
    client.half_close();
    const std::string said = hear(client);
    EXPECT_EQ(handled, 1);
    // The first answer is in the same system call as the second when they came together.
    EXPECT_TRUE(cut == 0 || !way->keeps_answer || said.find("hello\n") != said.npos) << said;
    EXPECT_EQ(way->keeps_answer, said.find("HTTP/1.1 ", 10) != said.npos) << said;
    EXPECT_TRUE(way->goes_on || said.find("hello\n") == said.rfind("hello\n")) << said;
    client.close();
    idle();
    EXPECT_TRUE(table->empty());
    EXPECT_EQ(table->counters().closed.value(), closed_before + 1);
    EXPECT_EQ(ssx::test::open_files(), open_before);
  }

  ssx::test::TempDir directory;
  const Way* way = nullptr;
  int handled = 0;
};

TEST_F(Ending, InsideTheHandlerOfEveryKindOfRequest) {
  connect();  // makes the service, so that open files can be compared
  idle();
  const std::vector<std::string> requests = {
      get("/end"), post("/end", "abc"), post("/end", pattern(6'000)),
      post_chunks("/end", {"abc", "def"}), post("/throw", "abc")};
  for (const Way& one : ways()) {
    way = &one;
    for (const std::string& bytes : requests) {
      for (const std::size_t cut : {std::size_t{0}, std::size_t{10}, bytes.size() - 1}) {
        expect_one_end(bytes, cut);
      }
    }
  }
}

// From outside, between two of its callbacks, with whatever it holds then.
TEST_F(Ending, InEveryPhase) {
  connect();
  idle();
  const std::string spooled = post("/end", pattern(6'000));
  const std::vector<std::string> phases = {"",
                                           "\r\n",
                                           get("/"),
                                           get("/") + "\r\n",
                                           "GET / HT",
                                           get("/") + "GET /",
                                           without_end(post("/end", "abc")),
                                           without_end(spooled),
                                           "BAD\r\n\r\n"};
  for (const Way& one : ways()) {
    for (const std::string& bytes : phases) {
      SCOPED_TRACE(std::string(one.name) + " in " + bytes.substr(0, 60));
      const auto open_before = ssx::test::open_files();
      Client client = connect();
      way = nullptr;  // no handler runs that ends it
      tell(client, bytes);
      one.end(*connection);
      idle();
      client.close();
      idle();
      EXPECT_TRUE(table->empty());
      EXPECT_EQ(ssx::test::open_files(), open_before);
    }
  }
}

}  // namespace
}  // namespace ssx::http::test

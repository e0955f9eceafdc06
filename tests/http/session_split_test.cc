// The same bytes get the same answers, byte for byte, however the network cuts them.
#include <gtest/gtest.h>

#include <string>

#include "tests/http/request_corpus.h"
#include "tests/http/session_fixture.h"
#include "tests/support/feed_every_split.h"
#include "tests/support/temp_dir.h"

namespace ssx::http::test {
namespace {

using ssx::test::Pieces;
using ssx::test::Splits;

class Splitting : public SessionTest {
 protected:
  Splitting() {
    options.spool_path = directory.path();
    options.body_spool_threshold = 16;
    any("/*", [this](const Request& r) {
      called += std::string(to_string(r.method())) + ' ' + std::string(r.target()) + '\n';
      std::string text = called.substr(called.rfind('\n', called.size() - 2) + 1);
      text.append(r.host()).append("|").append(r.path()).append("|").append(r.query());
      for (const Field field : r.fields()) text.append("|").append(field.name).append(field.value);
      text.append("|").append(r.param("rest")).append("|").append(r.body().text);
      return Response(text + "|" + std::to_string(r.body().size));
    });
    on(Method::kGet, "/only-get", [](const Request&) { return "got"; });
  }

  /// What a conversation says and which handlers it called.
  std::string outcome(const Pieces& pieces) {
    called.clear();
    Client client = connect();
    for (const std::string_view piece : pieces) tell(client, piece);
    client.half_close();
    std::string said = hear(client);
    EXPECT_TRUE(client.ended());
    client.close();
    idle();
    EXPECT_TRUE(table->empty());
    // Whether the client is asked for its body depends on whether it is there.
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    if (said.starts_with(kContinue)) said.erase(0, kContinue.size());
    return called + said;
  }
  std::string expect_same(std::string_view bytes, Splits splits = {.random = 10}) {
    const std::string whole = outcome({bytes});
    ssx::test::feed_every_split(
        bytes, [this, &whole](const Pieces& pieces) { EXPECT_EQ(outcome(pieces), whole); }, splits);
    return whole;
  }

  ssx::test::TempDir directory;
  std::string called;
};

TEST_F(Splitting, ChangesNoAnswerToARequest) {
  expect_same(get("/a%20b/../c?d=e", "X: y\r\nX: z\r\n"));
  expect_same(head("/a"));
  expect_same("GET http://b.example:80/x HTTP/1.0\r\n\r\n");
  expect_same(request("OPTIONS", "*"));
  expect_same(request("DELETE", "/only-get"));
}

TEST_F(Splitting, ChangesNoAnswerToABody) {
  expect_same(post("/short", "0123456789"));
  expect_same(post("/spooled", "0123456789abcdefghi"));
  expect_same(post_chunks("/short", {"01234", "56789"}));
  expect_same(post_chunks("/spooled", {"0123456789", "abcdefghi"}));
  expect_same(post("/asked", "0123456789", "Expect: 100-continue\r\n"));
  expect_same(post("/", "", "Connection: close\r\n"));
}

TEST_F(Splitting, ChangesNoAnswerInAPipeline) {
  const std::string whole = expect_same(get("/1") + post("/2", "0123456789") + head("/3") +
                                        post_chunks("/4", {"0123456789", "abcdefghi"}) +
                                        request("PUT", "/only-get") + get("/5") + get("/6"));
  EXPECT_NE(whole.find("GET /6"), std::string::npos);
}

TEST_F(Splitting, ChangesNoRefusal) {
  expect_same(get("/1") + "nonsense\r\n\r\n" + get("/2"));
  expect_same(post("/1", "0123456789") + get("/%zz") + get("/2"));
  expect_same(post_chunks("/1", {"a"}) + request("POST", "/2", "Transfer-Encoding: chunked\r\n") +
              "5\r\nabcdeX\r\n" + get("/3"));
  expect_same(request("POST", "/", "Content-Length: 99999999999\r\n") + "abc");
  expect_same(post("/only-get", "abc") + get("/2"));
}

// Each row, and a request behind it that must never be answered once the row was refused.
TEST_F(Splitting, ChangesNothingInTheCorpus) {
  const std::string canary = get("/canary2");
  for (const CorpusRow& row : request_corpus()) {
    SCOPED_TRACE(row.name);
    const std::string whole = expect_same(row.bytes + canary, {.random = 0, .every_cut_max = 80});
    if (row.verdict != Errc::kOk) {
      EXPECT_EQ(whole.find("canary2"), std::string::npos);
      const std::string status = std::to_string(to_int(status_of(row.verdict)));
      EXPECT_TRUE(whole.starts_with("HTTP/1.1 " + status + ' ')) << whole;
      EXPECT_NE(whole.find("<h1>" + status), std::string::npos) << "no body";
      EXPECT_NE(whole.find("Connection: close\r\n"), std::string::npos);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ssx::http::test

// Group A of the abuse tests, through a whole session: what is answered, whether the connection
// lives on, and which handlers were called. The parsers alone are tested in tests/http.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/http/outcome.h"
#include "tests/http/request_corpus.h"
#include "tests/http/session_fixture.h"
#include "tests/support/feed_every_split.h"
#include "tests/support/full_size.h"

namespace ssx::http::test {
namespace {

using ssx::test::full_size;
using ssx::test::Pieces;

const std::string& canary() {
  static const std::string text = get("/canary2");
  return text;
}

class BadBytes : public SessionTest {
 protected:
  BadBytes() {
    any("/*", [this](const Request& request) {
      ++calls;
      canary_calls += request.path() == "/canary2";
      return std::string(request.body().text);
    });
  }

  /// All that a conversation on a connection of its own has said; it is over afterwards.
  std::string outcome(const Pieces& pieces, bool half_close = true) {
    calls = 0;
    canary_calls = 0;
    Client client = connect();
    for (const std::string_view piece : pieces) tell(client, piece);
    if (half_close) client.half_close();
    std::string said = hear(client);
    ended = client.ended();
    client.close();
    idle();
    EXPECT_TRUE(table->empty());
    return said;
  }
  /// The status of the first final answer; 0 when there is none.
  static int status_in(std::string_view said) {
    while (said.starts_with("HTTP/1.1 1")) said.remove_prefix(said.find("\r\n\r\n") + 4);
    return said.starts_with("HTTP/1.1 ") ? std::stoi(std::string(said.substr(9, 3))) : 0;
  }
  /// Refused: this status, the end of the connection, and no handler, whatever follows.
  void expect_refused(std::string_view bytes, int status, std::string_view what) {
    const std::string said = outcome({bytes, canary()}, false);
    EXPECT_EQ(status_in(said), status) << what;
    EXPECT_TRUE(ended) << what;
    EXPECT_EQ(calls, 0) << what;
  }

  int calls = 0;
  int canary_calls = 0;
  bool ended = false;  ///< the server has ended the latest connection
};

TEST_F(BadBytes, A01EveryHeadOfTheCorpusGetsItsVerdict) {
  for (const CorpusRow& row : request_corpus()) {
    SCOPED_TRACE(row.name);
    if (row.verdict != Errc::kOk) {
      expect_refused(row.bytes, to_int(status_of(row.verdict)), row.name);
      continue;
    }
    const std::string said = outcome({row.bytes}, false);
    const int status = status_in(said);
    if (status == 0) {  // its body is still to come
      EXPECT_NE(row.bytes.find("\r\n"), std::string::npos);
      EXPECT_EQ(calls, 0);
      EXPECT_FALSE(ended);
      continue;
    }
    const bool too_large = parse_pieces({row.bytes}).content_length > options.body_max;
    const bool for_server = row.bytes.starts_with("OPTIONS *");
    const int requests = row.name == "plain pipelined" ? 2 : 1;
    EXPECT_EQ(status / 100, too_large ? 4 : 2) << said;
    EXPECT_EQ(calls, too_large || for_server ? 0 : requests);
    EXPECT_EQ(ended, said.find("Connection: close\r\n") != std::string::npos) << said;
    if (!ended) {
      outcome({row.bytes, canary()}, false);
      EXPECT_EQ(canary_calls, 1);
    }
  }
}

TEST_F(BadBytes, A02EveryHeadOfTheCorpusMayBeCutInThree) {
  for (const CorpusRow& row : request_corpus()) {
    SCOPED_TRACE(row.name);
    const std::string bytes = row.bytes + canary();
    const std::string whole = outcome({bytes});
    const int whole_calls = calls;
    ssx::test::feed_every_split(
        bytes,
        [&](const Pieces& pieces) {
          std::string said = outcome(pieces);
          // Whether the client is asked for its body depends on whether it is there.
          constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
          if (said.starts_with(kContinue) && !whole.starts_with(kContinue)) {
            said.erase(0, kContinue.size());
          }
          EXPECT_EQ(said, whole);
          EXPECT_EQ(calls, whole_calls);
        },
        {.random = full_size<std::size_t>(4, 1000), .every_cut_max = 0});
    if (HasFailure()) return;
  }
}

// ---- A04: two ideas of where a body ends

struct Smuggling {
  const char* name;
  const char* lines;
  std::string body;
  std::vector<int> statuses;  ///< one of them; none: the body is what Content-Length says
};

const std::vector<Smuggling>& smugglings() {
  static const std::string kSmuggled = get("/canary2");
  static const std::vector<Smuggling> rows = {
      {"CL.TE",
       "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400}},
      {"TE.CL",
       "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400}},
      {"TE.TE two lines",
       "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400, 501}},
      {"TE.TE list",
       "Transfer-Encoding: chunked, identity\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400, 501}},
      {"TE.TE twice", "Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n" + kSmuggled, {400}},
      {"TE.TE look-alike", "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n" + kSmuggled, {400, 501}},
      {"TE.TE quoted", "Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n" + kSmuggled, {400, 501}},
      {"TE.TE parameter",
       "Transfer-Encoding: chunked;a=b\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400, 501}},
      {"TE.TE vertical tab",
       "Transfer-Encoding: \x0b"
       "chunked\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400}},
      {"TE.TE space before colon",
       "Transfer-Encoding : chunked\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400}},
      {"TE.TE folded", "Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n" + kSmuggled, {400}},
      {"TE.TE hidden behind a CR",
       "X: y\rTransfer-Encoding: chunked\r\n",
       "0\r\n\r\n" + kSmuggled,
       {400}},
      {"TE.0", "Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding\r\n", "0\r\n\r\n", {}},
      {"CL.0", "Content-Length: 42\r\n", kSmuggled, {}},
      {"0.CL folded", "X: y\r\n Content-Length: 42\r\n", kSmuggled, {400}},
      {"0.CL behind a LF", "Content-Length:\n 42\r\n", kSmuggled, {400}},
      {"0.CL space before colon", "Content-Length : 42\r\n", kSmuggled, {400}},
      {"CL.CL", "Content-Length: 0\r\nContent-Length: 42\r\n", kSmuggled, {400}},
      {"CL.CL list", "Content-Length: 0, 42\r\n", kSmuggled, {400}},
  };
  return rows;
}

TEST_F(BadBytes, A04NothingIsSmuggledPastAnyMethodOrExpectation) {
  ASSERT_EQ(get("/canary2").size(), 42u) << "the rows above say so";
  const std::vector<std::pair<std::string, int>> expectations = {
      {"", 0},
      {"Expect: 100-continue\r\n", 0},
      {"Expect: 100-Continue\r\n", 0},
      {"Expect: 100-continue\r\nExpect: 100-continue\r\n", 0},
      {"Expect: y 100-continue\r\n", 417},
      {"Expect: 200-ok\r\n", 417}};
  for (const char* const method : {"GET", "POST", "OPTIONS", "HEAD"}) {
    for (const auto& [expectation, refusal] : expectations) {
      for (const Smuggling& row : smugglings()) {
        for (const bool expect_first : {true, false}) {
          const std::string lines =
              expect_first ? expectation + row.lines : row.lines + expectation;
          SCOPED_TRACE(std::string(row.name) + " " + method + " " + lines);
          const std::string said = outcome({request(method, "/first", lines) + row.body}, false);
          const int status = status_in(said);
          EXPECT_EQ(canary_calls, 0);
          const bool refused = refusal != 0 || !row.statuses.empty();
          EXPECT_EQ(calls, refused ? 0 : 1);
          EXPECT_EQ(ended, refused);
          if (!refused) {
            EXPECT_EQ(status, 200);
          } else {
            EXPECT_TRUE(status == refusal || std::ranges::count(row.statuses, status) > 0)
                << status;
          }
        }
      }
    }
  }
}

TEST_F(BadBytes, A04ChunksOfHttp10AreRefused) {
  for (const char* const method : {"GET", "POST", "OPTIONS", "HEAD"}) {
    const std::string head = std::string(method) + " / HTTP/1.0\r\nHost: a\r\nConnection: " +
                             "keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    expect_refused(head, 400, method);
  }
}

// ---- A07: chunk bombs

TEST_F(BadBytes, A07AMillionChunksOfOneByteEndEarly) {
  constexpr std::string_view kChunk = "1\r\nx\r\n";
  std::string block;
  for (int i = 0; i < 1000; ++i) block += kChunk;
  Client client = connect();
  tell(client, request("POST", "/", "Transfer-Encoding: chunked\r\n"));
  int sent = 0;
  std::string said;
  while (sent < 1000 && said.empty()) {
    ++sent;
    tell(client, block);
    said = client.read_available();
  }
  EXPECT_EQ(status_in(said), 400);
  EXPECT_EQ(calls, 0);
  // 5 of 6 bytes are framing, so the allowance of 4 a byte and the base are used up here.
  const std::size_t chunks = options.parser.chunk_overhead_base;
  EXPECT_LE(static_cast<std::size_t>(sent) * 1000, chunks + 2000);
  EXPECT_EQ(refused(Errc::kChunkOverhead), 1u);
}

TEST_F(BadBytes, A07ALongExtensionAndAMillionTrailersEndAtTheirLimits) {
  const std::string head = request("POST", "/", "Transfer-Encoding: chunked\r\n");
  expect_refused(head + "1;a=" + std::string(64 << 10, 'b') + "\r\nx\r\n", 400, "extension");
  std::string trailers;
  while (trailers.size() < (6U << 20)) trailers += "A: b\r\n";
  expect_refused(head + "0\r\n" + trailers, 400, "trailers");
  EXPECT_LT(table->counters().bytes_in.value(), 300'000u);  // the rest was not even read
}

// ---- A13: the limits of a head, in one packet and byte by byte

struct HeadLimit {
  const char* name;
  Errc error;
  std::size_t limit;
  std::function<std::string(std::size_t)> make;  ///< a request that has so much of it
};

std::vector<HeadLimit> head_limits(const ParserLimits& limits) {
  const std::string plain = get("/");
  return {{"count", Errc::kTooManyFields, limits.field_count_max,
           [](std::size_t count) {
             std::string lines;
             for (std::size_t i = 1; i < count; ++i) lines += "A: b\r\n";  // and Host
             return get("/", lines);
           }},
          {"line", Errc::kFieldLineTooLong, limits.field_line_max,
           [](std::size_t size) { return get("/", "A: " + std::string(size - 3, 'b') + "\r\n"); }},
          {"name", Errc::kFieldNameTooLong, limits.field_name_max,
           [](std::size_t size) { return get("/", std::string(size, 'A') + ": b\r\n"); }},
          {"target", Errc::kTargetTooLong, limits.target_max,
           [](std::size_t size) { return get("/?" + std::string(size - 2, 'a')); }},
          {"path", Errc::kPathTooLong, limits.path_max,
           [](std::size_t size) { return get("/" + std::string(size - 1, 'a') + "?q"); }},
          {"segments", Errc::kTooManySegments, limits.segments_max,
           [](std::size_t count) {
             std::string path;
             for (std::size_t i = 0; i < count; ++i) path += "/a";
             return get(path);
           }},
          {"total", Errc::kHeadTooLong, limits.head_max, [plain](std::size_t size) {
             std::string lines;
             std::size_t left = size - plain.size();
             for (; left > 2000; left -= 1000) lines += "A: " + std::string(995, 'b') + "\r\n";
             return get("/", lines + "A: " + std::string(left - 5, 'b') + "\r\n");
           }}};
}

TEST_F(BadBytes, A13LimitsOfAHeadAreTheSameInOnePacketAndByteByByte) {
  // So that no other limit is in the way.
  options.parser.request_line_max = 16 << 10;
  options.parser.field_line_max = 4000;
  options.parser.path_max = 4000;
  for (const HeadLimit& row : head_limits(options.parser)) {
    for (const int more : {-1, 0, 1}) {
      SCOPED_TRACE(row.name + std::to_string(more));
      const std::string bytes = row.make(row.limit + static_cast<std::size_t>(more));
      const std::string whole = outcome({bytes});
      const int expected = more > 0 ? to_int(status_of(row.error)) : 200;
      EXPECT_EQ(status_in(whole), expected);
      EXPECT_EQ(calls, more > 0 ? 0 : 1);
      Pieces bytewise;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytewise.push_back(std::string_view(bytes).substr(i, 1));
      }
      EXPECT_EQ(outcome(bytewise), whole);
    }
    EXPECT_EQ(refused(row.error), 2u) << row.name;
  }
}

// ---- A14: every byte at every place; whether the verdict is right is llhttp_differential_test's
// business, here the session must hold to it.

TEST_F(BadBytes, A14EveryByteAtEveryPlaceOfAHead) {
  const std::string original =
      "POST /a?b HTTP/1.1\r\nHost: a.b:1\r\nContent-Length: 3\r\nX-Y: z\r\n\r\nabc" + canary();
  const std::size_t head = original.size() - canary().size();
  const std::size_t step = full_size<std::size_t>(5, 1);
  for (std::size_t at = 0; at < head; ++at) {
    for (std::size_t value = at % step; value < 256; value += step) {
      std::string bytes = original;
      bytes[at] = static_cast<char>(value);
      SCOPED_TRACE(testing::PrintToString(bytes));
      const Outcome parsed = parse_pieces({bytes});
      const std::string said = outcome({bytes});
      if (parsed.progress == Progress::kFailed) {
        EXPECT_EQ(status_in(said), to_int(status_of(parsed.error)));
        EXPECT_EQ(calls, 0);
      } else {
        EXPECT_LE(calls, 2);
        EXPECT_LE(canary_calls, 1);
      }
      if (HasFailure()) return;
    }
  }
}

// ---- A15: each byte in whatever a handler may put into a head

bool is_token_byte(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(byte)) != std::string::npos;
}
bool is_value_byte(int byte) { return byte == '\t' || (byte >= ' ' && byte != 0x7f); }

TEST_F(BadBytes, A15NoByteOfAHandlersBreaksTheHead) {
  std::string evil;
  on(Method::kGet, "/name",
     [&evil](const Request&) { return std::move(Response("x").set("X" + evil + "Y", "v")); });
  on(Method::kGet, "/value",
     [&evil](const Request&) { return std::move(Response("x").set("X", "a" + evil + "b")); });
  on(Method::kGet, "/cookie", [&evil](const Request&) {
    return std::move(Response("x").set("Set-Cookie", "n=" + evil + "; Path=/"));
  });
  on(Method::kGet, "/type", [&evil](const Request&) {
    return std::move(Response("x").set("Content-Type", "text/" + evil + "x"));
  });
  on(Method::kGet, "/redirect",
     [&evil](const Request&) { return Response::redirect("/to" + evil + "there"); });
  Client client = connect();
  const auto check = [&](const char* target, bool legal) {
    const Answer answer = ask(client, get(target));
    EXPECT_EQ(answer.status == 500, !legal) << target;
    EXPECT_EQ(answer.count("Injected"), 0u) << target;
    EXPECT_EQ(answer.count("Content-Length"), 1u) << target;
    if (legal) {
      EXPECT_NE(answer.head.find(evil), std::string::npos) << target;
    }
    EXPECT_FALSE(client.ended());
  };
  for (int byte = 0; byte < 256; ++byte) {
    SCOPED_TRACE(byte);
    evil = static_cast<char>(byte);
    check("/name", is_token_byte(byte));
    for (const char* const target : {"/value", "/cookie", "/type"}) {
      check(target, is_value_byte(byte));
    }
    // A byte that no URI may hold need not be refused, but must not end the line.
    if (!is_value_byte(byte)) check("/redirect", false);
    if (HasFailure()) return;
  }
  for (const char* const line : {"\r\nInjected: 1", "\nInjected: 1", "\rInjected: 1",
                                 "\r\n\r\nHTTP/1.1 200 OK\r\nInjected: 1\r\n\r\n"}) {
    evil = line;
    for (const char* const target : {"/name", "/value", "/cookie", "/type", "/redirect"}) {
      check(target, false);
    }
  }
}

}  // namespace
}  // namespace ssx::http::test

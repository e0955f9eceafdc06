#include "http/client/response_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/http/client/response_support.h"
#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using test::Pairs;
using test::parse_response;
using test::ResponseOutcome;

constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK, caf\xe9\tand more\r\n"
    "Server: nginx/1.22.1\r\n"
    "Content-Type:text/html\r\n"
    "Content-Length: 612 \t\r\n"
    "X-Empty:\r\n"
    "x-Padded: \t a  b \t \r\n"
    "Set-Cookie: a=1\r\n"
    "Set-Cookie: b=2\r\n"
    "\r\n";

TEST(ResponseParser, ReadsEveryPartOfAResponseAtEverySplit) {
  const ResponseOutcome outcome = parse_response(kAnswer);
  ASSERT_EQ(outcome.progress, Progress::kDone) << to_string(outcome.error);
  EXPECT_EQ(outcome.head_size, kAnswer.size());
  EXPECT_EQ(outcome.status, 200);
  EXPECT_EQ(outcome.reason, "OK, caf\xe9\tand more");
  EXPECT_EQ(outcome.version, Version::kHttp11);
  EXPECT_EQ(outcome.framing, BodyFraming::kLength);
  EXPECT_EQ(outcome.content_length, 612);
  EXPECT_TRUE(outcome.keep_alive);
  const Pairs fields = {{"Server", "nginx/1.22.1"}, {"Content-Type", "text/html"},
                        {"Content-Length", "612"},  {"X-Empty", ""},
                        {"x-Padded", "a  b"},       {"Set-Cookie", "a=1"},
                        {"Set-Cookie", "b=2"}};
  EXPECT_EQ(outcome.fields, fields);
}

TEST(ResponseParser, NeedsMoreUntilTheLastByte) {
  const ParserLimits limits;
  for (std::size_t size = 0; size < kAnswer.size(); ++size) {
    ResponseParser parser(limits);
    ResponseHead head;
    EXPECT_EQ(parser.parse(kAnswer.substr(0, size), head).progress, Progress::kNeedMore) << size;
    EXPECT_EQ(parser.consumed(), size);
  }
}

TEST(ResponseParser, NeverReadsBehindTheBytes) {
  for (std::size_t size = 1; size <= kAnswer.size(); ++size) {
    const ssx::test::GuardedBytes guarded(kAnswer.substr(0, size));
    for (const Isa isa : {Isa::kScalar, Isa::kSsse3, Isa::kAvx2}) {
      if (isa > best_isa()) continue;
      const ParserLimits limits;
      ResponseParser parser(limits, isa);
      ResponseHead head;
      EXPECT_NE(parser.parse(guarded.text(), head).progress, Progress::kFailed) << size;
    }
  }
}

TEST(ResponseParser, ReadsAStatusLineWithoutAReason) {
  for (const std::string_view line : {"HTTP/1.1 204\r\n\r\n", "HTTP/1.1 204 \r\n\r\n"}) {
    const ResponseOutcome outcome = parse_response(line);
    EXPECT_EQ(outcome.progress, Progress::kDone) << line;
    EXPECT_EQ(outcome.status, 204);
    EXPECT_EQ(outcome.reason, "");
  }
}

TEST(ResponseParser, ReadsALaterMinorVersionAsTheOneItKnows) {
  for (const std::string_view line : {"HTTP/1.2 204 \r\n\r\n", "HTTP/1.9 204 \r\n\r\n"}) {
    EXPECT_EQ(parse_response(line).version, Version::kHttp11) << line;
  }
}

TEST(ResponseParser, ForgetsThePreviousResponse) {
  const ParserLimits limits;
  ResponseParser parser(limits);
  ResponseHead head;
  parser.reset(Method::kHead);
  ASSERT_EQ(
      parser
          .parse("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\nA: b\r\n\r\n", head)
          .progress,
      Progress::kDone);
  EXPECT_EQ(head.framing, BodyFraming::kNone);
  parser.reset(Method::kGet);
  const std::string_view second = "HTTP/1.1 404 \r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto parsed = parser.parse(second, head);
  EXPECT_EQ(test::response_outcome_of(parsed, head), parse_response(second));
  EXPECT_TRUE(head.keep_alive);
  EXPECT_FALSE(head.content_length.has_value());
  EXPECT_EQ(head.fields.size(), 1);
}

TEST(ResponseParserDeathTest, RefusesToGoOnAfterAnError) {
  const ParserLimits limits;
  ResponseParser parser(limits);
  ResponseHead head;
  ASSERT_EQ(parser.parse("SSH-2.0", head).progress, Progress::kFailed);
  EXPECT_DEATH(static_cast<void>(parser.parse("SSH-2.0-", head)), "kFailed");
}

struct Refusal {
  std::string_view bytes;
  Errc error;
};

TEST(ResponseParser, RefusesWhatIsNoResponse) {
  const Refusal rows[] = {{"\r\n", Errc::kBadVersion},
                          {"\n", Errc::kBadVersion},
                          {" HTTP/1.1 200 OK\r\n", Errc::kBadVersion},
                          {"http/1.1 200 OK\r\n", Errc::kBadVersion},
                          {"HTTP/1.1200 OK\r\n", Errc::kBadVersion},
                          {"HTTP/1.1\r\n", Errc::kBadVersion},
                          {"HTTP/11 200 OK\r\n", Errc::kBadVersion},
                          {"HTTP/1.10 200 OK\r\n", Errc::kBadVersion},
                          {"HTTP/0.9 200 OK\r\n", Errc::kBadVersion},
                          {"HTTP/2.0 200 OK\r\n", Errc::kUnsupportedVersion},
                          {"ICY 200 OK\r\n", Errc::kBadVersion},
                          {"SSH-2.0-OpenSSH_9.2\r\n", Errc::kBadVersion},
                          {"\x15\x03\x03", Errc::kBadVersion},
                          {"HTTP/1.1  200 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1\t200 OK\r\n", Errc::kBadVersion},
                          {"HTTP/1.1 20 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 2000 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 +20 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 2x0 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 099 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 000 OK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 200\tOK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 200\n", Errc::kBadLineEnd},
                          {"HTTP/1.1 200 OK\n", Errc::kBadLineEnd},
                          {"HTTP/1.1 200 OK\rX", Errc::kBadLineEnd},
                          {"HTTP/1.1 200 O\x01K\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 200 O\x7fK\r\n", Errc::kBadStatus},
                          {"HTTP/1.1 200 OK\r\n X: 1\r\n", Errc::kObsoleteFold},
                          {"HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n", Errc::kObsoleteFold},
                          {"HTTP/1.1 200 OK\r\nX : 1\r\n", Errc::kBadFieldName},
                          {"HTTP/1.1 200 OK\r\n: 1\r\n", Errc::kBadFieldName},
                          {"HTTP/1.1 200 OK\r\nX\r\n", Errc::kBadFieldName},
                          {"HTTP/1.1 200 OK\r\nX: a\x02\r\n", Errc::kBadFieldValue},
                          {"HTTP/1.1 200 OK\r\nX: a\n", Errc::kBadLineEnd},
                          {"HTTP/1.1 200 OK\r\nX: a\r\r\n", Errc::kBadLineEnd},
                          {"HTTP/1.1 200 OK\r\nX: a\r\n\n", Errc::kBadLineEnd}};
  for (const Refusal& row : rows) {
    SCOPED_TRACE(::testing::PrintToString(std::string(row.bytes)));
    const ResponseOutcome outcome = parse_response(row.bytes);
    EXPECT_EQ(outcome.progress, Progress::kFailed);
    EXPECT_EQ(outcome.error, row.error) << to_string(outcome.error);
  }
}

// RFC 9112 6.1 and 6.3: what two programs would frame in two ways.
TEST(ResponseParser, RefusesFramingsThatAreInDoubt) {
  const Refusal rows[] = {
      {"Content-Length: 5\r\nContent-Length: 5\r\n", Errc::kDuplicateContentLength},
      {"Content-Length: 5\r\nContent-Length: 6\r\n", Errc::kDuplicateContentLength},
      {"Content-Length: 5, 5\r\n", Errc::kBadContentLength},
      {"Content-Length: -1\r\n", Errc::kBadContentLength},
      {"Content-Length: +5\r\n", Errc::kBadContentLength},
      {"Content-Length: 0x5\r\n", Errc::kBadContentLength},
      {"Content-Length:\r\n", Errc::kBadContentLength},
      {"Content-Length: 99999999999999999999\r\n", Errc::kBadContentLength},
      {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", Errc::kTransferEncodingAndLength},
      {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", Errc::kTransferEncodingAndLength},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", Errc::kBadTransferEncoding},
      {"Transfer-Encoding: chunked, gzip\r\n", Errc::kBadTransferEncoding},
      {"Transfer-Encoding: chunked, chunked\r\n", Errc::kBadTransferEncoding},
      {"Transfer-Encoding: gzip, chunked\r\n", Errc::kUnknownTransferCoding},
      {"Transfer-Encoding: gzip\r\n", Errc::kUnknownTransferCoding},
      {"Transfer-Encoding: identity\r\n", Errc::kUnknownTransferCoding},
      {"Transfer-Encoding: xchunked\r\n", Errc::kUnknownTransferCoding}};
  for (const Refusal& row : rows) {
    SCOPED_TRACE(row.bytes);
    for (const Method request : {Method::kGet, Method::kHead}) {
      EXPECT_EQ(
          parse_response("HTTP/1.1 200 OK\r\n" + std::string(row.bytes) + "\r\n", request).error,
          row.error);
    }
  }
  EXPECT_EQ(parse_response("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").error,
            Errc::kTransferEncodingInHttp10);
}

struct Meaning {
  std::string_view head;  // without the last empty line
  BodyFraming framing = BodyFraming::kNone;
  bool keep_alive = false;
  Method request = Method::kGet;
};

#define OK11 "HTTP/1.1 200 OK\r\n"
#define OK10 "HTTP/1.0 200 OK\r\n"

// RFC 9112 6.3 and 9.3.
TEST(ResponseParser, DecidesWhereTheBodyEndsAndWhatFollows) {
  using enum BodyFraming;
  const Meaning rows[] = {
      Meaning{OK11, kToClose, false},
      Meaning{OK11 "Connection: keep-alive\r\n", kToClose, false},
      Meaning{OK11 "Content-Length: 5\r\n", kLength, true},
      Meaning{OK11 "Content-Length: 0\r\n", kNone, true},
      Meaning{OK11 "Content-Length: 5\r\nConnection: x, close\r\n", kLength, false},
      Meaning{OK11 "Transfer-Encoding: Chunked\r\n", kChunked, true},
      Meaning{OK10 "Content-Length: 5\r\n", kLength, false},
      Meaning{OK10 "Content-Length: 5\r\nConnection: Keep-Alive\r\n", kLength, true},
      Meaning{OK10, kToClose, false},
      Meaning{OK11 "Content-Length: 5\r\n", kNone, true, Method::kHead},
      Meaning{OK11 "Transfer-Encoding: chunked\r\n", kNone, true, Method::kHead},
      Meaning{OK11, kNone, true, Method::kHead},
      Meaning{"HTTP/1.1 304 \r\nContent-Length: 5\r\n", kNone, true},
      Meaning{"HTTP/1.1 304 \r\nTransfer-Encoding: chunked\r\n", kNone, true},
      Meaning{"HTTP/1.1 204 \r\n", kNone, true},
      Meaning{"HTTP/1.1 204 \r\nContent-Length: 0\r\n", kNone, true},
      Meaning{"HTTP/1.1 204 \r\nContent-Length: 5\r\n", kNone, false},
      Meaning{"HTTP/1.1 204 \r\nTransfer-Encoding: chunked\r\n", kNone, false},
      Meaning{"HTTP/1.1 100 \r\n", kNone, true},
      Meaning{"HTTP/1.1 103 \r\nLink: </a>\r\n", kNone, true},
      Meaning{"HTTP/1.1 103 \r\nContent-Length: 5\r\n", kNone, false},
      Meaning{"HTTP/1.1 101 \r\nConnection: upgrade\r\nUpgrade: x\r\n", kNone, true},
      Meaning{"HTTP/1.1 205 \r\nContent-Length: 5\r\n", kLength, true},
      Meaning{"HTTP/1.1 404 \r\nContent-Length: 5\r\n", kLength, true, Method::kConnect},
      Meaning{"HTTP/1.1 200 \r\nContent-Length: 5\r\n", kNone, false, Method::kConnect},
      Meaning{"HTTP/1.1 999 \r\nContent-Length: 5\r\n", kLength, true}};
  for (const Meaning& row : rows) {
    SCOPED_TRACE(row.head);
    const ResponseOutcome outcome = parse_response(std::string(row.head) + "\r\n", row.request);
    ASSERT_EQ(outcome.progress, Progress::kDone) << to_string(outcome.error);
    EXPECT_EQ(outcome.framing, row.framing);
    EXPECT_EQ(outcome.keep_alive, row.keep_alive);
  }
}

// --- limits: one below, exactly, one above ---

std::string repeated(std::size_t count, char byte = 'x') { return std::string(count, byte); }

template <class Make>
void expect_limit(std::size_t limit, const ParserLimits& limits, Errc error, Make make) {
  EXPECT_EQ(parse_response(make(limit - 1), Method::kGet, limits).error, Errc::kOk);
  EXPECT_EQ(parse_response(make(limit), Method::kGet, limits).error, Errc::kOk);
  EXPECT_EQ(parse_response(make(limit + 1), Method::kGet, limits).error, error);
  EXPECT_EQ(parse_response(make(limit + 300), Method::kGet, limits).error, error);
}

TEST(ResponseParserLimit, StatusLine) {
  constexpr std::size_t kRest = sizeof("HTTP/1.1 200 ") - 1;
  expect_limit(200, {.request_line_max = 200}, Errc::kStatusLineTooLong, [](std::size_t size) {
    return "HTTP/1.1 200 " + repeated(size - kRest) + "\r\n\r\n";
  });
}

TEST(ResponseParserLimit, FieldName) {
  expect_limit(256, {}, Errc::kFieldNameTooLong,
               [](std::size_t size) { return OK11 + repeated(size) + ": 1\r\n\r\n"; });
}

TEST(ResponseParserLimit, FieldLine) {
  expect_limit(300, {.field_name_max = 64, .field_line_max = 300}, Errc::kFieldLineTooLong,
               [](std::size_t size) { return OK11 "X: " + repeated(size - 3) + "\r\n\r\n"; });
}

TEST(ResponseParserLimit, Head) {
  constexpr std::size_t kRest = sizeof(OK11 "X: \r\n\r\n") - 1;
  expect_limit(400, {.head_max = 400}, Errc::kHeadTooLong,
               [](std::size_t size) { return OK11 "X: " + repeated(size - kRest) + "\r\n\r\n"; });
}

TEST(ResponseParserLimit, FieldCount) {
  expect_limit(100, {}, Errc::kTooManyFields, [](std::size_t count) {
    std::string lines = OK11;
    for (std::size_t i = 0; i < count; ++i) lines += "a:\r\n";
    return lines + "\r\n";
  });
}

// A server that sends without an end is stopped before the end.
TEST(ResponseParserLimit, HoldsForElementsThatNeverEnd) {
  const struct {
    std::string begin;
    char more;
    Errc error;
  } rows[] = {{"HTTP/1.1 200 ", 'x', Errc::kStatusLineTooLong},
              {OK11, 'x', Errc::kFieldLineTooLong},
              {OK11 "X:", ' ', Errc::kFieldLineTooLong},
              {OK11 "X: x", 'x', Errc::kFieldLineTooLong}};
  for (const auto& row : rows) {
    const ParserLimits limits;
    ResponseParser parser(limits);
    ResponseHead head;
    EXPECT_EQ(test::error_without_end(parser, head, row.begin, row.more, 2 * limits.head_max),
              row.error)
        << row.begin;
  }
}

}  // namespace
}  // namespace ssx::http

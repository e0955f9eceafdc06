#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/http/parse_support.h"
#include "tests/support/guard_page.h"

namespace ssx::http {
namespace {

using test::Outcome;
using test::Pairs;
using test::parse;
using test::parse_every_split;

constexpr std::string_view kBrowser =
    "GET /a/b.html?x=1&y=%20 HTTP/1.1\r\n"
    "Host: www.example.com:8080\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0\r\n"
    "Accept:text/html\r\n"
    "X-Empty:\r\n"
    "X-Blank: \t \r\n"
    "x-Padded: \t a  b \t \r\n"
    "X-Latin: caf\xe9\r\n"
    "Connection: keep-alive\r\n"
    "\r\n";

TEST(RequestParser, ReadsEveryPartOfARequestAtEverySplit) {
  const Outcome outcome = parse_every_split(kBrowser);
  ASSERT_EQ(outcome.progress, Progress::kDone);
  EXPECT_EQ(outcome.head_size, kBrowser.size());
  EXPECT_EQ(outcome.method, "GET");
  EXPECT_EQ(outcome.target, "/a/b.html?x=1&y=%20");
  EXPECT_EQ(outcome.path, "/a/b.html");
  EXPECT_EQ(outcome.query, "x=1&y=%20");
  EXPECT_TRUE(outcome.has_query);
  EXPECT_EQ(outcome.version, Version::kHttp11);
  EXPECT_EQ(outcome.host, "www.example.com:8080");
  EXPECT_TRUE(outcome.keep_alive);
  EXPECT_FALSE(outcome.chunked);
  EXPECT_FALSE(outcome.content_length.has_value());
  const Pairs fields = {
      {"Host", "www.example.com:8080"},
      {"User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0"},
      {"Accept", "text/html"},
      {"X-Empty", ""},
      {"X-Blank", ""},
      {"x-Padded", "a  b"},
      {"X-Latin", "caf\xe9"},
      {"Connection", "keep-alive"}};
  EXPECT_EQ(outcome.fields, fields);
}

// The 2021 program lost its marks when a field was split across two reads.
TEST(RequestParser, KeepsAFieldThatIsSplitAcrossTwoReads) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a.example\r\nX-Token: 0123456789\r\n\r\n";
  const std::size_t inside = bytes.find("456");
  {
    const std::string first = bytes.substr(0, inside);
    ASSERT_EQ(parser.parse(first, head).progress, Progress::kNeedMore);
    EXPECT_EQ(parser.consumed(), inside);
  }
  const auto parsed = parser.parse(bytes, head);
  ASSERT_EQ(parsed.progress, Progress::kDone);
  EXPECT_EQ(head.fields.find("x-token"), "0123456789");
  EXPECT_EQ(head.target, "/");
  EXPECT_EQ(head.host, "a.example");
}

// The 2021 program knew "Connection" and no other spelling.
TEST(RequestParser, ComparesFieldNamesWithoutCase) {
  for (const std::string_view name :
       {"Content-Length", "content-length", "CONTENT-LENGTH", "cOnTeNt-LeNgTh"}) {
    const std::string bytes =
        "POST / HTTP/1.1\r\nhOST: a\r\n" + std::string(name) + ": 5\r\n\r\nhello";
    const Outcome outcome = parse_every_split(bytes);
    ASSERT_EQ(outcome.progress, Progress::kDone) << name;
    EXPECT_EQ(outcome.content_length, 5) << name;
  }
}

TEST(RequestParser, LeavesAPipelinedRequestWhereItIs) {
  const std::string first = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string second = "GET /2 HTTP/1.1\r\nHost: b\r\n\r\n";
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  const std::string both = first + second;
  auto parsed = parser.parse(both, head);
  ASSERT_EQ(parsed.progress, Progress::kDone);
  EXPECT_EQ(parsed.head_size, first.size());
  EXPECT_EQ(head.path, "/1");
  parser.reset();
  parsed = parser.parse(std::string_view(both).substr(parsed.head_size), head);
  ASSERT_EQ(parsed.progress, Progress::kDone);
  EXPECT_EQ(parsed.head_size, second.size());
  EXPECT_EQ(head.path, "/2");
  EXPECT_EQ(head.host, "b");
  EXPECT_EQ(head.fields.size(), 1);
}

TEST(RequestParser, ForgetsThePreviousRequest) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  const std::string first =
      "POST http://a/x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n"
      "Connection: upgrade, close\r\nUpgrade: websocket\r\n\r\n";
  ASSERT_EQ(parser.parse(first, head).progress, Progress::kDone);
  EXPECT_TRUE(head.expect_continue);
  EXPECT_TRUE(head.upgrade);
  EXPECT_FALSE(head.keep_alive);
  parser.reset();
  const std::string second = "GET / HTTP/1.0\r\n\r\n";
  const auto parsed = parser.parse(second, head);
  EXPECT_EQ(test::outcome_of(parsed, head), parse(second));
  EXPECT_FALSE(head.has_host);
  EXPECT_EQ(head.host, "");
  EXPECT_FALSE(head.content_length.has_value());
}

TEST(RequestParser, NeedsMoreUntilTheLastByte) {
  const ParserLimits limits;
  for (std::size_t size = 0; size < kBrowser.size(); ++size) {
    RequestParser parser(limits);
    Head head;
    EXPECT_EQ(parser.parse(kBrowser.substr(0, size), head).progress, Progress::kNeedMore) << size;
    EXPECT_EQ(parser.consumed(), size);
    EXPECT_EQ(parser.idle(), size == 0);
  }
}

TEST(RequestParser, IsIdleBehindEmptyLines) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  ASSERT_EQ(parser.parse("\r\n", head).progress, Progress::kNeedMore);
  EXPECT_TRUE(parser.idle());
  ASSERT_EQ(parser.parse("\r\nG", head).progress, Progress::kNeedMore);
  EXPECT_FALSE(parser.idle());
}

TEST(RequestParser, NeverReadsBehindTheBytes) {
  for (std::size_t size = 1; size <= kBrowser.size(); ++size) {
    const ssx::test::GuardedBytes guarded(kBrowser.substr(0, size));
    EXPECT_EQ(parse(guarded.text()).error, Errc::kOk) << size;
  }
}

TEST(RequestParser, SaysWhatTheRequestLineWasWhenAFieldIsRefused) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  const auto parsed = parser.parse("GET /log?me HTTP/1.1\r\nHost: a b\r\n\r\n", head);
  ASSERT_EQ(parsed.error, Errc::kBadHost);
  EXPECT_EQ(head.method, Method::kGet);
  EXPECT_EQ(head.target, "/log?me");
  parser.reset();
  ASSERT_EQ(parser.parse("GET /log?me HTTP/2.0\r\n", head).error, Errc::kUnsupportedVersion);
  EXPECT_EQ(head.method_text, "");
  EXPECT_EQ(head.target, "");
}

TEST(RequestParserDeathTest, RefusesToGoOnAfterAnError) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  ASSERT_EQ(parser.parse("\x16\x03\x01", head).progress, Progress::kFailed);
  EXPECT_DEATH(static_cast<void>(parser.parse("\x16\x03\x01 ", head)), "kFailed");
}

// --- what a head says about the connection ---

struct Meaning {
  std::string_view head;  // without the last empty line
  bool keep_alive = false;
  bool upgrade = false;
  bool expect_continue = false;
};

#define H11 "GET / HTTP/1.1\r\nHost: a\r\n"
#define H10 "GET / HTTP/1.0\r\n"

TEST(RequestParser, DecidesTheLifeOfTheConnection) {
  const Meaning rows[] = {
      Meaning{.head = H11, .keep_alive = true},
      Meaning{.head = H11 "Connection: close\r\n"},
      Meaning{.head = H11 "Connection: CLOSE\r\n"},
      Meaning{.head = H11 "Connection: keep-alive, close\r\n"},
      Meaning{.head = H11 "Connection: keep-alive\r\nConnection: x,, close ,y\r\n"},
      Meaning{.head = H11 "Connection: closed\r\n", .keep_alive = true},
      Meaning{.head = H10},
      Meaning{.head = H10 "Connection: Keep-Alive\r\n", .keep_alive = true},
      Meaning{.head = H10 "Connection: keep-alive\r\nConnection: close\r\n"},
      Meaning{.head = H11 "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n",
              .keep_alive = true,
              .upgrade = true},
      Meaning{.head = H11 "Upgrade: websocket\r\n", .keep_alive = true},
      Meaning{.head = H11 "Connection: upgrade\r\n", .keep_alive = true},
      Meaning{.head = H10 "Connection: upgrade\r\nUpgrade: websocket\r\n"},
      Meaning{.head = H11 "Expect: 100-Continue\r\n", .keep_alive = true, .expect_continue = true},
      Meaning{.head = H10 "Expect: 100-continue\r\n"},
      Meaning{.head = H10 "Expect: dinner\r\n"}};
  for (const Meaning& row : rows) {
    SCOPED_TRACE(row.head);
    const Outcome outcome = parse_every_split(std::string(row.head) + "\r\n");
    ASSERT_EQ(outcome.progress, Progress::kDone) << to_string(outcome.error);
    EXPECT_EQ(outcome.keep_alive, row.keep_alive);
    EXPECT_EQ(outcome.upgrade, row.upgrade);
    EXPECT_EQ(outcome.expect_continue, row.expect_continue);
  }
}

TEST(RequestParser, ReadsAHigherMinorVersionAsTheHighestItKnows) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  ASSERT_EQ(parser.parse("GET / HTTP/1.9\r\nHost: a\r\n\r\n", head).error, Errc::kOk);
  EXPECT_EQ(head.version, Version::kHttp11);
  EXPECT_TRUE(head.keep_alive);
}

// RFC 9112 3.2.2 and 3.2.4, RFC 9110 7.4
TEST(RequestParser, BelievesAnAbsoluteTargetAndNotHost) {
  const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  ASSERT_EQ(parser.parse("GET http://a:81/ HTTP/1.1\r\nHost: b\r\n\r\n", head).error, Errc::kOk);
  EXPECT_EQ(head.host, "a:81");
  EXPECT_EQ(head.form, TargetForm::kAbsolute);
  parser.reset();
  ASSERT_EQ(parser.parse("OPTIONS http://a HTTP/1.1\r\nHost: b\r\n\r\n", head).error, Errc::kOk);
  EXPECT_EQ(head.form, TargetForm::kAsterisk);
  parser.reset();
  EXPECT_EQ(parser.parse("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", head).error,
            Errc::kNotSecure);
}

TEST(RequestParser, TellsWhenThePathNeedsNoWork) {
  const auto is_normal = [](const std::string& target) {
    const Outcome outcome = parse_every_split("OPTIONS " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(outcome.progress, Progress::kDone) << target;
    return outcome.path_is_normal;
  };
  for (const char* const path : {"/", "/a", "/index.html", "/a.b/c/", "/a?/../%20//", "/a..b",
                                 "/a/long/path/of/more/than/sixteen/bytes.html"}) {
    EXPECT_TRUE(is_normal(path)) << path;
  }
  for (const char* const path : {"//", "/a//b", "/.a", "/a/./b", "/a/..", "/%41", "/a%20b", "*",
                                 "/a/long/path/of/more/than/sixteen/bytes//", "http://a/b",
                                 "/a/long/path/of/more/than/.sixteen/bytes"}) {
    EXPECT_FALSE(is_normal(path)) << path;
  }
}

// --- limits: one below, exactly, one above ---

std::string head_with(std::string_view target, std::string_view fields) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string repeated(std::size_t count, char byte = 'x') { return std::string(count, byte); }

// Parses with three sizes around a limit, each at every split.
template <class Make>
void expect_limit(std::size_t limit, const ParserLimits& limits, Errc error, Make make) {
  EXPECT_EQ(parse_every_split(make(limit - 1), limits).error, Errc::kOk);
  EXPECT_EQ(parse_every_split(make(limit), limits).error, Errc::kOk);
  EXPECT_EQ(parse_every_split(make(limit + 1), limits).error, error);
  EXPECT_EQ(parse_every_split(make(limit + 300), limits).error, error);
}

TEST(RequestParserLimit, Method) {
  const ParserLimits limits;
  const auto make = [](std::size_t size) {
    return repeated(size, 'A') + " / HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(parse_every_split(make(limits.method_max)).error, Errc::kUnknownMethod);
  EXPECT_EQ(parse_every_split(make(limits.method_max + 1)).error, Errc::kMethodTooLong);
  EXPECT_EQ(parse(make(100000)).error, Errc::kMethodTooLong);
  EXPECT_EQ(status_of(Errc::kMethodTooLong), Status::kNotImplemented);
}

TEST(RequestParserLimit, Target) {
  const ParserLimits limits{.target_max = 100};
  expect_limit(100, limits, Errc::kTargetTooLong,
               [](std::size_t size) { return head_with("/" + repeated(size - 1), ""); });
  EXPECT_EQ(status_of(Errc::kTargetTooLong), Status::kUriTooLong);
}

TEST(RequestParserLimit, Path) {
  const ParserLimits limits{.path_max = 100};
  expect_limit(100, limits, Errc::kPathTooLong,
               [](std::size_t size) { return head_with("/" + repeated(size - 1), ""); });
  expect_limit(100, limits, Errc::kPathTooLong, [](std::size_t size) {
    return head_with("http://a/" + repeated(size - 1) + "?" + repeated(200), "");
  });
  // As it was sent: these are far fewer once they are decoded.
  expect_limit(100, limits, Errc::kPathTooLong, [](std::size_t size) {
    return head_with("/%41%41%41%41/./" + repeated(size - 16), "");
  });
  EXPECT_EQ(parse_every_split(head_with("/?" + repeated(1000), ""), limits).error, Errc::kOk);
  EXPECT_EQ(parse_every_split(head_with("/" + repeated(100) + "%", ""), limits).error,
            Errc::kPathTooLong)
      << "before a look at what is in it";
}

TEST(RequestParserLimit, PathIsLessThanATarget) {
  const ParserLimits limits{.target_max = 100, .path_max = 200};
  expect_limit(100, limits, Errc::kTargetTooLong,
               [](std::size_t size) { return head_with("/" + repeated(size - 1), ""); });
}

TEST(RequestParserLimit, Segments) {
  const ParserLimits limits{.segments_max = 50};
  const auto of = [](std::string_view odd, std::string_view even) {
    return [odd, even](std::size_t count) {
      std::string path;
      for (std::size_t i = 0; i < count; ++i) path += i % 2 == 0 ? odd : even;
      return head_with(path, "");
    };
  };
  expect_limit(50, limits, Errc::kTooManySegments, of("/a", "/a"));
  expect_limit(50, limits, Errc::kTooManySegments, of("/%41", "/longer"));
  expect_limit(50, limits, Errc::kTooManySegments, of("/", "/"));
  expect_limit(50, limits, Errc::kTooManySegments, of("/a", "/.."));
  expect_limit(50, limits, Errc::kTooManySegments,
               [](std::size_t count) { return head_with("http://a" + repeated(count, '/'), ""); });
  EXPECT_EQ(parse_every_split(head_with("/?" + repeated(60, '/'), ""), limits).error, Errc::kOk);
  EXPECT_EQ(parse_every_split("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", limits).error, Errc::kOk);
}

TEST(RequestParserLimit, RequestLine) {
  const ParserLimits limits{.request_line_max = 200};
  constexpr std::size_t kRest = sizeof("GET / HTTP/1.1") - 1;
  expect_limit(200, limits, Errc::kRequestLineTooLong,
               [](std::size_t size) { return head_with("/" + repeated(size - kRest), ""); });
  EXPECT_EQ(status_of(Errc::kRequestLineTooLong), Status::kUriTooLong);
}

TEST(RequestParserLimit, DefaultUriOfEightKibibytes) {
  const auto make = [](std::size_t line) { return head_with("/" + repeated(line - 14), ""); };
  const ssx::test::Splits few{.random = 20, .every_cut_max = 20};
  EXPECT_EQ(parse_every_split(make(8192), {}, few).error, Errc::kOk);
  EXPECT_EQ(status_of(parse_every_split(make(8193), {}, few).error), Status::kUriTooLong);
}

TEST(RequestParserLimit, FieldName) {
  const ParserLimits limits;
  expect_limit(256, limits, Errc::kFieldNameTooLong,
               [](std::size_t size) { return head_with("/", repeated(size) + ": 1\r\n"); });
  EXPECT_EQ(status_of(Errc::kFieldNameTooLong), Status::kBadRequest);
}

TEST(RequestParserLimit, FieldLine) {
  const ParserLimits limits{.field_name_max = 64, .field_line_max = 300};
  expect_limit(300, limits, Errc::kFieldLineTooLong, [](std::size_t size) {
    return head_with("/", "X: " + repeated(size - 3) + "\r\n");
  });
  expect_limit(300, limits, Errc::kFieldLineTooLong, [](std::size_t size) {
    return head_with("/", "X:" + repeated(size - 3, ' ') + "1\r\n");
  });
  expect_limit(300, limits, Errc::kFieldLineTooLong, [](std::size_t size) {
    return head_with("/", "X: 1" + repeated(size - 4, '\t') + "\r\n");
  });
  EXPECT_EQ(status_of(Errc::kFieldLineTooLong), Status::kFieldsTooLarge);
}

TEST(RequestParserLimit, FieldLineBelowTheLimitOfNames) {
  const ParserLimits limits{.field_name_max = 256, .field_line_max = 64};
  EXPECT_EQ(parse_every_split(head_with("/", repeated(200) + ": 1\r\n"), limits).error,
            Errc::kFieldLineTooLong);
}

TEST(RequestParserLimit, Head) {
  const ParserLimits limits{.head_max = 400};
  const std::size_t rest = head_with("/", "X: \r\n").size();
  expect_limit(400, limits, Errc::kHeadTooLong, [rest](std::size_t size) {
    return head_with("/", "X: " + repeated(size - rest) + "\r\n");
  });
  expect_limit(400, limits, Errc::kHeadTooLong, [rest](std::size_t size) {
    return "\r\n" + head_with("/", "X: " + repeated(size - rest - 2) + "\r\n");
  });
  EXPECT_EQ(status_of(Errc::kHeadTooLong), Status::kFieldsTooLarge);
}

TEST(RequestParserLimit, HeadOfSixtyFourKibibytes) {
  const ParserLimits limits{.field_line_max = 65536, .head_max = 65536};
  const std::size_t rest = head_with("/", "X: \r\nLast: 1\r\n").size();
  const std::string value = repeated(65536 - rest);
  const Outcome outcome = parse(head_with("/", "X: " + value + "\r\nLast: 1\r\n"), limits);
  ASSERT_EQ(outcome.progress, Progress::kDone);
  EXPECT_EQ(outcome.fields.at(1).second, value);
  EXPECT_EQ(outcome.fields.at(2), (std::pair<std::string, std::string>("Last", "1")));
}

TEST(RequestParserLimit, FieldCount) {
  const auto fields = [](std::size_t count) {  // Host is one of them
    std::string lines;
    for (std::size_t i = 1; i < count; ++i) lines += "a:\r\n";
    return head_with("/", lines);
  };
  expect_limit(100, {}, Errc::kTooManyFields, fields);
  const ParserLimits most{.field_count_max = Fields::kCapacity};
  EXPECT_EQ(parse(fields(256), most).fields.size(), 256);
  EXPECT_EQ(parse(fields(257), most).error, Errc::kTooManyFields);
  EXPECT_EQ(status_of(Errc::kTooManyFields), Status::kFieldsTooLarge);
}

TEST(RequestParserLimit, LeadingEmptyLines) {
  const std::string request = head_with("/", "");
  EXPECT_EQ(parse_every_split("\r\n" + request).error, Errc::kOk);
  EXPECT_EQ(parse_every_split("\r\n\r\n" + request).error, Errc::kLeadingLines);
  const ParserLimits none{.leading_crlf_max = 0};
  EXPECT_EQ(parse_every_split(request, none).error, Errc::kOk);
  EXPECT_EQ(parse_every_split("\r\n" + request, none).error, Errc::kLeadingLines);
  const ParserLimits many{.head_max = 256, .leading_crlf_max = 1000};
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += "\r\n";
  EXPECT_EQ(parse_every_split(lines + request, many).error, Errc::kHeadTooLong);
}

// A peer that sends without an end is stopped before the end.
TEST(RequestParserLimit, HoldsForElementsThatNeverEnd) {
  const struct {
    std::string begin;
    char more;
    Errc error;
  } rows[] = {{"", 'A', Errc::kMethodTooLong},
              {"GET /", 'x', Errc::kRequestLineTooLong},
              {"GET / HTTP/1.1\r\n", 'x', Errc::kFieldLineTooLong},
              {"GET / HTTP/1.1\r\nX:", ' ', Errc::kFieldLineTooLong},
              {"GET / HTTP/1.1\r\nX: x", 'x', Errc::kFieldLineTooLong}};
  for (const auto& row : rows) {
    const ParserLimits limits;
    RequestParser parser(limits);
    Head head;
    EXPECT_EQ(test::error_without_end(parser, head, row.begin, row.more, 2 * limits.head_max),
              row.error)
        << row.begin;
  }
}

}  // namespace
}  // namespace ssx::http

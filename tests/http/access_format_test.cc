#include "http/access_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "http/request_parser.h"
#include "ssxrver/base/base64.h"

namespace ssx::http {
namespace {

using What = AccessFormat::Mistake::What;
using testing::HasSubstr;

constexpr std::size_t kLineMax = 8192;

class Formats : public testing::Test {
 protected:
  Formats() {
    parse(
        "GET /a%20b/c?d=e HTTP/1.1\r\nHost: Ex.ample:8080\r\nX-Field: value\r\n"
        "Referer: http://r/\r\nUser-Agent: test/1\r\n\r\n");
  }

  void parse(std::string text) {
    bytes = std::move(text);
    RequestParser parser(limits);
    ASSERT_EQ(parser.parse(bytes, head).progress, Progress::kDone);
  }

  AccessEntry entry() {
    request.emplace(head, "/a b/c", params, body, peer, 3);
    request->set_attribute("request_id", "id-7");
    request->set_attribute("tenant", "acme");
    return {.head = head,
            .peer = peer,
            .client = client,
            .request = &*request,
            .path = "/a b/c",
            .route = "GET /a b/{x}",
            .status = 200,
            .bytes_sent = 1234,
            .body_bytes_sent = 1000,
            .bytes_received = 99,
            .took = std::chrono::milliseconds(1234),
            .when = WallTime(std::chrono::milliseconds(1767366245678)),
            .connection = {1, {2, 3}},
            .connection_requests = 5,
            .worker = 3,
            .sent_type = "text/html",
            .sent_prepared = "ETag: \"x\"\r\nX-Twice: first\r\n",
            .sent_fields = "X-Twice: second\r\nX-Sent:  spaced \r\n"};
  }

  std::string render(std::string_view pattern, std::size_t line_max = kLineMax) {
    return render(pattern, entry(), line_max);
  }
  std::string render(std::string_view pattern, const AccessEntry& what,
                     std::size_t line_max = kLineMax) {
    const auto format = AccessFormat::compile(pattern, line_max);
    if (!format) return "no format";
    std::vector<char> room(line_max);
    const auto rendered = format->render(what, time, room);
    EXPECT_LE(rendered.size, line_max);
    is_cut = rendered.is_cut;
    return {room.data(), rendered.size};
  }

  const ParserLimits limits;
  std::string bytes;
  Head head;
  Params params;
  Body body;
  net::SocketAddress peer = *net::SocketAddress::parse("10.0.0.9", 99);
  net::SocketAddress client = *net::SocketAddress::parse("2001:db8::7", 4711);
  std::optional<Request> request;
  AccessTime time{true};
  bool is_cut = false;
};

TEST_F(Formats, KnowEachVariable) {
  const std::pair<const char*, const char*> expected[] = {
      {"$args", "d=e"},
      {"$query_string", "d=e"},
      {"$attribute_tenant", "acme"},
      {"$attribute_nothing", "-"},
      {"$body_bytes_sent", "1000"},
      {"$bytes_sent", "1234"},
      {"$connection", "1-2-3"},
      {"$connection_requests", "5"},
      {"$host", "Ex.ample"},
      {"$http_x_field", "value"},
      {"$http_USER_AGENT", "test/1"},
      {"$http_none", "-"},
      {"$msec", "1767366245.678"},
      {"$realip_remote_addr", "10.0.0.9"},
      {"$remote_addr", "2001:db8::7"},
      {"$remote_port", "4711"},
      {"$remote_user", "-"},
      {"$request", "GET /a%20b/c?d=e HTTP/1.1"},
      {"$request_id", "id-7"},
      {"$request_length", "99"},
      {"$request_method", "GET"},
      {"$request_time", "1.234"},
      {"$request_uri", "/a%20b/c?d=e"},
      {"$route", "GET /a b/{x}"},
      {"$sent_http_content_type", "text/html"},
      {"$sent_http_etag", "\\x22x\\x22"},
      {"$sent_http_x_twice", "first"},
      {"$sent_http_x_sent", "spaced"},
      {"$sent_http_none", "-"},
      {"$server_protocol", "HTTP/1.1"},
      {"$status", "200"},
      {"$time_iso8601", "2026-01-02T15:04:05+00:00"},
      {"$time_local", "02/Jan/2026:15:04:05 +0000"},
      {"$uri", "/a b/c"},
      {"$worker", "3"},
  };
  for (const auto& [pattern, line] : expected) EXPECT_EQ(render(pattern), line) << pattern;
  for (const std::string_view name : AccessFormat::variables()) {
    const auto is_it = [name](const auto& one) {
      const std::string_view tried = std::string_view(one.first).substr(1);
      return name.ends_with('_') ? tried.starts_with(name) : tried == name;
    };
    EXPECT_TRUE(std::any_of(std::begin(expected), std::end(expected), is_it)) << name;
  }
}

TEST_F(Formats, HaveNames) {
  const std::string common =
      "2001:db8::7 - - [02/Jan/2026:15:04:05 +0000] \"GET /a%20b/c?d=e HTTP/1.1\" 200 1000";
  EXPECT_EQ(render("common"), common);
  EXPECT_FALSE(is_cut);
  EXPECT_EQ(render("combined"), common + " \"http://r/\" \"test/1\"");
  EXPECT_EQ(render("json"),
            R"({"time":"2026-01-02T15:04:05+00:00","remote_addr":"2001:db8::7","remote_user":"",)"
            R"("method":"GET","host":"Ex.ample","uri":"/a%20b/c?d=e","protocol":"HTTP/1.1",)"
            R"("status":200,"bytes_sent":1234,"body_bytes_sent":1000,"request_length":99,)"
            R"("request_time":1.234,"referer":"http://r/","user_agent":"test/1",)"
            R"("route":"GET /a b/{x}","request_id":"id-7","worker":3,"connection":"1-2-3",)"
            R"("connection_requests":5})");
}

TEST_F(Formats, TakeBracesAndDollars) {
  EXPECT_EQ(render("${status}0 $$status $$"), "2000 $status $");
  EXPECT_EQ(render("$status$status-$status"), "200200-200");
  EXPECT_EQ(render("plain"), "plain");
  EXPECT_EQ(render(""), "");
}

TEST_F(Formats, AreJsonWhenTheyBeginWithABrace) {
  parse("GET / HTTP/1.1\r\nHost: h\r\nX-Field: a\"\\\xC3\xBC\xFF\tb\r\n\r\n");
  EXPECT_EQ(render(R"({"f":"$http_x_field","n":"$http_none"})"),
            "{\"f\":\"a\\\"\\\\\xC3\xBC\\\\xFF\\u0009b\",\"n\":\"\"}");
  EXPECT_EQ(render("$http_x_field"), R"(a\x22\x5C\xC3\xBC\xFF\x09b)");
}

TEST_F(Formats, NameTheMistake) {
  const auto mistake = [](std::string_view pattern) {
    return AccessFormat::compile(pattern, kLineMax).error();
  };
  EXPECT_EQ(mistake("$remote_adr").what, What::kUnknownVariable);
  EXPECT_EQ(mistake("$remote_adr - $status").name, "remote_adr");
  EXPECT_EQ(mistake("$http_").name, "http_");  // which field?
  EXPECT_EQ(mistake("$pipe").name, "pipe");
  EXPECT_EQ(mistake("Combined$STATUS").name, "STATUS");
  EXPECT_EQ(mistake("cost: 5$").what, What::kLoneDollar);
  EXPECT_EQ(mistake("$ status").what, What::kLoneDollar);
  EXPECT_EQ(mistake("${status").what, What::kLoneDollar);
  EXPECT_EQ(mistake("${}").what, What::kLoneDollar);
  EXPECT_EQ(mistake("a\nb").what, What::kControlByte);
  EXPECT_EQ(mistake("a\x7F").what, What::kControlByte);
}

TEST_F(Formats, MustFitTheLine) {
  EXPECT_TRUE(AccessFormat::compile("0123456789", 10));
  EXPECT_EQ(AccessFormat::compile("0123456789", 9).error().what, What::kTooLong);
  EXPECT_TRUE(AccessFormat::compile("$uri", AccessFormat::kValueMin));
  EXPECT_EQ(AccessFormat::compile("$uri", AccessFormat::kValueMin - 1).error().what,
            What::kTooLong);
  for (const char* name : {"common", "combined"}) EXPECT_TRUE(AccessFormat::compile(name, 256));
  EXPECT_EQ(AccessFormat::compile("json", 256).error().what, What::kTooLong);
  EXPECT_TRUE(AccessFormat::compile("json", 1024));
}

// Whatever is long, the line is whole: what is ours is there, and JSON stays JSON.
TEST_F(Formats, CutValuesAndKeepTheLine) {
  const std::string lengthy(7000, '\xFF');
  parse("GET /" + std::string(7000, 'a') + " HTTP/1.1\r\nHost: h\r\nReferer: " + lengthy +
        "\r\n\r\n");
  for (const std::size_t line_max : {256U, 512U, 8192U}) {
    const std::string line = render("combined", line_max);
    EXPECT_LE(line.size(), line_max);
    EXPECT_TRUE(is_cut);
    EXPECT_THAT(line, HasSubstr(" HTTP/1.1\" 200 1000 \""));
    EXPECT_TRUE(line.ends_with("...\" \"-\"")) << line;
  }
  const std::string json = render("json", 1024);
  EXPECT_LE(json.size(), 1024u);
  EXPECT_THAT(json, HasSubstr("...\",\"protocol\":\"HTTP/1.1\",\"status\":200,"));
  EXPECT_TRUE(json.ends_with("\"connection_requests\":5}"));
}

TEST_F(Formats, ShowTheUserOfBasicCredentials) {
  const auto user = [this](std::string_view credentials) {
    parse("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: " + std::string(credentials) + "\r\n\r\n");
    return render("$remote_user");
  };
  const auto basic = [](std::string_view text) {
    return "Basic " + base64_encode(as_bytes(text), Base64::kStandard);
  };
  EXPECT_EQ(user(basic("Aladdin:open sesame")), "Aladdin");
  EXPECT_EQ(user("bAsIc QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "Aladdin");
  EXPECT_EQ(user(basic("a b\"\n:x")), R"(a b\x22\x0A)");
  EXPECT_EQ(user(basic(":x")), "-");
  EXPECT_EQ(user(basic("no colon")), "-");
  EXPECT_EQ(user("Basic"), "-");
  EXPECT_EQ(user("Basic ****"), "-");
  EXPECT_EQ(user("Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), "-");
  EXPECT_EQ(user(basic(std::string(200, 'u') + ":x")), std::string(200, 'u'));
  EXPECT_EQ(user(basic(std::string(400, 'u') + ":x")), "-");
  AccessEntry known = entry();
  request->set_attribute("remote_user", "verified");
  EXPECT_EQ(render("$remote_user", known), "verified");
}

TEST_F(Formats, ShowWhatIsKnownOfARequestThatWasRefused) {
  Head empty;
  AccessEntry refused{.head = empty, .peer = peer, .client = client};
  refused.status = 400;
  EXPECT_EQ(render("\"$request\" $request_method $server_protocol $host $uri $route $request_id",
                   refused),
            "\"-\" - - - - - -");
  refused.bad_line = "\x16\x03\x01 tls";
  EXPECT_EQ(render("\"$request\" $status", refused), R"("\x16\x03\x01 tls" 400)");
  EXPECT_EQ(render(R"({"r":"$request","m":"$request_method"})", refused),
            R"({"r":"\u0016\u0003\u0001 tls","m":""})");
}

TEST_F(Formats, TakeThePortFromTheHostAlone) {
  for (const auto& [sent, shown] : {std::pair("h", "h"), std::pair("h:1", "h"),
                                    std::pair("[::1]", "[::1]"), std::pair("[::1]:80", "[::1]")}) {
    parse("GET / HTTP/1.1\r\nHost: " + std::string(sent) + "\r\n\r\n");
    EXPECT_EQ(render("$host"), shown);
  }
}

TEST_F(Formats, SayWhatTheyNeed) {
  const auto compile = [](std::string_view text) { return *AccessFormat::compile(text, kLineMax); };
  EXPECT_FALSE(compile("combined").wants_clock());
  EXPECT_TRUE(compile("$request_time").wants_clock());
  EXPECT_TRUE(compile("$msec").wants_clock());
  EXPECT_FALSE(compile("json").wants_sent_fields());
  EXPECT_TRUE(compile("$sent_http_etag").wants_sent_fields());
  EXPECT_TRUE(compile("json").is_json());
  EXPECT_FALSE(compile("common").is_json());
}

// What a field may hold and what a peer may say: no byte of it can end the line.
TEST_F(Formats, LetNoControlByteThrough) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  Head empty;
  AccessEntry any{.head = empty, .peer = peer, .client = client};
  any.bad_line = every;
  any.path = every;
  any.route = every;
  any.sent_fields = every;
  for (const char* pattern :
       {"$request $uri $route $sent_http_x", R"({"a":"$request$uri$route"})"}) {
    for (const char c : render(pattern, any)) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << int{c};
    }
  }
}

}  // namespace
}  // namespace ssx::http

#include "http/client/request_writer.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <optional>
#include <string>

#include "http/request_parser.h"

namespace ssx::http {
namespace {

using FieldList = std::vector<ClientField>;

std::string head_of(std::string_view method, const FieldList& fields = {},
                    const RequestBody& body = {}, const ClientOptions& options = {},
                    bool to_proxy = false, bool expect = false) {
  const Url url = *Url::parse("http://A.example:8080/b/../c?d");
  std::string head;
  append_request_head({.url = url,
                       .method = method,
                       .fields = fields,
                       .body = body,
                       .expect_continue = expect,
                       .to_proxy = to_proxy},
                      options, head);
  return head;
}

// Our own server reads it as it was meant.
Head parsed(const std::string& bytes) {
  static const ParserLimits limits;
  RequestParser parser(limits);
  Head head;
  EXPECT_EQ(parser.parse(bytes, head).progress, Progress::kDone) << bytes;
  return head;
}

TEST(RequestWriter, WritesAHead) {
  EXPECT_EQ(head_of("GET", {{.name = "Accept", .value = "*/*"}}),
            "GET /c?d HTTP/1.1\r\nHost: a.example:8080\r\nUser-Agent: ssxrver\r\nAccept: */*\r\n"
            "\r\n");
}

TEST(RequestWriter, LeavesTheUserAgentToTheCaller) {
  EXPECT_EQ(head_of("GET", {}, {}, {.user_agent = ""}).find("User-Agent"), std::string::npos);
  const std::string mine = head_of("GET", {{.name = "user-agent", .value = "mine"}});
  EXPECT_EQ(mine.find("ssxrver"), std::string::npos);
}

TEST(RequestWriter, SaysHowLongTheBodyIs) {
  const auto stream = [](UploadWriter&) -> Task<Result<void>> { co_return Result<void>(); };
  struct Row {
    std::string method;
    RequestBody body;
    std::optional<std::uint64_t> length;
    bool chunked;
  };
  const Row rows[] = {{"GET", {}, std::nullopt, false},
                      {"DELETE", {}, std::nullopt, false},
                      {"POST", {}, 0, false},
                      {"PUT", {}, 0, false},
                      {"PATCH", {}, 0, false},
                      {"POST", "hello", 5, false},
                      {"GET", "hello", 5, false},
                      {"POST", RequestBody::streamed(stream), std::nullopt, true},
                      {"POST", RequestBody::streamed(stream, 0), 0, false},
                      {"PUT", RequestBody::streamed(stream, 1ULL << 40), 1ULL << 40, false}};
  for (const Row& row : rows) {
    const std::string bytes = head_of(row.method, {}, row.body);
    const Head head = parsed(bytes);
    EXPECT_EQ(head.content_length, row.length) << bytes;
    EXPECT_EQ(head.chunked, row.chunked) << bytes;
  }
}

TEST(RequestWriter, AsksBeforeItSends) {
  const std::string bytes = head_of("POST", {}, "hello", {}, false, true);
  EXPECT_TRUE(parsed(bytes).expect_continue);
}

TEST(RequestWriter, WritesAbsoluteFormForAProxy) {
  const std::string bytes = head_of("GET", {}, {}, {}, true);
  EXPECT_TRUE(bytes.starts_with("GET http://a.example:8080/c?d HTTP/1.1\r\n")) << bytes;
  EXPECT_EQ(bytes.find("Proxy-"), std::string::npos);
  EXPECT_EQ(parsed(bytes).form, TargetForm::kAbsolute);
  const ClientOptions options{
      .proxy = {.host = "p", .port = 80, .user = "Aladdin", .password = "open sesame"}};
  EXPECT_NE(head_of("GET", {}, {}, options, true)
                .find("Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"),
            std::string::npos);  // RFC 7617 2
  EXPECT_EQ(head_of("GET", {}, {}, options, false).find("Proxy-"), std::string::npos);
}

// No byte of the caller's can break framing.
TEST(CheckRequest, RefusesWhatWouldBreakFraming) {
  EXPECT_EQ(check_request("GET", {}), Errc::kOk);
  EXPECT_EQ(check_request("X-PRIVATE", {{.name = "A", .value = ""}}), Errc::kOk);
  for (const std::string_view method : {"", "G T", "GET\r\n", "GET ", "G\xc3", "CONNECT"}) {
    EXPECT_EQ(check_request(method, {}), Errc::kBadMethod) << method;
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string text = std::string("a") + c + "b";
    const Errc name = check_request("GET", {{.name = text, .value = "x"}});
    const bool token = std::isalnum(byte) != 0 || (c != 0 && std::strchr("!#$%&'*+-.^_`|~", c));
    EXPECT_EQ(name, token ? Errc::kOk : Errc::kBadFieldName) << byte;
    const Errc value = check_request("GET", {{.name = "x", .value = text}});
    const bool printable = c == '\t' || (byte >= 0x20 && byte != 0x7f);
    EXPECT_EQ(value, printable ? Errc::kOk : Errc::kBadFieldValue) << byte;
  }
  EXPECT_EQ(check_request("GET", {{.name = "", .value = "x"}}), Errc::kBadFieldName);
}

TEST(CheckRequest, KeepsToItselfWhatFramesTheMessage) {
  for (const char* const name :
       {"Host", "host", "Content-Length", "TRANSFER-ENCODING", "Connection", "Keep-Alive",
        "Proxy-Connection", "Proxy-Authorization", "Upgrade", "TE", "Trailer", "Expect"}) {
    EXPECT_EQ(check_request("GET", {{.name = name, .value = "x"}}), Errc::kReservedField) << name;
  }
}

}  // namespace
}  // namespace ssx::http

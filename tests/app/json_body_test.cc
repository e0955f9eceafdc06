#include "ssxrver/app/json_body.h"

#include <gtest/gtest.h>

#include <string>

#include "http/handler.h"
#include "http/request_parser.h"

namespace ssx {
namespace {

using http::Request;
using http::Response;

class JsonBody : public testing::Test {
 protected:
  Expected<json::Value, JsonBodyError> read(std::string text,
                                            std::string_view type = "application/json",
                                            const JsonBodyLimits& limits = {}) {
    return read(http::Body{keep = std::move(text), -1, keep.size()}, type, limits);
  }
  Expected<json::Value, JsonBodyError> read(http::Body body, std::string_view type,
                                            const JsonBodyLimits& limits = {}) {
    const std::string head_text =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: " + std::string(type) +
        "\r\nContent-Length: 1\r\n\r\n";
    const http::ParserLimits parser_limits;
    http::RequestParser parser(parser_limits);
    http::Head head;
    EXPECT_EQ(parser.parse(head_text, head).progress, http::Progress::kDone);
    const http::Params params;
    const net::SocketAddress peer;
    const Request request(head, "/", params, body, peer, 0);
    return json_body(request, limits);
  }
  int status(std::string text, std::string_view type, const JsonBodyLimits& limits = {}) {
    const auto value = read(std::move(text), type, limits);
    return value ? 200 : to_int(value.error().status);
  }
  std::string complaint(std::string text) {
    const auto value = read(std::move(text));
    return value ? "taken" : value.error().detail;
  }
  std::string keep;
};

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST_F(JsonBody, IsRead) {
  const auto value = read(R"({"name": "x", "tags": [1, 2]})");
  ASSERT_TRUE(value);
  EXPECT_EQ(*value->find("name")->string(), "x");
  EXPECT_EQ(value->find("tags")->array()->size(), 2u);
}

TEST_F(JsonBody, HasATypeThatSaysSo) {
  for (const char* type : {"application/json", "Application/JSON; charset=utf-8",
                           "application/problem+json", "application/vnd.x+JSON"})
    EXPECT_EQ(status("1", type), 200) << type;
  for (const char* type : {"text/plain", "application/jsonx", "application/x-json", "text/json",
                           "json", "", "application/+json"})
    EXPECT_EQ(status("1", type), 415) << type;
}

TEST_F(JsonBody, SaysWhereItIsMalformed) {
  EXPECT_EQ(complaint("{\n  \"a\": }").substr(0, 16), "line 2, column 8");
  EXPECT_EQ(complaint("").substr(0, 16), "line 1, column 1");
  EXPECT_EQ(complaint("[1,]").substr(0, 16), "line 1, column 4");
  EXPECT_EQ(complaint("[1] // x").substr(0, 16), "line 1, column 5");
  EXPECT_EQ(complaint(R"({"a": 1, "b": 2, "a": 3})"),
            "line 1, column 18: a key for the second time");
  EXPECT_EQ(status("\"\xff\"", "application/json"), 400);
}

TEST_F(JsonBody, HasBounds) {
  const JsonBodyLimits limits{.bytes_max = 20, .depth_max = 4};
  const auto of_size = [](std::size_t size) { return std::string(size - 1, ' ') + "1"; };
  EXPECT_EQ(status(of_size(19), "application/json", limits), 200);
  EXPECT_EQ(status(of_size(20), "application/json", limits), 200);
  EXPECT_EQ(status(of_size(21), "application/json", limits), 413);
  EXPECT_EQ(status(nested(3), "application/json", limits), 200);
  EXPECT_EQ(status(nested(4), "application/json", limits), 200);
  EXPECT_EQ(status(nested(5), "application/json", limits), 400);
  EXPECT_EQ(status(nested(32), "application/json"), 200);
  EXPECT_EQ(status(nested(33), "application/json"), 400);
  const auto spooled = read(http::Body{{}, 5, 10}, "application/json");
  EXPECT_EQ(spooled.error().status, http::Status::kContentTooLarge);
}

TEST_F(JsonBody, IsAnsweredWithJson) {
  const auto handler = [](const Request&) {
    json::Value value;
    value.set("id", 7);
    return value;
  };
  static_assert(http::HandlerFunction<decltype(handler)>);
  json::Value value;
  value.set("id", 7);
  Response answer(value.set("list", json::Array{1, "two"}));
  EXPECT_EQ(answer.content_type(), "application/json");
  EXPECT_EQ(std::get<std::string>(answer.content()), R"([1,"two"])");
  EXPECT_EQ(std::get<std::string>(Response(value).content()), R"({"id":7,"list":[1,"two"]})");
  Response array(json::Array{1, nullptr});
  EXPECT_EQ(std::get<std::string>(array.content()), "[1,null]");
}

TEST_F(JsonBody, ErrorsAreAnswers) {
  const auto value = read("[");
  ASSERT_FALSE(value);
  Response answer(value.error());
  EXPECT_EQ(answer.status(), http::Status::kBadRequest);
  EXPECT_EQ(answer.content_type(), "application/problem+json");
  const auto problem = json::parse(std::get<std::string>(answer.content()));
  ASSERT_TRUE(problem);
  EXPECT_EQ(*problem->root.find("status")->number(), 400u);
  EXPECT_EQ(*problem->root.find("title")->string(), "Bad Request");
  EXPECT_EQ(problem->root.find("detail")->string()->substr(0, 6), "line 1");
}

}  // namespace
}  // namespace ssx

#include "http/request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "http/error.h"
#include "http/options.h"
#include "http/request_parser.h"
#include "http/target.h"

namespace ssx::http {
namespace {

class RequestView : public testing::Test {
 protected:
  /// The request that these bytes are, as a session would show it.
  const Request& parse(std::string text) {
    bytes = std::move(text);
    RequestParser parser(limits);
    const auto parsed = parser.parse(bytes, head);
    EXPECT_EQ(parsed.progress, Progress::kDone) << to_string(parsed.error);
    scratch.resize(head.path.size());
    path = *normalise_path(head.path, scratch);
    request.emplace(head, path, params, body, peer, 3);
    return *request;
  }
  const Request& parse_target(const std::string& target) {
    return parse("GET " + target + " HTTP/1.1\r\nHost: a.example:81\r\n\r\n");
  }

  ParserLimits limits;
  std::string bytes;
  std::vector<char> scratch;
  std::string_view path;
  Head head;
  Params params;
  Body body;
  net::SocketAddress peer = *net::SocketAddress::parse("192.0.2.1", 5);
  std::optional<Request> request;
};

TEST_F(RequestView, ShowsTheRequestLine) {
  const Request& r = parse_target("/a%20b/../c?d=e");
  EXPECT_EQ(r.method(), Method::kGet);
  EXPECT_EQ(r.version(), Version::kHttp11);
  EXPECT_EQ(r.target(), "/a%20b/../c?d=e");
  EXPECT_EQ(r.path(), "/c");
  EXPECT_EQ(r.query(), "d=e");
  EXPECT_EQ(r.host(), "a.example:81");
  EXPECT_EQ(r.worker(), 3u);
  EXPECT_EQ(r.peer().to_string(), "192.0.2.1:5");
}

TEST_F(RequestView, FindsFieldsInAnyCase) {
  const Request& r = parse("GET / HTTP/1.1\r\nhOST: a\r\nX-Y: 1\r\nx-y: 2\r\nETag: t\r\n\r\n");
  EXPECT_EQ(r.header("HOST"), "a");
  EXPECT_EQ(r.header(FieldName::kHost), "a");
  EXPECT_EQ(r.header("x-Y"), "1");  // the first one
  EXPECT_EQ(r.header("none"), std::nullopt);
  EXPECT_EQ(r.fields().size(), 4u);
}

TEST_F(RequestView, HasNoHostWhereHttp10GaveNone) {
  EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n").host(), "");
}

TEST_F(RequestView, FindsAndDecodesAQueryParameter) {
  const Request& r = parse_target("/?a=1&b=two+words&c=%C3%BC%26&a=2&d&e=&%66=g&=x&&h=i=j");
  EXPECT_EQ(r.query("a"), "1");
  EXPECT_EQ(r.query("b"), "two words");
  EXPECT_EQ(r.query("c"), "\xC3\xBC&");
  EXPECT_EQ(r.query("d"), "");
  EXPECT_EQ(r.query("e"), "");
  EXPECT_EQ(r.query("f"), "g");
  EXPECT_EQ(r.query("h"), "i=j");
  EXPECT_EQ(r.query("A"), std::nullopt);
  EXPECT_EQ(r.query("none"), std::nullopt);
}

TEST_F(RequestView, HasNoParametersWithoutAQuery) {
  EXPECT_EQ(parse_target("/").query("a"), std::nullopt);
  EXPECT_EQ(parse_target("/?").query("a"), std::nullopt);
}

TEST_F(RequestView, ReadsParametersOfTheRouteAsNumbers) {
  params.push({"id", "42"});
  params.push({"minus", "-7"});
  params.push({"large", "300"});
  for (const char* bad : {"", " 1", "1 ", "0x1", "1.5", "a", "+1"}) params.push({"bad", bad});
  const Request& r = parse_target("/");
  EXPECT_EQ(r.param("id"), "42");
  EXPECT_EQ(r.param_as<int>("id"), 42);
  EXPECT_EQ(r.param_as<std::uint64_t>("id"), 42u);
  EXPECT_EQ(r.param_as<int>("minus"), -7);
  EXPECT_EQ(r.param_as<unsigned>("minus"), std::nullopt);
  EXPECT_EQ(r.param_as<std::uint8_t>("large"), std::nullopt);
  EXPECT_EQ(r.param_as<int>("none"), std::nullopt);
  for (std::size_t i = 3; i < params.size(); ++i) {
    params.name(i, "this");
    EXPECT_EQ(r.param_as<int>("this"), std::nullopt) << params[i].value;
    params.name(i, "past");
  }
}

TEST_F(RequestView, ShowsTheBody) {
  body = {"text", -1, 4};
  const Request& r = parse_target("/");
  EXPECT_EQ(r.body().text, "text");
  EXPECT_EQ(r.body().size, 4u);
}

TEST_F(RequestView, TakesItsQueryApart) {
  const auto query = parse_target("/?a=1&b=x%20y&a=2").query_params();
  ASSERT_TRUE(query);
  EXPECT_EQ(query->size(), 3u);
  EXPECT_EQ(query->find("b"), "x y");
  std::string many = "/?";
  for (std::size_t i = 0; i <= HttpOptions().query_params_max; ++i) many += "a&";
  EXPECT_EQ(parse_target(many).query_params().error(), make_error_code(Errc::kTooManyParams));
}

TEST_F(RequestView, FindsCookiesInEveryLine) {
  const Request& r =
      parse("GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1; b=2\r\nCookie: c=3; a=4\r\n\r\n");
  EXPECT_EQ(r.cookie("a"), "1");
  EXPECT_EQ(r.cookie("c"), "3");
  EXPECT_EQ(r.cookie("A"), std::nullopt);
}

TEST_F(RequestView, LooksForNoCookieAmongTooMany) {
  const std::size_t max = HttpOptions().cookie_pairs_max;
  for (const std::size_t count : {max - 1, max, max + 1}) {
    std::string text = "GET / HTTP/1.1\r\nHost: a\r\nCookie: z=1";
    for (std::size_t i = 1; i < count; ++i) text += ";a=1";
    const Request& r = parse(text + "\r\n\r\n");
    EXPECT_EQ(r.cookie("z").has_value(), count <= max) << count;
  }
}

TEST_F(RequestView, ReadsItsBodyAsAForm) {
  const std::string head_text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nContent-Type: ";
  body = {"a=1&b=+", -1, 7};
  const auto form =
      parse(head_text + "application/X-www-form-urlencoded; charset=utf-8\r\n\r\n").form();
  ASSERT_TRUE(form);
  EXPECT_EQ(form->find("b"), " ");
  EXPECT_EQ(parse(head_text + "text/plain\r\n\r\n").form().error(),
            make_error_code(Errc::kNotForm));
  body = {"", 5, 7};
  EXPECT_EQ(parse(head_text + "application/x-www-form-urlencoded\r\n\r\n").form().error(),
            make_error_code(Errc::kBodyTooLarge));
}

}  // namespace
}  // namespace ssx::http

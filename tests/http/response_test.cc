#include "http/response.h"

#include <gtest/gtest.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "http/handler.h"

namespace ssx::http {
namespace {

std::string_view text_of(Response& response) {
  if (const auto* text = std::get_if<std::string>(&response.content())) return *text;
  if (const auto* view = std::get_if<Response::View>(&response.content())) return view->bytes;
  return std::get<Response::Kept>(response.content()).bytes;
}

TEST(Response, IsMadeOfWhatAHandlerReturns) {
  Response nothing;
  EXPECT_EQ(nothing.status(), Status::kOk);
  EXPECT_FALSE(nothing.has_body());
  Response status(Status::kNotFound);
  EXPECT_EQ(status.status(), Status::kNotFound);
  EXPECT_FALSE(status.has_body());
  Response literal("text");
  EXPECT_EQ(text_of(literal), "text");
  EXPECT_EQ(literal.content_type(), Response::kText);
  Response owned(std::string("text"));
  EXPECT_EQ(text_of(owned), "text");
  EXPECT_EQ(owned.body_size(), 4u);
}

TEST(Response, KnowsAnEmptyBodyFromNone) {
  EXPECT_TRUE(Response("").has_body());
  EXPECT_TRUE(Response(std::string()).has_body());
  EXPECT_TRUE(Response::permanent("").has_body());
  EXPECT_FALSE(Response(Status::kOk).has_body());
}

TEST(Response, HasATypeForEachFactory) {
  Response html = Response::html("<p>");
  EXPECT_EQ(html.content_type(), "text/html; charset=utf-8");
  EXPECT_EQ(text_of(html), "<p>");
  Response json = Response::json("{}");
  EXPECT_EQ(json.content_type(), "application/json");
  EXPECT_EQ(text_of(json), "{}");
  EXPECT_EQ(Response::text("x").content_type(), "text/plain; charset=utf-8");
}

TEST(Response, FindsItsFields) {
  Response response("x");
  response.set("ETag", "\"a\"").set("X-Empty", "");
  response.prepared_fields("Cache-Control: no-store\r\nvary:  Origin \r\n");
  EXPECT_EQ(response.field("etag"), "\"a\"");
  EXPECT_EQ(response.field("CACHE-CONTROL"), "no-store");
  EXPECT_EQ(response.field("Vary"), "Origin");
  EXPECT_EQ(response.field("X-Empty"), "");
  EXPECT_EQ(response.field("Content-Type"), Response::kText);
  EXPECT_FALSE(response.has("Cache"));
  EXPECT_FALSE(response.has("Cache-Control-X"));
  EXPECT_FALSE(response.has(""));
  response.content_type({});
  EXPECT_FALSE(response.has("Content-Type"));
}

TEST(Response, ReplacesFields) {
  Response response("x");
  response.prepared_fields("ETag: \"a\"\r\nX-Y: 1\r\n").set("X-Y", "2").set("Z", "3");
  response.replace("x-y", "4");
  EXPECT_EQ(response.prepared_fields(), "");
  EXPECT_EQ(response.fields(), "ETag: \"a\"\r\nZ: 3\r\nx-y: 4\r\n");
  response.replace("ETag", "").replace("none", "");
  EXPECT_EQ(response.fields(), "Z: 3\r\nx-y: 4\r\n");
  response.replace("Content-Type", "a/b");
  EXPECT_EQ(response.content_type(), "");
  EXPECT_EQ(response.field("content-type"), "a/b");
  EXPECT_EQ(response.bad_field(), "");
  response.replace("Z", "a\nb");
  EXPECT_EQ(response.bad_field(), "Z");
}

TEST(Response, VariesOnceWithAField) {
  Response response("x");
  response.prepared_fields("Vary: Accept, origin\r\n");
  response.vary("Origin").vary("Accept-Encoding").vary("accept-encoding").vary("Cookie");
  EXPECT_EQ(response.fields(), "Vary: Accept-Encoding\r\nVary: Cookie\r\n");
  Response all("x");
  all.set("Vary", "*").vary("Origin");
  EXPECT_EQ(all.fields(), "Vary: *\r\n");
}

TEST(Response, OwnsFieldsThatLivedAsLongAsItsBody) {
  std::string type = "text/a";
  std::string lines = "A: 1\r\nB: 2\r\n";
  Response response("x");
  response.content_type(type).prepared_fields(lines).set("C", "3");
  response.own_fields();
  type = lines = "gone";
  EXPECT_EQ(response.prepared_fields(), "");
  EXPECT_EQ(response.content_type(), "");
  EXPECT_EQ(response.fields(), "A: 1\r\nB: 2\r\nC: 3\r\nContent-Type: text/a\r\n");
}

TEST(Response, SendsPermanentAndKeptBytesFromWhereTheyAre) {
  static const std::string bytes = "permanent";
  Response permanent = Response::permanent(bytes);
  EXPECT_EQ(text_of(permanent).data(), bytes.data());
  struct Keeper final : LocalShared {
    explicit Keeper(bool& gone) : gone_(gone) {}
    ~Keeper() override { gone_ = true; }
    bool& gone_;
  };
  bool gone = false;
  {
    Response kept = Response::kept("abc", LocalRef<Keeper>(new Keeper(gone)));
    EXPECT_EQ(text_of(kept), "abc");
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(gone);
}

TEST(Response, CountsThePartOfAFile) {
  const Response file = Response::file({3, 10, 5'000'000'000, {}, true});
  EXPECT_EQ(file.body_size(), 5'000'000'000u);
  EXPECT_TRUE(file.has_body());
}

TEST(Response, AddsFieldsInOrder) {
  Response response;
  response.set("X-One", "1").set("X-Two", " two\twords ").set("X-One", "");
  EXPECT_EQ(response.fields(), "X-One: 1\r\nX-Two: two\twords\r\nX-One: \r\n");
  EXPECT_EQ(response.bad_field(), "");
}

TEST(Response, TakesItsTypeFromAField) {
  Response response("x");
  response.set("content-TYPE", "image/png");
  EXPECT_EQ(response.content_type(), "");
  EXPECT_EQ(response.fields(), "content-TYPE: image/png\r\n");
}

TEST(Response, LeavesToTheServerWhatIsTheServers) {
  for (const std::string_view name :
       {"Connection", "CONTENT-LENGTH", "date", "Server", "Transfer-Encoding", "keep-alive"}) {
    Response response;
    response.set(name, "1");
    EXPECT_EQ(response.bad_field(), name);
    EXPECT_EQ(response.fields(), "");
  }
}

// Every byte in a name (RFC 9110 5.6.2, tchar) and in a value (5.5).
TEST(Response, RefusesEveryByteThatDoesNotBelongIntoAName) {
  const std::string_view punctuation = "!#$%&'*+-.^_`|~";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool legal = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       punctuation.find(c) != std::string_view::npos;
    for (const std::string& name :
         {std::string(1, c) + "x", std::string("x") + c + "y", std::string("x") + c}) {
      Response response;
      response.set(name, "v");
      EXPECT_EQ(response.bad_field().empty(), legal) << byte;
      EXPECT_EQ(response.fields().empty(), !legal) << byte;
    }
  }
}

TEST(Response, RefusesEveryByteThatDoesNotBelongIntoAValue) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool legal = byte == '\t' || (byte >= 0x20 && byte != 0x7F);
    for (const std::string& value : {std::string(1, c) + "x", std::string("x") + c + "y",
                                     std::string("x") + c, std::string(1, c)}) {
      Response field;
      field.set("X", value);
      EXPECT_EQ(field.bad_field().empty(), legal) << byte;
      Response type;
      type.content_type(value);
      EXPECT_EQ(type.bad_field().empty(), legal) << byte;
    }
  }
}

TEST(Response, RefusesAFieldWithoutAName) {
  Response response;
  response.set("", "value");
  EXPECT_NE(response.bad_field(), "");
  EXPECT_EQ(response.fields(), "");
}

TEST(Response, CutsTheNameOfABadFieldForTheLog) {
  Response response;
  response.set(std::string(10'000, ' '), "value");
  EXPECT_EQ(response.bad_field().size(), 64u);
}

TEST(Response, IsAsLongAsItsPieces) {
  std::vector<Response::Piece> pieces;
  EXPECT_EQ(Response::pieces(pieces).body_size(), 0u);
  pieces.emplace_back(std::string("four"));
  pieces.emplace_back(Response::Kept{"seven", {}});
  pieces.emplace_back(FileSlice{7, 10, UINT64_MAX / 2, {}, true});
  EXPECT_EQ(Response::pieces(pieces).body_size(), 4 + 5 + UINT64_MAX / 2);
  EXPECT_TRUE(Response::pieces(pieces).has_body());
}

TEST(Response, RemembersTheRest) {
  Response response = std::move(Response("x").status(Status::kCreated).close_connection());
  response.prepared_fields("A: b\r\n");
  EXPECT_EQ(response.status(), Status::kCreated);
  EXPECT_TRUE(response.wants_close());
  EXPECT_EQ(response.prepared_fields(), "A: b\r\n");
}

}  // namespace
}  // namespace ssx::http

namespace elsewhere {

struct Point {
  int x;
};
struct Mute {};
ssx::http::Response to_response(const Point& point) { return std::to_string(point.x); }
int to_response(const Mute& mute);

}  // namespace elsewhere

namespace ssx::http {
namespace {

TEST(Response, IsWhatToResponseSays) {
  const auto handler = [](const Request&) { return elsewhere::Point{7}; };
  static_assert(HandlerFunction<decltype(handler)>);
  Response response(elsewhere::Point{7});
  EXPECT_EQ(text_of(response), "7");
  static_assert(!std::constructible_from<Response, elsewhere::Mute>);
  static_assert(!HasResponse<std::string> && !HasResponse<Response> && !HasResponse<Response&>);
  static_assert(HandlerFunction<Task<elsewhere::Point> (*)(const Request&)>);
}

}  // namespace
}  // namespace ssx::http
